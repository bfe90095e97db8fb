//! The memory and the number of processes of a tree, measured from outside while it runs.
//!
//! ```text
//! every 20 ms   ∑ anonymous and shared pages of all processes (status)   an upper bound: shared pages count several times
//! above it      ∑ their shares of these pages (smaps_rollup)             each page counts once
//! ```
//!
//! The second sum walks through all mappings, and a tool may have many: it has a budget of time. If the budget does not suffice several
//! times in a row, the first sum decides.
//!
//! Page tables count in both. Pages of files on a disk count in neither, because the kernel can reclaim them. Memory that cannot be
//! measured in such detail counts as in the first. A process that shares its parent's memory, as between `vfork` and `exec`, counts
//! once.
//!
//! *Security*: a tool may make many processes, and make them unreadable; it cannot hide one of their mapped pages from the count.
//! *Standards*: Linux `proc_pid_status(5)`, `proc_pid_smaps(5)`.

use std::fs;
use std::time::{Duration, Instant};

use gatepost_documents::evidence::Limits;

use super::Cause;
use super::census::{Census, Member};
use super::pace::Pace;
use super::thread::{Thread, kibibytes};
use crate::shares_memory;

const INTERVAL: Duration = Duration::from_millis(20);

/// The most repetitions of a measurement during which processes ended.
const ATTEMPTS: usize = 3;

/// The time budget of the exact sum, and how often in a row it may be exceeded.
const BUDGET: Duration = Duration::from_millis(250);
const UNFINISHED_MAX: u32 = 2;

/// The meter of one tree.
#[derive(Debug)]
pub(super) struct MemoryMeter {
    bytes_max: u64,
    processes_max: u64,
    bytes_peak: u64,
    is_blind: bool,
    budget: Duration,
    /// How often in a row the budget was exceeded.
    unfinished: u32,
    is_rough: bool,
    pace: Pace,
}

impl MemoryMeter {
    pub(super) fn new(limits: &Limits, started: Instant) -> Self {
        let bytes_max = limits.memory_bytes.unwrap_or(u64::MAX);
        let pace = Pace::new(INTERVAL, started);
        Self {
            bytes_max,
            processes_max: limits.processes,
            bytes_peak: 0,
            is_blind: false,
            budget: BUDGET,
            unfinished: 0,
            is_rough: false,
            pace,
        }
    }

    /// When to measure next.
    pub(super) fn next(&self) -> Instant {
        self.pace.next()
    }

    /// The highest measured value, bytes.
    pub(super) fn bytes_peak(&self) -> u64 {
        self.bytes_peak
    }

    /// Whether the processes were hidden from it.
    pub(super) fn is_blind(&self) -> bool {
        self.is_blind
    }

    /// Whether the limit was exceeded by the sum that counts shared pages once for each process.
    pub(super) fn is_rough(&self) -> bool {
        self.is_rough
    }

    /// Measures if it is due; returns the limit that the tree below the process `first` exceeds, if any.
    pub(super) fn measure(&mut self, first: u32) -> Option<Cause> {
        let mut pace = self.pace;
        let over = pace.measure(|| self.look(first));
        self.pace = pace;
        over
    }

    fn look(&mut self, first: u32) -> Option<Cause> {
        for _ in 0..ATTEMPTS {
            let census = Census::take(first, self.processes_max);
            self.is_blind |= census.is_blind;
            if census.tasks > self.processes_max {
                return Some(Cause::ProcessLimit);
            }
            let resident = census.members.iter().copied().map(resident_bytes).fold(0, u64::saturating_add);
            let bytes = if resident > self.bytes_max { self.confirmed(&census.members, resident)? } else { resident };
            self.bytes_peak = bytes.max(self.bytes_peak);
            if bytes > self.bytes_max {
                return Some(Cause::MemoryLimit { bytes });
            }
            self.unfinished = 0;
            if !census.is_disturbed {
                break;
            }
        }
        None
    }

