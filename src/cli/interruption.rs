//! The end of a command that is not a watcher by a signal or by its deadline: one outcome is told, and the process ends.
//!
//! A thread waits for either. What a command had begun is left as a power cut would leave it, which every state on the disk allows for.
//! *Standards*: CLI Agent Spec, REQ-F-011 to REQ-F-013 and REQ-F-069.

use std::thread;
use std::time::{Duration, Instant};

use gatepost_mailbox::stops::Stops;
use signal_hook::consts::SIGINT;

use super::exit;
use super::failure::Failure;

/// When a command is given up.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    /// What it was given.
    pub timeout: Duration,
    /// What it is given on top, to say itself how far it came.
    pub grace: Duration,
    /// Whether nothing was changed until then, so that the same call can be made again.
    pub changes_nothing: bool,
}

/// Has `tell` show the failure and end the process when a signal comes or the time is over. Where no thread can be had, signals end the
/// process as they always did.
pub fn watch(deadline: Option<Deadline>, tell: impl FnOnce(Failure) -> u8 + Send + 'static) {
    let end = deadline.and_then(|deadline| Instant::now().checked_add(deadline.timeout.checked_add(deadline.grace)?));
    let wait = move || {
        // Only now, so that no signal is caught that nobody hears.
        let Ok(mut stops) = Stops::catch(false) else { return };
        let failure = loop {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if let Some(signal) = stops.wait(left).first() {
                break stopped(*signal);
            }
            if let Some(deadline) = deadline.filter(|_| left == Some(Duration::ZERO)) {
                break timed_out(deadline);
            }
        };
        std::process::exit(tell(failure).into());
    };
    let _ = thread::Builder::new().name("interruption".to_owned()).spawn(wait);
}

fn stopped(signal: i32) -> Failure {
    let (name, exit) = if signal == SIGINT { ("SIGINT", exit::INTERRUPTED) } else { ("SIGTERM", exit::TERMINATED) };
    let message = format!("Stopped by {name} before it was done.");
    Failure::new(exit, "CANCELLED", "runtime", message, "Run it again; what was done already is not done twice.")
        .during("signal", name)
}

fn timed_out(Deadline { timeout, changes_nothing, .. }: Deadline) -> Failure {
    let message = format!("The command was not done within {} s.", timeout.as_secs_f64());
    let hint = "Give it more time with --timeout, or 0 for no limit.";
    let failure = Failure::new(exit::TIMEOUT, "TIMEOUT", "runtime", message, hint).during("run", "--timeout");
    Failure { retryable: changes_nothing, ..failure }
}
