//! Memory of the machine that no process and no file on a disk accounts for: kernel memory on behalf of processes, and shared memory.
//!
//! ```text
//! in use (total − free − on its way to be free) − anonymous − page tables − files on disks − what the kernel gives back when asked
//! ```
//!
//! The other meters look at processes, and a process can hold memory that they do not see: descriptors in flight in a socket, pages in
//! pipes, records of locks and mappings. The machine's own sum includes all of it. The sum gives the amount, and not the owner: so no
//! run is ended for it. Before a tool has ended, the sum cannot show that the tool caused the growth, since every other program moves
//! it too; and an innocent process must not die for its neighbour. At the end two facts are known: the sum grew during the run by more
//! than all runs of this process may take together, and so much was free again after the run. Then an anomaly says so. Until then the
//! kernel protects the machine: if memory runs out, it kills tools before all other processes.
//!
//! The sum excludes anonymous memory and file caches of other programs, which vary most on a busy machine.
//!
//! Known weakness: another program whose kernel or shared memory grows and shrinks with a run is mistaken for it. Memory that a tool
//! took before the first look, or gave back before the next, is not seen; nor is any where `/proc/meminfo` is hidden.
//!
//! *Standards*: Linux `proc_meminfo(5)`; Documentation/admin-guide/mm for `zoneinfo`.

use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gatepost_documents::evidence::Limits;

use super::pace::Pace;
use super::thread::kibibytes;

const INTERVAL: Duration = Duration::from_millis(50);

/// How long the kernel may take to free the memory of a tree, and how often that is checked.
const FREED_WITHIN: Duration = Duration::from_millis(500);
const LOOKS: u32 = 20;

/// The memory that all current runs of this process may use together, bytes.
static ALLOWED: AtomicU64 = AtomicU64::new(0);
/// The value for a run without a limit, more than any machine has.
const ALLOWED_MAX: u64 = 1 << 48;

/// The meter of one run.
#[derive(Debug)]
pub(super) struct UnattributedMeter {
    /// This run's part of [`ALLOWED`].
    own: u64,
    /// The highest allowance of all runs during this one.
    allowed: u64,
    before: Option<u64>,
    peak: u64,
    pace: Pace,
}

impl UnattributedMeter {
    /// `has_memory_folders`: whether `/out` and `/tmp` are in memory.
    pub(super) fn new(limits: &Limits, has_memory_folders: bool, started: Instant) -> Self {
        let folders = limits.out_bytes.unwrap_or(ALLOWED_MAX).saturating_mul(2);
        let memory = limits.memory_bytes.unwrap_or(ALLOWED_MAX);
        let own = memory.saturating_add(if has_memory_folders { folders } else { 0 }).min(ALLOWED_MAX);
        ALLOWED.fetch_add(own, Ordering::Relaxed);
        Self { own, allowed: own, before: None, peak: 0, pace: Pace::new(INTERVAL, started) }
    }

    /// When to measure next.
    pub(super) fn next(&self) -> Instant {
        self.pace.next()
    }

    /// Measures if it is due.
    pub(super) fn measure(&mut self) {
        let mut pace = self.pace;
        pace.measure(|| {
            self.note(bytes()?);
            Some(())
        });
        self.pace = pace;
    }

    fn note(&mut self, bytes: u64) {
        self.before.get_or_insert(bytes);
        self.peak = self.peak.max(bytes);
        self.allowed = self.allowed.max(ALLOWED.load(Ordering::Relaxed));
    }

    /// After the end of the tree: the memory that came and went with it, bytes, if it exceeds the allowance.
    pub(super) fn excess(&self) -> Option<u64> {
        let grown = self.peak.checked_sub(self.before?).filter(|grown| *grown > self.allowed)?;
        let freed = || Some(self.peak.saturating_sub(bytes()?)).filter(|freed| *freed > self.allowed);
        (0..LOOKS).find_map(|_| {
            freed().or_else(|| {
                thread::sleep(FREED_WITHIN / LOOKS);
                None
            })
        })?;
        Some(grown)
    }
}

