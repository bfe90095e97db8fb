//! The gate's own limits: what a judge that goes astray can take.
//!
//! Memory is counted as what may be written (`RLIMIT_DATA`): address space that is only reserved, as by an allocator for each
//! thread, costs nothing. Processes need no limit: the filter of system calls lets none be started, while the kernel's limit
//! counts those of the user elsewhere. *Standards*: Linux `getrlimit(2)`.

use std::io;

use gatepost_documents::held::Limits;
use rustix::process::{DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit};

/// Many times what a judgement takes: 64 MiB at most is the measure that the gate is held to.
const MEMORY_BYTES: u64 = 512 * 1024 * 1024;
/// A bundle is 17 folders deep at most, and one file is open in the deepest.
const FILES: u64 = 256;

/// Lowers the limits of this process, and lets no crash of it start the machine's handler of crashes.
pub(super) fn enter() -> io::Result<Limits> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    Ok(Limits {
        memory_bytes: lower(Resource::Data, MEMORY_BYTES)?,
        files: lower(Resource::Nofile, FILES)?,
        core_bytes: lower(Resource::Core, 0)?,
    })
}

/// Sets both limits to the lowest of `most` and what they are.
fn lower(resource: Resource, most: u64) -> io::Result<u64> {
    let Rlimit { current, maximum } = getrlimit(resource);
    let limit = [current, maximum].into_iter().flatten().fold(most, u64::min);
    setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) })?;
    Ok(limit)
}
