//! Forbids core dumps of this process, and the machine's crash handler for it.
//!
//! A dump would contain data that gatepost read: requests, secrets of tools. A piped `kernel.core_pattern` starts its program as root,
//! with that memory as its input, outside of every confinement of a tool; a tool could make the first process of a sandbox, a copy of
//! this one, crash. The kernel handles no crash of an undumpable process, and only root may trace it or read its memory.
//!
//! [`super::rlimit`] has the limit for tools: executing a program makes a process dumpable again.
//!
//! The files of an undumpable process in `/proc` belong to root. A process that must write one of its own, such as the id maps of a
//! user namespace, is dumpable for that time.
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
        // The limit is 0 already, and this process may not raise it.
        Ok(()) | Err(Errno::PERM) => set_dumpable_behavior(DumpableBehavior::NotDumpable),
        Err(errno) => Err(errno),
    };
    forbidden.on("forbid core dumps of", Path::new("/proc/self"))
}
