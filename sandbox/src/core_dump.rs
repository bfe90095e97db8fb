//! No crash of this process is dumped, and none starts the machine's handler of crashes.
//!
//! A dump would hold what gatepost read: requests, secrets of tools. A piped `kernel.core_pattern` starts its program as root, with
//! that memory as its input, outside of everything that holds a tool; the first process of a sandbox, a copy of this one, could
//! be brought to crash. An undumpable process has no crash handled at all, and nobody but root may trace it or read its memory.
//!
//! What a tool is kept from by its own limit stands in [`super::rlimit`]: executing a program makes a process dumpable again.
//!
//! The files of an undumpable process in `/proc` belong to root. Whoever must write one of its own, as the id maps of a user
//! namespace, is dumpable for that long.
//!
//! Standards: Linux `core(5)`, `PR_SET_DUMPABLE(2const)`.

use std::path::Path;

use gatepost_mailbox::fault::{Fault, OnPath};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

use super::rlimit::NO_CORE_BYTES;

/// Forbids both, for this process and for copies of it.
pub fn forbid_core_dumps() -> Result<(), Fault> {
    let limit = Rlimit { current: Some(NO_CORE_BYTES), maximum: Some(NO_CORE_BYTES) };
    let forbidden = match setrlimit(Resource::Core, limit) {
        // The limit is 0 already, and not this process's to raise.
        Ok(()) | Err(Errno::PERM) => set_dumpable_behavior(DumpableBehavior::NotDumpable),
        Err(errno) => Err(errno),
    };
    forbidden.on("forbid core dumps of", Path::new("/proc/self"))
}
