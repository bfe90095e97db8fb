//! Compares TOOL-EXEC's log with the gate's decisions and the files of the site.

use std::collections::{HashMap, HashSet};

use gatepost_documents::escape;
use gatepost_documents::id::ResultId;
use gatepost_documents::verdict::Decision;
use gatepost_exec::mailbox::exec_log::{Logged, Step};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::STAGING;

use super::flaw::{Flaw, Kind};
use super::record::Decisions;
use crate::cli::prelude::*;

/// The most entries of a bundle, times the longest path of a file system.
const SUMS_MAX_BYTES: u64 = 64 * 1024 * 1024;
const UNKNOWN: &str = "TOOL-EXEC did not seal it. Find out who could write to outbox/.";
const GONE: &str = "Look for it in a backup; find out who could write to outbox/ before the gate judged it.";

/// Every logged end has its result, and every result of a request claimed here has its end.
pub(super) fn check(site: &Site, steps: &[Logged], decisions: &Decisions) -> Vec<Flaw> {
    let mut claimed = HashSet::new();
    let mut ended: HashMap<&str, Digest> = HashMap::new();
    for Logged { request_id, step, .. } in steps {
        match step {
            Step::Claimed { .. } => _ = claimed.insert(request_id.as_str()),
            Step::Ended { result_id, sha256sums_sha256, .. } => _ = ended.insert(result_id, *sha256sums_sha256),
            Step::Pending { .. } | Step::Started { .. } | Step::Interrupted => {}
        }
    }
    let judged: HashSet<&str> = decisions.verdicts.iter().map(|entry| entry.result_id.as_str()).collect();
    let mut flaws = Vec::new();
    for Logged { request_id, step, .. } in steps {
        let Step::Ended { result_id, .. } = step else { continue };
        let is_there = judged.contains(result_id.as_str())
            || ResultId::parse(result_id).is_ok() && site.outbox().join(result_id).exists()
            || site.outbox().join(STAGING).join(request_id.as_str()).exists();
        if !is_there {
            let message = "TOOL-EXEC logged it as sealed, but it is missing, and the gate never judged it.";
            flaws.push(Flaw::new(
                Kind::Missing,
                format!("outbox/{}", escape::path(result_id.as_bytes())),
                message,
                GONE,
            ));
        }
    }
    let accepted = decisions.verdicts.iter().filter(|entry| {
        entry.verdict == Decision::Accept
            && !entry.is_bare_document
            && entry.imported.is_none()
            && entry.released.is_none()
    });
    for entry in accepted.filter(|entry| claimed.contains(entry.request_id.as_str())) {
        let path = site.core_inbound().join(&entry.result_id).join("SHA256SUMS");
        // Missing and unreadable files of an item are reported by the check of the items.
        let Ok(sums) = regular_file::read(&path, SUMS_MAX_BYTES) else { continue };
        let found = Digest::of(&sums);
        if ended.get(entry.result_id.as_str()) != Some(&found) {
            let message = "It differs from the result that TOOL-EXEC logged for this request.";
            flaws.push(Flaw::new(
                Kind::Added,
                format!("core/inbound/{}", escape::path(entry.result_id.as_bytes())),
                message,
                UNKNOWN,
            ));
        }
    }
    flaws
}
