//! TOOL-EXEC's own record: a leaf for each step of a request in a log of its own (`mailbox/src/tile_log.rs`), and the same as one line of
//! JSON in `var/exec/events.jsonl`.
//!
//! ```text
//! {"request_id":"TR-…","utc":"…","event":"claimed","request_sha256":"…","uid":1000}      before the drop loses its name
//! {"request_id":"TR-…","utc":"…","event":"pending","until":"…","missing":["approval_missing"]}
//! {"request_id":"TR-…","utc":"…","event":"started","tool":"line_count"}                 before the tool can do anything
//! {"request_id":"TR-…","utc":"…","event":"interrupted"}                                 found in running after a crash
//! {"event":"set_aside","item":"junk","utc":"…","record_sha256":"…","page_sha256":"…","untouched":["junk"]}   before it has its place in quarantine
//! {"event":"withdrawn","item":"junk",…}                 the same item, which could not get its place
//! {"request_id":"TR-…","utc":"…","event":"ended","result_id":"TS-…","sha256sums_sha256":"…","outcome":"success"}   before it is published
//! ```
//!
//! Each leaf is on the disk before the step that it records can have effects. If a step was logged and interrupted, its repetition is
//! not logged again: the log knows the last step of each request under way.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::digest::Digest;
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_documents::reason::Code;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::folder::Folder;
use gatepost_mailbox::quarantine::{self, PAGE, RECORD, UNTOUCHED};
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};
use gatepost_mailbox::site::Site;
use gatepost_mailbox::tile_log::{self, Place, TileLog};
use serde::{Deserialize, Serialize};

use super::record::{Claim, State};
use super::recovery;

/// One leaf.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logged {
    /// The request.
    pub request_id: RequestId,
    /// When it was logged, RFC 3339, UTC.
    pub utc: String,
    /// The step.
    #[serde(flatten)]
    pub step: Step,
}

/// A step of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Step {
    /// Its private copy is on the disk.
    Claimed {
        /// Digest of the request's bytes.
        request_sha256: Digest,
        /// The owner of the dropped file, from the kernel.
        uid: u32,
    },
    /// It waits for people.
    Pending {
        /// When the wait ends, RFC 3339, UTC.
        until: String,
        /// The missing approvals or signatures.
        missing: Vec<Code>,
    },
    /// Its tool may have effects from here on.
    Started {
        /// The tool, or the interpreter.
        tool: String,
    },
    /// It was found in running after a crash.
    Interrupted,
    /// Its result is sealed.
    Ended {
        /// The result.
        result_id: String,
        /// Digest of the `SHA256SUMS` in it.
        sha256sums_sha256: Digest,
        /// `success`, or the code of the failure.
        outcome: String,
        /// The codes of the refusal, each once.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        codes: Vec<Code>,
    },
}

/// An item that TOOL-EXEC itself put into quarantine: a non-request, or a refused request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetAside {
    event: Outcome,
    /// The item's name, possibly without its number.
    pub item: String,
    /// The time, RFC 3339, UTC.
    pub utc: String,
    /// Digest of its `reasons.json`.
    pub record_sha256: Digest,
    /// Digest of its `REASONS.md`; absent in older leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_sha256: Option<Digest>,
    /// The names in its `untouched/`, sorted.
    pub untouched: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    SetAside,
    Withdrawn,
}

impl SetAside {
    /// Of an item with this record, this page and these names.
    pub fn new(
        item: &str,
        (record, page): (&[u8], &[u8]),
        untouched: impl Iterator<Item = String>,
        now: DateTime<Utc>,
    ) -> Self {
        let mut untouched: Vec<String> = untouched.collect();
        untouched.sort();
        let utc = now.to_rfc3339_opts(SecondsFormat::Millis, true);
        let (record_sha256, page_sha256) = (Digest::of(record), Some(Digest::of(page)));
        Self { event: Outcome::SetAside, item: item.to_owned(), utc, record_sha256, page_sha256, untouched }
    }

