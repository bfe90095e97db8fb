//! What a tool has in its folders out/ and tmp/ on the site's disk, measured while it runs.
//!
//! A walk over names and blocks that follows no link, and ends as soon as there is more than is allowed. A file with several
//! names counts once, by parts. Used where the tool has no file systems of its own, which the kernel bounds.
//!
//! *Security*: the tool works in the folders meanwhile. A folder that it locked is unlocked, so that nothing lies in it
//! uncounted. A walk holds one open folder at a time, at any depth. Known weakness: it ends where a folder was moved away. *Standards*: POSIX.1-2024 `openat`, `fstatat`.

use std::ffi::CString;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use gatepost_gate::evidence::Limits;
use rustix::fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::pace::Pace;
use super::{Cause, Excess};

const INTERVAL: Duration = Duration::from_millis(100);

/// The size in which blocks are counted, whatever the file system's is.
pub(super) const BLOCK_BYTES: u64 = 512;

/// The meter of one work folder.
#[derive(Debug)]
pub(super) struct DiskMeter {
    folders: Vec<(&'static str, OwnedFd)>,
    bytes_max: u64,
    names_max: u64,
    pace: Pace,
}

impl DiskMeter {
    /// Opens the folders as they are before the tool runs. One that is not there is not measured.
    pub(super) fn open(work_dir: &Path, limits: &Limits, started: Instant) -> Self {
        let open = |name| Some((name, open_folder(CWD, work_dir.join(name)).ok()?));
        Self {
            folders: ["out", "tmp"].into_iter().filter_map(open).collect(),
            bytes_max: limits.out_bytes.unwrap_or(u64::MAX),
            names_max: limits.out_files.unwrap_or(u64::MAX),
            pace: Pace::new(INTERVAL, started),
        }
    }

    /// When it is to be asked next.
    pub(super) fn next(&self) -> Instant {
        self.pace.next()
    }

    /// Measures if it is time; returns what is too much, if anything is.
    pub(super) fn measure(&mut self) -> Option<Cause> {
        let Self { folders, bytes_max, names_max, pace } = self;
        pace.measure(|| {
            folders.iter().find_map(|(folder, top)| {
                let mut walk = Walk { bytes: 0, names: 0, bytes_max: *bytes_max, names_max: *names_max };
                // What cannot be walked to its end was moved meanwhile.
                let _ = walk.tree(top);
                walk.is_over().then_some(Cause::OutLimit(Excess { folder, bytes: walk.bytes, names: walk.names }))
            })
        })
    }
}

/// A walk in progress.
struct Walk {
    bytes: u64,
    names: u64,
    bytes_max: u64,
    names_max: u64,
}

/// A folder on the way down: how it is recognised, and those in it that are still to be visited.
struct Level {
    identity: (u64, u64),
    folders: Vec<CString>,
}

impl Walk {
    fn is_over(&self) -> bool {
        self.bytes > self.bytes_max || self.names > self.names_max
    }

    fn tree(&mut self, top: &OwnedFd) -> Result<(), Errno> {
        unlock(top)?;
        let mut current = open_folder(top, c".")?;
        let mut way = vec![self.list(&current)?];
        while let Some(level) = way.last_mut() {
            if self.is_over() {
                break;
            }
            if let Some(name) = level.folders.pop() {
                if let Ok(folder) = open_folder(&current, name.as_c_str()) {
                    way.push(self.list(&folder)?);
                    current = folder;
                }
            } else {
                way.pop();
                let Some(parent) = way.last() else { break };
                current = open_folder(&current, c"..")?;
                if identity(&fs::fstat(&current)?) != parent.identity {
                    return Err(Errno::XDEV);
                }
            }
        }
        Ok(())
    }

    /// Counts what is in a folder.
    fn list(&mut self, folder: &OwnedFd) -> Result<Level, Errno> {
        let mut level = Level { identity: identity(&fs::fstat(folder)?), folders: Vec::new() };
        for entry in Dir::read_from(folder)? {
            if self.is_over() {
                break;
            }
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let Ok(found) = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
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

/// Opens a folder to be listed, locked or not.
fn open_folder(parent: impl AsFd, name: impl rustix::path::Arg) -> Result<OwnedFd, Errno> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = fs::openat(parent, name, flags | OFlags::PATH, Mode::empty())?;
    unlock(&found)?;
    fs::openat(found, c".", flags | OFlags::RDONLY, Mode::empty())
}

/// Lets its owner read and enter a folder.
fn unlock(folder: &OwnedFd) -> Result<(), Errno> {
    let mode = Mode::from_raw_mode(fs::fstat(folder)?.st_mode);
    if mode.contains(Mode::RUSR | Mode::XUSR) {
        return Ok(());
    }
    // No mode is changed through a descriptor that only names its file; its link in /proc leads to that file alone.
    fs::chmod(format!("/proc/self/fd/{}", folder.as_raw_fd()), mode | Mode::RUSR | Mode::XUSR)
}

#[cfg(test)]
mod tests {
    use std::fs as std_fs;
    use std::os::unix::fs::MetadataExt;

    use super::*;

    fn walked(make: impl Fn(&Path)) -> (u64, u64) {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path());
        let mut walk = Walk { bytes: 0, names: 0, bytes_max: 1 << 30, names_max: 500 };
        walk.tree(&open_folder(CWD, folder.path()).unwrap()).unwrap();
        gatepost_gate::durable::remove_tree(folder.path()).unwrap();
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
    fn what_lies_in_a_locked_folder_counts() {
        for locked in [0o000, 0o300, 0o600] {
            let top = tempfile::tempdir().unwrap();
            let folders = [top.path().join("folder"), top.path().to_owned()];
            std_fs::create_dir_all(top.path().join("folder/within")).unwrap();
            let opened = open_folder(CWD, top.path()).unwrap();
            for folder in &folders {
                fs::chmod(folder, Mode::from_raw_mode(locked)).unwrap();
            }
            let mut walk = Walk { bytes: 0, names: 0, bytes_max: 1 << 30, names_max: 500 };
            walk.tree(&opened).unwrap();
            assert_eq!(walk.names, 2, "{locked:o}");
            // Root may list it in any case: that it was unlocked shows in its mode.
            for folder in folders {
                assert_eq!(folder.metadata().unwrap().mode() & 0o500, 0o500, "{locked:o}");
            }
        }
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
}
