//! The results of a site by request, and its requests by drop time, read from the names in its folders.
//!
//! A site may have a hundred thousand of them, and most commands concern few: nothing is opened here, and a list reads no more files
//! than its page needs.

use std::cell::OnceCell;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use std::io;
use std::iter;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_documents::verdict::Decision;

use super::state::RequestState;
use crate::exchange;
use crate::fault::{Fault, OnPath};
use crate::outbox::is_bare_document;
use crate::quarantine::{self, removals};
use crate::record::{CLAIM_FILE, State};
use crate::signature_name;
use crate::site::Site;

/// The place of a result: the state that it implies, and its path.
pub type Place = (RequestState, PathBuf);

/// The results of a request.
#[derive(Debug)]
struct Found {
    places: Vec<Place>,
    /// The times in their names: the earliest, and the last moment that the latest may mean.
    created: (DateTime<Utc>, DateTime<Utc>),
}

/// The results of a site by their request, read once.
#[derive(Debug)]
pub struct Results {
    by_request: HashMap<RequestId, Found>,
    /// The requests without a result; read on first use.
    others: OnceCell<BTreeSet<RequestId>>,
    /// The requests of items that were removed from the quarantine; read on first use.
    removed: OnceCell<HashSet<String>>,
    /// The judged results by request; read on first use.
    judged: OnceCell<HashMap<String, Judged>>,
}

/// The gate's announcement on a request.
#[derive(Debug)]
pub(super) struct Judged {
    /// The result that it judged last.
    pub(super) result_id: String,
    /// Whether it accepted one.
    pub(super) is_accepted: bool,
}

impl Results {
    /// Those of every request.
    pub fn read(site: &Site) -> Result<Self, Fault> {
        Self::whose_names_end(site, "")
    }

    /// Those of one request.
    pub fn of(site: &Site, id: &RequestId) -> Result<Self, Fault> {
        Self::whose_names_end(site, id.as_str())
    }

    /// One result alone, wherever it is; lists no folder.
    pub fn named(site: &Site, id: &ResultId) -> Self {
        let name = id.as_str();
        let rejected = quarantine::places(site, name).unwrap_or_default();
        let places = [(RequestState::Accepted, site.core_inbound().join(name))];
        let places = places.into_iter().chain(rejected.into_iter().map(|path| (RequestState::Rejected, path)));
        let there = places.filter(|(_, path)| path.symlink_metadata().is_ok());
        let mut results = Self::none();
        there.for_each(|place| add(&mut results.by_request, id.clone(), place));
        results
    }

    /// No result: the facts of a request without one. Lists no folder.
    pub fn none() -> Self {
        Self { by_request: HashMap::new(), others: OnceCell::new(), removed: OnceCell::new(), judged: OnceCell::new() }
    }

    fn whose_names_end(site: &Site, ending: &str) -> Result<Self, Fault> {
        let mut by_request = HashMap::new();
        let folders = [
            (RequestState::Accepted, site.core_inbound()),
            (RequestState::Rejected, site.quarantine()),
            (RequestState::Judging, site.outbox()),
        ];
        for (state, folder) in folders {
            let names = names(&folder)?;
            if ending.is_empty() {
                by_request.reserve(names.len());
            }
            for name in names {
                let stem = name.strip_suffix(".md").unwrap_or(&name);
                if !stem.ends_with(ending) {
                    continue;
                }
                let is_document = || state == RequestState::Judging && is_bare_document(&folder, name.as_ref());
                if stem.len() < name.len() && !is_document() {
                    continue;
                }
                if let Ok(id) = ResultId::parse(stem) {
                    add(&mut by_request, id, (state, folder.join(&name)));
                }
            }
        }
        Ok(Self { by_request, ..Self::none() })
    }

    /// Where the results of a request lie.
    pub fn places(&self, id: &RequestId) -> &[Place] {
        self.by_request.get(id).map_or(&[], |found| &found.places)
    }

    /// Whether the rejected result of a request was removed from the quarantine.
    pub fn was_removed(&self, site: &Site, id: &RequestId) -> Result<bool, Fault> {
        if self.removed.get().is_none() {
            let ids = removals(site)?.into_iter().filter_map(|removal| removal.request_id);
            let _ = self.removed.set(ids.collect());
        }
        Ok(self.removed.get().is_some_and(|removed| removed.contains(id.as_str())))
    }

    /// The gate's announcement on a request, once it has judged a result of it.
    pub(super) fn judged(&self, site: &Site, id: &RequestId) -> Result<Option<&Judged>, Fault> {
        if self.judged.get().is_none() {
            let mut known = HashMap::new();
            for judged in exchange::judged(site)?.into_iter().filter(|judged| !judged.is_bare_document) {
                let is_accepted = judged.verdict == Some(Decision::Accept);
                let is_accepted =
                    is_accepted || known.get(&judged.request_id).is_some_and(|known: &Judged| known.is_accepted);
                known.insert(judged.request_id, Judged { result_id: judged.result_id, is_accepted });
            }
            let _ = self.judged.set(known);
        }
        Ok(self.judged.get().and_then(|judged| judged.get(id.as_str())))
    }

