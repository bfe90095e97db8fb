//! The usage of a tool's folders out/ and tmp/ on the site's disk, measured while it runs.
//!
//! A walk over names and blocks that follows no link, and ends as soon as a limit is exceeded. A file with several names counts once,
//! by parts. Used if the tool has no file systems of its own, which the kernel would bound.
//!
//! *Security*: the tool works in the folders meanwhile. A walk keeps [`OPEN_MAX`] folders open and returns to deeper ones by `..`; if
//! one was moved away, it goes on with the nearest open one. That may skip entries, so a walk that is cut short repeatedly counts as
//! exceeding the limit, and so does a folder that cannot be opened after its mode was repaired. *Standards*: POSIX.1-2024 `openat`,
//! `fstatat`; Linux `open(2)`, `O_PATH`.

use std::ffi::CString;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use gatepost_documents::evidence::Limits;
use rustix::fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::pace::Pace;
use super::{Cause, Excess};

const INTERVAL: Duration = Duration::from_millis(100);

/// Open folders of one walk, at most.
const OPEN_MAX: usize = 64;

/// The most consecutive walks that may be cut short.
const CUT_MAX: u32 = 4;

/// The size of a counted block, independent of the file system's.
pub(super) const BLOCK_BYTES: u64 = 512;

/// The meter of one work folder.
#[derive(Debug)]
pub(super) struct DiskMeter {
    folders: Vec<(&'static str, OwnedFd)>,
    bytes_max: u64,
    names_max: u64,
    /// Consecutive measurements that were cut short.
    cut: u32,
    is_closed: bool,
    pace: Pace,
}

impl DiskMeter {
    /// Opens the folders before the tool runs. A missing folder is not measured.
    pub(super) fn open(work_dir: &Path, limits: &Limits, started: Instant) -> Self {
        let open = |name| Some((name, open_folder(CWD, &work_dir.join(name)).ok()?));
        Self {
            folders: ["out", "tmp"].into_iter().filter_map(open).collect(),
            bytes_max: limits.out_bytes.unwrap_or(u64::MAX),
            names_max: limits.out_files.unwrap_or(u64::MAX),
            cut: 0,
            is_closed: false,
            pace: Pace::new(INTERVAL, started),
        }
    }

    /// When to measure next.
    pub(super) fn next(&self) -> Instant {
        self.pace.next()
    }

    /// Whether a walk could not see everything, which counts as exceeding the limit.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Measures if it is due; returns the exceeded limit, if any.
    pub(super) fn measure(&mut self) -> Option<Cause> {
        let mut pace = self.pace;
        let over = pace.measure(|| self.look());
        self.pace = pace;
        over
    }

    fn look(&mut self) -> Option<Cause> {
        let mut is_cut = false;
        for (folder, top) in &self.folders {
            let mut walk = Walk::new(self.bytes_max, self.names_max);
            let result = walk.tree(top);
            is_cut |= walk.is_cut || result.is_err();
            self.is_closed = walk.is_closed || (is_cut && self.cut >= CUT_MAX);
            if walk.is_over() || self.is_closed {
                return Some(Cause::OutLimit(Excess { folder, bytes: walk.bytes, names: walk.names }));
            }
        }
        self.cut = if is_cut { self.cut + 1 } else { 0 };
        None
    }
}

/// A walk in progress.
struct Walk {
    bytes: u64,
    names: u64,
    bytes_max: u64,
    names_max: u64,
    /// A folder was moved away meanwhile, so others may have been skipped.
    is_cut: bool,
    /// A folder cannot be opened.
    is_closed: bool,
}

/// A folder on the current path: its identity, and its subfolders still to visit.
struct Level {
    identity: (u64, u64),
    /// Kept open near the top.
    fd: Option<OwnedFd>,
    folders: Vec<CString>,
}

impl Walk {
    fn new(bytes_max: u64, names_max: u64) -> Self {
        Self { bytes: 0, names: 0, bytes_max, names_max, is_cut: false, is_closed: false }
    }

