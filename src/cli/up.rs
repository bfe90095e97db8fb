//! `gatepost up`: both watchers, each a process of its own: what the gate trusts must not share memory with what runs tools.
//!
//! ```text
//! exec ends ─────────────────────────────────────────────▶ the gate is ended too: half a mailbox looks alive and is not
//! gate ends ─┬ of a death that a bundle may have caused ─▶ it is started again, later each time; a second death over the
//!            │ (a signal), or to be started again          same bundle rejects it
//!            └ otherwise ────────────────────────────────▶ exec is ended too
//! ```

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use gatepost_mailbox::fault::OnPath;
use gatepost_mailbox::lock::{Lock, LockError};
use gatepost_mailbox::site::Site;
use gatepost_mailbox::stops::Stops;
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;

use super::exit;
use super::gate_program;
use super::outcome::{Failure, Outcome, View};
use super::stage::Stage;
use super::watch::{Arguments, ended};
use crate::log::{Event, LEVEL_VARIABLE, Level, Log};
use crate::sandbox;

/// How the two watchers ended: by a status, or by a signal.
#[derive(Debug, Default, Serialize)]
struct Watchers {
    exec_status: Option<i32>,
    gate_status: Option<i32>,
}

impl View for Watchers {
    fn text(&self) -> String {
        String::new()
    }
}

/// What this process waits for.
enum Wake {
    /// A signal asks it to stop.
    Stop(i32),
    /// A watcher ended.
    End { name: &'static str, status: Box<Result<Option<i32>, Failure>> },
}

/// When a gate that died is started again.
#[derive(Debug, Default)]
struct Returns {
    in_a_row: u32,
}

impl Returns {
    /// A gate that lived as long as this got somewhere.
    const LONG: Duration = Duration::from_mins(1);
    const FIRST: Duration = Duration::from_millis(100);
    /// About two hours of them, the last ones a minute apart.
    const MOST: u32 = 128;

