//! The namespaces of a sandbox: user, PID, mount, IPC, UTS and network.
//!
//! The PID namespace makes a tree killable whole; the user namespace makes it available without privileges; the mount namespace has a
//! /proc of its own and, at level `full`, a private root; the network namespace has one loopback interface that is down, so nothing can
//! be reached; the UTS namespace has another host name. Other files make the content of the mount namespace.
//!
//! Standards: Linux `user_namespaces(7)`, `pid_namespaces(7)`.

use std::ffi::{CStr, c_int};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::confinement::Layer;
use super::control::{Failure, Step};

/// The host name that the tool sees.
const HOST_NAME: &[u8] = b"sandbox";

/// The flag of the clone that makes each, its layer, and the layer's name in evidence. The first three carry the rest.
const NAMESPACES: [(c_int, Option<Layer>, &str); 6] = [
    (libc::CLONE_NEWUSER, None, "user_namespace"),
    (libc::CLONE_NEWPID, None, "pid_namespace"),
    (libc::CLONE_NEWNS, None, "mount_namespace"),
    (libc::CLONE_NEWIPC, Some(Layer::Ipc), "ipc_namespace"),
    (libc::CLONE_NEWUTS, Some(Layer::HostName), "uts_namespace"),
    (libc::CLONE_NEWNET, Some(Layer::Network), "network_namespace"),
];

/// The namespaces to make, and the id maps: the caller's effective ids, each mapped to itself, and nothing else.
#[derive(Debug)]
pub(super) struct Namespaces {
    /// The flags of the clone.
    pub(super) flags: c_int,
    /// The layers as evidence names them.
    pub(super) layers: Vec<&'static str>,
    user_map: String,
    group_map: String,
    /// The highest process id, if a PID namespace has its own limit.
    pid_max: Option<String>,
    /// The groups that may send ICMP echo requests, if packets have a route.
    ping_groups: Option<String>,
}

/// The kernel uses ids up to this one only once in a namespace.
const RESERVED_PIDS: u64 = 300;
/// The first kernel with `kernel.pid_max` per namespace. On older kernels root would set it for the whole machine.
const PID_MAX_SINCE: (u32, u32) = (6, 14);

/// Chooses the namespaces and writes the maps while memory can still be allocated. The ids suffice for at least
/// `processes` processes and threads, and at most a few hundred more.
pub(super) fn prepare(has: impl Fn(Layer) -> bool, processes: u64, is_routed: bool) -> Namespaces {
    let user = rustix::process::geteuid().as_raw();
    let group = rustix::process::getegid().as_raw();
    let made = || NAMESPACES.into_iter().filter(|(_, layer, _)| layer.is_none_or(&has));
    Namespaces {
        flags: made().fold(0, |flags, (flag, ..)| flags | flag),
        layers: made().map(|(.., name)| name).collect(),
        user_map: format!("{user} {user} 1\n"),
        group_map: format!("{group} {group} 1\n"),
        ping_groups: is_routed.then(|| format!("{group} {group}")),
        pid_max: (version(&super::kernel()) >= Some(PID_MAX_SINCE))
            // The first process needs an id too, and the limit itself is not a valid id.
            .then(|| processes.saturating_add(RESERVED_PIDS + 2).min(1 << 22).to_string()),
    }
}

/// The major and minor number of a kernel's release.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|character: char| !character.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// Completes the new namespaces from inside. Runs between clone and exec.
pub(super) fn enter(namespaces: &Namespaces) -> Result<(), Failure> {
    let map_ids = || -> Result<(), Errno> {
        // An unprivileged process may map its group only after it has given up setgroups.
        write_file(c"/proc/self/setgroups", b"deny")?;
        write_file(c"/proc/self/uid_map", namespaces.user_map.as_bytes())?;
        write_file(c"/proc/self/gid_map", namespaces.group_map.as_bytes())
    };
    map_ids().map_err(|errno| Failure { step: Step::IdMap, errno })?;
    if let Some(pid_max) = namespaces.pid_max.as_ref().filter(|_| namespaces.flags & libc::CLONE_NEWPID != 0) {
        // A second limit for root, whom RLIMIT_NPROC does not bind. If /proc is read-only, the meter still counts processes.
        let _ = write_file(c"/proc/sys/kernel/pid_max", pid_max.as_bytes());
    }
    if let Some(groups) = &namespaces.ping_groups {
        // If /proc is read-only, no group may.
        let _ = write_file(c"/proc/sys/net/ipv4/ping_group_range", groups.as_bytes());
    }
    if namespaces.flags & libc::CLONE_NEWUTS != 0 {
        rustix::system::sethostname(HOST_NAME).map_err(|errno| Failure { step: Step::HostName, errno })?;
    }
    Ok(())
}

fn write_file(path: &CStr, bytes: &[u8]) -> Result<(), Errno> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, bytes).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_as_new_as_its_first_two_numbers() {
        for (release, expected) in [
            ("6.18.44-fc-v669", Some((6, 18))),
            ("6.14-rc1", Some((6, 14))),
            ("5.14.0-427.el9", Some((5, 14))),
            ("6", None),
            ("", None),
            ("next-6.20", None),
        ] {
            assert_eq!(version(release), expected, "{release}");
        }
        assert!(version("6.9.0") < Some(PID_MAX_SINCE) && None < Some(PID_MAX_SINCE));
    }
}
