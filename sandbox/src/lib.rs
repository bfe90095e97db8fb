//! The sandbox of a tool: [`prepare`], [`enter`], and a report of the enforced layers.
//!
//! ```text
//! gatepost ──enter──▶ first process (ours) ──▶ the tool ──▶ its child processes
//!     waits             reaps, passes SIGTERM on   no privileges, limited, 0 1 2 only
//! ```
//!
//! One file a mechanism. `prepare` allocates everything; after the clone there are only system calls, because gatepost has threads.
//! Nothing is weakened silently: if the machine refuses a mechanism, that is a [`SandboxError`], and no tool runs. Each lane asks for a
//! [`Confinement`]; [`strongest`] says which the machine offers.
//!
//! Security: the only crate with `unsafe`. The tool is hostile; it shares with gatepost two pipes, its folders and, if granted, a
//! sealed input and one listening socket.

mod affinity;
pub mod cancel;
mod cgroup;
mod command_line;
mod confinement;
mod control;
mod core_dump;
mod enclosure;
mod init;
mod landlock;
mod mask;
mod namespace;
pub mod network;
mod network_namespace;
mod privilege;
pub mod process;
mod rlimit;
mod root;
mod seccomp;
mod seclusion;
mod signal_scope;
mod system;
mod system_call;
mod tool;
mod tree;
mod trial;
mod way_out;

use std::ffi::{CString, OsStr, OsString, c_char};
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::ptr;

use crate::network::NetworkMode;
use confinement::Hold;
use enclosure::Enclosure;
use gatepost_documents::evidence::{Limits, Sandbox};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::is_passing;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use zeroize::Zeroize;

pub use cgroup::{CgroupState, cgroup_state, claim_cgroup};
pub use confinement::Confinement;
#[doc(hidden)]
pub use confinement::Layer;
pub use control::{Failure, Message, Step};
pub use core_dump::forbid_core_dumps;
pub use network_namespace::{NetworkNamespace, hold_helper};
pub use root::View;
pub use seclusion::seclude_this_thread;
pub use system::shows;
pub use system_call::clock_is_synchronized;
pub use tree::{Tree, TreeUsage};
pub use trial::{Mechanism, attempt, landlock_abi};
pub use way_out::PORT as PROXY_PORT;

/// Enough for the few frames of `tool::start`.
const TOOL_STACK_BYTES: usize = 64 * 1024;

/// The program to run.
#[derive(Debug)]
pub struct Command<'a> {
    /// The program's path; without a leading slash it is relative to `work_dir`.
    pub program: &'a Path,
    /// The argument vector, the name first.
    pub argv: &'a [OsString],
    /// The whole environment.
    pub environment: &'a [(OsString, OsString)],
    /// The directory to start in; with a private root the tool starts in its `/work` instead.
    pub work_dir: &'a Path,
    /// The limits to set.
    pub limits: &'a Limits,
    /// Its confinement.
    pub confinement: Confinement<'a>,
    /// Becomes descriptor 0.
    pub stdin: Stdin,
    /// Becomes descriptor 1.
    pub stdout: OwnedFd,
    /// Becomes descriptor 2.
    pub stderr: OwnedFd,
}

/// The stdin of a program.
#[derive(Debug)]
pub enum Stdin {
    /// `/dev/null`.
    Null,
    /// A file without a name in any folder.
    Input(OwnedFd),
    /// A terminal, which becomes the controlling one.
    Terminal(OwnedFd),
}

/// A command with everything that its processes need, in memory that they can use.
#[derive(Debug)]
pub struct Prepared {
    program: CString,
    argv: CStringArray,
    environment: CStringArray,
    work_dir: CString,
    own_command_line: Option<Range<usize>>,
    cgroup: Option<cgroup::Cgroup>,
    enclosure: enclosure::Enclosure,
    root: Option<root::Root>,
    rlimits: Option<rlimit::Rlimits>,
    affinity: Option<affinity::Affinity>,
    gives_up_privileges: bool,
    landlock: Option<landlock::Rules>,
    network_mode: Option<NetworkMode>,
    seccomp: Option<seccomp::Program>,
    limits: Limits,
    level: SandboxLevel,
    stdin: Stdin,
    null: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

impl Prepared {
    /// The effective limits: none above gatepost's own.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The peak memory of the run, bytes, if the kernel killed one of its processes for lack of memory.
    pub fn killed_for_memory(&self) -> Option<u64> {
        self.cgroup.as_ref().and_then(cgroup::Cgroup::killed_for_memory)
    }

