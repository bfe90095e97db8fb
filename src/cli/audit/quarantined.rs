//! Compares the quarantine with the rejections of the gate and the refusals of TOOL-EXEC, in both directions.
//!
//! An item is what a log says if its `reasons.json` has the logged digest and its folder the logged name, perhaps with a number. What is
//! left over is compared by its name alone, so that each item and each leaf causes one flaw, or none.

use std::collections::{BTreeSet, HashMap, HashSet};

use gatepost_contract::request::REQUEST_BYTES_MAX;
use gatepost_documents::escape;
use gatepost_documents::verdict::{Decision, reasons_markdown};
use gatepost_exec::layout::NOTE_FILE;
use gatepost_exec::mailbox::exec_log::SetAside;
use gatepost_gate::audit::digest;
use gatepost_gate::ledger::Entry;
use gatepost_mailbox::folder::Folder;
use gatepost_mailbox::quarantine::{
    ASIDE, Item, PAGE, RECORD, RELEASE, RELEASE_FILE, Record, Refusal, Removal, UNTOUCHED, meanings, plain_name,
};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::STAGING;

use super::flaw::{Flaw, Kind};
use super::items::{ADDED, ALTERED, FILE_MAX_BYTES, MISSING, is_on_its_way};
use super::record::Decisions;
use crate::cli::prelude::*;

/// Where the bytes are that could not be moved into an item.
const KEPT_PAGE: &str = "KEPT.md";

/// The refusals that TOOL-EXEC logged.
#[derive(Clone, Copy)]
pub(super) struct Refused<'a> {
    pub leaves: &'a [SetAside],
    /// Whether its log is sound, so that items can be compared with it.
    pub is_sound: bool,
}

/// A leaf that has an item.
enum Leaf<'a> {
    Rejected(&'a Entry),
    Refused(&'a SetAside),
}

/// What a leaf says of the record of its item.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    /// Its digest.
    Record(Digest),
    /// The bundle that it names, if the decision is older than the log.
    Bundle(&'a str, Digest),
}

struct Expected<'a> {
    leaf: Leaf<'a>,
    /// The item's name without a number.
    name: String,
    /// The item that was found to be it.
    found: Option<&'a Item>,
    /// How many more items may have this record: those of older versions were not unique.
    more: usize,
}

impl<'a> Expected<'a> {
    fn rejected(entry: &'a Entry) -> (Key<'a>, Self) {
        let key = entry.verdict_sha256.map_or(Key::Bundle(&entry.result_id, entry.bundle_sha256), Key::Record);
        (key, Self { leaf: Leaf::Rejected(entry), name: plain_name(entry.result_id.as_bytes()), found: None, more: 0 })
    }

    fn refused(leaf: &'a SetAside) -> (Key<'a>, Self) {
        let key = Key::Record(leaf.record_sha256);
        (key, Self { leaf: Leaf::Refused(leaf), name: leaf.item.clone(), found: None, more: 0 })
    }

    /// Whether an item has its name, with as many numbers as it was given. A hostile name is logged in another form.
    fn has_name(&self, item: &str) -> bool {
        let [whole, taken] = meanings(item);
        let is_hostile = matches!(self.leaf, Leaf::Rejected(entry) if entry.result_id != self.name);
        is_hostile || whole == self.name || taken != whole && self.has_name(taken)
    }

    fn is_removed(&self, removals: &[Removal], removed: &HashSet<Digest>) -> bool {
        match self.leaf {
            Leaf::Refused(leaf) => removed.contains(&leaf.record_sha256),
            Leaf::Rejected(Entry { verdict_sha256: Some(digest), .. }) => removed.contains(digest),
            Leaf::Rejected(entry) => removals.iter().any(|removal| removal.sha256 == Some(entry.bundle_sha256)),
        }
    }

    fn missing(&self) -> Flaw {
        let (what, utc) = match self.leaf {
            Leaf::Rejected(entry) => ("The gate rejected this result", &entry.judged_utc),
            Leaf::Refused(leaf) => ("TOOL-EXEC refused this item", &leaf.utc),
        };
        let place = format!("quarantine/{}", self.name);
        Flaw::new(Kind::Missing, place, format!("{what} at {utc}, but it is missing."), MISSING)
    }

    const fn writer(&self) -> &'static str {
        if matches!(self.leaf, Leaf::Rejected(_)) { "the gate" } else { "TOOL-EXEC" }
    }
}