    /// Every request of the site, in no order.
    pub fn ids(&self, site: &Site) -> Result<impl Iterator<Item = &RequestId>, Fault> {
        if self.others.get().is_none() {
            let _ = self.others.set(self.unanswered(site)?);
        }
        Ok(self.by_request.keys().chain(self.others.get().into_iter().flatten()))
    }

    /// The requests that no result answers.
    fn unanswered(&self, site: &Site) -> Result<BTreeSet<RequestId>, Fault> {
        let mut others = BTreeSet::new();
        let mut add = |name: &str| {
            if !self.by_request.contains_key(name) {
                others.extend(RequestId::parse(name).ok());
            }
        };
        // A folder of a state is made when it is first needed.
        let states = State::ALL.map(|state| state.folder(site)).into_iter().filter(|folder| folder.is_dir());
        for folder in states {
            names(&folder)?.iter().for_each(|name| add(name));
        }
        let items: HashSet<String> = names(&site.quarantine())?.into_iter().collect();
        // A signature belongs to a request, and is none itself.
        let is_signature = |name: &&str| signature_name::request_id(name.as_ref()).is_some();
        for [name, taken] in items.iter().map(|name| quarantine::meanings(name)) {
            if ![name, taken].iter().any(is_signature) {
                add(if items.contains(taken) { taken } else { name });
            }
        }
        let inbox = site.inbox();
        for name in names(&inbox)? {
            if !name.ends_with(".sig") || inbox.join(&name).is_dir() {
                add(name.strip_suffix(".md").or(name.strip_suffix(".json")).unwrap_or(&name));
            }
        }
        Ok(others)
    }

    /// Every request of the site by the time of its drop, the newest first.
    pub fn newest_first<'a>(&'a self, site: &'a Site) -> Result<NewestFirst<'a>, Fault> {
        let candidate = |id: &'a RequestId| {
            // The times in names are whole seconds; that of a drop is not.
            let created = self.by_request.get(id).map(|found| found.created.1 + TimeDelta::seconds(1));
            Candidate { time: created.or(Some(DateTime::<Utc>::MAX_UTC)), is_bound: true, id }
        };
        Ok(NewestFirst { site, results: self, candidates: self.ids(site)?.map(candidate).collect() })
    }

    /// When a request was dropped: before the claim, the time of the drop; after it, that of its record. For a request
    /// never claimed here, the time of its result.
    pub fn dropped(&self, site: &Site, id: &RequestId) -> Option<DateTime<Utc>> {
        let written = |path: PathBuf| path.symlink_metadata().and_then(|metadata| metadata.modified()).ok();
        let record = |state: State| written(state.folder(site).join(id.as_str()).join(CLAIM_FILE));
        let drops = || ["", ".md", ".json"].map(|ending| site.inbox().join(format!("{id}{ending}")));
        let refused = || written(site.quarantine().join(id.as_str()).join(quarantine::RECORD));
        let found = State::ALL.into_iter().rev().find_map(record);
        let found = found.or_else(|| drops().into_iter().find_map(written)).or_else(refused);
        found.map(DateTime::from).or_else(|| self.by_request.get(id).map(|found| found.created.0))
    }
}

fn add(by_request: &mut HashMap<RequestId, Found>, id: ResultId, place: Place) {
    let (earliest, latest) = (id.created(), id.created_latest());
    // Most have one.
    let new = || Found { places: Vec::with_capacity(1), created: (earliest, latest) };
    let found = by_request.entry(id.into_request()).or_insert_with(new);
    found.places.push(place);
    found.created = (found.created.0.min(earliest), found.created.1.max(latest));
}

/// A request, with the time of its drop or a time before which that was.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate<'a> {
    time: Option<DateTime<Utc>>,
    /// Whether the time is only a bound. Of two with the same time, the bound is looked at first.
    is_bound: bool,
    id: &'a RequestId,
}

/// Requests by drop time, the newest first.
///
/// A request is dropped before its result is made, and the result's name has that time. If this bound is older than the
/// newest known time, the request cannot be the newest and need not be read.
#[derive(Debug)]
pub struct NewestFirst<'a> {
    site: &'a Site,
    results: &'a Results,
    candidates: BinaryHeap<Candidate<'a>>,
}

impl<'a> NewestFirst<'a> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.candidates.len()
    }

    /// Those that were dropped since a time.
    pub fn since(mut self, time: Option<DateTime<Utc>>) -> impl Iterator<Item = &'a RequestId> {
        let newest = iter::from_fn(move || self.next());
        newest.take_while(move |candidate| candidate.time >= time).map(|candidate| candidate.id)
    }

    fn next(&mut self) -> Option<Candidate<'a>> {
        loop {
            let candidate = self.candidates.pop()?;
            if !candidate.is_bound {
                return Some(candidate);
            }
            let time = self.results.dropped(self.site, candidate.id);
            self.candidates.push(Candidate { time, is_bound: false, ..candidate });
        }
    }
}

