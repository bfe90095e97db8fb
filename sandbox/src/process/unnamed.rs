//! Files without a name that a tree holds: they are in no folder, and no process needs to have their pages mapped; they still take the
//! machine's memory (`memfd_create`, shared anonymous memory) or the site's disk (removed while in use). Found by descriptors and by
//! mappings.
//!
//! Only root can learn the size of a file that is mapped and not open. For other users it counts as large as the mapping, and all of
//! them together at most as large as the shared memory of the machine.
//!
//! Known weakness: it misses descriptors in a socket, or in a private table of one of many threads.
//! If gatepost is not root, it also misses descriptors and mappings of an undumpable process.
//!
//! *Security*: the links below `/proc/⟨pid⟩/fd` and `map_files` are looked at, never opened. *Standards*: Linux
//! `proc_pid_fd(5)`, `proc_pid_map_files(5)`, `memfd_create(2)`.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use gatepost_documents::evidence::Limits;
use rustix::fs::MemfdFlags;

use super::census::{Census, Member};
use super::disk::BLOCK_BYTES;
use super::mapped::{Mapping, mappings};
use super::pace::Pace;
use super::thread::{Thread, kibibytes};
use super::{Cause, Excess, thread};

const INTERVAL: Duration = Duration::from_millis(100);

/// The time limit of one turn; the next turn goes on with the remaining processes.
const BUDGET: Duration = Duration::from_millis(100);

/// The most threads of a process whose descriptor tables are read: threads almost always share one.
const THREADS_MAX: usize = 16;

/// The meter of one tree's unnamed files.
#[derive(Debug)]
pub(super) struct UnnamedMeter {
    memory_bytes_max: u64,
    /// The device of the folders that the kernel does not bound, and their limit in bytes.
    disk: Option<(u64, u64)>,
    /// The device of files that are memory.
    memory: Option<u64>,
    processes_max: u64,
    found: Found,
    /// Processes still to measure.
    left: Vec<Member>,
    pace: Pace,
}

/// The size of the files, each counted once.
#[derive(Debug, Default)]
struct Found {
    memory: Option<u64>,
    disk: Option<u64>,
    seen: HashSet<(u64, u64)>,
    /// Mapped files whose size is hidden, with the extent of the mapping.
    unseen: HashMap<(u64, u64), u64>,
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
            memory: memory_device(),
            processes_max: limits.processes,
            found: Found::default(),
            left: Vec::new(),
            pace: Pace::new(INTERVAL, started),
        }
    }

    /// When to measure next.
    pub(super) fn next(&self) -> Instant {
        self.pace.next()
    }

    /// Measures if it is due; returns the limit that the tree below the process `first` exceeds, if any.
    pub(super) fn measure(&mut self, first: u32) -> Option<Cause> {
        let mut pace = self.pace;
        let over = pace.measure(|| self.look(first, Instant::now() + BUDGET));
        self.pace = pace;
        over
    }

    /// Measures at least one process.
    fn look(&mut self, first: u32, until: Instant) -> Option<Cause> {
        if self.left.is_empty() {
            self.left = Census::take(first, self.processes_max).members;
            self.found = Found { memory: self.memory, disk: self.disk.map(|(device, _)| device), ..Found::default() };
        }
        while let Some(member) = self.left.pop() {
            self.found.add_process(member.pid);
            if Instant::now() >= until {
                break;
            }
        }
        let (memory_bytes, disk_bytes) = self.found.sum(machine_shared_bytes());
        if memory_bytes > self.memory_bytes_max {
            return Some(Cause::MemoryLimit { bytes: memory_bytes });
        }
        let is_over = self.disk.is_some_and(|(_, bytes_max)| disk_bytes > bytes_max);
        is_over.then_some(Cause::OutLimit(Excess { folder: "out", bytes: disk_bytes, names: 0 }))
    }
}

/// All unnamed files in memory are on one device.
fn memory_device() -> Option<u64> {
    let file = rustix::fs::memfd_create(c"device", MemfdFlags::CLOEXEC).ok()?;
    Some(rustix::fs::fstat(file).ok()?.st_dev)
}