    fn is_over(&self) -> bool {
        self.bytes > self.bytes_max || self.names > self.names_max
    }

    fn tree(&mut self, top: &OwnedFd) -> Result<(), Errno> {
        let mut current = open_folder(top, c".")?;
        let mut way = vec![self.list(&current, true)?];
        while let Some(level) = way.last_mut().filter(|_| !self.is_over() && !self.is_closed) {
            if let Some(name) = level.folders.pop() {
                match open_folder(&current, name.as_c_str()) {
                    Ok(folder) => {
                        way.push(self.list(&folder, way.len() < OPEN_MAX)?);
                        current = folder;
                    }
                    Err(Errno::ACCESS | Errno::PERM) => self.is_closed = true,
                    // It was moved or removed meanwhile.
                    Err(_) => {}
                }
            } else {
                way.pop();
                let Some(back) = self.back(&current, &mut way)? else { break };
                current = back;
            }
        }
        Ok(())
    }

    /// The last folder of the path. If it was moved away, goes on with the nearest open folder.
    fn back(&mut self, current: &OwnedFd, way: &mut Vec<Level>) -> Result<Option<OwnedFd>, Errno> {
        while let Some(parent) = way.last() {
            if let Some(fd) = &parent.fd {
                return Ok(Some(fd.try_clone().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?));
            }
            let above = open_folder(current, c"..").ok();
            if let Some(above) = above.filter(|above| fs::fstat(above).is_ok_and(|it| identity(&it) == parent.identity))
            {
                return Ok(Some(above));
            }
            self.is_cut = true;
            way.pop();
        }
        Ok(None)
    }

    /// Counts the entries of a folder.
    fn list(&mut self, folder: &OwnedFd, keep_open: bool) -> Result<Level, Errno> {
        let fd = keep_open.then(|| open_folder(folder, c".")).transpose()?;
        let mut level = Level { identity: identity(&fs::fstat(folder)?), fd, folders: Vec::new() };
        for entry in Dir::read_from(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if self.is_over() || matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let found = match fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(found) => found,
                Err(errno) => {
                    self.is_closed |= matches!(errno, Errno::ACCESS | Errno::PERM);
                    continue;
                }
            };
            self.names += 1;
            let blocks = u64::try_from(found.st_blocks).unwrap_or(0);
            if FileType::from_raw_mode(found.st_mode) == FileType::Directory {
                self.bytes = self.bytes.saturating_add(blocks.saturating_mul(BLOCK_BYTES));
                level.folders.push(name.to_owned());
            } else {
                self.bytes = self.bytes.saturating_add(blocks.saturating_mul(BLOCK_BYTES) / found.st_nlink.max(1));
            }
        }
        Ok(level)
    }
}

fn identity(found: &Stat) -> (u64, u64) {
    (found.st_dev, found.st_ino)
}

/// Opens a folder to list it and to stat its entries. Repairs the mode if its owner locked it.
fn open_folder(parent: impl AsFd, name: impl rustix::path::Arg + Copy) -> Result<OwnedFd, Errno> {
    let open =
        |kind| fs::openat(&parent, name, kind | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty());
    match open(OFlags::RDONLY) {
        Err(Errno::ACCESS) => {
            unlock(&open(OFlags::PATH)?)?;
            open(OFlags::RDONLY)
        }
        Ok(folder) if !is_unlocked(&folder)? => {
            unlock(&folder)?;
            Ok(folder)
        }
        opened => opened,
    }
}

fn is_unlocked(folder: &OwnedFd) -> Result<bool, Errno> {
    Ok(Mode::from_raw_mode(fs::fstat(folder)?.st_mode).contains(Mode::RUSR | Mode::XUSR))
}

