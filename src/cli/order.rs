//! An order to the gate, and the wait until it is carried out: by the gate that runs, or by one that is started for it.

use std::thread;
use std::time::{Duration, Instant};

use gatepost_mailbox::lock::Lock;
use gatepost_mailbox::order::{self, Answer, Order};

use super::up::{start_for_orders, wait};
use crate::cli::prelude::*;
use gatepost_exec::watch::prepare;

/// How often the answer of a running gate is looked for.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// How often for each time that it is asked who the gate is.
const LOOKS_PER_HOLDER: u32 = 50;

/// Gives an order and returns what became of each item; without a timeout it waits for ever.
pub(super) fn carry_out(site: &Site, order: &Order, timeout: Option<Duration>) -> Result<Vec<Answer>, Failure> {
    prepare(site)?;
    let ticket = order::give(site, order)?;
    let began = Instant::now();
    let (mut holder, mut failure) = (None, None);
    for look in 0_u32.. {
        // To ask who holds a lock is to touch it: not oftener than needed.
        if look % LOOKS_PER_HOLDER == 0 {
            holder = Lock::holder(&site.gate_lock());
        }
        if holder.is_none() {
            failure = match start_for_orders(site).and_then(|mut gate| wait(&mut gate)) {
                // Somebody else may have become the gate just before.
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