/// Every difference.
pub(super) fn check(
    site: &Site,
    decisions: &Decisions,
    items: &[Item],
    refused: Refused<'_>,
) -> Result<Vec<Flaw>, Fault> {
    let rejected = decisions.verdicts.iter().filter(|entry| entry.verdict == Decision::Reject);
    let leaves = if refused.is_sound { refused.leaves } else { &[] };
    let mut expected: HashMap<Key<'_>, Expected<'_>> = HashMap::new();
    for (key, leaf) in rejected.map(Expected::rejected).chain(leaves.iter().map(Expected::refused)) {
        expected.entry(key).and_modify(|known| known.more += 1).or_insert(leaf);
    }
    let (mut flaws, others) = by_record(items, &mut expected);
    let removed: HashSet<Digest> = decisions.removals.iter().filter_map(|removal| removal.record_sha256).collect();
    let mut left: HashMap<String, Vec<Expected<'_>>> = HashMap::new();
    for (_, leaf) in expected {
        match leaf.found {
            Some(item) => flaws.extend(of_item(item, &leaf, &decisions.verdicts)),
            None if leaf.is_removed(&decisions.removals, &removed) => {}
            None => left.entry(leaf.name.clone()).or_default().push(leaf),
        }
    }
    for (item, original) in others {
        flaws.extend(by_name(item, original, &mut left, refused));
    }
    let missing = left.into_values().flatten().filter(|leaf| !is_on_its_way(site, &leaf.name));
    flaws.extend(missing.map(|leaf| leaf.missing()));
    flaws.extend(hidden(site)?);
    flaws.sort_by(|one, other| one.place.cmp(&other.place));
    Ok(flaws)
}

/// Finds the items with the expected records, those with the right names first, so that an original is not taken for its copy. Also
/// returns the other items, each with the one whose record it has.
fn by_record<'a>(
    items: &'a [Item],
    expected: &mut HashMap<Key<'a>, Expected<'a>>,
) -> (Vec<Flaw>, Vec<(&'a Item, Option<&'a str>)>) {
    let (mut flaws, mut others, mut renamed) = (Vec::new(), Vec::new(), Vec::new());
    for item in items {
        match of_record(item, expected) {
            None => others.push((item, None)),
            Some(leaf) if leaf.found.is_none() && leaf.has_name(&item.name) => leaf.found = Some(item),
            Some(_) => renamed.push(item),
        }
    }
    for item in renamed {
        let Some(leaf) = of_record(item, expected) else { continue };
        // After a power cut an item with a nonce is logged again.
        let is_unique = matches!(&item.record, Record::Refusal(Refusal { nonce: Some(_), .. }));
        if leaf.found.is_some() && leaf.more > 0 && !is_unique {
            leaf.more -= 1;
        } else if let Some(original) = leaf.found {
            others.push((item, Some(original.name.as_str())));
        } else {
            leaf.found = Some(item);
            let message = format!("It is the item {}, under another name.", leaf.name);
            flaws.push(Flaw::new(Kind::Altered, format!("quarantine/{}", item.name), message, ALTERED));
        }
    }
    (flaws, others)
}

fn of_record<'e, 'a>(item: &'a Item, expected: &'e mut HashMap<Key<'a>, Expected<'a>>) -> Option<&'e mut Expected<'a>> {
    let key = item.record_sha256.map(Key::Record).filter(|key| expected.contains_key(key));
    let older = || match &item.record {
        Record::Verdict(verdict) => Some(Key::Bundle(&verdict.result_id, verdict.bundle_sha256)),
        Record::Refusal(_) | Record::Unreadable(_) => None,
    };
    expected.get_mut(&key.or_else(older)?)
}

/// The flaw of an item whose record is in no log, or is that of another item.
fn by_name(
    item: &Item,
    original: Option<&str>,
    left: &mut HashMap<String, Vec<Expected<'_>>>,
    refused: Refused<'_>,
) -> Option<Flaw> {
    let place = format!("quarantine/{}", item.name);
    if let Some(leaf) = meanings(&item.name).iter().find_map(|name| left.get_mut(*name)?.pop()) {
        let message = match &item.record {
            Record::Unreadable(why) if item.record_sha256.is_none() => format!("{why}."),
            _ => format!("It differs from the one that {} wrote.", leaf.writer()),
        };
        return Some(Flaw::new(Kind::Altered, format!("{place}/{RECORD}"), message, ALTERED));
    }
    if let Some(original) = original {
        let message = format!("It is a copy of quarantine/{original}, which no log records.");
        return Some(Flaw::new(Kind::Added, place, message, ADDED));
    }
    let may_be_refused = match item.record {
        Record::Refusal(_) => true,
        Record::Unreadable(_) => refused.leaves.iter().any(|leaf| meanings(&item.name).contains(&&*leaf.item)),
        Record::Verdict(_) => false,
    };
    (refused.is_sound || !may_be_refused).then(|| Flaw::new(Kind::Added, place, "No log records this item.", ADDED))
}

