//! `gatepost up`: both watchers, each in its own process, because the gate must not share memory with TOOL-EXEC.
//!
//! ```text
//! exec ends ─────────────────────────────────────────────▶ the gate is ended too: half a mailbox looks alive and is not
//! gate ends ─┬ of a death that a bundle may have caused ─▶ it is started again, later each time; a second death over the
//!            │ (a signal), or to be started again          same bundle rejects it
//!            └ otherwise ────────────────────────────────▶ exec is ended too
//! ```

mod live;

use std::os::unix::process::{CommandExt, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use gatepost_exec::stage::Stage;
use gatepost_mailbox::lock::{Lock, LockError};
use gatepost_mailbox::log::{Event, LEVEL_VARIABLE, Level, Log};
use gatepost_mailbox::stops::Stops;
use rustix::process::{Pid, Signal, kill_process};

use super::sibling;
use super::watch::{Arguments, ended};

use crate::cli::prelude::*;
use live::Live;

/// Both watchers, and what they start.
const STARTS: &[Subprocess] = &[Subprocess::EXEC, Subprocess::GATE, Subprocess::TOOL, Subprocess::NETWORK];

/// `gatepost up`
pub(super) const DECLARATION: Declaration = Declaration::mutating("up", data::<Watchers>)
    .writes(&[Write::SITE, Write::CONTROL_GROUPS, Write::PRIVATE_ROOT, Write::METRICS])
    .starts(STARTS)
    .watches()
    .fails(&[
        ErrorCode::StreamingNotSupported,
        ErrorCode::ConfigInvalid,
        ErrorCode::LockHeld,
        ErrorCode::Cancelled,
        ErrorCode::WatcherEnded,
        ErrorCode::ProgramMissing,
    ]);

/// How the two watchers ended: by a status, or by a signal that killed them.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Watchers {
    exec_status: Option<i32>,
    gate_status: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exec_killed_by: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gate_killed_by: Option<i32>,
    /// The signal that asked for the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    /// The watcher that ended unasked; when one ends, gatepost stops the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_first: Option<&'static str>,
}

impl Watchers {
    fn note(&mut self, name: &'static str, status: ExitStatus) {
        let (code, killed_by) = match name {
            EXEC => (&mut self.exec_status, &mut self.exec_killed_by),
            _ => (&mut self.gate_status, &mut self.gate_killed_by),
        };
        (*code, *killed_by) = (status.code(), status.signal());
    }
}

impl View for Watchers {
    fn text(&self) -> String {
        String::new()
    }
}

/// The events that this process waits for.
enum Wake {
    /// A signal to stop.
    Stop(i32),
    /// SIGHUP: both watchers reload their configuration.
    HangUp,
    /// A watcher ended.
    End { name: &'static str, status: Box<Result<ExitStatus, Failure>> },
}

/// The restart policy of a gate that died.
#[derive(Debug, Default)]
struct Restarts {
    in_a_row: u32,
}

impl Restarts {
    /// A gate that lived this long made progress.
    const LONG: Duration = Duration::from_mins(1);
    const FIRST: Duration = Duration::from_millis(100);
    /// About two hours of restarts, the last ones a minute apart.
    const MOST: u32 = 128;