impl Drop for UnattributedMeter {
    fn drop(&mut self) {
        ALLOWED.fetch_sub(self.own, Ordering::Relaxed);
    }
}

/// The present sum; none if the kernel does not report it.
fn bytes() -> Option<u64> {
    let [meminfo, zones] = ["/proc/meminfo", "/proc/zoneinfo"].map(|path| fs::read_to_string(path).ok());
    let page_bytes = u64::try_from(rustix::param::page_size()).ok()?;
    sum(&meminfo?, waiting_pages(&zones?).saturating_mul(page_bytes))
}

/// `waiting` bytes are free, but not yet counted as free.
fn sum(meminfo: &str, waiting: u64) -> Option<u64> {
    let of = |name| kibibytes(meminfo, name);
    let in_use = of("MemTotal:")?.checked_sub(of("MemFree:")?)?;
    let files = (of("Cached:")? + of("Buffers:")?).saturating_sub(of("Shmem:")?);
    // Older kernels lack the last three.
    let optional = ["SwapCached:", "Zswap:", "Balloon:"].map(|name| of(name).unwrap_or(0)).iter().sum::<u64>();
    let shown = of("AnonPages:")? + of("PageTables:")? + of("KReclaimable:")? + files + optional;
    Some(in_use.saturating_sub(shown).saturating_mul(1024).saturating_sub(waiting))
}

/// Free pages in the per-processor lists.
fn waiting_pages(zones: &str) -> u64 {
    zones.lines().filter_map(|line| line.trim_start().strip_prefix("count:")?.trim().parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use rustix::fs::{MemfdFlags, memfd_create};

    use super::*;

    fn limits(memory_bytes: u64) -> Limits {
        Limits {
            time_ms: 0,
            cpu_seconds: 0,
            cpus: None,
            memory_bytes: Some(memory_bytes),
            address_space_bytes: 0,
            files: 0,
            processes: 0,
            file_bytes: 0,
            out_bytes: Some(1 << 20),
            out_files: None,
            stdout_bytes: 0,
        }
    }

    #[test]
    fn what_is_left_is_what_neither_processes_nor_files_nor_caches_account_for() {
        let meminfo = "MemTotal: 1000 kB\nMemFree: 300 kB\nBuffers: 10 kB\nCached: 200 kB\nSwapCached: 5 kB\nAnonPages: 100 kB\n\
                       Shmem: 50 kB\nKReclaimable: 40 kB\nPageTables: 20 kB\n";
        assert_eq!(sum(meminfo, 8 << 10), Some((1000 - 300 - 10 - 200 + 50 - 5 - 100 - 40 - 20 - 8) << 10));
        assert_eq!(sum("MemTotal: 1000 kB\n", 0), None);
        let zones = "Node 0, zone DMA\n  pagesets\n    cpu: 0\n              count:    5\n              high: 7\n    cpu: 1\n              count: 6\n";
        assert_eq!(waiting_pages(zones), 11);
        assert!(bytes().is_some());
    }

    #[test]
    fn what_comes_and_goes_is_an_excess_above_what_all_runs_may_take_and_what_stays_is_none() {
        let (few, many) = (limits(64 << 20), limits(4 << 30));
        let measured = |few: &Limits| {
            let mut meter = UnattributedMeter::new(few, true, Instant::now());
            meter.note(bytes().unwrap());
            let mut file = fs::File::from(memfd_create("m", MemfdFlags::CLOEXEC).unwrap());
            file.write_all(&vec![1; 512 << 20]).unwrap();
            meter.note(bytes().unwrap());
            (meter, file)
        };
        let (meter, file) = measured(&few);
        assert_eq!(meter.excess(), None, "it is still held");
        drop(file);
        assert!(meter.excess().is_some_and(|bytes| bytes > 400 << 20), "{meter:?}");
        drop(meter);
        let neighbour = UnattributedMeter::new(&many, false, Instant::now());
        let (meter, file) = measured(&few);
        drop((file, neighbour));
        assert_eq!(meter.excess(), None, "a neighbour may have held it");
        assert_eq!(UnattributedMeter::new(&few, true, Instant::now()).excess(), None, "nobody looked");
    }
}
