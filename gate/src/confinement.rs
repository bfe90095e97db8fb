//! How the gate holds itself before it reads a stranger's first byte: from then on it has no network, starts no program and
//! reaches no path but those that it works on, for good.
//!
//! ```text
//! limits ▶ no_new_privs ▶ Landlock: paths, TCP, abstract sockets, signals ▶ seccomp: the calls that it needs
//! ```
//!
//! Each is the kernel's, needs no privilege, binds root too and cannot be undone. Landlock binds the thread that enters it and
//! those that it starts: whoever enters must still be alone in its process, and is refused otherwise.
//!
//! *Security*: what is open before stays open, so that nothing of a stranger's may be read before. Landlock hides no names,
//! sizes and times. A folder that is replaced later is not the one that was allowed: [`Confinement::replaced`] says so.
//! Does not judge, and does not choose what is demanded: that stands in `gate.toml`.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use gatepost_mailbox::site::Site;

mod landlock;
mod rlimit;
mod seccomp;

pub use gatepost_documents::held::Held;

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

/// One of the means.
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

/// What could not be had.
#[derive(Debug, thiserror::Error)]
#[error("failed to {}: {source}", means.as_str())]
pub struct ConfinementError {
    /// Which of the means.
    pub means: Means,
    /// What the system said.
    pub source: io::Error,
}

/// What may be done beneath a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Right {
    /// Read files and list folders.
    Read,
    /// Read, and move a folder to here that lay where everything may be done.
    Receive,
    /// Everything but to execute, and to make devices work.
    Work,
}

/// The one folder or file that had a path when it was opened.
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

/// All that is left to a process.
#[derive(Debug)]
pub struct Confinement {
    places: Vec<Place>,
}

impl Confinement {
    /// What the gate of a site needs once its lock, its ledger and its word to TOOL-EXEC are open.
    ///
    /// The outbox has the rights of the gate's own workspaces, because Landlock lets nothing be moved to where more may be done
    /// with it; what was accepted or quarantined can be read, and neither written to nor taken away.
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

    /// What reading these files and folders needs, and nothing else. A path where there is nothing is left out.
    pub fn reading(paths: &[impl AsRef<Path>]) -> Self {
        let places = paths.iter().map(|path| Place::new(path.as_ref().to_owned(), Right::Read));
        Self { places: places.filter(|place| place.identity.is_some()).collect() }
    }

    /// Gives up everything else, for the rest of this process. With [`Demand::Required`] a failure is an error, after which
    /// nothing may be read; else it is left out of what is returned. A second thread is an error in any case.
    pub fn enter(&self, demand: Demand) -> Result<Held, ConfinementError> {
        is_alone().map_err(|source| ConfinementError { means: Means::OneThread, source })?;
        let (mut failures, mut held) = (Vec::new(), Held::default());
        let mut attempt = |means, result: io::Result<()>| {
            failures.extend(result.err().map(|source| ConfinementError { means, source }));
        };
        attempt(Means::Limits, rlimit::enter().map(|limits| held.limits = Some(limits)));
        attempt(Means::NoNewPrivs, no_new_privs().map(|()| held.no_new_privs = true));
        attempt(Means::Landlock, landlock::enter(&self.places).map(|abi| held.landlock_abi = Some(abi)));
        attempt(Means::Seccomp, seccomp::enter().map(|()| held.seccomp = true));
        match failures.into_iter().next() {
            Some(failure) if demand == Demand::Required => Err(failure),
            _ => Ok(held),
        }
    }

    /// A place that was allowed and whose path now leads to another: what lies there is out of reach. One that is gone may
    /// come back.
    pub fn replaced(&self) -> Option<&Path> {
        let is_other = |place: &&Place| identity(&place.path).is_some_and(|found| Some(found) != place.identity);
        let replaced = self.places.iter().find(is_other);
        replaced.map(|place| place.path.as_path())
    }
}

fn no_new_privs() -> io::Result<()> {
    Ok(rustix::thread::set_no_new_privs(true)?)
}

/// Threads that run already would not be held. Where nobody can tell, there is no /proc and this is believed.
fn is_alone() -> io::Result<()> {
    let threads = fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    let error = || io::Error::other(format!("{threads} threads run"));
    if threads == 1 { Ok(()) } else { Err(error()) }
}
