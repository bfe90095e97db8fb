//! The requests of a site in memory, newest first; refreshed when its folders change.
//!
//! A final request is read once: a judged result does not change while it exists. An unfinished request, or a drop
//! refused before it became a request, is read after each change. *Security*: rows hold strangers' words.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use gatepost_documents::id::RequestId;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::life::{Detail, Place, RequestState, Results, Row};
use gatepost_mailbox::site::Site;

/// The minimum age before a refresh; longer if a refresh is slow, so that it takes at most a tenth of the time.
const AGE_MIN: Duration = Duration::from_secs(1);
const AGE_LOOKS: u32 = 10;
/// A folder that changed this recently may change again within the same tick of the file system's clock.
const TICK: Duration = Duration::from_secs(1);
/// The most tools, and requesters, that a form offers.
const OFFERED_MAX: usize = 200;

/// A request with its searchable text.
#[derive(Debug)]
pub(super) struct Entry {
    /// The facts.
    pub row: Row,
    /// Its searchable text, in lower case.
    pub words: String,
    /// Where its results were when it was read.
    places: Vec<Place>,
}

/// A snapshot.
#[derive(Debug)]
pub(super) struct Known {
    /// Every request, the newest first.
    pub entries: Vec<Entry>,
    /// The requested tools, most frequent first.
    pub tools: Vec<String>,
    /// The requesters, most frequent first.
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
    /// Builds the searchable text of a row.
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
    /// Reads the whole site.
    pub(super) fn read(site: &Site) -> Result<Self, Fault> {
        let known = Known::read(site, HashMap::new())?;
        Ok(Self { site: site.clone(), known: Mutex::new(known) })
    }

    /// The site.
    pub(super) fn site(&self) -> &Site {
        &self.site
    }

    /// The current snapshot.
    pub(super) fn known(&self) -> Result<MutexGuard<'_, Known>, Fault> {
        // A reader that panicked left a complete value, because it is replaced in one step.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.looked.elapsed() >= AGE_MIN.max(known.took * AGE_LOOKS) {
            if known.changed.is_some() && changed(&self.site) == known.changed {
                known.looked = Instant::now();
            } else {
                let entries = std::mem::take(&mut known.entries).into_iter();
                let earlier = entries.map(|entry| (entry.row.request_id.clone(), entry)).collect();
                // If this fails, nothing is cached, and the next refresh reads everything.
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

/// When the folders of requests last changed; none if one changed just now.
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
    // A folder that cannot be read is reported by the code that reads it.
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
