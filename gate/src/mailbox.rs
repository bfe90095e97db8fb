//! The gate's mailbox: every submission in the outbox gets one verdict and one place.
//!
//! ```text
//! note the attempt beside the copy to be, unflushed     whoever does not outlive this submission has rejected it
//! copy outbox/TS-… → var/gate/judging/<name>/bundle/  in one pass that hashes; only the copy is judged; the attempt is over
//! arrange it as it will lie, write verdict.json or reasons.json and REASONS.md beside it, sign the sums of what is accepted,
//! fsync every file and folder
//! append the verdict to the ledger, fsync               from here on the verdict stands
//! say in var/exchange/judged that it was judged, unflushed
//! attest what is accepted, with the index of its leaf, fsync
//! rename into core/inbound/ or quarantine/, fsync both parents        commit point: CORE sees it
//! rename the original to outbox/.judged-…, remove it
//! ```
//!
//! Judging a copy means that whoever wrote the bundle, and may still hold it open, cannot change what was judged. Several are
//! judged at a time, each in a workspace of its own (`mailbox/queue.rs` says which are next); the ledger has one writer. A gate
//! that dies between two of these steps gives the same verdict once: before the ledger's line nothing has happened (but the
//! attempt is counted, see `mailbox/attempt.rs`), after it the next gate finishes the move (`mailbox/recovery.rs`).
//!
//! *Security*: everything in the outbox is hostile, and so is everything in a copy of it: the gate believes of a workspace only
//! what lies beside the copy, never what lies in it. *Commit point*: see above.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use chrono::{DateTime, Utc};

use crate::confinement::{Confinement, ConfinementError, Held};
use crate::facts;
use crate::limits::Limits;
use crate::policy::{PolicyFile, SitePolicy};
use crate::program;
use gatepost_documents::program::Program;
use gatepost_documents::reason::Reason;
use gatepost_documents::verdict::Verdict;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::lock::{Lock, LockError};
use gatepost_mailbox::signer::Signer;
use gatepost_mailbox::site::Site;

mod attempt;
mod decision;
mod import;
mod judging;
mod orders;
mod original;
mod queue;
mod records;
mod recovery;
mod release;
mod size;
mod watchdog;
mod workers;
mod workspace;

pub use import::rehearse_import;
use orders::Users;
use queue::Queue;
use records::Records;
pub use release::rehearse;
use watchdog::{Deadline, Watchdog};
pub(crate) use workers::{Report, Workers};

/// What became of one submission.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Where it is now.
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
    policy: Mutex<PolicyFile>,
    records: Mutex<Records>,
    queue: Queue,
    users: Users,
    limits: Limits,
    boot: String,
    watchdog: OnceLock<Watchdog>,
    program: Option<Program>,
    signer: Signer,
    confinement: Option<(Confinement, Held)>,
    recovered: OnceLock<()>,
    _lock: Lock,
}

impl Gate {
    /// Takes the gate's lock, and reads `gate.toml`, the ledger and its own program, and opens what attests: nothing of a stranger's.
    /// `holder` is what others are told about who holds the lock.
    pub fn open(site: &Site, holder: &str) -> Result<Self, OpenError> {
        let lock = Lock::take(&site.gate_lock(), holder)?;
        let policy = PolicyFile::open(site).map_err(OpenError::Policy)?;
        let records = Records::open(site)?;
        let attestation = &policy.last_read().policy.attestation;
        let signer = Signer::open(site, &attestation.key, &attestation.agent)?;
        Ok(Self {
            site: site.clone(),
            policy: Mutex::new(policy),
            records: Mutex::new(records),
            signer,
            queue: Queue::for_machine(),
            users: Users::of_machine(),
            limits: Limits::default(),
            boot: attempt::boot(),
            watchdog: OnceLock::new(),
            program: program::this(),
            confinement: None,
            recovered: OnceLock::new(),
            _lock: lock,
        })
    }

    /// The tools that `gate.toml` expects something of and that the site does not have.
    pub fn unknown_tools(&self) -> Result<Vec<String>, Fault> {
        let policy = self.policy()?;
        facts::unknown_tools(&self.site, &policy.policy)
    }

    /// Gives up all that judging does not need, as `gate.toml` demands, for the rest of this process; every verdict then
    /// says what held. To be called before another thread is started and before the first submission is judged.
    pub fn confine(&mut self) -> Result<&Held, ConfinementError> {
        let confinement = Confinement::of_site(&self.site);
        let demand = lock(&self.policy).last_read().policy.gate.confinement;
        let held = confinement.enter(demand)?;
        Ok(&self.confinement.insert((confinement, held)).1)
    }

    /// The site that it serves.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// A folder of the site, or `gate.toml`, that was replaced by another since the gate confined itself, and that it therefore
    /// cannot reach: only a new gate can.
    pub fn replaced(&self) -> Option<&Path> {
        self.confinement.as_ref().and_then(|(confinement, _)| confinement.replaced())
    }

    /// Judges everything that lies in the outbox now; the first time, it finishes before what an earlier gate left undone.
    /// `report` hears of each submission; one that meets a fault of the world stays where it is, and its neighbours go on.
    pub fn drain(
        &self,
        clock: fn() -> DateTime<Utc>,
        mut report: impl FnMut(&OsStr, Result<Judged, Fault>),
    ) -> Result<(), Fault> {
        self.recover_once()?;
        Workers::serve(self, clock, || {}, |workers| workers.drain(&mut report))?
    }

    /// Finishes once what an earlier gate left undone.
    pub(crate) fn recover_once(&self) -> Result<(), Fault> {
        if self.recovered.get().is_none() {
            self.recover()?;
            let _ = self.recovered.set(());
        }
        Ok(())
    }

    /// What the operator demands now.
    fn policy(&self) -> Result<SitePolicy, Fault> {
        let current = lock(&self.policy).current();
        current.map_err(|reason| io::Error::other(reason.to_string())).on("use", &self.site.gate_config_file())
    }

    fn records(&self) -> MutexGuard<'_, Records> {
        lock(&self.records)
    }

    /// From now on the submission in a workspace has its time, until the watchdog is told that it is over. Its thread is started
    /// when it is first needed: the confinement comes before.
    fn watchdog(&self) -> Result<&Watchdog, Fault> {
        if let Some(watchdog) = self.watchdog.get() {
            return Ok(watchdog);
        }
        let started = Watchdog::start(Deadline::default(), self.boot.clone());
        let started = started.on("start a thread for", &self.site.outbox())?;
        Ok(self.watchdog.get_or_init(|| started))
    }

    /// Forgets that anything is being judged, so that whoever ends the process now has not died over it.
    pub(crate) fn hand_back(&self) {
        if let Some(watchdog) = self.watchdog.get() {
            watchdog.forget_attempts();
        }
    }
}

/// What a thread that panicked left is looked at all the same: each step leaves it whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The names in a folder that are no dotfiles, sorted; of very many the first that are found.
fn names_in(folder: &Path) -> Result<Vec<OsString>, Fault> {
    let mut names = Vec::new();
    for entry in folder.read_dir().on("list", folder)?.take(NAMES_MAX) {
        let name = entry.on("list", folder)?.file_name();
        if !name.as_bytes().starts_with(b".") {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// How many names of a folder are looked at at a time: what more there is is seen when these are gone.
const NAMES_MAX: usize = 200_000;

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test arranges the world")]
mod tests;
