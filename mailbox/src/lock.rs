//! One watcher per site: an advisory lock that ends with its holder.
//!
//! The lock is the kernel's (`flock`); the file's content only says who holds it. It is never removed: a lock file that is
//! unlinked while another process opens it would be locked twice.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FlockOperation, OFlags, Stat};
use rustix::io::Errno;

use crate::fault::{Fault, OnPath};
use crate::folder::Folder;
use crate::regular_file;

/// A lock, released when it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why a lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process holds it; its description of itself follows, for example `process 4711, gatepost exec`.
    #[error("{} is held by {holder}", path.display())]
    Held {
        /// The lock file.
        path: PathBuf,
        /// The holder.
        holder: String,
    },
    /// It could not be opened or locked.
    #[error("failed to {0}")]
    Fault(#[from] Fault),
}

impl Lock {
    /// Takes the lock immediately or fails. Others see `holder`, one line.
    pub fn take(path: &Path, holder: &str) -> Result<Self, LockError> {
        // Through no link, and waiting for no FIFO.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .custom_flags(flags)
            .open(path)
            .on("open", path)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                let mut text = String::new();
                let known = (&file).take(256).read_to_string(&mut text).is_ok() && !text.trim().is_empty();
                let holder =
                    if known { text.trim().escape_default().to_string() } else { "another process".to_owned() };
                return Err(LockError::Held { path: path.to_owned(), holder });
            }
            Err(error) => return Err(error).on("lock", path).map_err(LockError::from),
        }
        file.set_len(0).on("write", path)?;
        file.rewind().on("write", path)?;
        file.write_all(format!("{holder}\n").as_bytes()).on("write", path)?;
        Ok(Self { _file: file })
    }

    /// Locks a folder immediately or fails; it must be the folder itself and not a link to one.
    pub fn folder(path: &Path) -> Result<Self, LockError> {
        let folder = Folder::open(path)?;
        Self::still_there(&folder, || {
            rustix::fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).on("look at", path).map(Some)
        })
    }

    /// The same of an open folder that has the name `name` in another one.
    pub fn folder_in(within: &Folder, name: &OsStr, folder: &Folder) -> Result<Self, LockError> {
        Self::still_there(folder, || within.look_at(name))
    }

    fn still_there(folder: &Folder, look: impl FnOnce() -> Result<Option<Stat>, Fault>) -> Result<Self, LockError> {
        let path = folder.path();
        let file = folder.readable().on("open", path)?;
        let held = || LockError::Held { path: path.to_owned(), holder: "another process".to_owned() };
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => return Err(held()),
            locked => locked.on("lock", path)?,
        }
        // The holder may have moved it away meanwhile.
        let of = |stat: Stat| (stat.st_dev, stat.st_ino);
        if look()?.map(of) == Some(of(folder.stat()?)) { Ok(Self { _file: file.into() }) } else { Err(held()) }
    }

    /// The present holder, if any; for reports only, since it may change at once.
    pub fn holder(path: &Path) -> Option<String> {
        let mut file = regular_file::open(path).ok()?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared) {
            Err(Errno::WOULDBLOCK) => {
                let mut text = String::new();
                (&mut file).take(256).read_to_string(&mut text).ok()?;
                Some(text.trim().escape_default().to_string())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_taken_once_and_through_no_link() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("folder");
        std::fs::create_dir(&path).unwrap();
        let held = Lock::folder(&path).unwrap();
        assert!(matches!(Lock::folder(&path), Err(LockError::Held { .. })));
        drop(held);
        Lock::folder(&path).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(matches!(Lock::folder(&link), Err(LockError::Fault(_))));
    }

    #[test]
    fn the_second_taker_learns_who_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Lock::take(&path, "process 1, first").unwrap();
        let refused = Lock::take(&path, "process 2, second").unwrap_err().to_string();
        assert!(refused.ends_with("is held by process 1, first"), "{refused}");
        assert_eq!(Lock::holder(&path).as_deref(), Some("process 1, first"));
        drop(first);
        assert_eq!(Lock::holder(&path), None);
        Lock::take(&path, "process 2, second").unwrap();
    }
}
