//! Claimed requests that wait for a worker, and the workers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, Scope};

use gatepost_documents::id::RequestId;
use gatepost_documents::reason::Reason;
use gatepost_mailbox::abort::AbortOnPanic;
use gatepost_mailbox::wake::Bell;

use crate::context::Context;
use crate::log::{Event, Level, Log};
use crate::mailbox::claim::Claimed;
use crate::pipeline::{self, Carried, Unanswered};
use crate::request::{Priority, Request};

/// What a worker has to say.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) id: RequestId,
    pub(super) result: Result<Carried, Unanswered>,
}

/// The workers, of which there may be fewer than there should be while the machine is short of threads.
pub(super) struct Crew<'scope, 'env> {
    pub(super) scope: &'scope Scope<'scope, 'env>,
    pub(super) context: &'env Context,
    pub(super) log: Log,
    pub(super) queue: &'env Queue,
    pub(super) sender: Sender<Done>,
    pub(super) bell: Bell,
    /// How many there are still to be.
    pub(super) missing: usize,
}

impl Crew<'_, '_> {
    /// Starts those that are missing.
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

    /// Starts a thread that carries out one request which opens a session; where none can be had, the request stays claimed.
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
    // A worker that panics has met a bug: the state table deals with what it leaves behind, at the next start.
    let _bomb = AbortOnPanic;
    while let Some(job) = queue.take() {
        carry_out(context, log, job, sender, bell);
    }
}

fn carry_out(context: &Context, log: Log, job: Job, sender: &Sender<Done>, bell: &Bell) {
    let id = job.claimed.claim.request_id.clone();
    log.event(&Event::new("begun", id.as_str(), "A worker carries it out.".to_owned()).at(Level::Debug));
    let result = pipeline::carry_out(context, job.claimed, job.request);
    // The coordinator outlives the workers.
    let _ = sender.send(Done { id, result });
    bell.ring();
}

/// A claimed request that waits for a worker; the more urgent and then the older is the greater.
pub(super) struct Job {
    pub(super) priority: Priority,
    pub(super) order: Reverse<u64>,
    pub(super) claimed: Claimed,
    pub(super) request: Result<Request, Vec<Reason>>,
}

impl Job {
    fn rank(&self) -> (Priority, Reverse<u64>) {
        (self.priority, self.order)
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

#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<(BinaryHeap<Job>, bool)>,
    changed: Condvar,
}

impl Queue {
    pub(super) fn put(&self, job: Job) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0.push(job);
        self.changed.notify_one();
    }

    fn take(&self) -> Option<Job> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match (state.1, state.0.pop()) {
                (true, _) => return None,
                (false, Some(job)) => return Some(job),
                (false, None) => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Lets the workers end; what still waits stays claimed. Returns how many requests that are.
    pub(super) fn close(&self) -> usize {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1 = true;
        let waiting = state.0.len();
        state.0.clear();
        self.changed.notify_all();
        waiting
    }
}

/// Lets the workers end however whoever fills the queue comes to its end.
pub(super) struct CloseOnDrop<'a>(pub(super) &'a Queue);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
