//! Faults of the world: a full disk, an unreadable folder.
//!
//! A fault is never a judgement on an item: the item stays in its folder, and the fault reports the operation and the path. A fault of
//! the item itself is a [`gatepost_documents::reason::Reason`].

use std::io;
use std::path::{Path, PathBuf};

use gatepost_documents::reason::Reason;
use rustix::io::Errno;

/// A system call that failed, fitting the sentence "failed to {fault}".
#[derive(Debug, thiserror::Error)]
#[error("{operation} {}: {source}", path.display())]
pub struct Fault {
    /// The failed operation: `open`, `write`, `flush`, `move to done/`, …
    pub operation: &'static str,
    /// Its path.
    pub path: PathBuf,
    /// The error of the system.
    pub source: io::Error,
}

/// A file of the operator's that is unusable.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}", .0.place(str::to_owned).unwrap_or_default(), .0.message.trim_end_matches('.'))]
struct Unusable(Reason);

impl Fault {
    /// An operator's file is invalid; everything that needs it waits until it is corrected. The reason names the file.
    pub fn unusable(path: PathBuf, reason: Reason) -> Self {
        Self { operation: "use", path, source: io::Error::other(Unusable(reason)) }
    }

    /// The reason, if an operator's file is at fault.
    pub fn as_unusable(&self) -> Option<&Reason> {
        self.source.get_ref()?.downcast_ref().map(|Unusable(reason)| reason)
    }

    /// The same fault, for another item that it affects too.
    #[must_use]
    pub fn of_another(&self) -> Self {
        let source = self.source.raw_os_error().map_or_else(|| self.source.kind().into(), io::Error::from_raw_os_error);
        Self { operation: self.operation, path: self.path.clone(), source }
    }
}

/// Whether an error is a temporary shortage of the machine or the user: it can pass, and never becomes a result.
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

/// The same, or a failed disk: the operation did not happen, and may succeed later.
pub fn is_passing(error: &io::Error) -> bool {
    is_shortage(error) || Errno::from_io_error(error) == Some(Errno::IO)
}

/// Adds operation and path to an input or output error.
pub trait OnPath<T> {
    /// The same result; its error has operation and path.
    fn on(self, operation: &'static str, path: &Path) -> Result<T, Fault>;
}

impl<T, E: Into<io::Error>> OnPath<T> for Result<T, E> {
    fn on(self, operation: &'static str, path: &Path) -> Result<T, Fault> {
        self.map_err(|source| Fault { operation, path: path.to_owned(), source: source.into() })
    }
}
