//! The gate's mailbox: every bundle in the outbox gets one verdict and one place.
//!
//! ```text
//! copy outbox/TS-… → var/gate/judging/<name>/bundle/  in one pass that hashes; only the copy is judged
//! arrange it as it will lie, write verdict.json or reasons.json and REASONS.md beside it, fsync every file and folder
//! append the verdict to the ledger, fsync               from here on the verdict stands
//! rename into core/inbound/ or quarantine/, fsync both parents        commit point: CORE sees it
//! rename the original to outbox/.judged-…, remove it
//! ```
//!
//! Judging a copy means that whoever wrote the bundle, and may still hold it open, cannot change what was judged. A gate that
//! dies between two of these steps gives the same verdict once: before the ledger's line nothing has happened, after it
//! [`Gate::open`] finishes the move. *Security*: everything in the outbox is hostile, and so is everything in a copy of it:
//! the gate believes of a desk only what lies beside the copy, never what lies in it. *Commit point*: see above.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::accepted::VERDICT_FILE;
use crate::bundle::{Bundle, Role};
use crate::digest::Digest;
use crate::durable;
use crate::escape;
use crate::fault::{Fault, OnPath};
use crate::id::ResultId;
use crate::intake;
use crate::judge;
use crate::knowledge::SiteKnowledge;
use crate::ledger::Ledger;
use crate::limits::Limits;
use crate::lock::{Lock, LockError};
use crate::policy::Policy;
use crate::quarantine::{self, plain_name};
use crate::reason::{Code, Reason};
use crate::regular_file;
use crate::site::Site;
use crate::verdict::{Decision, Verdict, reasons_markdown};

/// The copy on a desk. Its fixed name keeps a stranger's bytes apart from the gate's own records beside it.
const COPY: &str = "bundle";

mod original;

pub use original::sweep_judged;
use original::{KEPT_PAGE, Original};

/// What became of one bundle.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Where the bundle is now.
    pub place: PathBuf,
}

/// Why a gate judges nothing.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another gate serves the site, or its lock cannot be taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// `gate.toml` does not say what to demand.
    #[error("failed to read {0}")]
    Policy(Reason),
    /// A file or folder of the gate's own.
    #[error("failed to {0}")]
    Fault(#[from] Fault),
}

/// The one gate of a site.
#[derive(Debug)]
pub struct Gate {
    site: Site,
    policy: Policy,
    ledger: Ledger,
    limits: Limits,
    _lock: Lock,
}

impl Gate {
    /// Takes the gate's lock, reads `gate.toml` and the ledger, and finishes what an earlier gate left undone. `holder` is
    /// what others are told about who holds the lock.
    pub fn open(site: &Site, holder: &str) -> Result<Self, OpenError> {
        let lock = Lock::take(&site.gate_lock(), holder)?;
        let gate = Self {
            site: site.clone(),
            policy: Policy::of(site).map_err(OpenError::Policy)?,
            ledger: Ledger::open(&site.gate_audit())?,
            limits: Limits::default(),
            _lock: lock,
        };
        gate.recover()?;
        Ok(gate)
    }

    /// Judges every bundle that lies in the outbox now, in the order of their names. `report` hears of each; a bundle whose
    /// turn meets a fault of the world stays where it is, and its neighbours go on.
    pub fn drain(
        &mut self,
        now: impl Fn() -> DateTime<Utc>,
        mut report: impl FnMut(&OsStr, Result<Judged, Fault>),
    ) -> Result<(), Fault> {
        for name in bundles(&self.site.outbox())? {
            let judged = self.judge(&name, now());
            report(&name, judged);
        }
        Ok(())
    }

    fn judge(&mut self, name: &OsStr, now: DateTime<Utc>) -> Result<Judged, Fault> {
        let outbox = self.site.outbox();
        let original = Original::find(&outbox, name)?;
        let plain = plain_name(name.as_bytes());
        let desk = self.judging().join(&plain);
        durable::remove_tree(&desk)?;
        fs::create_dir(&desk).on("create", &desk)?;
        let copy = desk.join(COPY);
        let bundle = match intake::take_in(&outbox, name, Some(&copy), &self.limits) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => unreadable(name),
            result => result.on("take in", original.path())?,
        };

        let knowledge = SiteKnowledge::new(&self.site, &self.policy, &self.ledger, &bundle);
        let verdict = judge::judge(&bundle, Some(&knowledge), now);
        let bundle_sha256 = verdict.bundle_sha256;
        let known = self.ledger.judged(&bundle.name, bundle_sha256);
        if known == Some(verdict.verdict)
            && bundle.is_whole()
            && let Some(place) = self.placed(&plain, &verdict)
        {
            // The very bytes were judged and placed; only their original was still here.
            durable::remove_tree(&desk)?;
            original.retire()?;
            return Ok(Judged { verdict, place });
        }

