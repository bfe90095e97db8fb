//! One way to have a command fail, and what came of it. Judges nothing: what has to hold of an answer stands in `judged.rs`.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::site::{GATEPOST, until};

/// What takes longer hangs.
const ENDS_WITHIN: Duration = Duration::from_mins(1);
/// The words that others follow.
const GROUPS: [&str; 5] = ["audit", "policy", "quarantine", "sessions", "tools"];

/// What stands on standard input.
#[derive(Clone)]
pub(super) enum Stdin {
    Nothing,
    Bytes(Vec<u8>),
    Terminal,
    /// A pipe whose other end says nothing and stays open.
    Silence,
}

/// What standard output is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stdout {
    Read,
    /// A device that is full.
    Full,
    /// A pipe that is full and that nobody reads.
    Unread,
}

/// One of the two views of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    Spec,
    Claw,
}

/// One way to have a command fail.
#[derive(Clone)]
pub(super) struct Provocation {
    /// The command, its words with a dot between.
    pub command: String,
    /// The code that it fails with.
    pub code: String,
    words: Vec<String>,
    site: PathBuf,
    before: Vec<String>,
    environment: Vec<(String, String)>,
    stdin: Stdin,
    pub stdout: Stdout,
    signal: Option<Signal>,
    views: Vec<View>,
    arrange: Option<Arc<dyn Fn() + Send + Sync>>,
    meanwhile: Option<Arc<dyn Fn(Pid) + Send + Sync>>,
}

