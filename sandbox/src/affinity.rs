//! The processors of a tool's processes: as many as granted, out of those that gatepost may use itself.
//!
//! The choice rotates from run to run, so tools that run at once share all of them. A process inherits the set of its parent and could
//! widen it again. The filter of system calls refuses that call. Without the filter the set binds only a tool that does not try, and it
//! is not reported as a limit.
//!
//! Standards: Linux `sched_setaffinity(2)`.

use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::io::Errno;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Where the next run's processors begin.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// The processors of one run.
#[derive(Debug)]
pub(super) struct Affinity {
    set: CpuSet,
    /// Their number: as requested, or all that exist.
    pub(super) cpus: u64,
}

/// Chooses `cpus` processors, at least one.
pub(super) fn prepare(cpus: u64) -> Result<Affinity, Errno> {
    let own = sched_getaffinity(None)?;
    let own: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| own.is_set(*cpu)).collect();
    let count = usize::try_from(cpus).unwrap_or(usize::MAX).clamp(1, own.len().max(1));
    let first = NEXT.fetch_add(count, Ordering::Relaxed) % own.len().max(1);
    let mut set = CpuSet::new();
    for cpu in own.iter().cycle().skip(first).take(count) {
        set.set(*cpu);
    }
    Ok(Affinity { set, cpus: count as u64 })
}

/// Binds this process and its children to them. Runs between clone and exec.
pub(super) fn enter(affinity: &Affinity) -> Result<(), Errno> {
    sched_setaffinity(None, &affinity.set)
}
