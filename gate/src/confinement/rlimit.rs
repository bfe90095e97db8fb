//! The gate's own limits: bound the resources of a judge that misbehaves.
//!
//! Memory counts what may be written (`RLIMIT_DATA`): address space that is only reserved, for example by an allocator
//! for each thread, costs nothing. Processes need no limit: the seccomp filter lets none be started, and the kernel's
//! limit would count the user's other processes. *Standards*: Linux `getrlimit(2)`.

use std::io;

use gatepost_documents::enforced::Limits;
use rustix::process::{DumpableBehavior, Resource, Rlimit, getrlimit, set_dumpable_behavior, setrlimit};

/// Many times the need of a judgement: the gate's own target is at most 64 MiB.
const MEMORY_BYTES: u64 = 512 * 1024 * 1024;
/// A bundle is at most 17 folders deep, and one file is open in the deepest.
const FILES: u64 = 256;

/// Lowers the limits of this process, and disables core dumps and their handler.
pub(super) fn enter() -> io::Result<Limits> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    Ok(Limits {
        memory_bytes: lower(Resource::Data, MEMORY_BYTES)?,
        files: lower(Resource::Nofile, FILES)?,
        core_bytes: lower(Resource::Core, 0)?,
    })
}

/// Sets both limits to the minimum of `most` and their current values.
fn lower(resource: Resource, most: u64) -> io::Result<u64> {
    let Rlimit { current, maximum } = getrlimit(resource);
    let limit = [current, maximum].into_iter().flatten().fold(most, u64::min);
    setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) })?;
    Ok(limit)
}
