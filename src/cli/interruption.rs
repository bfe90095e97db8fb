//! Ends a command that is not a watcher, on a signal or its deadline: prints one outcome and exits. Until then it sends
//! the heartbeats.
//!
//! A thread waits for both. Unfinished work is left as after a power cut, which every state on disk allows.
//! *Standards*: CLI Agent Spec, REQ-F-011 to REQ-F-013, REQ-F-069 and REQ-O-012.

use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use gatepost_mailbox::stops::Stops;
use signal_hook::consts::SIGINT;

use super::scratch_folder;
use crate::cli::prelude::*;

/// The request recorded by [`waits_for`].
static AWAITED: OnceLock<RequestId> = OnceLock::new();

/// Events of a running command.
pub(super) trait Listener: Send + 'static {
    /// The command still runs, after this time.
    fn beat(&self, elapsed: Duration);

    /// The command ends with this failure; returns the status of the process.
    fn end(self, failure: Failure) -> u8;
}

/// The time limit of a command.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    /// Its timeout.
    pub timeout: Duration,
    /// Extra time for its own report of the progress.
    pub grace: Duration,
    /// Whether nothing changes until then, so that the same call can be repeated.
    pub changes_nothing: bool,
}

/// Makes the listener end the process on a signal or at the deadline, and sends it heartbeats. Without a thread,
/// signals end the process as by default.
pub(super) fn watch(deadline: Option<Deadline>, heartbeat: Option<Duration>, listener: impl Listener) {
    let began = Instant::now();
    let wait = move || {
        // Only now, so that no caught signal is lost.
        let Ok(mut stops) = Stops::catch_ends() else { return };
        let mut beats = 1;
        let failure = loop {
            let elapsed = began.elapsed();
            let end = deadline.map(|deadline| deadline.timeout.saturating_add(deadline.grace));
            if let Some(deadline) = deadline.filter(|_| end.is_some_and(|end| elapsed >= end)) {
                break timed_out(deadline);
            }
            let next = heartbeat.map(|heartbeat| heartbeat.saturating_mul(beats));
            if next.is_some_and(|next| elapsed >= next) {
                listener.beat(elapsed);
                beats += 1;
                continue;
            }
            let until = [end, next].into_iter().flatten().min();
            if let Some(signal) = stops.wait(until.map(|until| until.saturating_sub(elapsed))).first() {
                break stopped(*signal);
            }
        };
        let status = listener.end(failure);
        scratch_folder::remove_all();
        std::process::exit(status.into());
    };
    let _ = thread::Builder::new().name("interruption".to_owned()).spawn(wait);
}

/// The name of a signal that stops a command, and the exit status for it.
pub(super) fn named(signal: i32) -> (&'static str, u8) {
    if signal == SIGINT { ("SIGINT", exit::INTERRUPTED) } else { ("SIGTERM", exit::TERMINATED) }
}

/// Records the request whose verdict the command only waits for from now on.
pub(super) fn waits_for(id: &RequestId) {
    let _ = AWAITED.set(id.clone());
}

fn stopped(signal: i32) -> Failure {
    let (name, exit) = named(signal);
    let failure = |message, hint: &str| Failure {
        exit,
        ..Failure::new(ErrorCode::Cancelled, FailureKind::Runtime, message, hint)
    };
    let Some(id) = AWAITED.get() else {
        let message = format!("{name} stopped the command before it was done.");
        return failure(message, "Run it again; nothing was changed.").during("signal", name);
    };
    let message = format!("{name} stopped the command before {id} was judged.");
    let failure = failure(message, "The request stays and will run. Wait for its result again, or cancel it.");
    Failure { fix_command: Some(format!("gatepost wait {id}")), ..failure.during("wait", id.as_str()) }
}

fn timed_out(Deadline { timeout, changes_nothing, .. }: Deadline) -> Failure {
    let message = format!("The command did not finish within {} s.", timeout.as_secs_f64());
    let hint = "Give it more time with --timeout, or 0 for no limit.";
    let failure = Failure::new(ErrorCode::Timeout, FailureKind::Runtime, message, hint).during("run", "--timeout");
    Failure { retryable: changes_nothing, ..failure }
}
