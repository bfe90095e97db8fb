//! Compares the items of a site with the decisions of its gate, in both directions.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

use gatepost_documents::attestation::LogPlace;
use gatepost_documents::escape;
use gatepost_documents::verdict::{Decision, VERDICT_FILE, Verdict, reasons_markdown};
use gatepost_gate::audit::{self, Accepted, digest};
use gatepost_gate::ledger::Entry;
use gatepost_mailbox::quarantine::{Item, PAGE, RECORD, RELEASE, Record, Removal, UNTOUCHED, meanings, plain_name};
use gatepost_mailbox::regular_file;

use super::attestation;
use super::flaw::{Flaw, Kind};
use super::record::Decisions;
use crate::cli::bar;
use crate::cli::prelude::*;
use gatepost_exec::layout::NOTE_FILE;
use gatepost_exec::mailbox::exec_log::SetAside;

const FILE_MAX_BYTES: u64 = 64 * 1024 * 1024;
const ALTERED: &str = "Restore it from a backup, and do not rely on the present copy. Find out who could write to it.";
const MISSING: &str = "Restore it from a backup, or find out who removed it. Only `gatepost quarantine purge` may remove \
                       items, and it leaves a record.";
const ADDED: &str = "The gate did not put it there. Do not use it, and find out who did.";

const fn hint_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Missing => MISSING,
        Kind::Altered => ALTERED,
        Kind::Added => ADDED,
    }
}

/// Every difference between the two.
pub(super) fn check(
    site: &Site,
    decisions: &Decisions,
    items: &[Item],
    set_aside: &[SetAside],
) -> Result<Vec<Flaw>, Fault> {
    let mut flaws = accepted(site, decisions)?;
    flaws.extend(quarantined(site, decisions, items, set_aside)?);
    flaws.extend(removed(site, &decisions.removals));
    Ok(flaws)
}

/// Compares the lines on removals with those that the gate logged. A logged removal that was cut short is repeated.
fn removed(site: &Site, logged: &[Removal]) -> Vec<Flaw> {
    const PLACE: &str = "var/gate/audit/removals.jsonl";
    let path = site.gate_audit().join("removals.jsonl");
    let text = match regular_file::read(&path, FILE_MAX_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => {
            let message = format!("It cannot be read: {error}.");
            return vec![Flaw::new(Kind::Altered, PLACE, message, ALTERED)];
        }
        Ok(bytes) => bytes,
    };
    let line = |removal: &Removal| Some([&serde_json::to_vec(removal).ok()?[..], b"\n"].concat());
    let logged_lines: BTreeSet<Vec<u8>> = logged.iter().filter_map(line).collect();
    let lines: BTreeSet<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let mut flaws = Vec::new();
    for line in lines.iter().filter(|line| !logged_lines.contains(**line)) {
        let item = serde_json::from_slice::<Removal>(line).map_or_else(|_| "?".to_owned(), |removal| removal.item);
        let message = format!("Its line about the item {} is not a removal that the gate logged.", quoted(&item));
        flaws.push(Flaw::new(Kind::Altered, PLACE, message, ALTERED));
    }
    for removal in logged {
        let is_there = site.quarantine().join(&removal.item).symlink_metadata().is_ok();
        let has_line = line(removal).is_some_and(|line| lines.contains(line.as_slice()));
        if !is_there && !has_line {
            let message =
                format!("It has no line about the removal of {}, which the gate logged.", quoted(&removal.item));
            flaws.push(Flaw::new(Kind::Missing, PLACE, message, ALTERED));
        }
    }
    flaws
}

/// An acceptance, and its number in the log.
type Acceptance<'a> = (u64, &'a Entry);

