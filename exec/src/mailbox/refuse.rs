//! TOOL-EXEC's own items of the quarantine: drops that are not requests, and the originals of refused requests.

use std::path::PathBuf;

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::digest::Digest;
use gatepost_documents::reason::Reason;
use gatepost_documents::verdict::reason_sections;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::quarantine::{self, Contents, Item, Milestone, Record, Refusal};
use gatepost_mailbox::site::Site;

use super::exec_log::{ExecLog, SetAside};

/// Puts an item into quarantine with its reasons, logs it, and returns its folder.
pub fn quarantine(
    (site, log): (&Site, Option<&ExecLog>),
    name: &str,
    request_sha256: Option<Digest>,
    reasons: &[Reason],
    now: DateTime<Utc>,
    contents: &[Contents<'_>],
) -> Result<PathBuf, Fault> {
    let refused_utc = now.to_rfc3339_opts(SecondsFormat::Secs, true);
    let page = format!(
        "# Refused\n\nTOOL-EXEC refused this item at {refused_utc}; nothing was run.\n\n- Item: `{name}`\n{}",
        reason_sections(reasons)
    );
    let nonce = Some(quarantine::random_name()?);
    let refusal = Refusal { item: name.to_owned(), request_sha256, refused_utc, nonce, reasons: reasons.to_vec() };
    let mut record =
        serde_json::to_vec_pretty(&refusal).map_err(std::io::Error::from).on("write", &site.quarantine())?;
    record.push(b'\n');
    let untouched = contents.iter().map(|part| match part {
        Contents::Move(_, name) | Contents::Bytes(_, name) => (*name).to_owned(),
    });
    let leaf = SetAside::new(name, (&record, page.as_bytes()), untouched, now);
    let note = |milestone| {
        let leaf = leaf.clone();
        let leaf = if milestone == Milestone::Complete { leaf } else { leaf.withdrawn() };
        log.map_or(Ok(()), |log| log.note_set_aside(&leaf))
    };
    quarantine::put(site, name, (&record, &page), contents, note)
}

/// Whether the request `id` with these bytes is in quarantine already.
pub fn is_quarantined(site: &Site, id: &str, request_sha256: Digest) -> Result<bool, Fault> {
    let is_it = |item: &Item| match &item.record {
        Record::Refusal(refusal) => refusal.request_sha256 == Some(request_sha256),
        Record::Verdict(_) | Record::Unreadable(_) => false,
    };
    Ok(quarantine::all_about(site, id)?.iter().any(is_it))
}

#[cfg(test)]
mod tests {
    use gatepost_documents::reason::Code;
    use gatepost_mailbox::site::STAGING;

    use super::*;

    #[test]
    fn a_request_is_found_in_quarantine_however_often_its_name_was_taken() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        std::fs::create_dir_all(site.quarantine().join(STAGING)).unwrap();
        let id = "TR-20260209-160501Z-x";
        let reasons = [Reason::new(Code::RequestIdReused, "Other bytes.", "Use another id.")];
        for number in 0..12_u8 {
            assert!(!is_quarantined(&site, id, Digest::of(&[number])).unwrap());
            quarantine((&site, None), id, Some(Digest::of(&[number])), &reasons, DateTime::default(), &[]).unwrap();
            assert!(is_quarantined(&site, id, Digest::of(&[number])).unwrap());
        }
    }
}
