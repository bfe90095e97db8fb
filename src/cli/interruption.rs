//! The end of a command that is not a watcher by a signal or by its deadline: one outcome is told, and the process ends. Until then, its
//! heartbeats.
//!
//! A thread waits for either. What a command had begun is left as a power cut would leave it, which every state on the disk allows for.
//! *Standards*: CLI Agent Spec, REQ-F-011 to REQ-F-013, REQ-F-069 and REQ-O-012.

use std::thread;
use std::time::{Duration, Instant};

use gatepost_mailbox::stops::Stops;
use signal_hook::consts::SIGINT;

use super::exit;
use super::failure::Failure;

/// What may happen while a command is at work.
pub trait Listener: Send + 'static {
    /// It is still at work, after this time.
    fn beat(&self, elapsed: Duration);

    /// It ends for this; returns the status of the process.
    fn end(self, failure: Failure) -> u8;
}

/// Has the listener end the process when a signal comes or the time is over, and told so often that it is still at work. Where no thread
/// can be had, signals end the process as they always did.
pub fn watch(timeout: Option<Duration>, heartbeat: Option<Duration>, listener: impl Listener) {
    let began = Instant::now();
    let wait = move || {
        // Only now, so that no signal is caught that nobody hears.
        let Ok(mut stops) = Stops::catch(false) else { return };
        let mut beats = 1;
        let failure = loop {
            let elapsed = began.elapsed();
            if let Some(timeout) = timeout.filter(|timeout| elapsed >= *timeout) {
                break timed_out(timeout);
            }
            let next = heartbeat.map(|heartbeat| heartbeat.saturating_mul(beats));
            if next.is_some_and(|next| elapsed >= next) {
                listener.beat(elapsed);
                beats += 1;
                continue;
            }
            let until = [timeout, next].into_iter().flatten().min();
            if let Some(signal) = stops.wait(until.map(|until| until.saturating_sub(elapsed))).first() {
                break stopped(*signal);
            }
        };
        std::process::exit(listener.end(failure).into());
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
