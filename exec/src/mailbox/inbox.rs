//! The drop folder: which names in it are drops, and which of them are complete.
//!
//! Only a scan counts; events only trigger scans. This file opens nothing: [`super::claim`] reads drops. *Security*: every name
//! and every attribute here is hostile.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gatepost_contract::config::Quiet;
use gatepost_documents::evidence::Completeness;
use gatepost_mailbox::fault::{Fault, OnPath};

use super::claim::request_id;
use super::settling::{Readiness, Ready, Settling, Signature};

/// The limits of the tree that is checked for changes in a dropped folder.
const FOLDER_DEPTH_MAX: usize = 4;
const FOLDER_ENTRIES_MAX: usize = 10_000;

/// A complete drop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxItem {
    /// Its name in the inbox.
    pub name: OsString,
    /// The evidence that it is complete.
    pub completeness: Completeness,
    /// Whether it may get more time, if it looks unfinished.
    pub may_wait: bool,
    /// Its owner, from the kernel.
    pub owner: u32,
}

/// What a scan found.
#[derive(Debug, Default)]
pub struct Scan {
    /// Complete requests: the owners take turns, and of each the oldest comes first, because ids begin with their time.
    pub ready: Vec<InboxItem>,
    /// Complete drops whose names name no request, by name.
    pub strays: Vec<InboxItem>,
    /// Complete signatures that are dropped separately from their requests, by name.
    pub signatures: Vec<InboxItem>,
    /// When the next incomplete drop may be complete.
    pub next_look: Option<Duration>,
}

/// The drop folder.
#[derive(Debug)]
pub struct Inbox {
    folder: PathBuf,
    settling: Settling,
    round: u64,
    /// The folder at the last scan.
    seen: Option<Seen>,
}

/// How long a folder must be unchanged before its times alone show a change: longer than any kernel's clock tick.
const UNCHANGED_FOR: Duration = Duration::from_secs(1);

/// The folder's inode, modification time and change time, which show added and removed names.
type FolderState = (u64, i128, i128);

/// The state of a folder at a scan.
#[derive(Debug)]
struct Seen {
    state: FolderState,
    since: Instant,
    /// It contained no drop and no name that may become one, and each later change alters its times.
    is_at_rest: bool,
}

impl Inbox {
    /// The drop folder `folder`.
    pub fn new(folder: PathBuf, quiet: Quiet) -> Self {
        Self { folder, settling: Settling::new(quiet), round: 0, seen: None }
    }

    /// Notes that a name was renamed into the folder, which makes it complete.
    pub fn renamed_in(&mut self, name: OsString, now: Instant) {
        if is_drop(&name) {
            self.settling.renamed_in(name, now);
        }
    }

    /// Forgets a drop that was processed, or that must settle again after a failure.
    pub fn forget(&mut self, name: &OsStr) {
        self.settling.forget(name);
    }

    /// Gives a drop that looks unfinished more time, unless it changes.
    pub fn hold(&mut self, name: &OsStr) {
        self.settling.hold(name);
    }

    /// Scans every name, unless no name changed since a scan without drops. A missing, unreadable or read-only folder is
    /// a fault.
    pub fn scan(&mut self, now: Instant) -> Result<Scan, Fault> {
        rustix::fs::access(&self.folder, rustix::fs::Access::WRITE_OK).on("write to", &self.folder)?;
        let state = state(&self.folder.metadata().on("look at", &self.folder)?);
        let since = match &self.seen {
            Some(seen) if seen.state == state && seen.is_at_rest => return Ok(Scan::default()),
            Some(seen) if seen.state == state => seen.since,
            _ => now,
        };
        let (scan, drops) = self.look(now)?;
        let is_at_rest = drops == 0 && now.duration_since(since) >= UNCHANGED_FOR;
        self.seen = Some(Seen { state, since, is_at_rest });
        Ok(scan)
    }

    /// Scans every name; returns the findings and the number of drops.
    fn look(&mut self, now: Instant) -> Result<(Scan, usize), Fault> {
        self.round += 1;
        let (mut scan, mut drops) = (Scan::default(), 0);
        for entry in self.folder.read_dir().on("list", &self.folder)? {
            let name = entry.on("list", &self.folder)?.file_name();
            if !is_drop(&name) {
                continue;
            }
            // The owner removed this name meanwhile.
            let path = self.folder.join(&name);
            let Ok((owner, signature)) = signature(&path) else { continue };
            drops += 1;
            match self.settling.look(&name, signature, now, self.round) {
                Readiness::Ready(Ready { completeness, may_wait }) => {
                    let kind = if is_signature(&path) {
                        &mut scan.signatures
                    } else if request_id(&name).is_some() {
                        &mut scan.ready
                    } else {
                        &mut scan.strays
                    };
                    kind.push(InboxItem { name, completeness, may_wait, owner });
                }
                Readiness::Waiting(rest) => scan.next_look = Some(scan.next_look.map_or(rest, |next| next.min(rest))),
            }
        }
        self.settling.forget_unseen(self.round);
        for items in [&mut scan.ready, &mut scan.strays, &mut scan.signatures] {
            items.sort_by(|a, b| a.name.cmp(&b.name));
        }
        take_turns(&mut scan.ready);
        Ok((scan, drops))
    }
}

/// Puts the first item of each owner before the second of any, and so on.
fn take_turns(items: &mut [InboxItem]) {
    let mut counts: HashMap<u32, usize> = HashMap::new();
    items.sort_by_cached_key(|item| {
        let count = counts.entry(item.owner).or_default();
        *count += 1;
        *count
    });
}

fn state(metadata: &Metadata) -> FolderState {
    let part = part(metadata);
    (metadata.ino(), part.modified_ns, part.changed_ns)
}

