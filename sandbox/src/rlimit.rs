//! Resource limits of the tool's processes.
//!
//! A limit above gatepost's own is lowered to that, and reported so. The number of processes does not bind root, whom the kernel
//! exempts: then it is not reported as a layer.
//!
//! Core dumps are limited to 1 byte, not 0. The kernel writes no core file smaller than a page, and 1 is the one value with which it
//! does not start the program of a piped `kernel.core_pattern`, which would run as root outside of every sandbox. With 0 it would start
//! that program.
//!
//! Known weakness: a core pattern that names a socket (Linux 6.16) gets a crash at any limit.
//!
//! Pending signals (and with them POSIX timers) and the bytes of POSIX message queues count for the whole user, so a tool gets few of
//! them. A tool gets no real-time scheduling and no higher priority, because they take processor time from all others.
//!
//! Standards: POSIX `setrlimit`; Linux `getrlimit(2)`, `core(5)`.

use gatepost_documents::evidence::Limits;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Signals that wait for a process, and POSIX timers, of all processes of the user.
const SIGNALS: u64 = 1024;
/// The core limit with which the kernel ignores a crash.
pub(super) const NO_CORE_BYTES: u64 = 1;

/// The layers as evidence names them.
pub(super) fn layers() -> &'static [&'static str] {
    if rustix::process::getuid().is_root() { &["rlimits"] } else { &["rlimits", "process_limit"] }
}

/// The limits to set.
#[derive(Debug)]
pub(super) struct Rlimits([(Resource, Rlimit); 10]);

/// Lowers the limits to this process's own; also returns the effective limits.
pub(super) fn prepare(limits: &Limits) -> (Rlimits, Limits) {
    let fitted = |resource, wanted: u64| {
        let own = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        wanted.min(own)
    };
    let in_force = Limits {
        cpu_seconds: fitted(Resource::Cpu, limits.cpu_seconds),
        address_space_bytes: fitted(Resource::As, limits.address_space_bytes),
        files: fitted(Resource::Nofile, limits.files),
        file_bytes: fitted(Resource::Fsize, limits.file_bytes),
        // The namespace's first process has the same user and counts.
        processes: fitted(Resource::Nproc, limits.processes.saturating_add(1)).saturating_sub(1),
        ..limits.clone()
    };
    let both = |value| Rlimit { current: Some(value), maximum: Some(value) };
    let list = [
        // The soft limit sends SIGXCPU; a tool that catches it is killed a second later.
        (
            Resource::Cpu,
            Rlimit {
                current: Some(in_force.cpu_seconds),
                maximum: Some(fitted(Resource::Cpu, in_force.cpu_seconds.saturating_add(1))),
            },
        ),
        (Resource::As, both(in_force.address_space_bytes)),
        (Resource::Nofile, both(in_force.files)),
        (Resource::Fsize, both(in_force.file_bytes)),
        (Resource::Nproc, both(in_force.processes.saturating_add(1))),
        (Resource::Core, both(fitted(Resource::Core, NO_CORE_BYTES))),
        (Resource::Sigpending, both(fitted(Resource::Sigpending, SIGNALS))),
        (Resource::Msgqueue, both(0)),
        (Resource::Rtprio, both(0)),
        (Resource::Nice, both(0)),
    ];
    (Rlimits(list), in_force)
}

/// Makes the OOM killer end this process and its children before all others, even if it
/// shows little memory: kernel memory of a tool counts for no process. At levels where a tool
/// cannot write in /proc, the tool cannot undo this. Runs between clone and exec.
pub(super) fn be_first_to_go() -> Result<(), Errno> {
    let score = rustix::fs::open(c"/proc/self/oom_score_adj", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&score, b"1000").map(drop)
}

/// Sets the limits. Runs between clone and exec.
pub(super) fn enter(limits: &Rlimits) -> Result<(), Errno> {
    limits.0.iter().try_for_each(|(resource, limit)| setrlimit(*resource, *limit))
}