/// Hidden names that neither program gives.
fn hidden(site: &Site) -> Result<Vec<Flaw>, Fault> {
    let names = Folder::of_site(site, "quarantine")?.names()?;
    let is_ours = |name: &[u8]| {
        [STAGING, NOTE_FILE].iter().any(|ours| name == ours.as_bytes()) || name.starts_with(ASIDE.as_bytes())
    };
    let names = names.iter().map(|name| name.as_encoded_bytes());
    let foreign = names.filter(|name| name.starts_with(b".") && !is_ours(name));
    let flaw = |name| Flaw::new(Kind::Added, format!("quarantine/{}", escape::path(name)), "No log records it.", ADDED);
    Ok(foreign.map(flaw).collect())
}

/// The flaws of an item whose record is the logged one.
fn of_item(item: &Item, leaf: &Expected<'_>, entries: &[Entry]) -> Vec<Flaw> {
    let place = format!("quarantine/{}", item.name);
    if item.path.is_symlink() {
        return vec![Flaw::new(Kind::Altered, place, "A link has taken its place.", ALTERED)];
    }
    let page = || regular_file::read(&item.path.join(PAGE), FILE_MAX_BYTES).unwrap_or_default();
    let mut known = BTreeSet::from([UNTOUCHED, RECORD, PAGE]);
    let (mut differences, is_page_altered) = match (&leaf.leaf, &item.record) {
        (Leaf::Rejected(entry), record) => {
            known.insert(RELEASE);
            if entry.is_partial {
                known.insert(KEPT_PAGE);
            }
            let is_altered = match record {
                Record::Verdict(verdict) if verdict.gate_version == env!("CARGO_PKG_VERSION") => {
                    page() != reasons_markdown(verdict).into_bytes()
                }
                _ => false,
            };
            (of_rejected(item, entry, entries), is_altered)
        }
        (Leaf::Refused(logged), Record::Refusal(refusal)) => {
            let difference = of_refused(item, refusal, logged).map(|message| (UNTOUCHED, message));
            (Vec::from_iter(difference), logged.page_sha256.is_some_and(|digest| Digest::of(&page()) != digest))
        }
        (Leaf::Refused(_), _) => (vec![(RECORD, "It is no record of a refusal.")], false),
    };
    if is_page_altered {
        differences.push((PAGE, "It differs from the page that was written with reasons.json."));
    }
    let altered = |(name, message)| Flaw::new(Kind::Altered, format!("{place}/{name}"), message, ALTERED);
    let mut flaws: Vec<Flaw> = differences.into_iter().map(altered).collect();
    let names = match Folder::open(&item.path).and_then(|folder| folder.names()) {
        Ok(names) => names,
        Err(fault) => {
            return vec![Flaw::new(Kind::Altered, place, format!("It cannot be read: {fault}."), ALTERED)];
        }
    };
    for name in names {
        if !known.iter().any(|known| name == *known) {
            let place = format!("{place}/{}", escape::path(name.as_encoded_bytes()));
            let message = format!("This is no file of an item of {}.", leaf.writer());
            flaws.push(Flaw::new(Kind::Added, place, message, ADDED));
        }
    }
    flaws
}

/// The changes of an item that the gate rejected.
fn of_rejected(item: &Item, entry: &Entry, entries: &[Entry]) -> Vec<(&'static str, &'static str)> {
    let mut differences = Vec::new();
    let untouched = item.path.join(UNTOUCHED);
    let has_other_name = entry.is_bare_document || plain_name(entry.result_id.as_bytes()) != entry.result_id;
    // One that could not be read, or not be moved here, has no digest to compare.
    let is_elsewhere = entry.is_partial && item.path.join(KEPT_PAGE).exists();
    if entry.bundle_sha256 != Digest::of(b"") && !is_elsewhere {
        let found = match item.untouched().as_slice() {
            [name] if !untouched.is_symlink() && (has_other_name || name == entry.result_id.as_str()) => {
                digest(&untouched, name, entry.is_bare_document).ok()
            }
            _ => None,
        };
        if found != Some(entry.bundle_sha256) {
            let message = "It differs from what the gate rejected: the digest over all of it does not match.";
            differences.push((UNTOUCHED, message));
        }
    }
    if item.path.join(RELEASE).symlink_metadata().is_ok() {
        let folder = Folder::open(&item.path).and_then(|folder| folder.folder(RELEASE)?.names());
        let is_it = |released: &Entry| {
            (&released.result_id, released.bundle_sha256) == (&entry.result_id, entry.bundle_sha256)
                && released.released == item.released
        };
        let is_alone = folder.is_ok_and(|names| names == [RELEASE_FILE]);
        if !is_alone || item.released.is_none() || !entries.iter().any(is_it) {
            differences.push((RELEASE, "The gate's log records no such release."));
        }
    }
    differences
}

/// The change of an item that TOOL-EXEC refused. The bytes of a refused drop were never read, so they are not compared.
fn of_refused(item: &Item, refusal: &Refusal, leaf: &SetAside) -> Option<&'static str> {
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
