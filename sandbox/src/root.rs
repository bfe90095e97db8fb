//! The private root of a tool: a file system with only the files that the tool needs.
//!
//! ```text
//! /usr /bin /sbin /lib* /etc/⟨a few⟩   the machine's, read-only        /in    the request's inputs, read-only
//! /dev/{null,zero,full,random,urandom}                                  /out   a tmpfs of its own, bounded, which outlives the root
//! /proc                                its own, masked, read-only       /tmp   a tmpfs of its own, bounded
//! /work/{in,out,tmp}                   the same three again, for relative paths: the tool starts in /work
//! ```
//!
//! Everything is closed first (read-only, nosuid, nodev), then the few exceptions are opened. `/out` and `/tmp` are bounded in bytes
//! and names; gatepost keeps the folder `/out` open, and collects from it when the tool is dead. Programs may be executed in `/out` and
//! `/tmp`, as from memory: an interpreter can do everything that a program can, and the other layers confine both.
//!
//! Security: `/proc` is read-only because root's files in it (`sys/kernel/core_pattern`, `sysrq-trigger`) need no
//! capability. `system.rs` lists the parts of `/etc` that are shown.
//!
//! Known weakness: `/proc/self/mountinfo` shows the machine's folder behind each mount, and so the site's path; `/proc/self/cgroup`
//! shows the control group. The kernel offers no `/proc` without them, and a path alone gives no access.
//!
//! Standards: Linux `mount_namespaces(7)`, `pivot_root(2)`, `mount_setattr(2)`.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString, OsStr};
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use gatepost_contract::sandbox_root::{OWN, keeps};
use gatepost_documents::evidence::Limits;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change, unmount,
};
use rustix::process::{chdir, pivot_root};

use super::control::{Failure, Step};
use super::{SandboxError, c_string, mask, system, system_call};

/// The layer as evidence names it.
pub(super) const LAYER: &str = "private_root";

/// The devices that a tool may use.
pub(super) const DEVICES: [&CStr; 5] = [c"/dev/null", c"/dev/zero", c"/dev/full", c"/dev/random", c"/dev/urandom"];

/// Names that programs expect beside the devices.
const LINKS: [(&CStr, &CStr); 5] = [
    (c"/proc/self/fd", c"/dev/fd"),
    (c"/proc/self/fd/0", c"/dev/stdin"),
    (c"/proc/self/fd/1", c"/dev/stdout"),
    (c"/proc/self/fd/2", c"/dev/stderr"),
    (c"/tmp", c"/dev/shm"),
];

/// The same folder under a second name, so that paths relative to the tool's start work.
const SECOND_NAMES: [(&CStr, &CStr); 3] = [(c"/in", c"/work/in"), (c"/out", c"/work/out"), (c"/tmp", c"/work/tmp")];

/// Where the tool starts.
pub(super) const WORK_DIR: &CStr = c"/work";

const OUT: &CStr = c"/out";
const TMP: &CStr = c"/tmp";

/// The machine's root while the private one is made.
const MACHINE: &CStr = c"/.machine";

/// The view of a tool.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The folder that it reads as `/in`.
    pub input: &'a Path,
    /// The folder for its output if it has no private root with an `/out` of its own.
    pub output: &'a Path,
    /// More files or folders of the machine that it may read, each with its absolute path in the tool's view.
    pub read_only: &'a [(PathBuf, PathBuf)],
}

/// A private root, laid out so that it can be made without allocating.
#[derive(Debug, Default)]
pub(super) struct Root {
    /// Sorted, so parents come first.
    folders: BTreeSet<CString>,
    files: Vec<CString>,
    /// Text of the link, and its path.
    links: Vec<(CString, CString)>,
    /// Path below [`MACHINE`], and its path in the private root.
    binds: Vec<(CString, CString)>,
    /// The file systems that the tool may write to.
    writable: [(&'static CStr, CString); 2],
}

/// Finds the existing files to show, and lays out the root.
pub(super) fn prepare(view: &View<'_>, limits: &Limits) -> Result<Root, SandboxError> {
    // The folder itself counts as a name; 0 is no limit.
    let bytes = limits.out_bytes.map_or(0, |bytes| bytes.max(1));
    let names = limits.out_files.map_or(0, |names| names.saturating_add(1));
    let bound = format!("size={bytes},nr_inodes={names}");
    let options = |mode| c_string(format!("{bound},mode={mode}").as_ref());
    let writable = [(OUT, options("0755")?), (TMP, options("1777")?)];
    let mut root = Root { folders: OWN.map(CStr::to_owned).into(), writable, ..Root::default() };
    for path in system::whole()?.into_iter().chain(system::public()?) {
        root.show_system(&path)?;
    }
    for device in DEVICES.map(|device| Path::new(OsStr::from_bytes(device.to_bytes()))) {
        root.show(device, device)?;
    }
    root.show(view.input, Path::new("/in"))?;
    for (path, at) in view.read_only {
        if keeps(at) {
            let source = io::Error::new(io::ErrorKind::InvalidInput, "the sandbox has its own");
            return Err(SandboxError::Unshowable { path: at.clone(), source });
        }
        // Shown already, with its folder.
        if at != path || !root.holds(at) {
            root.show(path, at)?;
        }
    }
    Ok(root)
}

impl Root {
    /// Whether a path is shown already, with its folder or with a link to its folder.
    fn holds(&self, path: &Path) -> bool {
        let mut shown = self.binds.iter().chain(&self.links).map(|(_, at)| OsStr::from_bytes(at.to_bytes()));
        shown.any(|at| path.starts_with(at))
    }

    /// Shows a part of the system unchanged: a link as a link; skips missing files.
    fn show_system(&mut self, path: &Path) -> Result<(), SandboxError> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(cannot_show(path, source)),
            Ok(metadata) if metadata.is_symlink() => {
                let text = fs::read_link(path).map_err(|source| cannot_show(path, source))?;
                self.add_parents(path)?;
                self.links.push((c_string(text.as_os_str())?, c_string(path.as_os_str())?));
                Ok(())
            }
            Ok(_) => self.show(path, path),
        }
    }