    /// The delay after the death of a gate that lived this long; none if it should not be restarted.
    fn after(&mut self, lived: Duration) -> Option<Duration> {
        self.in_a_row = if lived >= Self::LONG { 1 } else { self.in_a_row + 1 };
        let delay = Self::FIRST * 2_u32.pow(self.in_a_row.min(16) - 1);
        (self.in_a_row <= Self::MOST).then_some(delay.min(Self::LONG))
    }
}

/// Checks that neither watcher serves the site already.
pub(super) fn check_unwatched(site: &Site) -> Result<(), LockError> {
    let mut locks = [site.exec_lock(), site.gate_lock()].into_iter();
    let holder = locks.find_map(|path| Some(LockError::Held { holder: Lock::holder(&path)?, path }));
    holder.map_or(Ok(()), Err)
}

pub(super) fn up(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let log = arguments.log();
    Stage::Unwatched.begin(log);
    check_unwatched(site)?;
    sibling::watchers()?;
    Stage::Memory.begin(log);
    gatepost_sandbox::forbid_core_dumps()?;
    // While it is alone in its group, because both watchers inherit the cgroup prepared here.
    gatepost_sandbox::claim_cgroup();
    let (sender, receiver) = mpsc::channel();
    Stage::Signals.begin(log);
    let stops = Stops::catch(false).on("listen for signals for", site.root())?;
    forward(stops, sender.clone())?;
    if arguments.once {
        return once(site, log, &sender, &receiver);
    }
    let mut watchers = Watchers::default();
    let live = if log.least().is_some() { Live::begin(site)? } else { None };
    let report = |event: &Event| match &live {
        Some(live) => live.above(|| log.event(event)),
        None => log.event(event),
    };
    let begin = |name| {
        let start = || start(site, name, false, log, live.is_some());
        let child = live.as_ref().map_or_else(start, |live| live.above(start))?;
        follow(name, child, sender.clone(), live.clone())
    };
    let (mut exec, mut gate, mut is_ending) = (Some(begin(EXEC)?), Some(begin(GATE)?), false);
    let (mut returns, mut started, mut again) = (Restarts::default(), Instant::now(), None::<Instant>);
    while exec.is_some() || gate.is_some() || again.is_some() {
        let left = again.map_or(Duration::MAX, |at| at.saturating_duration_since(Instant::now()));
        match receiver.recv_timeout(left) {
            Ok(Wake::Stop(number)) => {
                (watchers.signal, is_ending, again) = (watchers.signal.or(Some(number)), true, None);
                exec.into_iter().chain(gate).for_each(terminate);
            }
            Ok(Wake::HangUp) => exec.into_iter().chain(gate).for_each(|pid| send(pid, Signal::HUP)),
            Ok(Wake::End { name, status }) => {
                let status = (*status)?;
                watchers.note(name, status);
                *(if name == EXEC { &mut exec } else { &mut gate }) = None;
                let may_return = name == GATE && matches!(watchers.gate_status, None | Some(START_AGAIN));
                let delay = if may_return && !is_ending { returns.after(started.elapsed()) } else { None };
                if let Some(delay) = delay {
                    again = Some(Instant::now() + delay);
                    report(&restarts(status, delay));
                } else if !is_ending {
                    watchers.ended_first = Some(name);
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                (started, again) = (Instant::now(), None);
                match begin(GATE) {
                    Ok(pid) => gate = Some(pid),
                    // A temporary shortage of resources; retried later.
                    Err(failure) => {
                        again = returns.after(Duration::ZERO).map(|delay| Instant::now() + delay);
                        report(&Event::new("gate_not_started", "", failure.message).at(Level::Error));
                    }
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
        // Not after a signal: a watcher that finishes its work would abort it on a second one.
        let is_whole = exec.is_some() && (gate.is_some() || again.is_some());
        if !is_whole && !is_ending {
            (is_ending, again) = (true, None);
            exec.into_iter().chain(gate).for_each(terminate);
        }
    }
    if let Some(live) = live {
        live.end();
    }
    Ok(both(&watchers))
}

fn restarts(status: ExitStatus, delay: Duration) -> Event {
    let message = format!("The gate ended ({status}). `gatepost up` restarts it in {} ms.", delay.as_millis());
    Event::new("gate_ended", "", message).at(Level::Warn)
}

/// One after the other: the gate then judges everything that TOOL-EXEC published.
fn once(site: &Site, log: Log, sender: &Sender<Wake>, receiver: &Receiver<Wake>) -> Result<Outcome, Failure> {
    let mut watchers = Watchers::default();
    for name in [EXEC, GATE] {
        let pid = follow(name, start(site, name, true, log, false)?, sender.clone(), None)?;
        let status = loop {
            match receiver.recv() {
                Ok(Wake::Stop(number)) => {
                    watchers.signal = watchers.signal.or(Some(number));
                    terminate(pid);
                }
                Ok(Wake::End { status, .. }) => break (*status)?,
                Ok(Wake::HangUp) | Err(_) => {}
            }
        };
        watchers.note(name, status);
        if watchers.signal.is_some() {
            return Ok(ended(&watchers, 0, watchers.signal));
        }
        watchers.ended_first = watchers.ended_first.or((!status.success()).then_some(name));
    }
    Ok(both(&watchers))
}

const EXEC: &str = "exec";
const GATE: &str = "gate";
const START_AGAIN: i32 = exit::START_AGAIN as i32;

/// Forwards each signal, in its own thread.
fn forward(mut stops: Stops, sender: Sender<Wake>) -> Result<(), Failure> {
    let forward = move || {
        loop {
            let signals = stops.wait(None);
            if stops.take_hang_up() && sender.send(Wake::HangUp).is_err() {
                return;
            }
            for signal in signals {
                if sender.send(Wake::Stop(signal)).is_err() {
                    return;
                }
            }
        }
    };
    std::thread::Builder::new().spawn(forward).on("start a thread in", Path::new("/proc/self"))?;
    Ok(())
}

/// Reports the end of a watcher; returns its process id.
fn follow(name: &'static str, mut child: Child, sender: Sender<Wake>, live: Option<Live>) -> Result<u32, Failure> {
    let pid = child.id();
    let wait = move || {
        // The thread ends with the watcher, which shares the pipe with nobody.
        if let (Some(live), Some(stderr)) = (live, child.stderr.take()) {
            live.relay(stderr);
        }
        let status = Box::new(wait(&mut child));
        // The receiver is gone only after the loop ended.
        let _ = sender.send(Wake::End { name, status });
    };
    std::thread::Builder::new().spawn(wait).on("start a thread in", Path::new("/proc/self"))?;
    Ok(pid)
}

/// The outcome of the watcher that ended by itself, or of the one that ignored the request to stop.
fn both(watchers: &Watchers) -> Outcome {
    let ends =
        [(EXEC, watchers.exec_status, watchers.exec_killed_by), (GATE, watchers.gate_status, watchers.gate_killed_by)];
    let unsound = |(name, status, _): &&(&str, Option<i32>, _)| match watchers.ended_first {
        Some(first) => *name == first && *status != Some(0),
        None => *status != Some(0),
    };
    let Some((name, status, killed_by)) = ends.iter().find(unsound) else { return Outcome::done(watchers) };
    let how = match (status, killed_by) {
        (Some(status), _) => format!("ended with status {status}; its own message is above"),
        (None, signal) => format!("was killed by signal {}", signal.unwrap_or_default()),
    };
    let hint = match status {
        Some(_) => "Fix the cause, then start it again. `gatepost doctor` examines the site.",
        None => "Start it again; nothing is lost. If it dies again, the kernel's log may say why.",
    };
    // Both programs use this program's exit statuses.
    let exit = status.and_then(|status| u8::try_from(status).ok()).unwrap_or(exit::GENERAL);
    let is_cut_short = [exit::INTERRUPTED, exit::TERMINATED].contains(&exit);
    if is_cut_short && watchers.signal.is_some() && watchers.ended_first.is_none() {
        return ended(watchers, 0, watchers.signal);
    }
    let code = if is_cut_short { ErrorCode::Cancelled } else { ErrorCode::WatcherEnded };
    Outcome::failed(
        watchers,
        Failure { exit, ..Failure::new(code, FailureKind::Runtime, format!("`gatepost {name}` {how}."), hint) }
            .during("watch", *name),
    )
}

/// Starts `exec` or `gate` as its own process; a relayed one logs into a pipe.
pub(super) fn start(site: &Site, name: &str, once: bool, log: Log, is_relayed: bool) -> Result<Child, Failure> {
    let flags = [("--once", once), ("--quiet", log.least().is_none())]
        .into_iter()
        .filter(|(_, set)| *set)
        .map(|(flag, _)| flag);
    if name == "gate" {
        Stage::Gate.begin(log);
        return start_gate(site, flags, log, is_relayed);
    }
    Stage::Exec.begin(log);
    let mut command = Command::new(sibling::program(sibling::EXEC)?);
    command.arg("--site").arg(site.root()).args(flags);
    spawn(command, log, is_relayed)
}

/// Starts a gate that only executes the waiting orders.
pub(super) fn start_for_orders(site: &Site) -> Result<Child, Failure> {
    start_gate(site, ["--orders-only", "--log-level=error"].into_iter(), Log::SILENT, false)
}

/// Starts `gatepost-gate`.
fn start_gate<'a>(
    site: &Site,
    flags: impl Iterator<Item = &'a str>,
    log: Log,
    is_relayed: bool,
) -> Result<Child, Failure> {
    let mut command = Command::new(sibling::gate()?);
    command.arg("watch").arg("--site").arg(site.root());
    if let Some(interval_ms) = scan_interval_ms(site) {
        command.arg(format!("--scan-interval-ms={interval_ms}"));
    }
    command.args(flags);
    spawn(command, log, is_relayed)
}

/// The gate's poll interval without events. Other code reports an unreadable gatepost.toml.
fn scan_interval_ms(site: &Site) -> Option<u64> {
    super::site::open(Some(site.root())).ok().map(|open| open.config.gate.scan_interval_ms)
}

fn spawn(mut command: Command, log: Log, is_relayed: bool) -> Result<Child, Failure> {
    // A key press in the terminal reaches only the parent, which forwards it once. The child ends when its standard
    // input closes.
    command.process_group(0).arg("--with-parent").stdin(Stdio::piped()).stdout(Stdio::null());
    if is_relayed {
        command.stderr(Stdio::piped());
    }
    if let Some(level) = log.least() {
        command.env(LEVEL_VARIABLE, level.as_str());
    }
    let program = Path::new(command.get_program()).to_owned();
    Ok(command.spawn().on("start", &program)?)
}

/// Waits for a watcher to end.
pub(super) fn wait(child: &mut Child) -> Result<ExitStatus, Failure> {
    // A closed standard input would stop the watcher early.
    let _stdin = child.stdin.take();
    Ok(child.wait().on("wait for", Path::new("a watcher"))?)
}

/// Asks a watcher to stop.
pub(super) fn terminate(pid: u32) {
    send(pid, Signal::TERM);
}

fn send(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // It may have ended by itself.
        let _ = kill_process(pid, signal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_ended_by_itself_is_named_and_its_status_is_passed_on() {
        let error = |outcome: &Outcome| outcome.messages();
        let exec = both(&Watchers {
            ended_first: Some(EXEC),
            exec_killed_by: Some(9),
            gate_status: Some(143),
            ..Watchers::default()
        });
        assert!(error(&exec).starts_with("error: `gatepost exec` was killed by signal 9."), "{}", error(&exec));
        let gate = both(&Watchers {
            ended_first: Some(GATE),
            exec_status: Some(0),
            gate_status: Some(4),
            ..Watchers::default()
        });
        assert_eq!(gate.exit(), 4);
        let stopped = both(&Watchers {
            ended_first: Some(EXEC),
            exec_status: Some(0),
            gate_status: Some(0),
            ..Watchers::default()
        });
        assert_eq!(stopped.exit(), 0);
        let twice =
            both(&Watchers { signal: Some(15), exec_status: Some(143), gate_status: Some(0), ..Watchers::default() });
        assert_eq!(twice.exit(), 143);
    }

    #[test]
    fn a_gate_that_dies_again_and_again_is_waited_for_longer_each_time_and_given_up_in_the_end() {
        let mut returns = Restarts::default();
        let soon: Vec<_> = std::iter::from_fn(|| returns.after(Duration::ZERO)).collect();
        assert!(soon.windows(2).all(|pair| pair[0] < pair[1] || pair[1] == Restarts::LONG), "{soon:?}");
        assert_eq!((soon[0], soon.len()), (Restarts::FIRST, 128));
        assert_eq!(returns.after(Restarts::LONG), Some(Restarts::FIRST), "one that lived begins anew");
    }
}