fn accepted(site: &Site, decisions: &Decisions) -> Result<Vec<Flaw>, Fault> {
    let mut flaws = Vec::new();
    let mut decided: BTreeMap<String, Vec<Acceptance<'_>>> = BTreeMap::new();
    let numbered = decisions.indexes.iter().copied().zip(&decisions.verdicts);
    for (index, entry) in numbered.filter(|(_, entry)| entry.verdict == Decision::Accept) {
        decided.entry(plain_name(entry.result_id.as_bytes())).or_default().push((index, entry));
    }
    let folder = site.core_inbound();
    let found = folder.read_dir().on("list", &folder)?.collect::<io::Result<Vec<_>>>().on("list", &folder)?;
    for found in bar::over("Checking results", found) {
        let name = found.file_name();
        if name == NOTE_FILE {
            continue;
        }
        let place = format!("core/inbound/{}", escape::path(name.as_encoded_bytes()));
        flaws.extend(match name.to_str().and_then(|name| decided.remove(name)) {
            None => Some(Flaw::new(Kind::Added, place, "The gate's log records no such accepted result.", ADDED)),
            Some(acceptances) => of_accepted(&folder, &name, place, &acceptances, &decisions.origin),
        });
    }
    for (name, _) in decided {
        if !is_on_its_way(site, &name) && folder.join(&name).symlink_metadata().is_err() {
            let message = "The gate accepted this result, but it is missing.";
            flaws.push(Flaw::new(Kind::Missing, format!("core/inbound/{name}"), message, MISSING));
        }
    }
    Ok(flaws)
}

fn of_accepted(
    folder: &Path,
    name: &OsStr,
    place: String,
    acceptances: &[Acceptance<'_>],
    origin: &str,
) -> Option<Flaw> {
    let Accepted { bundle_sha256, verdict_sha256, attested, .. } = match audit::accepted(folder, name) {
        Ok(accepted) => accepted,
        Err(error) => return Some(Flaw::new(Kind::Altered, place, format!("It cannot be read: {error}."), ALTERED)),
    };
    let of_bundle: Vec<_> = acceptances.iter().filter(|(_, entry)| entry.bundle_sha256 == bundle_sha256).collect();
    if of_bundle.is_empty() {
        let message = "Its files differ from those that the gate accepted: the digest over all of them does not match.";
        return Some(Flaw::new(Kind::Altered, place, message, ALTERED));
    }
    let Some((index, entry)) = of_bundle.into_iter().rfind(|(_, entry)| entry.has_verdict(verdict_sha256)) else {
        let place = format!("{place}/{VERDICT_FILE}");
        return Some(Flaw::new(Kind::Altered, place, "It differs from the verdict that the gate wrote.", ALTERED));
    };
    let log = LogPlace { origin: origin.to_owned(), index: *index };
    let fault = attestation::fault(entry.attestation_key.as_deref(), &log, attested.as_ref());
    fault.map(|(kind, file, message)| Flaw::new(kind, format!("{place}/{file}"), message, hint_of(kind)))
}

/// Whether a decision was recorded whose rename has not happened yet.
fn is_on_its_way(site: &Site, name: &str) -> bool {
    site.gate_judging().join(name).symlink_metadata().is_ok()
}

/// `set_aside` are the items that TOOL-EXEC put there, which are compared with its own log.
fn quarantined(site: &Site, decisions: &Decisions, items: &[Item], set_aside: &[SetAside]) -> Result<Vec<Flaw>, Fault> {
    let entries = decisions.verdicts.as_slice();
    let rejected: Vec<&Entry> = entries.iter().filter(|entry| entry.verdict == Decision::Reject).collect();
    let removed: BTreeSet<Digest> = decisions.removals.iter().filter_map(|removal| removal.record_sha256).collect();
    let kept: HashMap<Key, &Entry> = rejected.iter().map(|entry| (key_of(entry), *entry)).collect();
    let (mut flaws, mut found) = (Vec::new(), HashSet::new());
    for item in items {
        let place = format!("quarantine/{}", item.name);
        let bytes = regular_file::read(&item.path.join(RECORD), FILE_MAX_BYTES).unwrap_or_default();
        let older = match &item.record {
            Record::Verdict(verdict) => kept.get(&Key::Bundle(&verdict.result_id, verdict.bundle_sha256)),
            _ => None,
        };
        if let Some(entry) = kept.get(&Key::Record(Digest::of(&bytes))).or(older) {
            found.insert(key_of(entry));
            flaws.extend(of_quarantined(item, &place, entry, entries)?);
            continue;
        }
        let about = |entry: &Entry| {
            let is_named = meanings(&item.name).contains(&&*plain_name(entry.result_id.as_bytes()));
            is_named || matches!(&item.record, Record::Verdict(verdict) if same_bundle(verdict, entry))
        };
        let of_it = rejected.iter().find(|entry| !found.contains(&key_of(entry)) && about(entry));
        // A refusal by TOOL-EXEC is not a decision of the gate.
        let is_refusal = match &item.record {
            Record::Refusal(_) => true,
            Record::Unreadable(_) => set_aside.iter().any(|leaf| leaf.is_of(item)),
            Record::Verdict(_) => false,
        };
        if of_it.is_none() && is_refusal {
            continue;
        }
        flaws.push(match of_it {
            Some(entry) => {
                found.insert(key_of(entry));
                let message = "It differs from the verdict that the gate wrote.";
                Flaw::new(Kind::Altered, format!("{place}/{RECORD}"), message, ALTERED)
            }
            None => Flaw::new(Kind::Added, place, "The gate's log records no such rejection.", ADDED),
        });
    }
    for entry in rejected.iter().filter(|entry| !found.contains(&key_of(entry))) {
        let name = plain_name(entry.result_id.as_bytes());
        let is_removed = match entry.verdict_sha256 {
            Some(digest) => removed.contains(&digest),
            None => decisions.removals.iter().any(|removal| removal.sha256 == Some(entry.bundle_sha256)),
        };
        if !is_removed && !is_on_its_way(site, &name) {
            let message = format!("The gate rejected this result at {}, but it is missing.", entry.judged_utc);
            flaws.push(Flaw::new(Kind::Missing, format!("quarantine/{name}"), message, MISSING));
        }
    }
    Ok(flaws)
}

/// Identifies the decision of a quarantined item.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    /// The digest of its record.
    Record(Digest),
    /// Its bundle, if the decision is older than the log and names no record.
    Bundle(&'a str, Digest),
}

fn key_of(entry: &Entry) -> Key<'_> {
    entry.verdict_sha256.map_or(Key::Bundle(&entry.result_id, entry.bundle_sha256), Key::Record)
}

