//! What TOOL-EXEC logged, against what the gate decided and what lies in the site.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;

use gatepost_documents::digest::Digest;
use gatepost_documents::verdict::Decision;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::site::{STAGING, Site};

use super::flaw::{Flaw, Kind};
use super::record::Decisions;
use crate::mailbox::exec_log::{Logged, Step};

const UNKNOWN: &str = "Find out who could write to outbox/; TOOL-EXEC did not seal it.";
const GONE: &str = "Look for it in a backup; find out who could write to outbox/ before the gate judged it.";

/// Every end that was logged has its result, and every result of a request that was claimed here its end.
pub fn check(site: &Site, steps: &[Logged], decisions: &Decisions) -> Result<Vec<Flaw>, Fault> {
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
            || site.outbox().join(result_id).exists()
            || site.outbox().join(STAGING).join(request_id.as_str()).exists();
        if !is_there {
            let message = "TOOL-EXEC logged it as sealed; it is not there, and the gate never judged it.";
            flaws.push(Flaw::new(Kind::Missing, format!("outbox/{result_id}"), message, GONE));
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
        let found = match fs::read(&path) {
            // What is missing of the item itself is told by whoever looks at the items.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => continue,
            found => Digest::of(&found.on("read", &path)?),
        };
        if ended.get(entry.result_id.as_str()) != Some(&found) {
            let message = "It is not what TOOL-EXEC logged as the end of this request.";
            flaws.push(Flaw::new(Kind::Added, format!("core/inbound/{}", entry.result_id), message, UNKNOWN));
        }
    }
    Ok(flaws)
}
