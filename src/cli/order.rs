//! Sends an order to the gate and waits for its execution, by the running gate or by one started for it.

use std::thread;
use std::time::{Duration, Instant};

use gatepost_mailbox::lock::Lock;
use gatepost_mailbox::order::{self, Answer, Order};

use super::up::{start_for_orders, wait};
use crate::cli::prelude::*;
use gatepost_exec::watch::prepare;

/// Poll interval for the answer of a running gate.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// The number of polls per check of the gate's lock.
const LOOKS_PER_HOLDER: u32 = 50;

/// Sends an order and returns the outcome of each item; without a timeout it waits forever.
pub(super) fn carry_out(site: &Site, order: &Order, timeout: Option<Duration>) -> Result<Vec<Answer>, Failure> {
    prepare(site)?;
    let ticket = order::give(site, order)?;
    let began = Instant::now();
    let (mut holder, mut failure) = (None, None);
    for look in 0_u32.. {
        // A check of the lock takes it briefly, so it is rare.
        if look % LOOKS_PER_HOLDER == 0 {
            holder = Lock::holder(&site.gate_lock());
        }
        if holder.is_none() {
            failure = match start_for_orders(site).and_then(|mut gate| wait(&mut gate)) {
                // Another process may have become the gate just before.
                Ok(status) if status.code() == Some(exit::UNAVAILABLE.into()) => None,
                Ok(_) => Some(ended()),
                Err(failure) => Some(failure),
            };
        }
        if let Some(answers) = ticket.answer()? {
            return Ok(answers);
        }
        if failure.is_none()
            && let Some(timeout) = timeout.filter(|timeout| began.elapsed() >= *timeout)
        {
            failure = Some(timed_out(timeout, holder.as_deref().unwrap_or("nobody")));
        }
        match failure {
            Some(failure) => return ticket.withdraw()?.ok_or(failure),
            None => thread::sleep(LOOK_AGAIN),
        }
    }
    unreachable!("the deadline ends the loop")
}

fn ended() -> Failure {
    let message = "The gate that gatepost started ended without executing the order; its own message is above.";
    let hint = "Run `gatepost gate --once` to see why. gatepost withdrew the order; run the command again afterwards.";
    Failure::new(ErrorCode::WatcherEnded, FailureKind::Runtime, message, hint).during("carry_out_order", "gate")
}

fn timed_out(timeout: Duration, holder: &str) -> Failure {
    let message = format!("The gate ({holder}) did not execute the order within {} s.", timeout.as_secs_f64());
    let hint = "Check the gate's log. gatepost withdrew the order; run the command again afterwards.";
    Failure {
        retryable: true,
        ..Failure::new(ErrorCode::Timeout, FailureKind::Runtime, message, hint).during("carry_out_order", "gate")
    }
}