    /// The leaf that takes this one back.
    #[must_use]
    pub fn withdrawn(self) -> Self {
        Self { event: Outcome::Withdrawn, ..self }
    }

    /// Whether it takes the earlier leaf of the item back.
    pub fn is_withdrawn(&self) -> bool {
        self.event == Outcome::Withdrawn
    }

    /// For an item that was prepared before a power cut.
    fn staged(item: &str, folder: &Path, now: DateTime<Utc>) -> Result<Self, Fault> {
        let untouched = folder.join(UNTOUCHED);
        let record = regular_file::read(&folder.join(RECORD), DOCUMENT_MAX_BYTES).on("read", &folder.join(RECORD))?;
        let page = regular_file::read(&folder.join(PAGE), DOCUMENT_MAX_BYTES).unwrap_or_default();
        let names = Folder::open(&untouched)?.names()?;
        let names = names.iter().map(|name| name.to_string_lossy().into_owned());
        Ok(Self::new(item, (&record, &page), names, now))
    }
}

/// The content of a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leaf {
    /// A step of a request.
    Step(Logged),
    /// An item of the quarantine.
    SetAside(SetAside),
}

impl Leaf {
    /// Reads one.
    pub fn read(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes).map(Self::Step).or_else(|_| serde_json::from_slice(bytes).map(Self::SetAside))
    }
}

/// TOOL-EXEC's log.
#[derive(Debug)]
pub struct ExecLog {
    log: TileLog,
    /// The last step of each unfinished request.
    last: Mutex<HashMap<RequestId, Step>>,
}

/// Creates the log of a site that has none.
pub fn begin(site: &Site) -> Result<(), Fault> {
    tile_log::begin(&Place::of_exec(site), &[])
}

impl ExecLog {
    /// Opens the log of a site, under TOOL-EXEC's lock, and creates it if it is missing.
    pub fn open(site: &Site) -> Result<Self, Fault> {
        let place = Place::of_exec(site);
        if !place.is_begun() {
            begin(site)?;
        }
        let mut last = HashMap::new();
        for state in [State::Claimed, State::Pending, State::Running] {
            last.extend(recovery::ids(&state.folder(site))?.into_iter().map(|id| (id, None)));
        }
        let log = TileLog::open(&place, |leaf| {
            let leaf = Leaf::read(leaf).map_err(io::Error::from).on("read a step in", &place.folder)?;
            if let Leaf::Step(logged) = leaf
                && let Some(last) = last.get_mut(&logged.request_id)
            {
                *last = Some(logged.step);
            }
            Ok(())
        })?;
        let last = last.into_iter().filter_map(|(id, step)| Some((id, step?))).collect();
        Ok(Self { log, last: Mutex::new(last) })
    }

    /// Logs a step and fsyncs the log, unless the step is already the last one of this request.
    pub fn note(&self, id: &RequestId, step: Step, now: DateTime<Utc>) -> Result<(), Fault> {
        if self.steps().get(id) == Some(&step) {
            return Ok(());
        }
        self.log.add(&leaf(id, &step, now)?)?;
        self.steps().insert(id.clone(), step);
        Ok(())
    }

    /// Logs an item of the quarantine, before it is moved there, or back.
    pub fn note_set_aside(&self, leaf: &SetAside) -> Result<(), Fault> {
        let bytes = serde_json::to_vec(leaf).map_err(io::Error::from).on("log", Path::new(&leaf.item))?;
        self.log.add(&bytes).map(drop)
    }

    /// Moves items that were prepared before a power cut into quarantine.
    pub fn recover_quarantine(&self, site: &Site, now: DateTime<Utc>) -> Result<(), Fault> {
        quarantine::recover(site, |item, folder| self.note_set_aside(&SetAside::staged(item, folder, now)?))
    }