/// Adds the owner's read and search permission to a folder; removes no permission.
fn unlock(folder: &OwnedFd) -> Result<(), Errno> {
    let mode = Mode::from_raw_mode(fs::fstat(folder)?.st_mode) | Mode::RUSR | Mode::XUSR;
    fs::chmod(format!("/proc/self/fd/{}", folder.as_raw_fd()), mode)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test arranges the world")]
mod tests {
    use std::fs as std_fs;

    use super::*;

    fn walked(make: impl Fn(&Path)) -> (u64, u64) {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path());
        let mut walk = Walk::new(1 << 30, 500);
        walk.tree(&open_folder(CWD, folder.path()).unwrap()).unwrap();
        gatepost_mailbox::durable::remove_tree(folder.path()).unwrap();
        (walk.bytes, walk.names)
    }

    #[test]
    fn every_file_counts_once_and_links_are_not_followed() {
        let size = 1 << 20;
        let (bytes, names) = walked(|folder| {
            std_fs::create_dir_all(folder.join("a/b")).unwrap();
            std_fs::write(folder.join("a/b/file"), vec![1; size]).unwrap();
            std_fs::hard_link(folder.join("a/b/file"), folder.join("again")).unwrap();
            std::os::unix::fs::symlink("/usr", folder.join("usr")).unwrap();
            std_fs::File::create(folder.join("hole")).unwrap().set_len(1 << 40).unwrap();
        });
        assert_eq!(names, 6);
        assert!((size as u64..2 * size as u64).contains(&bytes), "{bytes}");
    }

    #[test]
    fn a_tree_deeper_than_any_path_is_walked_as_far_as_is_allowed() {
        for (depth, counted) in [(400, 400), (5_000, 501)] {
            let (_, names) = walked(|folder| {
                let mut at = open_folder(CWD, folder).unwrap();
                for _ in 0..depth {
                    fs::mkdirat(&at, "d", Mode::RWXU).unwrap();
                    at = open_folder(&at, "d").unwrap();
                }
            });
            assert_eq!(names, counted);
        }
    }

    #[test]
    fn a_folder_that_its_owner_locked_is_looked_into() {
        for mode in [0o000, 0o100, 0o300, 0o600] {
            let (bytes, names) = walked(|folder| {
                std_fs::create_dir(folder.join("locked")).unwrap();
                std_fs::write(folder.join("locked/file"), vec![1; 1 << 20]).unwrap();
                fs::chmod(folder.join("locked"), Mode::from_raw_mode(mode)).unwrap();
            });
            assert!(names == 2 && bytes >= 1 << 20, "{mode:o}: {names} {bytes}");
        }
    }

    #[test]
    fn a_folder_that_is_moved_away_during_the_walk_ends_it_for_itself_alone() {
        for (depth, is_cut) in [(3, false), (OPEN_MAX + 3, true)] {
            let folder = tempfile::tempdir().unwrap();
            let mut walk = Walk::new(1 << 30, 500);
            let mut way = vec![walk.list(&open_folder(CWD, folder.path()).unwrap(), true).unwrap()];
            let mut at = open_folder(CWD, folder.path()).unwrap();
            for level in 1..=depth {
                fs::mkdirat(&at, "d", Mode::RWXU).unwrap();
                at = open_folder(&at, "d").unwrap();
                way.push(walk.list(&at, level < OPEN_MAX).unwrap());
            }
            way.pop();
            let elsewhere = open_folder(CWD, folder.path()).unwrap();
            let above = open_folder(&at, "..").unwrap();
            fs::renameat(&above, "d", &elsewhere, "moved").unwrap();
            let back = walk.back(&at, &mut way).unwrap().unwrap();
            assert_eq!(identity(&fs::fstat(&back).unwrap()), way.last().unwrap().identity);
            assert_eq!((way.len(), walk.is_cut), (depth.min(OPEN_MAX), is_cut));
            gatepost_mailbox::durable::remove_tree(folder.path()).unwrap();
        }
    }
}
