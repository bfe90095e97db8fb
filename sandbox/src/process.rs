//! Runs one program to its end: spawned in a sandbox, captured and limited. No process that it started outlives it.
//!
//! ```text
//! create the stream files ▶ find the program ▶ sandbox ▶ supervise: capture, deadline, limits, cancel ▶ drain ▶ reap
//! ```
//!
//! It does not decide which programs may run, and interprets no output. It does not flush the stream files; the code that seals them
//! does.
//!
//! Security: the program is hostile. Memory stays flat for any amount of output; every process that it leaves behind is killed.

mod capture;
mod census;
mod console;
mod disk;
mod input;
mod mapped;
mod memory;
mod metering;
mod pace;
mod program;
mod supervise;
mod thread;
mod unattributed;
mod unnamed;
mod uplink;

use std::cell::Cell;
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{Limits, Sandbox, Usage};
use gatepost_mailbox::fault::{Fault, is_passing};

use crate::cancel::Cancel;
use crate::network::{Connectivity, Proxy, Record};
use crate::{self as sandbox, Confinement, Failure, SandboxError, Stdin, Step, TreeUsage};

use capture::Capture;
use console::{Conversation, Terminal};
use disk::DiskMeter;
use memory::MemoryMeter;
use metering::{Metering, Meters};
use unattributed::UnattributedMeter;
use unnamed::UnnamedMeter;

pub use console::{Console, Turn};
pub use program::{find, installed};
pub use uplink::uplink_fault;

/// The note for a tool that mapped too much memory for an exact count.
const ROUGH: &str = "The memory of the tool could not be measured precisely in time: pages shared between its processes were counted once for each.";

/// The note for a tool whose folders could not be measured, which counts as over the limit.
const CLOSED: &str = "The tool's output could not be fully measured while it ran, because it locked folders or kept moving them. This counts as exceeding the limit.";

/// One program to run.
#[derive(Debug)]
pub struct Job<'a> {
    /// The argument vector. The first is the program: a path if it has a slash (relative to `work_dir`), else a name
    /// that is looked up in `/usr/local/bin`, `/usr/bin` and `/bin`. A script needs its interpreter line.
    pub argv: &'a [OsString],
    /// The whole environment.
    pub environment: &'a [(OsString, OsString)],
    /// Its stdin; empty if there is none. May hold secrets: it is in memory only, and sealed.
    pub input: Option<&'a [u8]>,
    /// The console of its terminal, which is then its stdin, stdout and stderr. Its output there is stored as stdout.
    pub console: Option<&'a dyn Console>,
    /// The directory to start in; with a private root the tool starts in its `/work`. Without one, the folders `out` and
    /// `tmp` in it have the limits of `/out`.
    pub work_dir: &'a Path,
    /// Its confinement.
    pub confinement: Confinement<'a>,
    /// The limits; stderr has the same byte limit as stdout.
    pub limits: &'a Limits,
    /// How long the tree may take to end after SIGTERM, before SIGKILL.
    pub grace: Duration,
    /// Where stdout is stored: a new file, mode 0644.
    pub stdout: &'a Path,
    /// Where stderr is stored: a new file, mode 0644.
    pub stderr: &'a Path,
    /// Lets another thread stop the run.
    pub cancel: Option<&'a Cancel>,
    /// Is set once the program may have had effects.
    pub started: &'a Cell<bool>,
}

/// How the program itself ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this status, 0 to 255.
    Code(i32),
    /// This signal killed it.
    Signal(i32),
}

/// The cause of its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It ended by itself, with success or not.
    Own,
    /// It reached its time limit: SIGTERM to the tree, then SIGKILL after the grace.
    TimeLimit,
    /// It printed more than the byte limit on stdout: SIGKILL at once.
    StdoutLimit,
    /// It printed more than the byte limit on stderr: SIGKILL at once.
    StderrLimit,
    /// It exceeded its memory limit: SIGKILL at once.
    MemoryLimit {
        /// The memory of all its processes together, bytes.
        bytes: u64,
    },
    /// It exceeded its process limit: SIGKILL at once.
    ProcessLimit,
    /// It exceeded the limit of a folder that the kernel does not bound: SIGKILL at once.
    OutLimit(Excess),
    /// Its console ended it, at once or because it did not end in a grace period: SIGTERM to the tree, then SIGKILL after a grace.
    Closed,
    /// It was cancelled: SIGTERM to the tree, then SIGKILL after the grace.
    Cancelled,
}

