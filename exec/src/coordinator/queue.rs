//! Claimed requests that wait for a worker, and the workers.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io;
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, Scope};

use gatepost_contract::request::{Priority, Request};
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::Reason;
use gatepost_mailbox::abort::AbortOnPanic;
use gatepost_mailbox::wake::Bell;

use crate::context::Context;
use crate::mailbox::claim::Claimed;
use crate::pipeline::{self, Carried, Unanswered};
use gatepost_mailbox::log::{Event, Level, Log};

/// The result of a worker.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) id: RequestId,
    pub(super) result: Result<Carried, Unanswered>,
}

/// The workers. While the machine lacks threads, there may be fewer than configured.
pub(super) struct WorkerPool<'scope, 'env> {
    pub(super) scope: &'scope Scope<'scope, 'env>,
    pub(super) context: &'env Context,
    pub(super) log: Log,
    pub(super) queue: &'env Queue,
    pub(super) sender: Sender<Done>,
    pub(super) bell: Bell,
    /// The number of missing workers.
    pub(super) missing: usize,
}

impl WorkerPool<'_, '_> {
    /// Starts the missing workers.
    pub(super) fn complete(&mut self) -> io::Result<()> {
        while self.missing > 0 {
            let (context, log, queue) = (self.context, self.log, self.queue);
            let (sender, bell) = (self.sender.clone(), self.bell.clone());
            thread::Builder::new()
                .name("worker".to_owned())
                .spawn_scoped(self.scope, move || work(context, log, queue, &sender, &bell))?;
            self.missing -= 1;
        }
        Ok(())
    }

    /// Starts a thread that carries out one request which opens a session; if that fails, the request stays claimed.
    pub(super) fn hold(&self, job: Job) -> io::Result<()> {
        let (context, log, sender, bell) = (self.context, self.log, self.sender.clone(), self.bell.clone());
        let hold = move || {
            let _bomb = AbortOnPanic;
            carry_out(context, log, job, &sender, &bell);
        };
        thread::Builder::new().name("session".to_owned()).spawn_scoped(self.scope, hold).map(drop)
    }
}

fn work(context: &Context, log: Log, queue: &Queue, sender: &Sender<Done>, bell: &Bell) {
    // A panic is a bug: abort, and let the next start recover by the state table.
    let _bomb = AbortOnPanic;
    while let Some(job) = queue.take() {
        carry_out(context, log, job, sender, bell);
    }
}

fn carry_out(context: &Context, log: Log, job: Job, sender: &Sender<Done>, bell: &Bell) {
    let id = job.claimed.claim.request_id.clone();
    log.event(&Event::new("begun", id.as_str(), "A worker carries it out.".to_owned()).at(Level::Debug));
    let result = if job.is_back {
        pipeline::receive(context, job.claimed, job.request)
    } else {
        pipeline::carry_out(context, job.claimed, job.request)
    };
    // The coordinator outlives the workers.
    let _ = sender.send(Done { id, result });
    bell.ring();
}

/// A claimed request that waits for a worker; the more urgent is the greater, then the one whose owner's turn it is, then the older.
pub(super) struct Job {
    pub(super) priority: Priority,
    /// The turn of its owner, which [`Queue::put`] sets.
    pub(super) turn: Reverse<u64>,
    pub(super) order: Reverse<u64>,
    pub(super) claimed: Claimed,
    pub(super) request: Result<Request, Vec<Reason>>,
    /// Whether it returned from a node of the fleet, and needs its answer.
    pub(super) is_back: bool,
}

impl Job {
    fn rank(&self) -> (Priority, Reverse<u64>, Reverse<u64>) {
        (self.priority, self.turn, self.order)
    }
}

impl PartialEq for Job {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Job {}

impl PartialOrd for Job {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Job {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// Owners of equally urgent requests take turns (start-time fair queueing): each request of an owner gets the turn after that owner's
/// last one, but none before the turn that is being served.
#[derive(Default)]
struct Waiting {
    jobs: BinaryHeap<Job>,
    is_closed: bool,
    /// The current turn.
    turn: u64,
    /// The last turn of each owner with a queued request.
    last: HashMap<u32, u64>,
}

impl Waiting {
    fn put(&mut self, mut job: Job) {
        self.last.retain(|_, last| *last >= self.turn);
        let last = self.last.entry(job.claimed.claim.uid);
        let turn = *last.and_modify(|last| *last += 1).or_insert(self.turn);
        job.turn = Reverse(turn);
        self.jobs.push(job);
    }

    fn take(&mut self) -> Option<Job> {
        let job = self.jobs.pop()?;
        self.turn = self.turn.max(job.turn.0);
        Some(job)
    }
}

#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<Waiting>,
    changed: Condvar,
}

impl Queue {
    pub(super) fn put(&self, job: Job) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).put(job);
        self.changed.notify_one();
    }

    fn take(&self) -> Option<Job> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.is_closed {
                return None;
            }
            match state.take() {
                Some(job) => return Some(job),
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Lets the workers end; queued requests stay claimed. Returns their number.
    pub(super) fn close(&self) -> usize {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_closed = true;
        let waiting = state.jobs.len();
        state.jobs.clear();
        self.changed.notify_all();
        waiting
    }
}

/// Ends the workers when the code that fills the queue ends, for any cause.
pub(super) struct CloseOnDrop<'a>(pub(super) &'a Queue);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use gatepost_documents::digest::Digest;
    use gatepost_documents::evidence::Completeness;

    use super::*;
    use crate::mailbox::record::Claim;
    use gatepost_contract::request::Form;

    fn job(order: u64, uid: u32, priority: Priority) -> Job {
        let claim = Claim {
            request_id: RequestId::parse(&format!("TR-20260209-160501Z-{uid}-{order}")).unwrap(),
            request_sha256: Digest::of(b""),
            form: Form::Markdown,
            completeness: Completeness::Renamed,
            claimed_utc: String::new(),
            uid,
            faults: Vec::new(),
        };
        let claimed = Claimed { claim, folder: PathBuf::new(), bytes: Vec::new() };
        Job { priority, turn: Reverse(0), order: Reverse(order), claimed, request: Err(Vec::new()), is_back: false }
    }

    fn next(waiting: &mut Waiting) -> Option<u32> {
        waiting.take().map(|job| job.claimed.claim.uid)
    }

    #[test]
    fn an_owner_with_many_requests_holds_up_no_other_and_is_not_starved() {
        let mut waiting = Waiting::default();
        for order in 0..6 {
            waiting.put(job(order, 1, Priority::Normal));
        }
        assert_eq!((next(&mut waiting), next(&mut waiting)), (Some(1), Some(1)));
        waiting.put(job(6, 2, Priority::Normal));
        assert_eq!(next(&mut waiting), Some(2));
        // The second owner adds a request after each take, so the first gets every other turn.
        let mut served = Vec::new();
        for order in 7..14 {
            waiting.put(job(order, 2, Priority::Normal));
            served.extend(next(&mut waiting));
        }
        assert!(served.iter().filter(|uid| **uid == 1).count() >= 3, "{served:?}");
    }

    #[test]
    fn the_more_urgent_comes_first_for_every_owner() {
        let mut waiting = Waiting::default();
        for (order, uid, priority) in [(0, 1, Priority::Normal), (1, 2, Priority::Normal), (2, 1, Priority::High)] {
            waiting.put(job(order, uid, priority));
        }
        assert_eq!(std::iter::from_fn(|| next(&mut waiting)).collect::<Vec<_>>(), [1, 1, 2]);
    }
}