/// What came of it.
pub(super) struct Seen {
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Provocation {
    /// That these words, as a shell would read them, fail in a site.
    pub(super) fn new(code: &str, site: &Path, words: &str) -> Self {
        let words = shlex::split(words).unwrap();
        let count = if GROUPS.contains(&words[0].as_str()) { 2 } else { 1 };
        Self {
            command: words[..count].join("."),
            code: code.to_owned(),
            words,
            site: site.to_owned(),
            before: Vec::new(),
            environment: Vec::new(),
            stdin: Stdin::Nothing,
            stdout: Stdout::Read,
            signal: None,
            views: vec![View::Spec, View::Claw],
            arrange: None,
            meanwhile: None,
        }
    }

    /// Started by another program, which executes what follows it.
    pub(super) fn under(self, before: &[&str]) -> Self {
        Self { before: before.iter().map(|word| (*word).to_owned()).collect(), ..self }
    }

    pub(super) fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn reading(self, stdin: Stdin) -> Self {
        Self { stdin, ..self }
    }

    pub(super) fn writing(self, stdout: Stdout) -> Self {
        Self { stdout, ..self }
    }

    /// Ended by a signal once it hears them.
    pub(super) fn stopped_by(self, signal: Signal) -> Self {
        Self { signal: Some(signal), ..self }
    }

    /// In one view alone.
    pub(super) fn only_in(self, view: View) -> Self {
        Self { views: vec![view], ..self }
    }

    /// After something that is to be done before each view.
    pub(super) fn after(self, arrange: impl Fn() + Send + Sync + 'static) -> Self {
        Self { arrange: Some(Arc::new(arrange)), ..self }
    }

    /// While something is done once it hears signals.
    pub(super) fn while_others(self, meanwhile: impl Fn(Pid) + Send + Sync + 'static) -> Self {
        Self { meanwhile: Some(Arc::new(meanwhile)), ..self }
    }

    /// The same carried out by `exec-command`; none where it takes more than words.
    pub(super) fn by_another(&self) -> Option<Self> {
        let count = self.command.split('.').count();
        let words = self.words.iter().map(String::as_str);
        let prompt = shlex::try_join(words.skip(count)).unwrap();
        let is_plain = self.stdout == Stdout::Read && self.signal.is_none() && self.command != "exec-command";
        let words = ["exec-command", &self.command, &prompt].map(str::to_owned).to_vec();
        is_plain.then(|| Self { command: "exec-command".to_owned(), words, ..self.clone() })
    }

    pub(super) fn views(&self) -> &[View] {
        &self.views
    }

    /// The words, for whoever reads that something is wrong with them.
    pub(super) fn told(&self) -> String {
        let mut told = format!("{} {}: gatepost {}", self.command, self.code, self.words.join(" "));
        if let Some(signal) = self.signal {
            let _ = write!(told, " ({signal:?})");
        }
        told
    }

    /// Carries it out.
    pub(super) fn seen(&self, view: View) -> Seen {
        if let Some(arrange) = &self.arrange {
            arrange();
        }
        let mut words = self.before.iter().map(String::as_str).chain([GATEPOST]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).arg("--site").arg(&self.site).args(&self.words).current_dir("/");
        command.args(match view {
            View::Spec => &["--output=json", "--stable-output"][..],
            View::Claw => &["--output-format=json"],
        });
        for name in ["CI", "GATEPOST_SITE", "GATEPOST_OUTPUT", "GATEPOST_KEY"] {
            command.env_remove(name);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        // Both ends of what the program reads and writes stay open until it has ended.
        let (stdin, _held) = standard_input(&self.stdin);
        let (stdout, _unread) = standard_output(self.stdout);
        let mut child = command.stdin(stdin).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
        drop(command);
        if let Stdin::Bytes(bytes) = &self.stdin {
            // Whoever has read enough reads no more.
            let _ = child.stdin.take().unwrap().write_all(bytes);
        }
        let silence = child.stdin.take();
        let pid = Pid::from_child(&child);
        let (ended, has_ended) = mpsc::channel::<()>();
        let watchdog = thread::spawn(move || {
            if has_ended.recv_timeout(ENDS_WITHIN) == Err(mpsc::RecvTimeoutError::Timeout) {
                let _ = kill_process(pid, Signal::KILL);
            }
        });
        if let Some(meanwhile) = &self.meanwhile {
            until("the handlers", || hears(pid));
            meanwhile(pid);
        }
        if let Some(signal) = self.signal {
            until("the handlers", || hears(pid));
            kill_process(pid, signal).unwrap();
        }
        let output = child.wait_with_output().unwrap();
        drop((silence, ended));
        watchdog.join().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Seen { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// A line of what the kernel says of a process; none when that has ended.
pub(super) fn status(pid: Pid, name: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    status.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned())
}

/// Whether a process catches SIGTERM and SIGINT, or has ended.
fn hears(pid: Pid) -> bool {
    const BOTH: u64 = 1 << 14 | 1 << 1;
    let caught = status(pid, "SigCgt:").and_then(|mask| u64::from_str_radix(&mask, 16).ok()).unwrap_or_default();
    caught & BOTH == BOTH || status(pid, "State:").is_none_or(|state| state.starts_with('Z'))
}

fn standard_input(stdin: &Stdin) -> (Stdio, Option<OwnedFd>) {
    match stdin {
        Stdin::Nothing => (Stdio::null(), None),
        Stdin::Bytes(_) | Stdin::Silence => (Stdio::piped(), None),
        Stdin::Terminal => {
            let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
            grantpt(&master).unwrap();
            unlockpt(&master).unwrap();
            let terminal = ptsname(&master, Vec::new()).unwrap();
            let terminal = File::options().read(true).write(true).open(terminal.to_str().unwrap()).unwrap();
            (Stdio::from(terminal), Some(master))
        }
    }
}

fn standard_output(stdout: Stdout) -> (Stdio, Option<OwnedFd>) {
    match stdout {
        Stdout::Read => (Stdio::piped(), None),
        Stdout::Full => (Stdio::from(File::options().write(true).open("/dev/full").unwrap()), None),
        Stdout::Unread => {
            let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).unwrap();
            fill(&writer);
            (Stdio::from(writer), Some(reader))
        }
    }
}

/// Writes into a pipe until it takes nothing more.
fn fill(writer: impl AsFd) {
    let flags = fcntl_getfl(&writer).unwrap();
    fcntl_setfl(&writer, flags | OFlags::NONBLOCK).unwrap();
    while rustix::io::write(&writer, &[0; 4096]).is_ok() {}
    fcntl_setfl(&writer, flags).unwrap();
}
