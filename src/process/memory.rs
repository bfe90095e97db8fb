//! The memory and the number of processes of a tree, measured from outside while it runs.
//!
//! ```text
//! every 20 ms   ∑ anonymous and shared pages of all processes (status)   never below what they hold: shared ones count often
//! above it      ∑ their shares of these pages (smaps_rollup)             each page counts once
//! ```
//!
//! Page tables count in both. Pages of files on a disk are the machine's to take back, and count in neither. What cannot be
//! looked at so closely counts as in the first. A process that shares its parent's memory, as between `vfork` and `exec`,
//! counts once.
//!
//! *Security*: a tool may make many processes, and make them unreadable; it cannot make a mapped page of theirs not count.
//! *Standards*: Linux `proc_pid_status(5)`, `proc_pid_smaps(5)`.

use std::fs;
use std::time::{Duration, Instant};

use gatepost_gate::evidence::Limits;

use super::Cause;
use super::census::{Census, Member};
use super::living::{Living, kibibytes};
use super::pace::Pace;
use crate::sandbox::{Tree, shares_memory};

const INTERVAL: Duration = Duration::from_millis(20);

/// A tree in which processes end while it is measured is measured again, so often at most.
const ATTEMPTS: usize = 3;

/// The meter of one tree.
#[derive(Debug)]
pub(super) struct MemoryMeter {
    bytes_max: u64,
    processes_max: u64,
    bytes_peak: u64,
    is_blind: bool,
    pace: Pace,
}

impl MemoryMeter {
    pub(super) fn new(limits: &Limits, started: Instant) -> Self {
        let bytes_max = limits.memory_bytes.unwrap_or(u64::MAX);
        let pace = Pace::new(INTERVAL, started);
        Self { bytes_max, processes_max: limits.processes, bytes_peak: 0, is_blind: false, pace }
    }

    /// When it is to be asked next.
    pub(super) fn next(&self) -> Instant {
        self.pace.next()
    }

    /// The most that it has seen, bytes.
    pub(super) fn bytes_peak(&self) -> u64 {
        self.bytes_peak
    }

    /// Whether the processes were hidden from it.
    pub(super) fn is_blind(&self) -> bool {
        self.is_blind
    }

    /// Measures if it is time; returns the limit that the tree is above, if it is.
    pub(super) fn measure(&mut self, tree: &Tree) -> Option<Cause> {
        let Self { bytes_max, processes_max, bytes_peak, is_blind, pace } = self;
        pace.measure(|| {
            let first = tree.first_pid().ok()?;
            for _ in 0..ATTEMPTS {
                let census = Census::take(first, *processes_max);
                *is_blind |= census.is_blind;
                if census.tasks > *processes_max {
                    return Some(Cause::ProcessLimit);
                }
                let held = sum(&census.members, held_bytes);
                let bytes = if held > *bytes_max { sum(&census.members, own_bytes) } else { held };
                *bytes_peak = bytes.max(*bytes_peak);
                if bytes > *bytes_max {
                    return Some(Cause::MemoryLimit { bytes });
                }
                if !census.is_disturbed {
                    break;
                }
            }
            None
        })
    }
}

fn sum(members: &[Member], bytes: impl Fn(Member) -> u64) -> u64 {
    members.iter().copied().map(bytes).fold(0, u64::saturating_add)
}

/// What a process holds, shared or not; 0 when it is gone.
fn held_bytes(member: Member) -> u64 {
    Living::of(member.pid).map_or(0, |living| living.held_bytes())
}

/// The process's share of that.
fn own_bytes(member: Member) -> u64 {
    if shares_memory(member.pid, member.parent) {
        return 0;
    }
    let Some(living) = Living::of(member.pid) else { return 0 };
    let rollup = fs::read_to_string(format!("/proc/{}/smaps_rollup", living.thread)).unwrap_or_default();
    own_share(&rollup).map_or_else(|| living.held_bytes(), |share| share.saturating_add(living.table_bytes()))
}

fn own_share(rollup: &str) -> Option<u64> {
    Some((kibibytes(rollup, "Pss_Anon:")? + kibibytes(rollup, "Pss_Shmem:")?).saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_holds_what_it_touched_and_its_share_is_no_more() {
        let touched = std::hint::black_box(vec![1u8; 32 << 20]);
        let this = Member { pid: std::process::id(), parent: 1 };
        let (held, own) = (held_bytes(this), own_bytes(this));
        // The two are not read at the same moment.
        assert!(own >= touched.len() as u64 && own <= held + (4 << 20), "{own} {held}");
        assert_eq!(own_bytes(Member { pid: this.pid, parent: this.pid }), 0);
        assert_eq!(held_bytes(Member { pid: u32::MAX, parent: 1 }), 0);
    }

    #[test]
    fn a_rollup_without_the_shares_is_not_understood() {
        assert_eq!(own_share("Rss: 5 kB\nPss_Anon:  3 kB\nPss_File: 9 kB\nPss_Shmem: 1 kB\n"), Some(4096));
        assert_eq!(own_share("Rss: 5 kB\nPss: 5 kB\n"), None);
    }
}
