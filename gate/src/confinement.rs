//! Confines the gate before it reads a hostile byte. From then on it has no network, starts no program and reaches only
//! the paths that it works on, permanently.
//!
//! ```text
//! limits ▶ no_new_privs ▶ Landlock: paths, TCP, abstract sockets, signals ▶ seccomp: the calls that it needs
//! ```
//!
//! The kernel enforces each. None needs a privilege, each binds root too, and none can be undone. Landlock binds the
//! calling thread and its children, so the process must still have one thread: otherwise the call is refused.
//!
//! *Security*: descriptors that are already open stay usable, so read nothing hostile before. Landlock does not hide
//! names, sizes and times. A folder that is replaced later is not the allowed one: [`Confinement::replaced`] reports
//! it. Does not judge, and does not choose what is demanded: `gate.toml` does.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use gatepost_mailbox::site::Site;

mod landlock;
mod rlimit;
mod seccomp;

pub use gatepost_documents::enforced::Enforced;

/// Whether a gate that cannot confine itself still judges.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Demand {
    /// The gate judges only with complete confinement.
    #[default]
    Required,
    /// The gate judges with what this machine can enforce; each verdict lists it.
    BestEffort,
}

/// One mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// A process of one thread.
    OneThread,
    /// Resource limits.
    Limits,
    /// `no_new_privs`.
    NoNewPrivs,
    /// Landlock.
    Landlock,
    /// The filter of system calls.
    Seccomp,
}

impl Means {
    /// What failed, after "failed to".
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OneThread => "start with a single thread",
            Self::Limits => "set its resource limits",
            Self::NoNewPrivs => "set no_new_privs",
            Self::Landlock => "restrict paths, network and signals (Landlock)",
            Self::Seccomp => "restrict system calls (seccomp)",
        }
    }

    /// What to do about it.
    pub const fn hint(self) -> &'static str {
        match self {
            Self::OneThread => "This is a bug in gatepost: enter confinement before a thread starts.",
            Self::Limits => "Start the gate without a resource limit that it may not lower.",
            Self::NoNewPrivs | Self::Landlock => {
                "Use Linux 6.2 or later with Landlock among its security modules (lsm=landlock,…), in a container whose \
                 profile allows it; or set [gate] confinement = \"best_effort\" in gate.toml, to judge without."
            }
            Self::Seccomp => {
                "Use a kernel with CONFIG_SECCOMP_FILTER on x86_64 or aarch64; or set \
                 [gate] confinement = \"best_effort\" in gate.toml, to judge without."
            }
        }
    }
}

/// The mechanism that failed.
#[derive(Debug, thiserror::Error)]
#[error("failed to {}: {source}", means.as_str())]
pub struct ConfinementError {
    /// The mechanism.
    pub means: Means,
    /// The error of the system.
    pub source: io::Error,
}

/// The rights beneath a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Right {
    /// Read files and list folders.
    Read,
    /// Read, and move a folder to here from a place with all rights.
    Receive,
    /// Everything except to execute, and to use devices.
    Work,
}

/// The file or folder that a path named when it was opened.
#[derive(Debug)]
struct Place {
    path: PathBuf,
    right: Right,
    /// Device and inode.
    identity: Option<(u64, u64)>,
}

impl Place {
    fn new(path: PathBuf, right: Right) -> Self {
        Self { identity: identity(&path), path, right }
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// The paths that the process keeps.
#[derive(Debug)]
pub struct Confinement {
    places: Vec<Place>,
}

impl Confinement {
    /// What the gate of a site needs after its lock, its ledger and its report to TOOL-EXEC are open.
    ///
    /// The outbox has the same rights as the gate's workspaces, because Landlock forbids a move to a place with more
    /// rights. Accepted and quarantined items can be read, but not written to or removed.
    pub fn of_site(site: &Site) -> Self {
        let places = [
            (site.outbox(), Right::Work),
            (site.gate_judging(), Right::Work),
            (site.gate_orders(), Right::Work),
            (site.gate_log(), Right::Work),
            (site.core_inbound(), Right::Receive),
            (site.quarantine(), Right::Receive),
            (site.exchange_claimed(), Right::Read),
            (site.tools(), Right::Read),
            (site.keys(), Right::Read),
            (site.gate_config_file(), Right::Read),
        ];
        Self { places: places.map(|(path, right)| Place::new(path, right)).into() }
    }

    /// The rights to read these files and folders, and nothing else. A path without a file is left out.
    pub fn reading(paths: &[impl AsRef<Path>]) -> Self {
        let places = paths.iter().map(|path| Place::new(path.as_ref().to_owned(), Right::Read));
        Self { places: places.filter(|place| place.identity.is_some()).collect() }
    }

    /// Gives up everything else, for the rest of this process. With [`Demand::Required`] a failure is an error, and the caller
    /// must then read nothing; otherwise the result omits the failed mechanism. A second thread is always an error.
    pub fn enter(&self, demand: Demand) -> Result<Enforced, ConfinementError> {
        is_alone().map_err(|source| ConfinementError { means: Means::OneThread, source })?;
        let (mut failures, mut enforced) = (Vec::new(), Enforced::default());
        let mut attempt = |means, result: io::Result<()>| {
            failures.extend(result.err().map(|source| ConfinementError { means, source }));
        };
        attempt(Means::Limits, rlimit::enter().map(|limits| enforced.limits = Some(limits)));
        attempt(Means::NoNewPrivs, no_new_privs().map(|()| enforced.no_new_privs = true));
        attempt(Means::Landlock, landlock::enter(&self.places).map(|abi| enforced.landlock_abi = Some(abi)));
        attempt(Means::Seccomp, seccomp::enter().map(|()| enforced.seccomp = true));
        match failures.into_iter().next() {
            Some(failure) if demand == Demand::Required => Err(failure),
            _ => Ok(enforced),
        }
    }

    /// An allowed path that now leads to another file, which is out of reach. A path that is gone may come back.
    pub fn replaced(&self) -> Option<&Path> {
        let is_other = |place: &&Place| identity(&place.path).is_some_and(|found| Some(found) != place.identity);
        let replaced = self.places.iter().find(is_other);
        replaced.map(|place| place.path.as_path())
    }
}

fn no_new_privs() -> io::Result<()> {
    Ok(rustix::thread::set_no_new_privs(true)?)
}

/// Threads that already run would not be confined. Without /proc nobody can tell, so the caller is trusted.
fn is_alone() -> io::Result<()> {
    let threads = fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    let error = || io::Error::other(format!("{threads} threads run"));
    if threads == 1 { Ok(()) } else { Err(error()) }
}