/// The usage of a folder that exceeded its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excess {
    /// `out` or `tmp`.
    pub folder: &'static str,
    /// The disk space of its files, as far as they were measured.
    pub bytes: u64,
    /// The number of files and folders, as far as they were measured.
    pub names: u64,
}

/// A stored stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Captured {
    /// The digest of the stored bytes.
    pub digest: Digest,
    /// The number of stored bytes.
    pub bytes: u64,
    /// Whether the program had printed more.
    pub truncated: bool,
}

/// An ended run.
#[derive(Debug)]
pub struct Ended {
    /// The exit of the program.
    pub exit: Exit,
    /// The cause of the end.
    pub cause: Cause,
    /// Wall-clock time from the clone to the end of the tree.
    pub duration: Duration,
    /// The usage of the tree.
    pub usage: Usage,
    /// The stored stdout.
    pub stdout: Captured,
    /// The stored stderr.
    pub stderr: Captured,
    /// The tool's `/out`, if that is a file system of its own. Closing this descriptor removes it.
    pub output: Option<OwnedFd>,
    /// The program that was executed, as found.
    pub program: PathBuf,
    /// The effective limits: those of the job, none above gatepost's own.
    pub limits: Limits,
    /// Its confinement.
    pub enforced: Sandbox,
    /// The record of the granted network, if there was one.
    pub network: Option<Record>,
    /// Everything unusual, a sentence each.
    pub anomalies: Vec<String>,
}

/// Why a program was not run, or its run not recorded. No process of it is running. Both stream files exist,
/// empty, for every error but [`ProcessError::Store`].
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The argument vector is empty.
    #[error("failed to run a program: the argument vector is empty")]
    NoProgram,
    /// No such program in the fixed search path.
    #[error("failed to find {program:?} in {}", program::SEARCH_PATH.join(", "))]
    NotFound {
        /// The name.
        program: OsString,
    },
    /// The kernel refused to execute the program: it or its interpreter is missing, not executable, of another format.
    #[error("failed to execute {program:?}: {source}")]
    Execute {
        /// The program.
        program: PathBuf,
        /// The kernel's reason.
        source: io::Error,
    },
    /// The work directory cannot be entered.
    #[error("failed to enter {path:?}: {source}")]
    WorkDir {
        /// The directory.
        path: PathBuf,
        /// The kernel's reason.
        source: io::Error,
    },
    /// A stream cannot be stored.
    #[error("failed to store a stream in {path:?}: {source}")]
    Store {
        /// The file.
        path: PathBuf,
        /// The kernel's reason.
        source: io::Error,
    },
    /// No sandbox, no run.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// Its input cannot be handed to it.
    #[error("failed to hand {program:?} its input: {source}")]
    Input {
        /// The program.
        program: PathBuf,
        /// The kernel's reason.
        source: io::Error,
    },
    /// The granted network cannot be served.
    #[error("failed to serve the network of {program:?}: {source}")]
    Network {
        /// The program.
        program: PathBuf,
        /// The kernel's reason.
        source: io::Error,
    },
    /// The kernel failed to report the state of the run.
    #[error("failed to wait for {program:?}: {source}")]
    Wait {
        /// The program.
        program: PathBuf,
        /// The kernel's reason.
        source: io::Error,
    },
}

