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

/// Has `tell` show the failure and end the process when a signal comes or the time is over. Where no thread can be had, signals end the
/// process as they always did.
pub fn watch(timeout: Option<Duration>, tell: impl FnOnce(Failure) -> u8 + Send + 'static) {
    let deadline = timeout.map(|timeout| Instant::now() + timeout);
    let wait = move || {
        // Only now, so that no signal is caught that nobody hears.
        let Ok(mut stops) = Stops::catch(false) else { return };
        let failure = loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if let Some(signal) = stops.wait(left).first() {
                break stopped(*signal);
            }
            if left == Some(Duration::ZERO) {
                break timed_out(timeout.unwrap_or_default());
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

fn timed_out(timeout: Duration) -> Failure {
    let seconds = timeout.as_secs_f64();
    let message = format!("The command was not done within {seconds} s.");
    Failure::new(exit::TIMEOUT, "TIMEOUT", "runtime", message, "Give it more time with --timeout, or 0 for no limit.")
        .during("run", "--timeout")
}
