//! The drop folder: which names in it are drops, and which of them are complete.
//!
//! A scan is the only truth; events merely say that it is worth the while. Does not open anything: what a drop holds is the
//! business of [`super::claim`]. *Security*: every name and every attribute here was chosen by a stranger.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gatepost_documents::evidence::Completeness;
use gatepost_mailbox::fault::{Fault, OnPath};

use super::settling::{Readiness, Settling, Signature};

/// The deepest and widest tree that is looked at to see whether a dropped folder is quiet.
const FOLDER_DEPTH_MAX: usize = 4;
const FOLDER_ENTRIES_MAX: usize = 10_000;

/// A complete drop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxItem {
    /// Its name in the inbox.
    pub name: OsString,
    /// How sure it is that it is whole.
    pub completeness: Completeness,
}

/// What a scan found.
#[derive(Debug, Default)]
pub struct Scan {
    /// Complete drops, by name: request ids begin with their time, so the oldest comes first.
    pub ready: Vec<InboxItem>,
    /// Complete signatures for requests that are dropped by themselves, by name.
    pub signatures: Vec<InboxItem>,
    /// When the next of the others may be complete.
    pub next_look: Option<Duration>,
}

/// The drop folder.
#[derive(Debug)]
pub struct Inbox {
    folder: PathBuf,
    settling: Settling,
    round: u64,
}

impl Inbox {
    /// The drop folder `folder`, in which drops settle after `settle`.
    pub fn new(folder: PathBuf, settle: Duration) -> Self {
        Self { folder, settling: Settling::new(settle), round: 0 }
    }

    /// Notes that a name was renamed into the folder, which makes it complete.
    pub fn renamed_in(&mut self, name: OsString, now: Instant) {
        if is_drop(&name) {
            self.settling.renamed_in(name, now);
        }
    }

    /// Forgets a drop that was dealt with, or that must settle again because it could not be.
    pub fn forget(&mut self, name: &OsStr) {
        self.settling.forget(name);
    }

    /// Looks at every name. The folder being away, unreadable or read-only is a fault.
    pub fn scan(&mut self, now: Instant) -> Result<Scan, Fault> {
        rustix::fs::access(&self.folder, rustix::fs::Access::WRITE_OK).on("write to", &self.folder)?;
        self.round += 1;
        let mut scan = Scan::default();
        for entry in self.folder.read_dir().on("list", &self.folder)? {
            let name = entry.on("list", &self.folder)?.file_name();
            if !is_drop(&name) {
                continue;
            }
            // A name that vanished meanwhile was taken back by its owner.
            let path = self.folder.join(&name);
            let Ok(signature) = signature(&path) else { continue };
            match self.settling.look(&name, signature, now, self.round) {
                Readiness::Ready(completeness) => {
                    let kind = if is_signature(&path) { &mut scan.signatures } else { &mut scan.ready };
                    kind.push(InboxItem { name, completeness });
                }
                Readiness::Waiting(rest) => scan.next_look = Some(scan.next_look.map_or(rest, |next| next.min(rest))),
            }
        }
        self.settling.forget_unseen(self.round);
        for items in [&mut scan.ready, &mut scan.signatures] {
            items.sort_by(|a, b| a.name.cmp(&b.name));
        }
        Ok(scan)
    }
}

/// Dotfiles, `*.tmp`, `*.part` and `*~` are work in progress of whoever writes them.
pub fn is_drop(name: &OsStr) -> bool {
    let name = name.as_bytes();
    !(name.starts_with(b".") || [&b".tmp"[..], b".part", b"~"].iter().any(|end| name.ends_with(end)))
}

/// `TR-….md.sig` and the like are signatures for what is called so without it; a folder of such a name is a request.
fn is_signature(path: &Path) -> bool {
    path.as_os_str().as_bytes().ends_with(b".sig") && !path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

fn signature(path: &Path) -> io::Result<Signature> {
    let top = path.symlink_metadata()?;
    let mut sum = part(&top);
    if top.is_dir() {
        let walk = walkdir::WalkDir::new(path).min_depth(1).max_depth(FOLDER_DEPTH_MAX);
        for entry in walk.into_iter().take(FOLDER_ENTRIES_MAX) {
            let Some(inner) = entry.ok().and_then(|entry| entry.metadata().ok()) else { continue };
            let inner = part(&inner);
            sum.size = sum.size.wrapping_add(inner.size);
            sum.entries += 1;
            sum.modified_ns = sum.modified_ns.max(inner.modified_ns);
            sum.changed_ns = sum.changed_ns.max(inner.changed_ns);
        }
    }
    Ok(sum)
}

fn part(metadata: &Metadata) -> Signature {
    let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
    Signature {
        identity: (metadata.dev(), metadata.ino()),
        size: metadata.len(),
        entries: 1,
        modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_in_progress_is_no_drop() {
        for name in [".TR-x.md", "TR-x.md.tmp", "TR-x.md.part", "TR-x.md~", ".tmp"] {
            assert!(!is_drop(OsStr::new(name)), "{name}");
        }
        assert!(is_drop(OsStr::new("TR-x.md")));
        assert!(is_drop(OsStr::from_bytes(b"\xff\n")));
    }

    #[test]
    fn a_change_deep_in_a_folder_makes_it_wait_again() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("TR-x/in")).unwrap();
        let mut inbox = Inbox::new(folder.path().to_owned(), Duration::from_secs(1));
        let start = Instant::now();
        assert!(inbox.scan(start).unwrap().ready.is_empty());
        std::fs::write(folder.path().join("TR-x/in/data"), "x").unwrap();
        let later = start + Duration::from_secs(1);
        assert_eq!(inbox.scan(later).unwrap().next_look, Some(Duration::from_secs(1)));
        let ready = inbox.scan(later + Duration::from_secs(1)).unwrap().ready;
        assert_eq!(ready, [InboxItem { name: "TR-x".into(), completeness: Completeness::Inferred }]);
    }

    #[test]
    fn a_folder_that_is_away_is_a_fault_and_may_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inbox");
        let mut inbox = Inbox::new(path.clone(), Duration::ZERO);
        assert_eq!(inbox.scan(Instant::now()).unwrap_err().source.kind(), io::ErrorKind::NotFound);
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("TR-x.md"), "x").unwrap();
        assert_eq!(inbox.scan(Instant::now()).unwrap().ready.len(), 1);
    }
}
