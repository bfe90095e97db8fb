//! Checks whether the watchers run: TOOL-EXEC and the gate hold their locks while they watch.

use std::thread;
use std::time::Duration;

use crate::cli::prelude::*;
use gatepost_mailbox::lock::Lock;

/// The number of polls for starting watchers, and the delay between them. Each poll takes the lock briefly, so there
/// are few.
const LOOKS: usize = 5;
const BETWEEN_LOOKS: Duration = Duration::from_millis(400);

/// Checks that both watchers serve the site, or start within two seconds, because a request needs both. `what` says
/// whether the request was submitted.
pub(super) fn check(site: &Site, what: &str) -> Result<(), Failure> {
    let mut missing = missing(site);
    for _ in 1..LOOKS {
        if missing.is_none() {
            return Ok(());
        }
        thread::sleep(BETWEEN_LOOKS);
        missing = self::missing(site);
    }
    let Some(who) = missing else { return Ok(()) };
    let message = format!("Cannot wait: `gatepost {who}` is not running. {what}");
    let hint = "Start `gatepost up`, or submit without --wait.";
    let failure = Failure::new(ErrorCode::NotWatched, FailureKind::Delivery, message, hint);
    Err(Failure { retryable: true, ..failure.during("watch", site.root().display().to_string()) })
}

/// Whether both watchers serve the site now.
pub(super) fn is_watched(site: &Site) -> bool {
    missing(site).is_none()
}

fn missing(site: &Site) -> Option<&'static str> {
    let watchers = [(site.exec_lock(), "exec"), (site.gate_lock(), "gate")];
    watchers.into_iter().find(|(lock, _)| Lock::holder(lock).is_none()).map(|(_, who)| who)
}