/// The UTF-8 names in a folder; others have no meaning. Empty for a user who may not list it, for example a requester
/// for the inbox and for results that the gate did not accept.
fn names(folder: &Path) -> Result<Vec<String>, Fault> {
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(Vec::new()),
        entries => entries.on("list", folder)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.extend(entry.on("list", folder)?.file_name().into_string());
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use super::*;

    /// A request that was claimed so many seconds after midnight, with a result whose name has that time.
    fn answered(site: &Site, slug: &str, claimed: u64, sealed: &str) {
        let id = format!("TR-20200101-000000Z-{slug}");
        let folder = State::Done.folder(site).join(&id);
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(site.core_inbound().join(format!("TS-20200101-{sealed}Z-{id}"))).unwrap();
        let midnight = SystemTime::UNIX_EPOCH + Duration::from_hours(438_288);
        let claim = File::create(folder.join(CLAIM_FILE)).unwrap();
        claim.set_modified(midnight + Duration::from_millis(claimed * 1_000 + 900)).unwrap();
    }

    #[test]
    fn a_second_item_of_a_name_is_no_request_of_its_own_and_a_signature_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        for folder in [site.outbox(), site.inbox(), site.core_inbound()] {
            fs::create_dir_all(folder).unwrap();
        }
        let names = ["", ".2", ".9", ".0123abcd", "b.2", "c.7z", ".md.sig", ".md.sig.2", ".md.sig.0123abcd"];
        for name in names {
            fs::create_dir_all(site.quarantine().join(format!("TR-20200101-000000Z-a{name}"))).unwrap();
        }
        let results = Results::read(&site).unwrap();
        let mut slugs: Vec<_> = results.ids(&site).unwrap().map(|id| id.as_str()[20..].to_owned()).collect();
        slugs.sort();
        assert_eq!(slugs, ["a", "ab.2", "ac.7z"]);
    }

    #[test]
    fn a_request_stays_accepted_whatever_the_gate_rejects_later() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        for folder in [site.outbox(), site.quarantine(), site.core_inbound(), site.exchange_judged()] {
            fs::create_dir_all(folder).unwrap();
        }
        let id = RequestId::parse("TR-20200101-000000Z-a").unwrap();
        let judged = |result: &str, verdict| exchange::Judged {
            result_id: format!("TS-20200101-{result}Z-{id}"),
            request_id: id.to_string(),
            is_bare_document: false,
            verdict: Some(verdict),
            codes: Vec::new(),
            flags: Vec::new(),
        };
        let newest = |announced: &[exchange::Judged]| {
            exchange::Announcements::begin(&site, announced).unwrap();
            let results = Results::read(&site).unwrap();
            let judged = results.judged(&site, &id).unwrap();
            judged.map(|judged| (judged.result_id.clone(), judged.is_accepted))
        };
        let (first, second) = (judged("000001", Decision::Accept), judged("000002", Decision::Reject));
        assert_eq!(newest(&[]), None);
        assert_eq!(newest(std::slice::from_ref(&second)), Some((second.result_id.clone(), false)));
        assert_eq!(newest(&[first, second.clone()]), Some((second.result_id, true)));
    }

    #[test]
    fn the_newest_drop_comes_first_however_late_its_result_was_made() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        for folder in [site.inbox(), site.outbox(), site.quarantine(), site.core_inbound()] {
            fs::create_dir_all(folder).unwrap();
        }
        answered(&site, "waited-for-approval", 1, "000500");
        answered(&site, "second", 60, "000101");
        answered(&site, "within-its-second", 120, "000200");
        answered(&site, "first", 2, "000003");
        fs::write(site.inbox().join("TR-20200101-000000Z-dropped.md"), "").unwrap();
        let results = Results::read(&site).unwrap();
        let newest = results.newest_first(&site).unwrap();
        assert_eq!(newest.count(), 5);
        let slugs = |ids: Vec<&RequestId>| {
            ids.iter().map(|id| id.as_str().trim_start_matches("TR-20200101-000000Z-").to_owned()).collect::<Vec<_>>()
        };
        let all = ["dropped", "within-its-second", "second", "first", "waited-for-approval"];
        assert_eq!(slugs(newest.since(None).collect()), all);
        let since = DateTime::parse_from_rfc3339("2020-01-01T00:00:02Z").unwrap().to_utc();
        assert_eq!(slugs(results.newest_first(&site).unwrap().since(Some(since)).collect()), all[..4]);
        let id = RequestId::parse("TR-20200101-000000Z-second").unwrap();
        assert_eq!(Results::of(&site, &id).unwrap().places(&id), results.places(&id));
    }
}
