//! Landlock: what the tool may do with files, TCP and signals, whatever it finds in its view.
//!
//! Files may be read and executed everywhere in the view, and changed in the writable folders only; no device can be made
//! anywhere. TCP can be neither bound nor connected, but to one port where a network was granted; no signal and no abstract socket reaches a process outside. Every
//! right that the kernel's ABI knows is handled and none is optional: below [`ABI_MIN`] there is no sandbox. TCP needs
//! ABI 4 and the scopes ABI 6; before that the network and PID namespaces stand alone.
//!
//! Known weakness: Landlock knows no UDP and hides no names.
//!
//! Standards: Linux `landlock(7)`, Documentation/userspace-api/landlock.rst.

use std::ffi::{CStr, CString};
use std::mem::size_of;
use std::os::fd::AsRawFd;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::system_call;

/// The first ABI that controls truncation (Linux 6.2): before it "read only" would not mean that.
const ABI_MIN: u32 = 3;

const EXECUTE: u64 = 1 << 0;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const MAKE_CHAR: u64 = 1 << 6;
const MAKE_BLOCK: u64 = 1 << 11;
/// The rights of ABI 3, each a bit.
const RIGHTS_OF_ABI_3: u64 = (1 << 15) - 1;
const IOCTL_DEV: u64 = 1 << 15;
const BIND_AND_CONNECT_TCP: u64 = 0b11;
const CONNECT_TCP: u64 = 0b10;
/// The first ABI that controls TCP (Linux 6.7).
const ABI_OF_TCP: u32 = 4;
const ABSTRACT_SOCKET_AND_SIGNAL: u64 = 0b11;

const READ: u64 = EXECUTE | READ_FILE | READ_DIR;

/// `struct landlock_ruleset_attr`. An older kernel takes it as long as the members that it does not know are zero.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Handled {
    access_fs: u64,
    access_net: u64,
    scoped: u64,
}

/// `struct landlock_path_beneath_attr`
#[repr(C, packed)]
pub(super) struct Beneath {
    allowed_access: u64,
    parent_fd: i32,
}

/// `struct landlock_net_port_attr`
#[repr(C)]
pub(super) struct Port {
    allowed_access: u64,
    port: u64,
}

/// What is handled, and what is allowed beneath which path, and at which port.
#[derive(Debug)]
pub(super) struct Rules {
    abi: u32,
    handled: Handled,
    allowed: Vec<(CString, u64)>,
    connects_to: Option<u16>,
}

/// The rules for a tool that may write in `writable` only.
pub(super) fn prepare(writable: Vec<CString>) -> Result<Rules, Errno> {
    let abi = system_call::landlock_abi()?;
    if abi < ABI_MIN {
        return Err(Errno::OPNOTSUPP);
    }
    let handled = handled(abi);
    let write = handled.access_fs & !(MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV);
    let fixed = [(c"/".to_owned(), READ), (c"/dev".to_owned(), READ | WRITE_FILE)];
    let allowed = fixed.into_iter().chain(writable.into_iter().map(|path| (path, write))).collect();
    Ok(Rules { abi, handled, allowed, connects_to: None })
}

fn handled(abi: u32) -> Handled {
    let since = |first, rights| if abi >= first { rights } else { 0 };
    Handled {
        access_fs: RIGHTS_OF_ABI_3 | since(5, IOCTL_DEV),
        access_net: since(ABI_OF_TCP, BIND_AND_CONNECT_TCP),
        scoped: since(6, ABSTRACT_SOCKET_AND_SIGNAL),
    }
}

impl Rules {
    /// Permits TCP connections to a port, of whatever address, and to no other.
    pub(super) fn permit_connecting(&mut self, port: u16) -> Result<(), Errno> {
        if !bounds_tcp(self.abi) {
            return Err(Errno::OPNOTSUPP);
        }
        self.connects_to = Some(port);
        Ok(())
    }

    /// The layer as evidence names it.
    pub(super) fn layer(&self) -> String {
        format!("landlock_abi_{}", self.abi)
    }
}

/// Whether an ABI knows TCP, without which no network can be granted.
pub(super) const fn bounds_tcp(abi: u32) -> bool {
    abi >= ABI_OF_TCP
}

/// Puts this process and all that it starts under the rules. Needs `no_new_privs`. Runs between clone and exec.
pub(super) fn enter(rules: &Rules) -> Result<(), Errno> {
    let ruleset = system_call::landlock_create(&rules.handled)?;
    for (path, allowed_access) in &rules.allowed {
        let folder = open(path)?;
        let rule = Beneath { allowed_access: *allowed_access, parent_fd: folder.as_raw_fd() };
        system_call::landlock_allow(&ruleset, &rule)?;
    }
    if let Some(port) = rules.connects_to {
        let rule = Port { allowed_access: CONNECT_TCP, port: port.into() };
        system_call::landlock_allow_port(&ruleset, &rule)?;
    }
    system_call::landlock_restrict(&ruleset)
}

fn open(path: &CStr) -> Result<std::os::fd::OwnedFd, Errno> {
    rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
}

/// The kernel reads 12 bytes of a rule: the structure has no padding.
const _: () = assert!(size_of::<Beneath>() == 12 && size_of::<Handled>() == 24);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_right_that_an_abi_knows_is_handled() {
        for (abi, access_fs, access_net, scoped) in
            [(3, 0x7fff, 0, 0), (4, 0x7fff, 3, 0), (5, 0xffff, 3, 0), (6, 0xffff, 3, 3), (7, 0xffff, 3, 3)]
        {
            assert_eq!(handled(abi), Handled { access_fs, access_net, scoped }, "{abi}");
        }
    }
}
