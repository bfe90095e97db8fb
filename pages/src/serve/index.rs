//! The requests of a site in memory, the newest first, and brought up to date when its folders changed.
//!
//! What is final is read once: a result that the gate accepted or rejected does not change, and where it no longer is does. What
//! is on its way, or was refused before it was a request, is read each time something changed. *Security*: rows hold strangers' words.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use gatepost_documents::id::RequestId;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::life::{Detail, Place, RequestState, Results, Row};
use gatepost_mailbox::site::Site;

/// How long it is not looked at again; longer where a look takes long, so that no more than a tenth of the time goes into it.
const AGE_MIN: Duration = Duration::from_secs(1);
const AGE_LOOKS: u32 = 10;
/// What changed so shortly before a look may change again within the same tick of the file system's clock.
const TICK: Duration = Duration::from_secs(1);
/// The most tools, and requesters, that a form offers.
const OFFERED_MAX: usize = 200;

/// A request, and what a search looks at.
#[derive(Debug)]
pub(super) struct Entry {
    /// The facts.
    pub row: Row,
    /// Its words, in lower case.
    pub words: String,
    /// Where its results lay when it was read.
    places: Vec<Place>,
}

/// What is known at one time.
#[derive(Debug)]
pub(super) struct Known {
    /// Every request, the newest first.
    pub entries: Vec<Entry>,
    /// The tools that were asked for, the most frequent first.
    pub tools: Vec<String>,
    /// Those who asked, likewise.
    pub requesters: Vec<String>,
    results: Results,
    changed: Option<Vec<SystemTime>>,
    looked: Instant,
    took: Duration,
}

/// The requests of a site.
pub(super) struct Index {
    site: Site,
    known: Mutex<Known>,
}

impl Entry {
    /// Makes a row findable.
    pub(super) fn new(row: Row) -> Self {
        let Row { request_id, requested_by, tool, purpose, outcome, .. } = &row;
        let mut words = [request_id, requested_by, tool, purpose, outcome].map(String::as_str).join("\n");
        for word in row.findings.iter().copied().chain(row.approved_by.iter().map(String::as_str)) {
            words.push('\n');
            words.push_str(word);
        }
        Self { words: words.to_lowercase(), row, places: Vec::new() }
    }
}

impl Index {
    /// Reads all of it.
    pub(super) fn read(site: &Site) -> Result<Self, Fault> {
        let known = Known::read(site, HashMap::new())?;
        Ok(Self { site: site.clone(), known: Mutex::new(known) })
    }

    /// The site.
    pub(super) fn site(&self) -> &Site {
        &self.site
    }

    /// What is known now.
    pub(super) fn known(&self) -> Result<MutexGuard<'_, Known>, Fault> {
        // What a reader left that panicked is as whole as it was: it is replaced in one step.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.looked.elapsed() >= AGE_MIN.max(known.took * AGE_LOOKS) {
            if known.changed.is_some() && changed(&self.site) == known.changed {
                known.looked = Instant::now();
            } else {
                let entries = std::mem::take(&mut known.entries).into_iter();
                let earlier = entries.map(|entry| (entry.row.request_id.clone(), entry)).collect();
                // Where that fails nothing is kept, and the next look reads all.
                known.changed = None;
                *known = Known::read(&self.site, earlier)?;
            }
        }
        Ok(known)
    }

    /// One request.
    pub(super) fn detail(&self, id: &RequestId) -> Result<Option<Detail>, Fault> {
        Detail::read(&self.site, &self.known()?.results, id)
    }
}

impl Known {
    fn read(site: &Site, mut earlier: HashMap<String, Entry>) -> Result<Self, Fault> {
        let (changed, looked) = (changed(site), Instant::now());
        let results = Results::read(site)?;
        let mut entries = Vec::new();
        for id in results.newest_first(site)?.since(None) {
            let places = results.places(id);
            let same = earlier.remove(id.as_str()).filter(|entry| !places.is_empty() && entry.places == places);
            if let Some(entry) = same.filter(|entry| entry.row.state != RequestState::Judging) {
                entries.push(entry);
            } else if let Some(progress) = results.progress(site, id)? {
                let entry = Entry::new(Row::of(site, id, progress));
                entries.push(Entry { places: places.to_vec(), ..entry });
            }
        }
        let tools = most_frequent(entries.iter().map(|entry| entry.row.tool.as_str()));
        let requesters = most_frequent(entries.iter().map(|entry| entry.row.requested_by.as_str()));
        Ok(Self { entries, tools, requesters, results, changed, looked, took: looked.elapsed() })
    }
}

/// When the folders that hold requests last changed; none while one changed only just now.
fn changed(site: &Site) -> Option<Vec<SystemTime>> {
    let folders: [PathBuf; 8] = [
        site.inbox(),
        site.claimed(),
        site.pending(),
        site.running(),
        site.done(),
        site.outbox(),
        site.core_inbound(),
        site.quarantine(),
    ];
    // What cannot be looked at is told by the one who reads it.
    let times = folders.map(|folder| folder.metadata().and_then(|found| found.modified()).unwrap_or(UNIX_EPOCH));
    let settled = |time: &SystemTime| time.elapsed().is_ok_and(|elapsed| elapsed > TICK);
    times.iter().all(settled).then(|| times.to_vec())
}

fn most_frequent<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut counts = BTreeMap::<&str, usize>::new();
    words.filter(|word| !word.is_empty()).for_each(|word| *counts.entry(word).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.into_iter().take(OFFERED_MAX).map(|(word, _)| word.to_owned()).collect()
}
