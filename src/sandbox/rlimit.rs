//! Resource limits of the tool's processes.
//!
//! A limit above what gatepost itself may use is lowered to that, and reported so. The number of processes does not
//! bind for root, whom the kernel exempts: then it is not reported as a layer.
//!
//! Standards: POSIX `setrlimit`; Linux `getrlimit(2)`.

use gatepost_documents::evidence::Limits;
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The layers as evidence names them.
pub(super) fn layers() -> &'static [&'static str] {
    if rustix::process::getuid().is_root() { &["rlimits"] } else { &["rlimits", "process_limit"] }
}

/// The limits to set.
#[derive(Debug)]
pub(super) struct Rlimits([(Resource, Rlimit); 6]);

/// Fits the limits under this process's own; returns them also as they will be in force.
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
        // At the soft limit SIGXCPU tells what happened; a tool that catches it is killed a second later.
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
        (Resource::Core, both(0)),
    ];
    (Rlimits(list), in_force)
}

/// Sets the limits. Runs between clone and exec.
pub(super) fn enter(limits: &Rlimits) -> Result<(), Errno> {
    limits.0.iter().try_for_each(|(resource, limit)| setrlimit(*resource, *limit))
}