fn same_bundle(verdict: &Verdict, entry: &Entry) -> bool {
    verdict.result_id == entry.result_id && verdict.bundle_sha256 == entry.bundle_sha256
}

/// The fault of an item whose record is the gate's.
fn of_quarantined(item: &Item, place: &str, entry: &Entry, entries: &[Entry]) -> Result<Vec<Flaw>, Fault> {
    let mut flaws = Vec::new();
    let mut altered =
        |name: &str, message: &str| flaws.push(Flaw::new(Kind::Altered, format!("{place}/{name}"), message, ALTERED));
    let untouched = item.path.join(UNTOUCHED);
    // An item that could not be read, or not be moved here, has no digest to compare.
    let is_whole = entry.bundle_sha256 != Digest::of(b"") && !item.path.join("KEPT.md").exists();
    if is_whole {
        let found = match item.untouched().as_slice() {
            [name] => digest(&untouched, name, entry.is_bare_document).ok(),
            _ => None,
        };
        if found != Some(entry.bundle_sha256) {
            altered(UNTOUCHED, "It differs from what the gate rejected: the digest over all of it does not match.");
        }
    }
    if let Record::Verdict(verdict) = &item.record {
        let page = regular_file::read(&item.path.join(PAGE), FILE_MAX_BYTES).unwrap_or_default();
        let is_of_this_version = verdict.gate_version == env!("CARGO_PKG_VERSION");
        if is_of_this_version && page != reasons_markdown(verdict).into_bytes() {
            altered(PAGE, "It differs from reasons.json.");
        }
    }
    let release = item.path.join(RELEASE);
    if release.symlink_metadata().is_ok() {
        let word = item.released.as_ref();
        if word.is_none() || !entries.iter().any(|entry| entry.released.as_ref() == word) {
            altered(RELEASE, "The gate's log records no such release.");
        }
    }
    let known = [UNTOUCHED, RECORD, PAGE, RELEASE, "KEPT.md"];
    for found in fs::read_dir(&item.path).on("list", &item.path)? {
        let name = found.on("list", &item.path)?.file_name();
        if !known.iter().any(|known| name == *known) {
            let place = format!("{place}/{}", escape::path(name.as_encoded_bytes()));
            flaws.push(Flaw::new(Kind::Added, place, "The gate puts no such file into an item.", ADDED));
        }
    }
    Ok(flaws)
}
