//! Landlock: the tool's rights on files, TCP and signals, for everything in its view.
//!
//! In a private root files may be read and executed everywhere, among the machine's files only where listed. Files may be changed in
//! the writable folders only, and no device can be made anywhere. TCP can be neither bound nor connected, except to the one port where
//! a granted network is served; no signal and no abstract socket reaches a process outside. Every right that the kernel's ABI knows is
//! handled and none is optional: below [`ABI_MIN`] there is no sandbox. TCP needs ABI 4 and the scopes ABI 6; before that the network
//! and PID namespaces confine alone, so ABI 6 is the minimum without namespaces.
//!
//! Known weakness: Landlock knows no UDP and hides no names, sizes and times; it does not restrict changes of a mode, an owner, an
//! attribute, a flag or a time. If the machine's files are visible, the filter of system calls refuses those.
//!
//! Standards: Linux `landlock(7)`, Documentation/userspace-api/landlock.rst.

use std::ffi::{CStr, CString, OsStr};
use std::fs;
use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

use super::control::{Failure, Step};
use super::root::{DEVICES, View};
use super::{SandboxError, c_string, system, system_call};

/// The first ABI that controls truncation (Linux 6.2). Before, "read only" did not forbid it.
const ABI_MIN: u32 = 3;
/// The first that confines signals and abstract sockets (Linux 6.12).
const ABI_OF_SCOPES: u32 = 6;
/// The first that can keep a process's own failed attempts out of the audit log (Linux 6.15).
const ABI_OF_LOGS: u32 = 7;

const EXECUTE: u64 = 1 << 0;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const MAKE_CHAR: u64 = 1 << 6;
const MAKE_BLOCK: u64 = 1 << 11;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
/// The rights of ABI 3, each a bit.
const RIGHTS_OF_ABI_3: u64 = (1 << 15) - 1;
const IOCTL_DEV: u64 = 1 << 15;
const BIND_AND_CONNECT_TCP: u64 = 0b11;
const CONNECT_TCP: u64 = 0b10;
/// The first ABI that controls TCP (Linux 6.7).
const ABI_OF_TCP: u32 = 4;
const ABSTRACT_SOCKET_AND_SIGNAL: u64 = 0b11;
const SIGNAL: u64 = 0b10;

/// The rights of a rule for a file; the others apply to folders only.
const OF_A_FILE: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE;
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

/// The handled rights, and the rules that allow them for paths and ports.
#[derive(Debug)]
pub(super) struct Rules {
    abi: u32,
    handled: Handled,
    allowed: Vec<(CString, u64)>,
    connects_to: Option<u16>,
}

/// The rules for a tool that has a root of its own and writes in `output` and `/tmp`.
pub(super) fn in_private_root(output: CString) -> Result<Rules, Failure> {
    let rules = Rules::none(ABI_MIN)?;
    let write = rules.write();
    let fixed = [(c"/", READ), (c"/dev", READ | WRITE_FILE), (c"/tmp", write)];
    let fixed = fixed.map(|(path, access)| (path.to_owned(), access));
    Ok(Rules { allowed: fixed.into_iter().chain([(output, write)]).collect(), ..rules })
}

/// The rules for a tool that has the machine's root before it: it reads the system and what the view lists, and writes in
/// the view's output and in `tmp`.
pub(super) fn among_the_machines_files(view: &View<'_>, tmp: &Path) -> Result<Rules, SandboxError> {
    let mut rules = Rules::none(ABI_OF_SCOPES)?;
    let whole = system::whole()?.into_iter().filter(|path| path.try_exists().unwrap_or(true));
    // A rule for a link would apply to its target.
    let public = system::public()?.into_iter().filter(|path| !path.is_symlink());
    let shown = view.read_only.iter().map(|(path, _)| path.as_path());
    for path in whole.chain(public).chain([view.input.to_owned()]) {
        rules.allow(&path, READ)?;
    }
    for path in shown {
        // Under any name: the whole machine, or its processes.
        if fs::canonicalize(path).is_ok_and(|real| real.parent().is_none() || real.starts_with("/proc")) {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "a tool must not see it");
            return Err(SandboxError::Unshowable { path: path.to_owned(), source });
        }
        rules.allow(path, READ)?;
    }
    for device in DEVICES {
        rules.allow(Path::new(OsStr::from_bytes(device.to_bytes())), READ | WRITE_FILE)?;
    }
    let write = rules.write();
    rules.allow(view.output, write)?;
    rules.allow(tmp, write)?;
    Ok(rules)
}