    /// Whether the kernel bounds what the tool writes to its folders out/ and tmp/.
    pub fn bounds_output(&self) -> bool {
        self.root.is_some()
    }

    /// What [`enter`] enforces.
    pub fn enforced(&self) -> Sandbox {
        let mut layers = self.enclosure.layers().to_vec();
        layers.extend(self.cgroup.iter().flat_map(cgroup::Cgroup::layers));
        layers.extend(self.root.iter().map(|_| root::LAYER));
        layers.extend(self.rlimits.iter().flat_map(|_| rlimit::layers()));
        layers.extend(self.gives_up_privileges.then_some(privilege::LAYERS).into_iter().flatten());
        let mut layers: Vec<String> = layers.into_iter().map(str::to_owned).collect();
        layers.extend(self.landlock.iter().map(landlock::Rules::layer));
        layers.extend(self.seccomp.iter().map(|_| seccomp::LAYER.to_owned()));
        let is_strict = self.seccomp.is_some() && matches!(self.enclosure, Enclosure::SignalScope);
        layers.extend(is_strict.then(|| seccomp::STRICT_LAYER.to_owned()));
        Sandbox { level: self.level.into(), layers, kernel: kernel(), launcher: None }
    }
}

/// Why no sandbox could be made. No tool has run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// An argument, a variable or a path that contains a NUL, or a variable's name that contains a `=`.
    #[error("failed to pass {0:?} to a program: it contains a NUL byte or is not a valid variable name")]
    Unpassable(OsString),
    /// A path of the tool's view cannot be shown.
    #[error("failed to show {path:?} to a program: {source}")]
    Unshowable {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The control group of the run could not be made, although control groups work on this machine.
    #[error("failed to make the control group {path:?}: {source}")]
    Cgroup {
        /// Its folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// This machine does not allow what the sandbox needs.
    #[error("failed to {}: {source}; {hint}", step.as_str())]
    Unavailable {
        /// What was tried.
        step: Step,
        /// The kernel's reason.
        source: io::Error,
        /// What to do about it.
        hint: &'static str,
    },
    /// A trial process was killed from outside.
    #[error("failed to try a sandbox: the process that tried it was killed, or could not report")]
    Vanished,
    /// The machine is out of processes, descriptors or memory for now.
    #[error("failed to {}: {source}; try again when the machine has room", step.as_str())]
    Exhausted {
        /// What was tried.
        step: Step,
        /// The kernel's reason.
        source: io::Error,
    },
}

impl SandboxError {
    /// Whether the error is only a temporary shortage of the machine.
    pub fn is_shortage(&self) -> bool {
        match self {
            Self::Exhausted { .. } | Self::Vanished => true,
            // Only if such groups were tried and worked before.
            Self::Cgroup { source, .. } => is_passing(source),
            Self::Unpassable(_) | Self::Unshowable { .. } | Self::Unavailable { .. } => false,
        }
    }

    /// The temporary shortage or failure, if it is one: the sandbox worked before and can work again.
    pub fn into_passing(self) -> Result<io::Error, Self> {
        match self {
            Self::Exhausted { source, .. } => Ok(source),
            Self::Cgroup { source, .. } | Self::Unshowable { source, .. } | Self::Unavailable { source, .. }
                if is_passing(&source) =>
            {
                Ok(source)
            }
            other => Err(other),
        }
    }
}

impl From<Failure> for SandboxError {
    fn from(Failure { step, errno }: Failure) -> Self {
        let source = io::Error::from(errno);
        // A limit of 0 for a user namespace forbids it permanently.
        let may_be_forbidden = matches!((step, errno), (Step::Clone, Errno::NOSPC | Errno::USERS));
        if is_passing(&source) && !may_be_forbidden {
            Self::Exhausted { step, source }
        } else {
            Self::Unavailable { step, source, hint: hint(step, errno) }
        }
    }
}

fn hint(step: Step, errno: Errno) -> &'static str {
    match (step, errno) {
        (Step::Clone, Errno::NOSPC | Errno::USERS) => "raise the sysctl user.max_user_namespaces",
        (Step::Clone, Errno::PERM) => {
            "allow user namespaces: set the sysctl kernel.unprivileged_userns_clone to 1, and leave the container or \
             chroot that forbids them"
        }
        (Step::Clone | Step::Descriptors, Errno::NOSYS | Errno::INVAL) => {
            "use Linux 5.9 or later with user namespaces, and a container that does not filter clone3"
        }
        (Step::IdMap, Errno::PERM | Errno::ACCESS) => {
            "AppArmor restricts user namespaces: give gatepost a profile with the rule `userns,`, or set the sysctl \
             kernel.apparmor_restrict_unprivileged_userns to 0"
        }
        (Step::Proc, Errno::PERM) => {
            "the container hides parts of /proc: start it with an unmasked /proc, or run gatepost outside of it"
        }
        (Step::Root | Step::View, Errno::PERM | Errno::INVAL | Errno::NOSYS) => {
            "use Linux 5.12 or later, outside of a chroot and of a container that forbids mounts"
        }
        (Step::Landlock | Step::SignalScope, Errno::OPNOTSUPP | Errno::NOSYS) => {
            "use Linux 6.2 or later, at level landlock 6.12, with Landlock: it must be in /sys/kernel/security/lsm, and in \
             `lsm=` at boot if that is set"
        }
        (Step::WayOut, Errno::OPNOTSUPP) => "grant a network only at level full, on Linux 6.7 or later with Landlock",
        (Step::Seccomp, _) => "use a kernel with CONFIG_SECCOMP_FILTER",
        _ => "run `gatepost doctor`: it tries each mechanism by itself",
    }
}

/// Allocates and opens everything that the sandbox's processes need.
pub fn prepare(command: Command<'_>) -> Result<Prepared, SandboxError> {
    let confinement = command.confinement;
    let (rlimits, mut limits) = rlimit::prepare(command.limits);
    let affinity = command.limits.cpus.map(affinity::prepare).transpose();
    let affinity = affinity.map_err(|errno| Failure { step: Step::Affinity, errno })?;
    let root = match confinement.hold() {
        Hold::Full(view) if confinement.has(Layer::Root) => Some(root::prepare(view, &limits)?),
        _ => None,
    };
    let mut landlock = match confinement.hold() {
        _ if !confinement.has(Layer::Landlock) => None,
        Hold::None => None,
        Hold::Landlock(view, tmp) => Some(landlock::among_the_machines_files(view, tmp)?),
        Hold::Full(_) if root.is_some() => Some(landlock::in_private_root(c"/out".to_owned())?),
        Hold::Full(view) => Some(landlock::in_private_root(c_string(view.output.as_os_str())?)?),
    };
    let network_mode = confinement.network().network_mode();
    let is_routed = network_mode == Some(NetworkMode::Routed);
    let seccomp = match confinement.hold() {
        _ if !confinement.has(Layer::Seccomp) => None,
        Hold::Landlock(..) => Some(seccomp::strict()),
        _ => Some(seccomp::beside_namespaces()),
    };
    limits.cpus = affinity.as_ref().filter(|_| seccomp.is_some()).map(|affinity| affinity.cpus);
    let enclosure = match confinement.hold() {
        Hold::Landlock(..) => Enclosure::SignalScope,
        _ => Enclosure::Namespaces(namespace::prepare(|layer| confinement.has(layer), limits.processes, is_routed)),
    };
    let permitted = network_mode.map_or(Ok(()), |network_mode| permit(network_mode, &confinement, landlock.as_mut()));
    permitted.map_err(|errno| Failure { step: Step::WayOut, errno })?;
    let null = rustix::fs::open(c"/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
    let null = null.map_err(|errno| Failure { step: Step::Descriptors, errno })?;
    let cgroup = match cgroup::cgroups().filter(|_| confinement.level() > SandboxLevel::None) {
        Some(cgroups) => Some(cgroups.make(&limits).map_err(|(path, source)| SandboxError::Cgroup { path, source })?),
        None => None,
    };
    Ok(Prepared {
        cgroup,
        program: c_string(command.program.as_os_str())?,
        argv: CStringArray::new(command.argv.iter().map(|argument| c_string(argument)))?,
        environment: CStringArray::new(command.environment.iter().map(|(name, value)| variable(name, value)))?,
        work_dir: match root {
            Some(_) => root::WORK_DIR.to_owned(),
            None => c_string(command.work_dir.as_os_str())?,
        },
        own_command_line: command_line::place(),
        enclosure,
        root,
        affinity,
        rlimits: confinement.has(Layer::Rlimits).then_some(rlimits),
        gives_up_privileges: confinement.has(Layer::Privileges),
        landlock,
        network_mode,
        seccomp,
        limits,
        level: confinement.level(),
        stdin: command.stdin,
        null,
        stdout: command.stdout,
        stderr: command.stderr,
    })
}

/// A network is granted only if the tool can reach nothing else.
fn permit(
    network_mode: NetworkMode,
    confinement: &Confinement<'_>,
    landlock: Option<&mut landlock::Rules>,
) -> Result<(), Errno> {
    let rules = landlock.filter(|_| confinement.has(Layer::Network)).ok_or(Errno::OPNOTSUPP)?;
    match network_mode {
        NetworkMode::Proxy => rules.permit_connecting(way_out::PORT),
        NetworkMode::Routed => {
            rules.leave_tcp_to_the_route();
            Ok(())
        }
    }
}

/// Whether this machine can bound the network of a tool at level `full`: the error says what it lacks, as the end of a
/// sentence.
pub fn bounds_network() -> Result<(), &'static str> {
    match system_call::landlock_abi() {
        Ok(abi) if landlock::bounds_tcp(abi) => Ok(()),
        _ => Err("its kernel has no Landlock that knows TCP; that needs Linux 6.7"),
    }
}

/// Makes the sandbox's first process. The tool starts only after [`Tree::go`] has answered [`Message::Ready`].
///
/// The tool's ends of the streams stay open here until `prepared` is dropped.
pub fn enter(prepared: &Prepared) -> Result<Tree, SandboxError> {
    let failed = |errno| Failure { step: Step::Clone, errno };
    let (ours, theirs) =
        UnixStream::pair().map_err(|error| failed(Errno::from_io_error(&error).unwrap_or(Errno::IO)))?;
    let mut stack = Box::new_uninit_slice(TOOL_STACK_BYTES);
    // Blocked signals stay pending: a handler of ours cannot run in the child, and a SIGTERM sent to it early is kept.
    let mask = system_call::set_signal_mask(system_call::EVERY_SIGNAL).map_err(failed)?;
    let cgroup = prepared.cgroup.as_ref().map(AsFd::as_fd);
    let tree = match system_call::clone_process(prepared.enclosure.flags(), cgroup) {
        Ok(system_call::Side::Child) => init::run(prepared, theirs.as_fd(), &mut stack),
        Ok(system_call::Side::Parent(first, pid)) => Ok(Tree::new(first, pid, ours, prepared.enclosure.death_signal())),
        Err(errno) => Err(failed(errno).into()),
    };
    system_call::set_signal_mask(mask).map_err(failed)?;
    tree
}

/// Whether two processes share one memory, as between `vfork` and `exec`; false if that is unknown.
pub fn shares_memory(one: u32, other: u32) -> bool {
    system_call::compare_memory(one, other) == Ok(0)
}

/// The kernel's release.
pub fn kernel() -> String {
    rustix::system::uname().release().to_string_lossy().into_owned()
}

/// The strongest level from `minimum` to `maximum` that this machine offers, and its layers. The error is that of the
/// minimum. A temporary shortage at any level is an error too, so that it never selects a weaker level.
pub fn strongest(minimum: SandboxLevel, maximum: SandboxLevel) -> Result<(SandboxLevel, Sandbox), SandboxError> {
    for level in SandboxLevel::ALL.into_iter().rev().filter(|level| *level > minimum && *level <= maximum) {
        match probe(level) {
            Err(error) if !error.is_shortage() => {}
            probed => return probed.map(|enforced| (level, enforced)),
        }
    }
    probe(minimum).map(|enforced| (minimum, enforced))
}

/// Tries whether a sandbox of this level can be made here: performs every step up to executing a missing program.
pub fn probe(level: SandboxLevel) -> Result<Sandbox, SandboxError> {
    let null = || {
        rustix::fs::open(c"/dev/null", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())
            .map_err(|errno| Failure { step: Step::Descriptors, errno })
    };
    let limits = Limits {
        time_ms: u64::MAX,
        cpu_seconds: u64::MAX,
        cpus: None,
        memory_bytes: None,
        address_space_bytes: 1 << 30,
        files: u64::MAX,
        processes: u64::MAX,
        file_bytes: 1 << 20,
        out_bytes: None,
        out_files: None,
        stdout_bytes: u64::MAX,
    };
    let view = View { input: Path::new("/usr"), output: Path::new("/tmp"), read_only: &[] };
    let confinement = match level {
        SandboxLevel::None => Confinement::none(),
        SandboxLevel::Landlock => Confinement::landlock(view, view.output),
        SandboxLevel::Full => Confinement::full(view),
    };
    let prepared = prepare(Command {
        program: Path::new(""),
        argv: &[],
        environment: &[],
        work_dir: Path::new("/"),
        limits: &limits,
        confinement,
        stdin: Stdin::Null,
        stdout: null()?,
        stderr: null()?,
    })?;
    let mut tree = enter(&prepared)?;
    loop {
        match tree.receive() {
            Ok(Some(Message::Ready)) => tree.go().map_err(|_| SandboxError::Vanished)?,
            Ok(Some(Message::Output(_) | Message::Listener(_))) => {}
            Ok(Some(Message::Failed(Failure { step: Step::Execute, .. }))) => return Ok(prepared.enforced()),
            Ok(Some(Message::Failed(failure))) => return Err(failure.into()),
            Ok(Some(Message::Ended { .. }) | None) | Err(_) => return Err(SandboxError::Vanished),
        }
    }
}

/// C strings, and the array of pointers to them that the kernel reads.
#[derive(Debug)]
struct CStringArray {
    pointers: Vec<*const c_char>,
    strings: Vec<CString>,
}

/// They may hold secrets.
impl Drop for CStringArray {
    fn drop(&mut self) {
        self.strings.zeroize();
    }
}

impl CStringArray {
    fn new(strings: impl Iterator<Item = Result<CString, SandboxError>>) -> Result<Self, SandboxError> {
        let strings = strings.collect::<Result<Vec<_>, _>>()?;
        let pointers = strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect();
        Ok(Self { pointers, strings })
    }

    fn as_ptr(&self) -> *const *const c_char {
        self.pointers.as_ptr()
    }
}

fn c_string(text: &OsStr) -> Result<CString, SandboxError> {
    CString::new(text.as_bytes()).map_err(|_| SandboxError::Unpassable(text.to_owned()))
}

fn variable(name: &OsStr, value: &OsStr) -> Result<CString, SandboxError> {
    if name.is_empty() || name.as_bytes().contains(&b'=') {
        return Err(SandboxError::Unpassable(name.to_owned()));
    }
    let text = [name.as_bytes(), b"=", value.as_bytes()].concat();
    // The value may be a secret, so the error has the name only.
    CString::new(text).map_err(|_| SandboxError::Unpassable(name.to_owned()))
}