    /// Logs claims with one fsync, except for requests that the log already knows.
    pub fn note_claims(&self, claims: &[Claim], now: DateTime<Utc>) -> Result<(), Fault> {
        let new: Vec<&Claim> = {
            let steps = self.steps();
            claims.iter().filter(|claim| !steps.contains_key(&claim.request_id)).collect()
        };
        if new.is_empty() {
            return Ok(());
        }
        let step = |claim: &Claim| Step::Claimed { request_sha256: claim.request_sha256, uid: claim.uid };
        let leaves: Result<Vec<_>, _> = new.iter().map(|claim| leaf(&claim.request_id, &step(claim), now)).collect();
        self.log.add_all(&leaves?)?;
        self.steps().extend(new.iter().map(|claim| (claim.request_id.clone(), step(claim))));
        Ok(())
    }

    /// Logs that a request was found in running after a crash.
    pub fn note_interruption(&self, id: &RequestId, now: DateTime<Utc>) -> Result<(), Fault> {
        let was_running = matches!(self.steps().get(id), Some(Step::Started { .. }));
        if was_running { self.note(id, Step::Interrupted, now) } else { Ok(()) }
    }

    /// The logged result of an unfinished request, with the digest of its `SHA256SUMS`.
    pub fn ended(&self, id: &RequestId) -> Option<(ResultId, Digest)> {
        match self.steps().get(id) {
            Some(Step::Ended { result_id, sha256sums_sha256, .. }) => {
                Some((ResultId::parse(result_id).ok()?, *sha256sums_sha256))
            }
            _ => None,
        }
    }

    /// Forgets a finished request.
    pub fn forget(&self, id: &RequestId) {
        self.steps().remove(id);
    }

    fn steps(&self) -> MutexGuard<'_, HashMap<RequestId, Step>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn leaf(id: &RequestId, step: &Step, now: DateTime<Utc>) -> Result<Vec<u8>, Fault> {
    let utc = now.to_rfc3339_opts(SecondsFormat::Millis, true);
    let logged = Logged { request_id: id.clone(), utc, step: step.clone() };
    serde_json::to_vec(&logged).map_err(io::Error::from).on("log a step of", std::path::Path::new(id.as_str()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn site() -> (tempfile::TempDir, Site) {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        for state in State::ALL {
            fs::create_dir_all(state.folder(&site)).unwrap();
        }
        (folder, site)
    }

    fn events(site: &Site) -> Vec<String> {
        let lines = fs::read_to_string(site.exec_events()).unwrap();
        let read =
            |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["event"].as_str().unwrap().to_owned();
        lines.lines().map(read).collect()
    }

    #[test]
    fn a_step_is_logged_once_also_by_the_next_process_and_known_for_as_long_as_its_request_is_under_way() {
        let (_folder, site) = site();
        let id = RequestId::parse("TR-20260209-160501Z-a").unwrap();
        let now = DateTime::UNIX_EPOCH;
        let started = || Step::Started { tool: "line_count".to_owned() };
        let log = ExecLog::open(&site).unwrap();
        let ended = Step::Ended {
            result_id: "TS-20260209-160502Z-TR-20260209-160501Z-a".to_owned(),
            sha256sums_sha256: Digest::of(b""),
            outcome: "success".to_owned(),
            codes: Vec::new(),
        };
        log.note_interruption(&id, now).unwrap();
        for step in [started(), started()] {
            log.note(&id, step, now).unwrap();
        }
        drop(log);
        fs::create_dir(site.running().join(id.as_str())).unwrap();
        let log = ExecLog::open(&site).unwrap();
        log.note(&id, started(), now).unwrap();
        log.note_interruption(&id, now).unwrap();
        log.note(&id, started(), now).unwrap();
        log.note(&id, ended.clone(), now).unwrap();
        assert_eq!(events(&site), ["started", "interrupted", "started", "ended"]);
        drop(log);
        let log = ExecLog::open(&site).unwrap();
        assert_eq!(log.ended(&id).unwrap().1, Digest::of(b""));
        log.note(&id, ended, now).unwrap();
        log.forget(&id);
        assert_eq!((log.ended(&id), events(&site).len()), (None, 4));
    }
}
