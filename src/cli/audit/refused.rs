//! Compares the items that TOOL-EXEC quarantined with its log.

use std::collections::{HashMap, HashSet};

use gatepost_contract::request::REQUEST_BYTES_MAX;
use gatepost_documents::escape;
use gatepost_exec::layout::NOTE_FILE;
use gatepost_exec::mailbox::exec_log::SetAside;
use gatepost_mailbox::folder::Folder;
use gatepost_mailbox::quarantine::{ASIDE, Item, RECORD, Record, Refusal, Removal, UNTOUCHED};
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};
use gatepost_mailbox::site::STAGING;

use super::flaw::{Flaw, Kind};
use crate::cli::prelude::*;

const ALTERED: &str = "Restore it from a backup, and find out who could write to it.";
const MISSING: &str = "Restore it from a backup, or find out who removed it. Only `gatepost quarantine purge` may.";
const ADDED: &str = "TOOL-EXEC did not put it there. Do not use it, and find out who did.";

/// Every item of TOOL-EXEC has a leaf. Every logged item is unchanged, or its removal is logged.
pub(super) fn check(
    site: &Site,
    items: &[Item],
    logged: &[SetAside],
    removals: &[Removal],
) -> Result<Vec<Flaw>, Fault> {
    let by_record: HashMap<Digest, &SetAside> = logged.iter().map(|leaf| (leaf.record_sha256, leaf)).collect();
    let removed: HashSet<Digest> = removals.iter().filter_map(|removal| removal.record_sha256).collect();
    let (mut flaws, mut found, mut others) = (Vec::new(), HashSet::new(), Vec::new());
    for item in items {
        let record = regular_file::read(&item.path.join(RECORD), DOCUMENT_MAX_BYTES).unwrap_or_default();
        match (by_record.get(&Digest::of(&record)), &item.record) {
            (Some(leaf), Record::Refusal(refusal)) => {
                found.insert(leaf.record_sha256);
                let altered = |message| {
                    Flaw::new(Kind::Altered, format!("quarantine/{}/{UNTOUCHED}", item.name), message, ALTERED)
                };
                flaws.extend(difference(item, refusal, leaf).map(altered));
            }
            (_, Record::Refusal(_) | Record::Unreadable(_)) => others.push(item),
            (_, Record::Verdict(_)) => {}
        }
    }
    for item in others {
        let place = format!("quarantine/{}", item.name);
        let is_left = |leaf: &&SetAside| !found.contains(&leaf.record_sha256) && !removed.contains(&leaf.record_sha256);
        if let Some(leaf) = logged.iter().rev().filter(is_left).find(|leaf| leaf.is_of(item)) {
            found.insert(leaf.record_sha256);
            let message = "It differs from the one that TOOL-EXEC wrote.";
            flaws.push(Flaw::new(Kind::Altered, format!("{place}/{RECORD}"), message, ALTERED));
        } else if matches!(item.record, Record::Refusal(_)) || logged.iter().any(|leaf| leaf.is_of(item)) {
            flaws.push(Flaw::new(Kind::Added, place, "TOOL-EXEC's log records no such refusal.", ADDED));
        }
    }
    for name in Folder::of_site(site, "quarantine")?.names()? {
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        let is_ours = name == STAGING || name == NOTE_FILE || name.as_encoded_bytes().starts_with(ASIDE.as_bytes());
        if is_hidden && !is_ours {
            let place = format!("quarantine/{}", escape::path(name.as_encoded_bytes()));
            flaws.push(Flaw::new(Kind::Added, place, "No log records it.", ADDED));
        }
    }
    let last: HashMap<&str, Digest> = logged.iter().map(|leaf| (leaf.item.as_str(), leaf.record_sha256)).collect();
    for leaf in logged {
        // After a power cut between a leaf and its item, another attempt quarantines the item.
        let is_again = || last.get(leaf.item.as_str()) != Some(&leaf.record_sha256);
        if !found.contains(&leaf.record_sha256) && !removed.contains(&leaf.record_sha256) && !is_again() {
            let message = format!("TOOL-EXEC refused this item at {}, but it is missing.", leaf.utc);
            flaws.push(Flaw::new(Kind::Missing, format!("quarantine/{}", leaf.item), message, MISSING));
        }
    }
    Ok(flaws)
}

/// The change of an item since its quarantine. The bytes of a refused drop were never read, so they are not compared.
fn difference(item: &Item, refusal: &Refusal, leaf: &SetAside) -> Option<&'static str> {
    let Ok(folder) = Folder::open(&item.path).and_then(|folder| folder.folder(UNTOUCHED)) else {
        return Some("It cannot be read.");
    };
    let names = folder.names().unwrap_or_default();
    let names: Vec<String> = names.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names != leaf.untouched {
        return Some("Its files differ from those that TOOL-EXEC put there.");
    }
    let digest = refusal.request_sha256?;
    let request =
        |path: &str| folder.read(path, REQUEST_BYTES_MAX as u64).is_ok_and(|bytes| Digest::of(&bytes) == digest);
    let is_it = names.iter().any(|name| {
        let within = [".md", ".json"].map(|ending| format!("{name}/{name}{ending}"));
        request(name) || within.iter().any(|path| request(path))
    });
    (!is_it).then_some("Its request differs from the one that TOOL-EXEC refused: the digest does not match.")
}