    /// The sum of the shares, up to the limit. If the budget is exceeded: none, or `resident` after too many times
    /// in a row.
    fn confirmed(&mut self, members: &[Member], resident: u64) -> Option<u64> {
        let until = Instant::now() + self.budget;
        let mut bytes = 0u64;
        for member in members {
            if bytes > self.bytes_max {
                break;
            }
            if Instant::now() >= until {
                self.unfinished += 1;
                self.is_rough = self.unfinished > UNFINISHED_MAX;
                return self.is_rough.then_some(resident);
            }
            bytes = bytes.saturating_add(own_bytes(*member));
        }
        Some(bytes)
    }
}

/// The resident memory of a process, shared or not; 0 if it has ended.
fn resident_bytes(member: Member) -> u64 {
    Thread::first_of(member.pid).map_or(0, |thread| thread.resident_bytes())
}

/// The process's proportional share of it.
fn own_bytes(member: Member) -> u64 {
    if shares_memory(member.pid, member.parent) {
        return 0;
    }
    let Some(thread) = Thread::first_of(member.pid) else { return 0 };
    let rollup = fs::read_to_string(format!("/proc/{}/smaps_rollup", thread.thread)).unwrap_or_default();
    own_share(&rollup).map_or_else(|| thread.resident_bytes(), |share| share.saturating_add(thread.table_bytes()))
}

fn own_share(rollup: &str) -> Option<u64> {
    Some((kibibytes(rollup, "Pss_Anon:")? + kibibytes(rollup, "Pss_Shmem:")?).saturating_mul(1024))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test arranges the world")]
mod tests {
    use std::io::Read;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn this_process_holds_what_it_touched_and_its_share_is_no_more() {
        let touched = std::hint::black_box(vec![1u8; 32 << 20]);
        let this = Member { pid: std::process::id(), parent: 1 };
        let (resident, own) = (resident_bytes(this), own_bytes(this));
        // The two values are not read at the same moment.
        assert!(own >= touched.len() as u64 && own <= resident + (4 << 20), "{own} {resident}");
        assert_eq!(own_bytes(Member { pid: this.pid, parent: this.pid }), 0);
        assert_eq!(resident_bytes(Member { pid: u32::MAX, parent: 1 }), 0);
    }

    #[test]
    fn what_takes_too_long_to_be_measured_closely_is_above_the_limit_at_the_third_time() {
        let script = "python3 -c 'import time; held = b\"x\" * (32 << 20); print(1, flush=True); time.sleep(1000)'; :";
        let mut shell = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        shell.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let meter = |budget, bytes_max| MemoryMeter {
            bytes_max,
            processes_max: 10,
            bytes_peak: 0,
            is_blind: false,
            budget,
            unfinished: 0,
            is_rough: false,
            pace: Pace::new(INTERVAL, Instant::now()),
        };
        let mut slow = meter(Duration::ZERO, 16 << 20);
        let found: Vec<_> = (0..3).map(|_| slow.look(shell.id())).collect();
        assert_eq!(found[..2], [None, None]);
        assert!(matches!(found[2], Some(Cause::MemoryLimit { bytes }) if bytes > 32 << 20), "{found:?}");
        assert!(slow.is_rough());
        let mut quick = meter(Duration::from_mins(1), 16 << 20);
        assert!(matches!(quick.look(shell.id()), Some(Cause::MemoryLimit { .. })) && !quick.is_rough());
        for member in Census::take(shell.id(), 10).members {
            let pid = rustix::process::Pid::from_raw(member.pid.cast_signed()).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
        shell.wait().unwrap();
    }

    #[test]
    fn a_rollup_without_the_shares_is_not_understood() {
        assert_eq!(own_share("Rss: 5 kB\nPss_Anon:  3 kB\nPss_File: 9 kB\nPss_Shmem: 1 kB\n"), Some(4096));
        assert_eq!(own_share("Rss: 5 kB\nPss: 5 kB\n"), None);
    }
}