/// How names end while browsers and upload clients write to them.
const UNFINISHED: [&[u8]; 9] =
    [b".tmp", b".part", b"~", b".filepart", b".partial", b".crdownload", b".download", b".swp", b".!ut"];

/// Whether a name is work in progress: a dotfile, the ending of an unfinished upload, or the name of a request
/// with eight hexadecimal digits appended, as the AWS command line writes it.
pub fn is_drop(name: &OsStr) -> bool {
    let name = name.as_bytes();
    let is_unfinished = UNFINISHED.iter().any(|end| name.ends_with(end)) || has_random_ending(name);
    !(name.starts_with(b".") || is_unfinished)
}

/// Whether it is `TR-….md.6eF3a1B2` or `TR-….json.6eF3a1B2`.
fn has_random_ending(name: &[u8]) -> bool {
    let Some(stem) = name.len().checked_sub(9).map(|at| name.split_at(at)) else { return false };
    let (stem, ending) = stem;
    let is_random = ending.starts_with(b".") && ending[1..].iter().all(u8::is_ascii_hexdigit);
    is_random && [&b".md"[..], b".json"].iter().any(|end| stem.ends_with(end))
}

/// Whether a name such as `TR-….md.sig` is a signature for the request in it. A folder of such a name is a request.
fn is_signature(path: &Path) -> bool {
    path.as_os_str().as_bytes().ends_with(b".sig") && !path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// The owner of a drop, and its attributes for detecting changes.
fn signature(path: &Path) -> io::Result<(u32, Signature)> {
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
    Ok((top.uid(), sum))
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

    fn quiet(settle_seconds: u64) -> Quiet {
        Quiet { settle: Duration::from_secs(settle_seconds), unfinished: Duration::from_mins(1) }
    }

    #[test]
    fn work_in_progress_is_no_drop() {
        for name in [
            ".TR-x.md",
            "TR-x.md.tmp",
            "TR-x.md.part",
            "TR-x.md~",
            ".tmp",
            "TR-x.md.filepart",
            "TR-x.md.8f3a2c1d.partial",
            "TR-x.json.crdownload",
            "TR-x.md.download",
            "TR-x.md.6eF3a1B2",
            "TR-x.json.00000000",
        ] {
            assert!(!is_drop(OsStr::new(name)), "{name}");
        }
        for name in
            ["TR-x.md", "TR-x.md.sig", "TR-x.md.alice.sig", "6eF3a1B2", "TR-x.6eF3a1B2", "TR-x.md.6eF3a1Bg", "partial"]
        {
            assert!(is_drop(OsStr::new(name)), "{name}");
        }
        assert!(is_drop(OsStr::from_bytes(b"\xff\n")));
    }

    #[test]
    fn a_change_deep_in_a_folder_makes_it_wait_again() {
        let folder = tempfile::tempdir().unwrap();
        let name = "TR-20260209-160501Z-x";
        std::fs::create_dir_all(folder.path().join(name).join("in")).unwrap();
        let mut inbox = Inbox::new(folder.path().to_owned(), quiet(1));
        let start = Instant::now();
        assert!(inbox.scan(start).unwrap().ready.is_empty());
        std::fs::write(folder.path().join(name).join("in/data"), "x").unwrap();
        let later = start + Duration::from_secs(1);
        assert_eq!(inbox.scan(later).unwrap().next_look, Some(Duration::from_secs(1)));
        let ready = inbox.scan(later + Duration::from_secs(1)).unwrap().ready;
        let owner = rustix::process::getuid().as_raw();
        let item = InboxItem { name: name.into(), completeness: Completeness::Inferred, may_wait: true, owner };
        assert_eq!(ready, [item]);
    }

    #[test]
    fn a_folder_that_is_away_is_a_fault_and_may_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inbox");
        let mut inbox = Inbox::new(path.clone(), quiet(0));
        assert_eq!(inbox.scan(Instant::now()).unwrap_err().source.kind(), io::ErrorKind::NotFound);
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("TR-x.md"), "x").unwrap();
        assert_eq!(inbox.scan(Instant::now()).unwrap().strays.len(), 1);
    }

    #[test]
    fn owners_take_turns_whoever_has_more() {
        let item = |owner: u32, name: &str| InboxItem {
            name: name.into(),
            completeness: Completeness::Renamed,
            may_wait: false,
            owner,
        };
        let mut items =
            [(1, "a"), (1, "b"), (1, "c"), (2, "d"), (3, "e"), (2, "f")].map(|(owner, name)| item(owner, name));
        take_turns(&mut items);
        assert_eq!(items.map(|item| item.name.into_string().unwrap()), ["a", "d", "e", "b", "f", "c"]);
    }

    #[test]
    fn a_folder_without_drops_is_not_read_again_until_a_name_comes_or_goes() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str| std::fs::write(folder.path().join(name), "x").unwrap();
        let mut inbox = Inbox::new(folder.path().to_owned(), quiet(0));
        let start = Instant::now();
        let mut rounds = |seconds: u64| {
            let found = inbox.scan(start + Duration::from_secs(seconds)).unwrap();
            (inbox.round, found.strays.len())
        };
        put(".hidden");
        assert_eq!([rounds(0), rounds(1), rounds(2), rounds(9)], [(1, 0), (2, 0), (2, 0), (2, 0)]);
        put("stray");
        // A drop is checked at each scan, because it may change without a changed name.
        assert_eq!([rounds(10), rounds(11), rounds(12)], [(3, 1), (4, 1), (5, 1)]);
        std::fs::remove_file(folder.path().join("stray")).unwrap();
        assert_eq!([rounds(13), rounds(14), rounds(15)], [(6, 0), (7, 0), (7, 0)]);
    }
}
