//! The namespaces of a sandbox: user, PID, mount, IPC, UTS and network.
//!
//! The PID namespace is what makes a tree killable whole; the user namespace is what makes it available without
//! privileges; the mount namespace carries a /proc of its own, so that the tool sees its own tree only; the network
//! namespace holds one loopback interface that is down, so nothing can be reached. The view of the file system is not narrowed.
//!
//! Standards: Linux `user_namespaces(7)`, `pid_namespaces(7)`.

use std::ffi::{CStr, c_int};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::control::{Failure, Step};
use super::system_call;

/// The flags of the clone.
pub(super) const FLAGS: c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWNET;

/// The layers as evidence names them.
pub(super) const LAYERS: [&str; 6] =
    ["user_namespace", "pid_namespace", "mount_namespace", "ipc_namespace", "uts_namespace", "network_namespace"];

/// The id maps: the caller's effective ids, each mapped to itself, and nothing else.
#[derive(Debug)]
pub(super) struct IdMaps {
    user: String,
    group: String,
}

/// Writes the maps while memory can still be allocated.
pub(super) fn prepare() -> IdMaps {
    let user = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    IdMaps { user: format!("{user} {user} 1\n"), group: format!("{group} {group} 1\n") }
}

/// Completes the new namespaces from inside. Runs between clone and exec.
pub(super) fn enter(maps: &IdMaps) -> Result<(), Failure> {
    let map_ids = || -> Result<(), Errno> {
        // An unprivileged process may map its group only after it has given up setgroups.
        write_file(c"/proc/self/setgroups", b"deny")?;
        write_file(c"/proc/self/uid_map", maps.user.as_bytes())?;
        write_file(c"/proc/self/gid_map", maps.group.as_bytes())
    };
    map_ids().map_err(|errno| Failure { step: Step::IdMap, errno })?;
    system_call::mount_proc().map_err(|errno| Failure { step: Step::Proc, errno })
}

fn write_file(path: &CStr, bytes: &[u8]) -> Result<(), Errno> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, bytes).map(drop)
}