/// Allows the calling thread, and all processes that it starts, only these folders and files; TCP stays unrestricted. A path
/// that is gone, or that this user cannot open, needs no rule. Needs `no_new_privs`.
pub(super) fn keep_beside(paths: &[PathBuf]) -> Result<(), Errno> {
    let handled = Handled { access_net: 0, ..handled(abi(ABI_MIN)?) };
    let ruleset = system_call::landlock_create(&handled)?;
    for path in paths {
        let opened = rustix::fs::open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty());
        let Ok(opened) = opened else { continue };
        let is_folder = rustix::fs::fstat(&opened).is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_dir());
        let allowed_access = if is_folder { handled.access_fs } else { handled.access_fs & (OF_A_FILE | IOCTL_DEV) };
        system_call::landlock_allow(&ruleset, &Beneath { allowed_access, parent_fd: opened.as_raw_fd() })?;
    }
    system_call::landlock_restrict(&ruleset, false)
}

/// Confines the signals of this process to itself and its children. Needs `no_new_privs`. Runs between clone and exec.
pub(super) fn confine_signals() -> Result<(), Errno> {
    let abi = abi(ABI_OF_SCOPES)?;
    let ruleset = system_call::landlock_create(&Handled { access_fs: REFER, access_net: 0, scoped: SIGNAL })?;
    // Every domain forbids links and renames across folders unless its own rule allows them.
    allow_beneath(&ruleset, c"/", REFER)?;
    // `kill(-1)` is refused once for each process outside; the audit log does not need these entries.
    system_call::landlock_restrict(&ruleset, abi >= ABI_OF_LOGS)
}

fn abi(least: u32) -> Result<u32, Errno> {
    let abi = system_call::landlock_abi()?;
    if abi < least { Err(Errno::OPNOTSUPP) } else { Ok(abi) }
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
    /// Does not bound TCP, because the rules of a route do.
    pub(super) fn leave_tcp_to_the_route(&mut self) {
        self.handled.access_net = 0;
    }

    /// Permits TCP connections to a port, at any address, and to no other.
    pub(super) fn permit_connecting(&mut self, port: u16) -> Result<(), Errno> {
        if !bounds_tcp(self.abi) {
            return Err(Errno::OPNOTSUPP);
        }
        self.connects_to = Some(port);
        Ok(())
    }

    fn none(abi_min: u32) -> Result<Self, Failure> {
        let abi = abi(abi_min).map_err(|errno| Failure { step: Step::Landlock, errno })?;
        Ok(Self { abi, handled: handled(abi), allowed: Vec::new(), connects_to: None })
    }

    /// All rights in a folder of the tool's own.
    fn write(&self) -> u64 {
        self.handled.access_fs & !(MAKE_CHAR | MAKE_BLOCK | IOCTL_DEV)
    }

    /// Allows the rights that fit the kind of the path.
    fn allow(&mut self, path: &Path, access: u64) -> Result<(), SandboxError> {
        let metadata = fs::metadata(path);
        let metadata = metadata.map_err(|source| SandboxError::Unshowable { path: path.to_owned(), source })?;
        let access = if metadata.is_dir() { access } else { access & OF_A_FILE };
        self.allowed.push((c_string(path.as_os_str())?, access));
        Ok(())
    }

    /// The layer as evidence names it.
    pub(super) fn layer(&self) -> String {
        format!("landlock_abi_{}", self.abi)
    }
}

/// Whether an ABI controls TCP, which a granted network requires.
pub(super) const fn bounds_tcp(abi: u32) -> bool {
    abi >= ABI_OF_TCP
}

/// Applies the rules to this process and all its children. Needs `no_new_privs`. Runs between clone and exec.
pub(super) fn enter(rules: &Rules) -> Result<(), Errno> {
    let ruleset = system_call::landlock_create(&rules.handled)?;
    for (path, allowed_access) in &rules.allowed {
        allow_beneath(&ruleset, path, *allowed_access)?;
    }
    if let Some(port) = rules.connects_to {
        let rule = Port { allowed_access: CONNECT_TCP, port: port.into() };
        system_call::landlock_allow_port(&ruleset, &rule)?;
    }
    system_call::landlock_restrict(&ruleset, false)
}

fn allow_beneath(ruleset: &OwnedFd, path: &CStr, allowed_access: u64) -> Result<(), Errno> {
    let folder = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    system_call::landlock_allow(ruleset, &Beneath { allowed_access, parent_fd: folder.as_raw_fd() })
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