    fn show(&mut self, path: &Path, at: &Path) -> Result<(), SandboxError> {
        // A link on the way would be followed in the wrong root.
        let real = fs::canonicalize(path).map_err(|source| cannot_show(path, source))?;
        let target = c_string(at.as_os_str())?;
        self.add_parents(at)?;
        if real.is_dir() {
            self.folders.insert(target.clone());
        } else {
            self.files.push(target.clone());
        }
        let source = [MACHINE.to_bytes(), real.as_os_str().as_bytes()].concat();
        self.binds.push((c_string(OsStr::from_bytes(&source))?, target));
        Ok(())
    }

    fn add_parents(&mut self, at: &Path) -> Result<(), SandboxError> {
        for parent in at.ancestors().skip(1).filter(|parent| parent.parent().is_some()) {
            self.folders.insert(c_string(parent.as_os_str())?);
        }
        Ok(())
    }
}

fn cannot_show(path: &Path, source: io::Error) -> SandboxError {
    SandboxError::Unshowable { path: path.to_owned(), source }
}

/// Makes the root and enters it. Runs between clone and exec.
pub(super) fn enter(root: &Root) -> Result<(), Failure> {
    let at = |step| move |errno| Failure { step, errno };
    take_root().map_err(at(Step::Root))?;
    lay_out(root).map_err(at(Step::View))?;
    mount_proc(c"/proc").map_err(at(Step::Proc))?;
    close().map_err(at(Step::Root))
}

/// An empty tmpfs becomes the root, with the machine's below it.
pub(super) fn take_root() -> Result<(), Errno> {
    mount_change(c"/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount(c"tmpfs", c"/tmp", c"tmpfs", flags, c"size=1m,nr_inodes=4096,mode=0755")?;
    chdir(c"/tmp")?;
    rustix::fs::mkdir(c".machine", Mode::RWXU)?;
    pivot_root(c".", c".machine")?;
    chdir(c"/")
}

fn lay_out(root: &Root) -> Result<(), Errno> {
    for folder in &root.folders {
        rustix::fs::mkdir(folder.as_c_str(), Mode::from_raw_mode(0o755))?;
    }
    for file in &root.files {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC;
        rustix::fs::open(file.as_c_str(), flags, Mode::from_raw_mode(0o444))?;
    }
    for (text, at) in root.links.iter().map(|(text, at)| (text.as_c_str(), at.as_c_str())).chain(LINKS) {
        rustix::fs::symlink(text, at)?;
    }
    for (source, target) in &root.binds {
        mount_bind_recursive(source.as_c_str(), target.as_c_str())?;
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    root.writable.iter().try_for_each(|(at, options)| mount(c"tmpfs", *at, c"tmpfs", flags, options.as_c_str()))
}

/// Leaves the machine's root, makes everything read-only, and opens the few exceptions.
fn close() -> Result<(), Errno> {
    unmount(MACHINE, UnmountFlags::DETACH)?;
    mask::enter(MACHINE)?;
    rustix::fs::rmdir(MACHINE)?;
    let shut = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
    system_call::set_mount_attributes(c"/", libc::AT_RECURSIVE, shut, 0)?;
    for device in DEVICES {
        system_call::set_mount_attributes(device, 0, 0, libc::MOUNT_ATTR_NODEV)?;
    }
    for writable in [OUT, TMP] {
        system_call::set_mount_attributes(writable, 0, 0, libc::MOUNT_ATTR_RDONLY)?;
    }
    for (folder, second) in SECOND_NAMES {
        mount_bind_recursive(folder, second)?;
    }
    Ok(())
}

/// The tool's output folder, which exists as long as it is open.
pub(super) fn open_output() -> Result<OwnedFd, Failure> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(OUT, flags, Mode::empty()).map_err(|errno| Failure { step: Step::Root, errno })
}

/// Mounts the /proc of this process's own PID namespace.
pub(super) fn mount_proc(at: &CStr) -> Result<(), Errno> {
    mount(c"proc", at, c"proc", MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC, None)
}