        arrange(&desk, &copy, &plain, &bundle, &verdict)?;
        durable::sync_tree(&desk)?;
        if known != Some(verdict.verdict) {
            self.ledger.add(&verdict)?;
        }
        if verdict.verdict == Decision::Reject && !bundle.is_whole() {
            // What cannot be copied is moved as it is, now that the verdict stands.
            original.move_to(&desk, &plain)?;
        }
        let place = self.settle(&desk, &plain, verdict.verdict)?;
        original.retire()?;
        Ok(Judged { verdict, place })
    }

    /// The move that makes a verdict visible.
    fn settle(&self, desk: &Path, plain: &str, decision: Decision) -> Result<PathBuf, Fault> {
        if decision == Decision::Reject {
            return quarantine::commit(&self.site, desk, plain);
        }
        let place = self.site.core_inbound().join(plain);
        durable::move_new(&desk.join(COPY), &place)?;
        durable::remove_tree(desk)?;
        Ok(place)
    }

    /// Finishes the moves of verdicts that stand, and clears the desks of those that were never given.
    fn recover(&self) -> Result<(), Fault> {
        for name in bundles(&self.judging())? {
            let desk = self.judging().join(&name);
            match name.to_str().and_then(|plain| Some((plain, self.standing(&desk, plain)?))) {
                Some((plain, decision)) => drop(self.settle(&desk, plain, decision)?),
                None => durable::remove_tree(&desk)?,
            }
        }
        sweep_judged(&self.site);
        Ok(())
    }

    /// The verdict on what lies on a desk, if it was given and can be carried out: it is in the ledger, and what it was given
    /// on is there. Otherwise the original is still in the outbox, and is judged again.
    fn standing(&self, desk: &Path, plain: &str) -> Option<Decision> {
        let (decision, file) = [(Decision::Accept, VERDICT_FILE), (Decision::Reject, quarantine::RECORD)]
            .into_iter()
            .find(|(_, file)| desk.join(file).symlink_metadata().is_ok())?;
        let record = regular_file::read(&desk.join(file), self.limits.document_bytes).ok()?;
        let verdict: Verdict = serde_json::from_slice(&record).ok()?;
        // Only a name that is no result id stands otherwise in the verdict than on the desk.
        let is_of_desk = verdict.result_id == plain || (decision == Decision::Reject && verdict.request_id.is_empty());
        let is_given = verdict.verdict == decision
            && self.ledger.judged(&verdict.result_id, verdict.bundle_sha256) == Some(decision);
        let is_there = match decision {
            Decision::Accept => self.is_judged_copy(desk, &record, verdict.bundle_sha256),
            Decision::Reject => is_laid_out(desk),
        };
        (is_of_desk && is_given && is_there).then_some(decision)
    }

    /// Whether the copy on a desk is the bundle with this digest, and the verdict in it the one beside it.
    fn is_judged_copy(&self, desk: &Path, record: &[u8], bundle_sha256: Digest) -> bool {
        let Ok(mut copy) = intake::take_in(desk, OsStr::new(COPY), None, &self.limits) else { return false };
        let is_same_verdict = copy.bytes_of(Role::Verdict) == record;
        copy.entries.remove(VERDICT_FILE);
        is_same_verdict && copy.is_whole() && copy.digest() == bundle_sha256
    }

    fn judging(&self) -> PathBuf {
        self.site.gate_judging()
    }

    /// Where these very bytes already lie under their verdict. Only the numbered names are looked at: what lies under a random
    /// one is put there once more.
    fn placed(&self, plain: &str, verdict: &Verdict) -> Option<PathBuf> {
        let (folder, record, last) = match verdict.verdict {
            Decision::Accept => (self.site.core_inbound(), VERDICT_FILE, 1),
            Decision::Reject => (self.site.quarantine(), quarantine::RECORD, quarantine::NUMBERED_MAX),
        };
        let places = (1..=last).map(|number| folder.join(quarantine::numbered(plain, number)));
        places.into_iter().find(|place| {
            let bytes = regular_file::read(&place.join(record), self.limits.document_bytes).ok();
            let found = bytes.and_then(|bytes| serde_json::from_slice::<Verdict>(&bytes).ok());
            found.is_some_and(|found| {
                (found.bundle_sha256, &found.result_id) == (verdict.bundle_sha256, &verdict.result_id)
            })
        })
    }
}

/// What is known of a bundle whose folders the gate may not even list.
fn unreadable(name: &OsStr) -> Bundle {
    let hint = "Write files with mode 0644 and folders with 0755.";
    let reason = Reason::new(Code::ModeInvalid, "The gate has no permission to read this bundle.", hint);
    let id = name.to_str().and_then(|name| ResultId::parse(name).ok());
    Bundle { name: escape::path(name.as_bytes()), id, faults: vec![reason], ..Bundle::default() }
}

/// Lays the desk out as the item will lie: the bundle with its verdict, or an item of the quarantine. Flushes nothing: the
/// whole desk is flushed next.
fn arrange(desk: &Path, copy: &Path, plain: &str, bundle: &Bundle, verdict: &Verdict) -> Result<(), Fault> {
    let mut json = serde_json::to_vec_pretty(verdict).map_err(io::Error::from).on("write", desk)?;
    json.push(b'\n');
    if verdict.verdict == Decision::Accept {
        write(&desk.join(VERDICT_FILE), &json)?;
        return write(&copy.join(VERDICT_FILE), &json);
    }
    let untouched = desk.join(quarantine::UNTOUCHED);
    fs::create_dir(&untouched).on("create", &untouched)?;
    if bundle.is_whole() {
        durable::rename_new(copy, &untouched.join(plain))?;
    }
    write(&desk.join(quarantine::RECORD), &json)?;
    write(&desk.join(quarantine::PAGE), reasons_markdown(verdict).as_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    durable::create_new(path)?.write_all(bytes).on("write", path)
}

/// The names in a folder that are no dotfiles, sorted.
fn bundles(folder: &Path) -> Result<Vec<OsString>, Fault> {
    let mut names = Vec::new();
    for entry in folder.read_dir().on("list", folder)? {
        let name = entry.on("list", folder)?.file_name();
        if !name.as_bytes().starts_with(b".") {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Whether a refused item is all there: its bytes, or the word on where they are.
fn is_laid_out(desk: &Path) -> bool {
    let holds_bytes = desk.join(quarantine::UNTOUCHED).read_dir().is_ok_and(|mut entries| entries.next().is_some());
    holds_bytes || desk.join(KEPT_PAGE).symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests;
