//! Compares the items of a site with the decisions of its gate, in both directions.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::Path;

use gatepost_documents::attestation::LogPlace;
use gatepost_documents::escape;
use gatepost_documents::verdict::{Decision, VERDICT_FILE};
use gatepost_gate::audit::{self, Accepted};
use gatepost_gate::ledger::Entry;
use gatepost_mailbox::quarantine::{Item, Removal, plain_name};
use gatepost_mailbox::regular_file;

use super::attestation;
use super::flaw::{Flaw, Kind};
use super::quarantined::{self, Refused};
use super::record::Decisions;
use crate::cli::bar;
use crate::cli::prelude::*;
use gatepost_exec::layout::NOTE_FILE;

pub(super) const FILE_MAX_BYTES: u64 = 64 * 1024 * 1024;
pub(super) const ALTERED: &str =
    "Restore it from a backup, and do not rely on the present copy. Find out who could write to it.";
pub(super) const MISSING: &str = "Restore it from a backup, or find out who removed it. Only `gatepost quarantine purge` may remove \
                       items, and it leaves a record.";
pub(super) const ADDED: &str = "gatepost did not put it there. Do not use it, and find out who did.";

const fn hint_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Missing => MISSING,
        Kind::Altered => ALTERED,
        Kind::Added => ADDED,
    }
}

/// Every difference between the two, and between the quarantine and what TOOL-EXEC refused.
pub(super) fn check(
    site: &Site,
    decisions: &Decisions,
    items: &[Item],
    refused: Refused<'_>,
) -> Result<Vec<Flaw>, Fault> {
    let mut flaws = accepted(site, decisions)?;
    flaws.extend(quarantined::check(site, decisions, items, refused)?);
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
    // A removal that was cut short is repeated, and logged again.
    let has_line = |removal: &&Removal| line(removal).is_some_and(|line| lines.contains(line.as_slice()));
    let key = |removal: &'_ Removal| (removal.item.clone(), removal.record_sha256);
    let on_record: BTreeSet<_> = logged.iter().filter(has_line).map(key).collect();
    for removal in logged {
        let is_there = site.quarantine().join(&removal.item).symlink_metadata().is_ok();
        if !is_there && !on_record.contains(&key(removal)) {
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
pub(super) fn is_on_its_way(site: &Site, name: &str) -> bool {
    site.gate_judging().join(name).symlink_metadata().is_ok()
}