    /// How long to wait, now that one died which had lived so long; none when that is no use any more.
    fn after(&mut self, lived: Duration) -> Option<Duration> {
        self.in_a_row = if lived >= Self::LONG { 1 } else { self.in_a_row + 1 };
        let delay = Self::FIRST * 2_u32.pow(self.in_a_row.min(16) - 1);
        (self.in_a_row <= Self::MOST).then_some(delay.min(Self::LONG))
    }
}

/// That neither watcher serves the site already.
pub fn check_unwatched(site: &Site) -> Result<(), LockError> {
    let mut locks = [site.exec_lock(), site.gate_lock()].into_iter();
    let held = locks.find_map(|path| Some(LockError::Held { holder: Lock::holder(&path)?, path }));
    held.map_or(Ok(()), Err)
}

pub fn up(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let log = arguments.log();
    Stage::Unwatched.begin(log);
    check_unwatched(site)?;
    Stage::Memory.begin(log);
    sandbox::forbid_core_dumps()?;
    // While it is alone in its group: both watchers inherit the place aside.
    sandbox::claim_cgroup();
    let (sender, receiver) = mpsc::channel();
    Stage::Signals.begin(log);
    let stops = Stops::catch(false).on("listen for signals for", site.root())?;
    forward(stops, sender.clone())?;
    if arguments.once {
        // The gate judges what TOOL-EXEC has published by then.
        let exec_status = wait(&mut start(site, "exec", true, arguments.log())?)?;
        let gate_status = wait(&mut start(site, "gate", true, arguments.log())?)?;
        return Ok(both(&Watchers { exec_status, gate_status }, None));
    }
    let begin = |name| follow(name, start(site, name, false, arguments.log())?, sender.clone());
    let (mut exec, mut gate) = (Some(begin("exec")?), Some(begin("gate")?));
    let (mut watchers, mut signal, mut is_ending) = (Watchers::default(), None, false);
    let (mut returns, mut started, mut again) = (Returns::default(), Instant::now(), None::<Instant>);
    while exec.is_some() || gate.is_some() || again.is_some() {
        let left = again.map_or(Duration::MAX, |at| at.saturating_duration_since(Instant::now()));
        match receiver.recv_timeout(left) {
            Ok(Wake::Stop(number)) => {
                (signal, is_ending, again) = (Some(number), true, None);
                exec.into_iter().chain(gate).for_each(terminate);
            }
            Ok(Wake::End { name: "exec", status }) => {
                (exec, watchers.exec_status) = (None, (*status)?);
            }
            Ok(Wake::End { status, .. }) => {
                (gate, watchers.gate_status) = (None, (*status)?);
                let may_return = matches!(watchers.gate_status, None | Some(START_AGAIN));
                if may_return
                    && !is_ending
                    && let Some(delay) = returns.after(started.elapsed())
                {
                    again = Some(Instant::now() + delay);
                    let message = format!("the gate ended; it is started again in {} ms", delay.as_millis());
                    arguments.log().event(&Event::new("gate_ended", "", message).at(Level::Warn));
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                (started, again) = (Instant::now(), None);
                match begin("gate") {
                    Ok(pid) => gate = Some(pid),
                    // What the machine is short of it may have later.
                    Err(failure) => {
                        again = returns.after(Duration::ZERO).map(|delay| Instant::now() + delay);
                        arguments.log().event(&Event::new("gate_not_started", "", failure.message).at(Level::Error));
                    }
                }
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
        // Not after a signal: to whoever is finishing its work a second one would mean to drop it.
        let is_whole = exec.is_some() && (gate.is_some() || again.is_some());
        if !is_whole && !is_ending {
            (is_ending, again) = (true, None);
            exec.into_iter().chain(gate).for_each(terminate);
        }
    }
    Ok(both(&watchers, signal))
}

const START_AGAIN: i32 = exit::START_AGAIN as i32;

/// Tells of each signal, in a thread of its own.
fn forward(mut stops: Stops, sender: Sender<Wake>) -> Result<(), Failure> {
    let forward = move || {
        loop {
            for signal in stops.wait(None) {
                if sender.send(Wake::Stop(signal)).is_err() {
                    return;
                }
            }
        }
    };
    std::thread::Builder::new().spawn(forward).on("start a thread in", Path::new("/proc/self"))?;
    Ok(())
}

/// Tells when a watcher ends; returns its process id.
fn follow(name: &'static str, mut child: Child, sender: Sender<Wake>) -> Result<u32, Failure> {
    let pid = child.id();
    let wait = move || {
        let status = Box::new(wait(&mut child));
        // The receiver is gone only when the loop has ended.
        let _ = sender.send(Wake::End { name, status });
    };
    std::thread::Builder::new().spawn(wait).on("start a thread in", Path::new("/proc/self"))?;
    Ok(pid)
}

fn both(watchers: &Watchers, signal: Option<i32>) -> Outcome {
    let failed = [("exec", watchers.exec_status), ("gate", watchers.gate_status)]
        .into_iter()
        .filter(|(_, status)| *status != Some(0))
        // When one fails the other is stopped: the cause is the one that ended by itself.
        .min_by_key(|(_, status)| status.is_none());
    match (signal, failed) {
        (Some(_), _) | (None, None) => ended(watchers, 0, signal),
        (None, Some((name, status))) => {
            let status = status.map_or("a signal".to_owned(), |status| format!("status {status}"));
            let message = format!("`gatepost {name}` ended with {status}; its own message is above.");
            let hint = format!("Run `gatepost {name}` alone to see why.");
            Outcome::failed(watchers, Failure::new(exit::GENERAL, "WATCHER_ENDED", "runtime", message, hint))
        }
    }
}

/// Starts `exec` or `gate` as a process of its own.
pub fn start(site: &Site, name: &str, once: bool, log: Log) -> Result<Child, Failure> {
    let flags = [("--once", once), ("--quiet", log.least().is_none())]
        .into_iter()
        .filter(|(_, set)| *set)
        .map(|(flag, _)| flag);
    if name == "gate" {
        Stage::Gate.begin(log);
        return start_gate(site, flags, log);
    }
    Stage::Exec.begin(log);
    let mut command = own_program()?;
    command.arg("--site").arg(site.root()).arg("--output=text").arg(name).args(flags);
    spawn(command, log)
}

/// Starts a gate that carries out the orders that wait, and nothing else.
pub fn start_for_orders(site: &Site) -> Result<Child, Failure> {
    start_gate(site, ["--orders-only", "--quiet"].into_iter(), Log::SILENT)
}

/// Starts `gatepost-gate`, or this program as the gate where that is not of this very version: nothing is judged by a mixture.
fn start_gate<'a>(site: &Site, flags: impl Iterator<Item = &'a str>, log: Log) -> Result<Child, Failure> {
    let mut command = match gate_program::beside_this() {
        Ok(program) => {
            let mut command = Command::new(program);
            command.arg("watch").arg("--site").arg(site.root());
            if let Some(interval_ms) = scan_interval_ms(site) {
                command.arg(format!("--scan-interval-ms={interval_ms}"));
            }
            command
        }
        Err(why) => {
            let message = format!("{why}; the gate is `gatepost gate`");
            log.event(&Event::new("gate_program", "", message).at(Level::Warn));
            let mut command = own_program()?;
            command.arg("--site").arg(site.root()).arg("--output=text").arg("gate");
            command
        }
    };
    command.args(flags);
    spawn(command, log)
}

/// How often the gate looks without any event. A gatepost.toml that cannot be read is told by whoever needs all of it.
fn scan_interval_ms(site: &Site) -> Option<u64> {
    super::site::open(Some(site.root())).ok().map(|open| open.config.gate.scan_interval_ms)
}

fn own_program() -> Result<Command, Failure> {
    Ok(Command::new(std::env::current_exe().on("find", Path::new("/proc/self/exe"))?))
}

fn spawn(mut command: Command, log: Log) -> Result<Child, Failure> {
    // A key pressed in the terminal reaches the parent alone, which passes it on once. The parent's end is that of its end of
    // standard input.
    command.process_group(0).arg("--with-parent").stdin(Stdio::piped()).stdout(Stdio::null());
    if let Some(level) = log.least() {
        command.env(LEVEL_VARIABLE, level.as_str());
    }
    let program = Path::new(command.get_program()).to_owned();
    Ok(command.spawn().on("start", &program)?)
}

/// Waits for a watcher to end; its status, if no signal ended it.
pub fn wait(child: &mut Child) -> Result<Option<i32>, Failure> {
    // Else it would be closed before, which asks the watcher to stop.
    let _held = child.stdin.take();
    let status = child.wait().on("wait for", Path::new("a watcher"))?;
    Ok(status.code())
}

/// Asks a watcher to stop.
pub fn terminate(pid: u32) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // It may have ended by itself.
        let _ = kill_process(pid, Signal::TERM);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_that_dies_again_and_again_is_waited_for_longer_each_time_and_given_up_in_the_end() {
        let mut returns = Returns::default();
        let soon: Vec<_> = std::iter::from_fn(|| returns.after(Duration::ZERO)).collect();
        assert!(soon.windows(2).all(|pair| pair[0] < pair[1] || pair[1] == Returns::LONG), "{soon:?}");
        assert_eq!((soon[0], soon.len()), (Returns::FIRST, 128));
        assert_eq!(returns.after(Returns::LONG), Some(Returns::FIRST), "one that lived begins anew");
    }
}
