//! What holds a tool: [`prepare`], [`enter`], and a [`report`] of what is really enforced.
//!
//! ```text
//! gatepost ──enter──▶ first process (PID 1, ours) ──▶ the tool (PID 2) ──▶ whatever it starts
//!     waits               reaps, passes SIGTERM on        no privileges, limited, 0 1 2 only
//! ```
//!
//! One file a mechanism. All that must be allocated is allocated by `prepare`; after the clone there are only system
//! calls, because gatepost has threads. Nothing is weakened silently: a mechanism that the machine refuses is a
//! [`SandboxError`], and no tool runs. It does not yet narrow the view of the file system, the network or the system
//! calls: `level` is `none`.
//!
//! Security: the only module with `unsafe`. The tool is hostile; what it shares with gatepost is two pipes.

mod control;
mod init;
mod namespace;
mod privilege;
mod rlimit;
mod system_call;
mod tool;
mod tree;

use std::ffi::{CString, OsStr, OsString, c_char};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::ptr;

use gatepost_gate::evidence::{Limits, Sandbox};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

pub use control::{Failure, Message, Step};
pub use tree::{Tree, TreeUsage};

/// Enough for the few frames of `tool::start`; pages that are not touched cost nothing.
const TOOL_STACK_BYTES: usize = 64 * 1024;

/// What is to run.
#[derive(Debug)]
pub struct Command<'a> {
    /// The program's path; without a leading slash it is relative to `work_dir`.
    pub program: &'a Path,
    /// The argument vector, the name first.
    pub argv: &'a [OsString],
    /// The whole environment.
    pub environment: &'a [(OsString, OsString)],
    /// The directory to start in.
    pub work_dir: &'a Path,
    /// The limits to set.
    pub limits: &'a Limits,
    /// Becomes descriptor 1.
    pub stdout: OwnedFd,
    /// Becomes descriptor 2.
    pub stderr: OwnedFd,
}

/// A command with everything that its processes need, in memory that they can use.
#[derive(Debug)]
pub struct Prepared {
    program: CString,
    argv: CStringArray,
    environment: CStringArray,
    work_dir: CString,
    rlimits: rlimit::Rlimits,
    limits: Limits,
    id_maps: namespace::IdMaps,
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

impl Prepared {
    /// The limits as they will be in force: none above gatepost's own.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
}

/// Why no sandbox could be made. No tool has run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// An argument, a variable or a path that no program can be given: it holds a NUL, or a variable's name a `=`.
    #[error("failed to pass {0:?} to a program: it holds a NUL byte or is no variable name")]
    Unpassable(OsString),
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
    /// The machine is out of processes, descriptors or memory for now.
    #[error("failed to {}: {source}; try again when the machine has room", step.as_str())]
    Exhausted {
        /// What was tried.
        step: Step,
        /// The kernel's reason.
        source: io::Error,
    },
}

impl From<Failure> for SandboxError {
    fn from(Failure { step, errno }: Failure) -> Self {
        let source = io::Error::from(errno);
        match errno {
            Errno::AGAIN | Errno::NOMEM | Errno::MFILE | Errno::NFILE => Self::Exhausted { step, source },
            _ => Self::Unavailable { step, source, hint: hint(step, errno) },
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
        _ => "run `gatepost doctor` to see what this machine offers",
    }
}

/// Allocates and opens all that the sandbox's processes need.
pub fn prepare(command: Command<'_>) -> Result<Prepared, SandboxError> {
    let (rlimits, limits) = rlimit::prepare(command.limits);
    let stdin = rustix::fs::open(c"/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
        .map_err(|errno| Failure { step: Step::Descriptors, errno })?;
    Ok(Prepared {
        program: c_string(command.program.as_os_str())?,
        argv: CStringArray::new(command.argv.iter().map(|argument| c_string(argument)))?,
        environment: CStringArray::new(command.environment.iter().map(|(name, value)| variable(name, value)))?,
        work_dir: c_string(command.work_dir.as_os_str())?,
        rlimits,
        limits,
        id_maps: namespace::prepare(),
        stdin,
        stdout: command.stdout,
        stderr: command.stderr,
    })
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
    let tree = match system_call::clone_process(namespace::FLAGS) {
        Ok(system_call::Side::Child) => init::run(prepared, theirs.as_fd(), &mut stack),
        Ok(system_call::Side::Parent(first)) => Ok(Tree::new(first, ours)),
        Err(errno) => Err(failed(errno).into()),
    };
    system_call::set_signal_mask(mask).map_err(failed)?;
    tree
}

/// What [`enter`] enforces here.
pub fn report() -> Sandbox {
    let layers = [&namespace::LAYERS[..], rlimit::layers(), &privilege::LAYERS[..]].concat();
    Sandbox {
        level: "none".to_owned(),
        layers: layers.into_iter().map(str::to_owned).collect(),
        kernel: rustix::system::uname().release().to_string_lossy().into_owned(),
    }
}

/// Tries for real whether a sandbox can be made here: goes the whole way to a program that does not exist.
pub fn probe() -> Result<Sandbox, SandboxError> {
    let null = || {
        rustix::fs::open(c"/dev/null", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())
            .map_err(|errno| Failure { step: Step::Descriptors, errno })
    };
    let limits = Limits {
        time_ms: u64::MAX,
        cpu_seconds: u64::MAX,
        memory_bytes: u64::MAX,
        files: u64::MAX,
        processes: u64::MAX,
        file_bytes: u64::MAX,
        stdout_bytes: u64::MAX,
    };
    let mut tree = enter(&prepare(Command {
        program: Path::new(""),
        argv: &[],
        environment: &[],
        work_dir: Path::new("/"),
        limits: &limits,
        stdout: null()?,
        stderr: null()?,
    })?)?;
    let vanished = Failure { step: Step::Clone, errno: Errno::CHILD };
    loop {
        match tree.receive() {
            Ok(Some(Message::Ready)) => tree.go().map_err(|_| vanished)?,
            Ok(Some(Message::Failed(Failure { step: Step::Execute, .. }))) => return Ok(report()),
            Ok(Some(Message::Failed(failure))) => return Err(failure.into()),
            Ok(Some(Message::Ended { .. }) | None) | Err(_) => return Err(vanished.into()),
        }
    }
}

/// C strings, and the array of pointers to them that the kernel reads.
#[derive(Debug)]
struct CStringArray {
    pointers: Vec<*const c_char>,
    _strings: Vec<CString>,
}

impl CStringArray {
    fn new(strings: impl Iterator<Item = Result<CString, SandboxError>>) -> Result<Self, SandboxError> {
        let strings = strings.collect::<Result<Vec<_>, _>>()?;
        let pointers = strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect();
        Ok(Self { pointers, _strings: strings })
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
