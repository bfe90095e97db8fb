//! The gate's mailbox: every submission in the outbox gets one verdict and one place.
//!
//! ```text
//! note the attempt beside the copy to be, no fsync     if the process dies, the bundle is rejected
//! copy outbox/TS-… → var/gate/judging/<name>/bundle/  in one pass that hashes; only the copy is judged; the attempt is over
//! arrange it as it will lie, write verdict.json or reasons.json and REASONS.md beside it, sign the sums of what is accepted,
//! fsync every file and folder
//! append the verdict to the ledger, fsync               from here on the verdict is final
//! announce it in var/exchange/judged, no fsync
//! attest what is accepted, with the index of its leaf, fsync
//! rename into core/inbound/ or quarantine/, fsync both parents        commit point: CORE sees it
//! rename the original to outbox/.judged-…, remove it
//! ```
//!
//! The gate judges a copy, so a writer who still has the bundle open cannot change the judged bytes. It judges several at a time,
//! each in a workspace of its own (`mailbox/queue.rs` selects the next ones); the ledger has one writer. If a gate dies between
//! two of these steps, the next one gives the same verdict once: before the ledger's line nothing has happened (but the attempt
//! counts, see `mailbox/attempt.rs`); after it the next gate finishes the move (`mailbox/recovery.rs`).
//!
//! *Security*: everything in the outbox is hostile, and so is every copy of it: in a workspace the gate trusts only the
//! files beside the copy, never those in it. *Commit point*: see above.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use chrono::{DateTime, Utc};

use crate::confinement::{Confinement, ConfinementError, Enforced};
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

/// The outcome of one submission.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Its present place.
    pub place: PathBuf,
}

/// Why a gate cannot judge.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another gate serves the site, or its lock cannot be taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// `gate.toml` cannot be used.
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
    confinement: Option<(Confinement, Enforced)>,
    recovered: OnceLock<()>,
    _lock: Lock,
}

impl Gate {
    /// Locks the gate, and reads `gate.toml`, the ledger and its own program, and opens the attestation key: nothing
    /// hostile. `holder` names the lock holder to others.
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

    /// The tools that `gate.toml` has expectations for and that the site lacks.
    pub fn unknown_tools(&self) -> Result<Vec<String>, Fault> {
        let policy = self.policy()?;
        facts::unknown_tools(&self.site, &policy.policy)
    }

    /// Gives up every right that judging does not need, as `gate.toml` demands, for the rest of this process; every
    /// verdict then states the confinement. Call it before starting a thread and before judging the first submission.
    pub fn confine(&mut self) -> Result<&Enforced, ConfinementError> {
        let confinement = Confinement::of_site(&self.site);
        let demand = lock(&self.policy).last_read().policy.gate.confinement;
        let enforced = confinement.enter(demand)?;
        Ok(&self.confinement.insert((confinement, enforced)).1)
    }

    /// The site that it serves.
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// A folder of the site, or `gate.toml`, that was replaced since the gate confined itself. The gate cannot reach
    /// it: only a new gate can.
    pub fn replaced(&self) -> Option<&Path> {
        self.confinement.as_ref().and_then(|(confinement, _)| confinement.replaced())
    }

    /// Judges everything in the outbox; the first time, it first finishes the work of an earlier gate. `report` gets
    /// each submission; on an error of the system the submission stays, and the others go on.
    pub fn drain(
        &self,
        clock: fn() -> DateTime<Utc>,
        mut report: impl FnMut(&OsStr, Result<Judged, Fault>),
    ) -> Result<(), Fault> {
        self.recover_once()?;
        Workers::serve(self, clock, || {}, |workers| workers.drain(&mut report))?
    }

    /// Finishes once the work of an earlier gate.
    pub(crate) fn recover_once(&self) -> Result<(), Fault> {
        if self.recovered.get().is_none() {
            self.recover()?;
            let _ = self.recovered.set(());
        }
        Ok(())
    }

    /// The operator's present demands.
    fn policy(&self) -> Result<SitePolicy, Fault> {
        let current = lock(&self.policy).current();
        current.map_err(|reason| io::Error::other(reason.to_string())).on("use", &self.site.gate_config_file())
    }

    fn records(&self) -> MutexGuard<'_, Records> {
        lock(&self.records)
    }

    /// Starts the deadline of the submission in a workspace, until the watchdog learns that it is over. The watchdog's
    /// thread starts on first use: the confinement must come before.
    fn watchdog(&self) -> Result<&Watchdog, Fault> {
        if let Some(watchdog) = self.watchdog.get() {
            return Ok(watchdog);
        }
        let started = Watchdog::start(Deadline::default(), self.boot.clone());
        let started = started.on("start a thread for", &self.site.outbox())?;
        Ok(self.watchdog.get_or_init(|| started))
    }

    /// Forgets every judgement under way, so that a deliberate exit from here on does not count as a death.
    pub(crate) fn hand_back(&self) {
        if let Some(watchdog) = self.watchdog.get() {
            watchdog.forget_attempts();
        }
    }
}

/// The state that a panicked thread left is still used: each step leaves it consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The names in a folder except dotfiles, sorted; of very many, the first ones found.
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

/// How many names of a folder are processed at a time: the rest is read when these are gone.
const NAMES_MAX: usize = 200_000;

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test arranges the world")]
mod tests;