/// Runs a program to its end. Blocks the calling thread, with which the program dies.
pub fn run(job: &Job<'_>) -> Result<Ended, ProcessError> {
    let (streams, conversation, ends) = streams(job)?;
    let program = program::find(job.argv)?;
    let ends = ends.map_err(|source| ProcessError::Input { program: program.clone(), source })?;
    let prepared = sandbox::prepare(sandbox::Command {
        program: &program,
        argv: job.argv,
        environment: job.environment,
        work_dir: job.work_dir,
        limits: job.limits,
        confinement: job.confinement,
        stdin: ends.stdin,
        stdout: ends.stdout,
        stderr: ends.stderr,
    })?;
    let (mut limits, enforced) = (prepared.limits().clone(), prepared.enforced());
    let proxy = match job.confinement.network() {
        Connectivity::Proxy(access) => Proxy::start(access).map(Some),
        Connectivity::None | Connectivity::Route(_) => Ok(None),
    };
    let proxy = proxy.map_err(|source| ProcessError::Network { program: program.clone(), source })?;
    let started = Instant::now();
    let unbounded = (!prepared.bounds_output()).then_some(job.work_dir);
    let meters = Meters {
        memory: MemoryMeter::new(&limits, started),
        unnamed: UnnamedMeter::new(unbounded, &limits, started),
        unattributed: UnattributedMeter::new(&limits, unbounded.is_none(), started),
        disk: unbounded.map(|folder| DiskMeter::open(folder, &limits, started)),
    };
    let metering = Metering::start(meters);
    let metering = metering.map_err(|source| ProcessError::Wait { program: program.clone(), source })?;
    let tree = sandbox::enter(&prepared)?;
    let run = supervise::Run::new(tree, (streams, conversation), proxy, metering, started, job).watch(&program)?;
    let cause = match prepared.killed_for_memory() {
        Some(bytes) if run.cause == Cause::Own => {
            Cause::MemoryLimit { bytes: bytes.max(limits.memory_bytes.unwrap_or(0)) }
        }
        _ => run.cause,
    };
    drop(prepared);
    let output = run.output;
    let [stdout, stderr] = run.streams.map(capture::Capture::finish);
    let exit = exit(run.wait_status);
    let mut anomalies = anomalies(exit, run.killed, run.vanished, &limits);
    anomalies.extend(unmeasured(run.meters.as_ref(), &mut limits));
    let memory = run.meters.as_ref().map(|meters| &meters.memory);
    Ok(Ended {
        exit,
        cause,
        duration: run.duration,
        usage: Usage {
            cpu_ms: u64::try_from(run.usage.cpu.as_millis()).unwrap_or(u64::MAX),
            memory_bytes_peak: memory_bytes_peak(cause, run.usage, memory),
            stdout_bytes: stdout.bytes,
            stderr_bytes: stderr.bytes,
        },
        stdout,
        stderr,
        output,
        network: run.network,
        anomalies,
        program,
        limits,
        enforced,
    })
}

/// What the program finds as its descriptors 0 to 2.
struct Ends {
    stdin: Stdin,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

/// Our ends of a program's streams, its console, and its own ends. The files of the streams exist in every case.
type Streams<'a> = ([Capture; 2], Option<Conversation<'a>>, io::Result<Ends>);

fn streams<'a>(job: &Job<'a>) -> Result<Streams<'a>, ProcessError> {
    let (stderr, stderr_end) = capture::create(job.stderr, job.limits.stdout_bytes)?;
    let Some(console) = job.console else {
        let (stdout, stdout_end) = capture::create(job.stdout, job.limits.stdout_bytes)?;
        let stdin = job.input.map(input::sealed).transpose();
        let stdin = stdin.map(|stdin| stdin.map_or(Stdin::Null, Stdin::Input));
        let ends = stdin.map(|stdin| Ends { stdin, stdout: stdout_end, stderr: stderr_end });
        return Ok(([stdout, stderr], None, ends));
    };
    let opened = Terminal::open().and_then(|terminal| {
        let Terminal { master, slave } = terminal;
        let ends = Ends { stdin: Stdin::Terminal(slave.try_clone()?), stdout: slave.try_clone()?, stderr: slave };
        Ok((master.try_clone()?, master, ends))
    });
    match opened {
        Ok((ours, master, ends)) => {
            let stdout = capture::listen(master, job.stdout, job.limits.stdout_bytes)?;
            Ok(([stdout, stderr], Some(Conversation::new(console, ours)), Ok(ends)))
        }
        Err(error) => {
            let (stdout, _) = capture::create(job.stdout, job.limits.stdout_bytes)?;
            Ok(([stdout, stderr], None, Err(error)))
        }
    }
}

