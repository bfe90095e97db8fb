//! Files that a tree holds open and that have no name: they lie in no folder and in no process's memory, and still take the
//! machine's memory (`memfd_create`) or the site's disk (removed while open).
//!
//! Known weakness: a descriptor that lies in a socket, or in a table that a thread has for itself, is not seen; nor are those
//! of a process that made itself undumpable, where gatepost is not root.
//!
//! *Security*: the links below `/proc/⟨pid⟩/fd` are looked at, never opened. *Standards*: Linux `proc_pid_fd(5)`,
//! `memfd_create(2)`.

use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use gatepost_gate::evidence::Limits;

use super::census::Census;
use super::pace::Pace;
use super::{Cause, Excess, living};
use crate::sandbox::Tree;

const INTERVAL: Duration = Duration::from_millis(100);

/// Threads of a process whose tables are looked at: almost always they have one together.
const THREADS_MAX: usize = 16;

/// The size in which blocks are counted, whatever the file system's is.
const BLOCK_BYTES: u64 = 512;

/// The meter of one tree's unnamed files.
#[derive(Debug)]
pub(super) struct UnnamedMeter {
    memory_bytes_max: u64,
    /// The device of the folders that the kernel does not bound, and the bytes that may lie there.
    disk: Option<(u64, u64)>,
    processes_max: u64,
    pace: Pace,
}

/// What the files take, each counted once.
#[derive(Debug, Default)]
struct Found {
    seen: HashSet<(u64, u64)>,
    memory_bytes: u64,
    disk_bytes: u64,
}

impl UnnamedMeter {
    /// `work_dir` holds folders that the kernel does not bound, if there is one.
    pub(super) fn new(work_dir: Option<&Path>, limits: &Limits, started: Instant) -> Self {
        let device = work_dir.and_then(|folder| Some(folder.metadata().ok()?.dev()));
        Self {
            memory_bytes_max: limits.memory_bytes.unwrap_or(u64::MAX),
            disk: device.zip(limits.out_bytes),
            processes_max: limits.processes,
            pace: Pace::new(INTERVAL, started),
        }
    }

    /// When it is to be asked next.
    pub(super) fn next(&self) -> Instant {
        self.pace.next()
    }

    /// Measures if it is time; returns the limit that the tree is above, if it is.
    pub(super) fn measure(&mut self, tree: &Tree) -> Option<Cause> {
        let Self { memory_bytes_max, disk, processes_max, pace } = self;
        pace.measure(|| {
            let mut found = Found::default();
            for member in Census::take(tree.first_pid().ok()?, *processes_max).members {
                for thread in living::threads(member.pid).take(THREADS_MAX) {
                    let table = format!("/proc/{thread}/fd");
                    for descriptor in Path::new(&table).read_dir().into_iter().flatten().flatten() {
                        found.add(&descriptor.path(), disk.map(|(device, _)| device));
                    }
                }
            }
            let Found { memory_bytes, disk_bytes, .. } = found;
            if memory_bytes > *memory_bytes_max {
                return Some(Cause::MemoryLimit { bytes: memory_bytes });
            }
            let is_over = disk.is_some_and(|(_, bytes_max)| disk_bytes > bytes_max);
            is_over.then_some(Cause::OutLimit(Excess { folder: "out", bytes: disk_bytes, names: 0 }))
        })
    }
}

impl Found {
    /// Adds the file behind a descriptor, if it has no name and can be looked at.
    fn add(&mut self, descriptor: &Path, device: Option<u64>) {
        let Ok(file) = fs::metadata(descriptor) else { return };
        if !file.is_file() || file.nlink() != 0 || !self.seen.insert((file.dev(), file.ino())) {
            return;
        }
        let bytes = file.blocks().saturating_mul(BLOCK_BYTES);
        if fs::read_link(descriptor).is_ok_and(|name| name.as_os_str().as_bytes().starts_with(b"/memfd:")) {
            self.memory_bytes = self.memory_bytes.saturating_add(bytes);
        } else if device == Some(file.dev()) {
            self.disk_bytes = self.disk_bytes.saturating_add(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;

    use rustix::fs::MemfdFlags;

    use super::*;

    #[test]
    fn a_file_without_a_name_counts_once_for_memory_or_disk_and_one_with_a_name_not_at_all() {
        let mut memory = fs::File::from(rustix::fs::memfd_create("m", MemfdFlags::CLOEXEC).unwrap());
        memory.write_all(&vec![1; 8 << 20]).unwrap();
        let second = memory.try_clone().unwrap();
        let mut removed = tempfile::tempfile().unwrap();
        removed.write_all(&vec![1; 3 << 20]).unwrap();
        let mut named = tempfile::NamedTempFile::new().unwrap();
        named.write_all(&vec![1; 1 << 20]).unwrap();
        let mut found = Found::default();
        for file in [&memory, &second, &removed, named.as_file()] {
            let descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
            found.add(Path::new(&descriptor), Some(removed.metadata().unwrap().dev()));
        }
        assert_eq!(found.memory_bytes, 8 << 20);
        assert!((3 << 20..4 << 20).contains(&found.disk_bytes), "{}", found.disk_bytes);
    }
}