/// The size of the machine's shared memory.
fn machine_shared_bytes() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    kibibytes(&text, "Shmem:").map_or(u64::MAX, |kibibytes| kibibytes.saturating_mul(1024))
}

impl Found {
    fn add_process(&mut self, process: u32) {
        for thread in thread::all_of(process).take(THREADS_MAX) {
            let table = format!("/proc/{thread}/fd");
            for descriptor in Path::new(&table).read_dir().into_iter().flatten().flatten() {
                self.add(&descriptor.path());
            }
        }
        let Some(Thread { thread, .. }) = Thread::first_of(process) else { return };
        for mapping in mappings(thread) {
            let is_memory = Some(mapping.file.0) == self.memory;
            if !self.seen.contains(&mapping.file) && (is_memory || mapping.is_deleted) {
                self.add_mapping(thread, &mapping);
            }
        }
    }

    fn add_mapping(&mut self, thread: u32, mapping: &Mapping) {
        if !self.add(Path::new(&format!("/proc/{thread}/map_files/{}", mapping.range))) {
            let end = self.unseen.entry(mapping.file).or_default();
            *end = mapping.end.max(*end);
        }
    }

    /// Adds the target of a link, if it is unnamed; returns whether its size could be read.
    fn add(&mut self, link: &Path) -> bool {
        let Ok(file) = fs::metadata(link) else { return false };
        if file.is_file() && file.nlink() == 0 && self.seen.insert((file.dev(), file.ino())) {
            self.count(file.dev(), file.blocks().saturating_mul(BLOCK_BYTES));
        }
        true
    }

    fn count(&mut self, device: u64, bytes: u64) {
        if Some(device) == self.memory {
            self.memory_bytes = self.memory_bytes.saturating_add(bytes);
        } else if Some(device) == self.disk {
            self.disk_bytes = self.disk_bytes.saturating_add(bytes);
        }
    }

    /// The bytes of memory and of the disk.
    fn sum(&self, machine_shared_bytes: u64) -> (u64, u64) {
        let guessed = |device: Option<u64>| {
            let unseen = self.unseen.iter().filter(|(file, _)| Some(file.0) == device && !self.seen.contains(file));
            unseen.map(|(_, bytes)| *bytes).fold(0, u64::saturating_add)
        };
        let memory_bytes = self.memory_bytes.saturating_add(guessed(self.memory));
        let disk_bytes = self.disk_bytes.saturating_add(guessed(self.disk));
        (memory_bytes.min(machine_shared_bytes.max(self.memory_bytes)), disk_bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;

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
        let device = removed.metadata().unwrap().dev();
        let mut found = Found { memory: memory_device(), disk: Some(device), ..Found::default() };
        for file in [&memory, &second, &removed, named.as_file()] {
            assert!(found.add(Path::new(&format!("/proc/self/fd/{}", file.as_raw_fd()))));
        }
        let (memory_bytes, disk_bytes) = found.sum(0);
        assert_eq!(memory_bytes, 8 << 20);
        assert!((3 << 20..4 << 20).contains(&disk_bytes), "{disk_bytes}");
    }

    #[test]
    fn what_is_only_mapped_counts_as_far_as_it_is_mapped_and_no_further_than_the_machine_has_such_memory() {
        let (memory, disk) = (1, 2);
        let mapping =
            |device, inode, end| Mapping { range: "0-0".to_owned(), file: (device, inode), end, is_deleted: true };
        for (machine, expected) in [(1_000, 150), (120, 120), (0, 10)] {
            let mut found = Found { memory: Some(memory), disk: Some(disk), memory_bytes: 10, ..Found::default() };
            found.seen.insert((memory, 9));
            for mapping in
                [mapping(1, 7, 100), mapping(1, 7, 140), mapping(1, 9, 500), mapping(2, 7, 30), mapping(3, 7, 1)]
            {
                found.add_mapping(u32::MAX, &mapping);
            }
            assert_eq!(found.sum(machine), (expected, 30));
        }
    }
}
