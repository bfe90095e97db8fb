//! Stage 5 of a bare document: facts stated twice agree, and its digests match the text that it shows.
//!
//! Standards: `ThreeGate` tool-result schema; `schemas/bare_document.schema.md`.

use chrono::TimeDelta;

use super::stream::Parts;
use super::{Page, outputs};
use crate::structure::Title;
use gatepost_documents::clock;
use gatepost_documents::id::ResultId;
use gatepost_documents::reason::{Code, Reason};

/// The keys whose digests match a stream that the document shows whole, or every contradiction.
pub(super) fn check(page: Page<'_>, id: &ResultId) -> Result<Vec<&'static str>, Vec<Reason>> {
    let mut reasons = ids(page, id);
    reasons.extend(times(page, id));
    reasons.extend(outputs::faults(page));
    let mut verified = Vec::new();
    for (key, title, stated) in [
        ("stdout_sha256", Title::Stdout, page.keys.stdout_sha256),
        ("stderr_sha256", Title::Stderr, page.keys.stderr_sha256),
    ] {
        let section = page.sections.get(title);
        match stated.and_then(|stated| Parts::split(section).shows(stated)) {
            Some(true) => verified.push(key),
            Some(false) => {
                let message = format!(
                    "The value of {key} is not the digest of the text in {}, which states no omission.",
                    title.as_str()
                );
                reasons.push(page.at_key(key, Code::HashMismatch, message));
            }
            None => {}
        }
    }
    if reasons.is_empty() { Ok(verified) } else { Err(reasons) }
}

/// The ids equal those in the file's name.
fn ids(page: Page<'_>, id: &ResultId) -> Vec<Reason> {
    let pairs = [
        ("result_id", page.keys.result_id.as_str(), id.as_str()),
        ("request_id", page.keys.request_id.as_str(), id.request().as_str()),
    ];
    let differing = pairs.into_iter().filter(|(_, found, expected)| found != expected);
    let reason = |(key, found, expected): (&str, &str, &str)| {
        let message = format!("The value of {key} is \"{found}\", but the file name says \"{expected}\".");
        page.at_key(key, Code::IdMismatch, message)
    };
    differing.map(reason).collect()
}

/// The result was made at the time in its id, and not before its request.
fn times(page: Page<'_>, id: &ResultId) -> Vec<Reason> {
    let (created, skew) = (page.keys.created, TimeDelta::seconds(clock::SKEW_SECONDS_MAX.into()));
    let mut messages = Vec::new();
    if created < id.created() - skew || created > id.created_latest() + skew {
        messages.push("The value of created_utc differs from the time in the result id.");
    }
    if id.request().created() - created.max(id.created_latest()) > skew {
        messages.push("The creation time of the request is after that of its result.");
    }
    let reason = |message: &str| page.at_key("created_utc", Code::TimeOrder, message.to_owned());
    messages.into_iter().map(reason).collect()
}
