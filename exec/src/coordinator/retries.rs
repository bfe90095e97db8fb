//! Requests that a fault left in a state folder: the time of the next retry, and the known fault.
//!
//! The pause before a retry grows with each fault. A tool that may run again is retried a few times; if it still fails after it has
//! started, the request is answered.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use gatepost_documents::id::RequestId;

use crate::pipeline::Left;

/// The longest pause.
const PAUSE_MAX: Duration = Duration::from_mins(1);
/// The shortest pause before a tool is run again.
const REPEAT_PAUSE: Duration = Duration::from_secs(1);
/// How often a tool is run again after faults.
const REPEATS_MAX: u32 = 3;

#[derive(Debug)]
struct Retry {
    /// The time of the next retry; none during one.
    at: Option<Instant>,
    pause: Duration,
    /// The number of faults after its tool had started.
    started: u32,
    left: Left,
}

/// The stranded requests.
#[derive(Debug)]
pub(super) struct Retries {
    first_pause: Duration,
    of: HashMap<RequestId, Retry>,
}

impl Retries {
    /// None yet.
    pub(super) fn new(first_pause: Duration) -> Self {
        Self { first_pause: first_pause.min(PAUSE_MAX), of: HashMap::new() }
    }

    /// Records a request that a fault left; `left` is its known state, none if it was not being carried out.
    pub(super) fn after_fault(&mut self, id: RequestId, left: Option<Left>, now: Instant) {
        let fresh = Retry { at: None, pause: self.first_pause, started: 0, left: Left::Unknown };
        let retry = self.of.entry(id).or_insert(fresh);
        retry.left = left.unwrap_or(retry.left);
        if left == Some(Left::Unknown) {
            retry.pause = retry.pause.max(REPEAT_PAUSE);
            retry.started += 1;
            retry.left = if retry.started > REPEATS_MAX { Left::Repeated } else { Left::Unknown };
        }
        retry.at = Some(now + retry.pause);
        retry.pause = (retry.pause * 2).min(PAUSE_MAX);
    }

    /// The requests whose tools did not start, due or not.
    pub(super) fn unstarted(&self) -> impl Iterator<Item = &RequestId> {
        self.of.iter().filter(|(_, retry)| retry.left == Left::Unstarted).map(|(id, _)| id)
    }

    /// The due requests.
    pub(super) fn due(&mut self, now: Instant) -> Vec<(RequestId, Left)> {
        let due = self.of.iter_mut().filter(|(_, retry)| retry.at.is_some_and(|at| at <= now));
        due.map(|(id, retry)| {
            retry.at = None;
            (id.clone(), retry.left)
        })
        .collect()
    }

    /// A request was answered.
    pub(super) fn forget(&mut self, id: &RequestId) {
        self.of.remove(id);
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test asks the clock")]
mod tests {
    use super::*;

    const FIRST: Duration = Duration::from_secs(2);

    fn id() -> RequestId {
        RequestId::parse("TR-20260209-160501Z-again").unwrap()
    }

    #[test]
    fn the_pause_grows_and_a_request_is_due_once_for_each_fault() {
        let (mut retries, mut now) = (Retries::new(FIRST), Instant::now());
        for seconds in [2, 4, 8, 16, 32, 60, 60] {
            retries.after_fault(id(), Some(Left::Unstarted), now);
            assert!(retries.due(now + Duration::from_millis(seconds * 1_000 - 1)).is_empty(), "{seconds}");
            now += Duration::from_secs(seconds);
            assert_eq!(retries.due(now), [(id(), Left::Unstarted)]);
            assert!(retries.due(now + PAUSE_MAX).is_empty());
        }
        retries.forget(&id());
        retries.after_fault(id(), None, now);
        assert_eq!(retries.due(now + FIRST), [(id(), Left::Unknown)]);
    }

    #[test]
    fn a_tool_is_run_again_three_times_for_the_sake_of_a_fault() {
        let (mut retries, mut now) = (Retries::new(FIRST), Instant::now());
        let mut left = Vec::new();
        for _ in 0..5 {
            retries.after_fault(id(), Some(Left::Unknown), now);
            now += PAUSE_MAX;
            left.extend(retries.due(now).into_iter().map(|(_, left)| left));
            // Mailbox faults in between do not count for the tool.
            retries.after_fault(id(), None, now);
            now += PAUSE_MAX;
            retries.due(now);
        }
        assert_eq!(left, [Left::Unknown, Left::Unknown, Left::Unknown, Left::Repeated, Left::Repeated]);
    }
}