/// The anomalies of the measurements. A limit that could not be enforced is removed from the report.
fn unmeasured(meters: Option<&Meters>, limits: &mut Limits) -> Vec<String> {
    let mut anomalies = Vec::new();
    if meters.is_none_or(|meters| meters.memory.is_blind()) {
        limits.memory_bytes = None;
        anomalies.push("The memory of the tool was not limited: its processes are hidden from gatepost.".to_owned());
    }
    let Some(meters) = meters else { return anomalies };
    if meters.memory.is_rough() {
        anomalies.push(ROUGH.to_owned());
    }
    if let Some(bytes) = meters.unattributed.excess() {
        anomalies.push(format!(
            "Memory that no process accounts for grew by {bytes} bytes while the tool ran, more than the limits allow, and \
             was free again after it ended: the tool may have used memory that gatepost cannot measure."
        ));
    }
    if meters.disk.as_ref().is_some_and(DiskMeter::is_closed) {
        anomalies.push(CLOSED.to_owned());
    }
    anomalies
}

/// The highest measured value.
fn memory_bytes_peak(cause: Cause, usage: TreeUsage, meter: Option<&MemoryMeter>) -> u64 {
    let at_the_end = if let Cause::MemoryLimit { bytes } = cause { bytes } else { 0 };
    usage.memory_bytes_peak.max(meter.map_or(0, MemoryMeter::bytes_peak)).max(at_the_end)
}

fn exit(wait_status: i32) -> Exit {
    let status = ExitStatus::from_raw(wait_status);
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, signal) => Exit::Signal(signal.unwrap_or(libc::SIGKILL)),
    }
}

fn anomalies(exit: Exit, killed: u32, vanished: bool, limits: &Limits) -> Vec<String> {
    let mut anomalies = Vec::new();
    match exit {
        Exit::Signal(libc::SIGXCPU) => {
            anomalies.push(format!("The tool reached its CPU time limit of {} s.", limits.cpu_seconds));
        }
        Exit::Signal(libc::SIGXFSZ) => {
            anomalies.push(format!("The tool reached its file size limit of {} bytes.", limits.file_bytes));
        }
        Exit::Signal(_) if vanished => {
            anomalies.push("The tool and all of its processes were killed from outside.".to_owned());
        }
        _ => {}
    }
    match killed {
        0 => {}
        1 => anomalies.push("1 process was still running when the tool ended, and was killed.".to_owned()),
        _ => anomalies.push(format!("{killed} processes were still running when the tool ended, and were killed.")),
    }
    anomalies
}

impl ProcessError {
    /// The same as a fault of the machine, if it is one: a temporary shortage, or a run that was lost after the
    /// program had started. Any other error would occur again for the same request.
    pub fn into_fault(self, job: &Job<'_>) -> Result<Fault, Self> {
        let fault = |operation, path, source| Ok(Fault { operation, path, source });
        match self {
            Self::Store { path, source } => fault("store a stream in", path, source),
            Self::Wait { program, source } | Self::Network { program, source } if job.started.get() => {
                fault("follow the run of", program, source)
            }
            Self::Execute { program: path, source }
            | Self::Input { program: path, source }
            | Self::WorkDir { path, source }
            | Self::Network { program: path, source }
            | Self::Wait { program: path, source }
                if is_passing(&source) =>
            {
                fault("start", path, source)
            }
            Self::Sandbox(error) => match error.into_passing() {
                Ok(source) => fault("make a sandbox for", job.work_dir.to_owned(), source),
                Err(error) => Err(Self::Sandbox(error)),
            },
            other => Err(other),
        }
    }

    fn not_started(failure: Failure, program: &Path, work_dir: &Path) -> Self {
        let source = io::Error::from(failure.errno);
        match failure.step {
            Step::Execute => Self::Execute { program: program.to_owned(), source },
            Step::WorkDir => Self::WorkDir { path: work_dir.to_owned(), source },
            _ => Self::Sandbox(failure.into()),
        }
    }
}
