//! The world's faults: a disk that is full, a folder that may not be read.
//!
//! A fault is never a judgement on an item: the item stays where it is, and the fault is reported with what was done to
//! which path. What is wrong with the item itself is a [`gatepost_documents::reason::Reason`].

use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// A system call that failed, fitting the sentence "failed to {fault}".
#[derive(Debug, thiserror::Error)]
#[error("{operation} {}: {source}", path.display())]
pub struct Fault {
    /// What was being done: `open`, `write`, `flush`, `move to done/`, …
    pub operation: &'static str,
    /// What it was done to.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// Whether an error says that the machine or the user was short of something: what comes and goes with the time, and is no answer
/// to anybody.
pub fn is_shortage(error: &io::Error) -> bool {
    const SHORTAGES: [Errno; 10] = [
        Errno::AGAIN,
        Errno::NOMEM,
        Errno::MFILE,
        Errno::NFILE,
        Errno::NOSPC,
        Errno::DQUOT,
        Errno::USERS,
        Errno::NOBUFS,
        Errno::INTR,
        Errno::TXTBSY,
    ];
    Errno::from_io_error(error).is_some_and(|errno| SHORTAGES.contains(&errno))
}

/// Adds operation and path to an input or output error.
pub trait OnPath<T> {
    /// The same result, its error told with operation and path.
    fn on(self, operation: &'static str, path: &Path) -> Result<T, Fault>;
}

impl<T, E: Into<io::Error>> OnPath<T> for Result<T, E> {
    fn on(self, operation: &'static str, path: &Path) -> Result<T, Fault> {
        self.map_err(|source| Fault { operation, path: path.to_owned(), source: source.into() })
    }
}
