//! Decides which submission is judged next, and which others at the same time.
//!
//! ```text
//! the smallest first ▸ large ones leave one worker to the small ones ▸ one answer to a request at a time
//! what may have brought a gate down is judged alone: who falls then has fallen over it
//! ```
//!
//! Knows names and sizes; reads and judges nothing. People's orders are jobs too, and go first.

use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::os::unix::ffi::OsStrExt as _;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::lock;
use gatepost_documents::id::{RequestId, ResultId};

/// The minimum size of a large submission, bytes: judging it takes about a second.
const LARGE_BYTES: u64 = 8 * 1024 * 1024;
/// The number of workers: at least one beside a large submission, and no more than the disk can use.
const WORKERS_MIN: usize = 2;
const WORKERS_MAX: usize = 4;

/// A waiting submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// Its name in the outbox.
    pub(super) name: OsString,
    /// Its approximate size.
    pub(super) bytes: u64,
    /// Whether an earlier gate died during its judgement.
    pub(super) is_suspect: bool,
}

impl Item {
    fn is_large(&self) -> bool {
        self.bytes >= LARGE_BYTES
    }
}

/// The next job of a worker.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Job {
    Judge(Item),
    CarryOutOrders,
}

/// The waiting jobs and those under way.
#[derive(Debug)]
pub(super) struct Queue {
    workers: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each says one thing that may hold beside the others")]
struct State {
    /// By size, then by name.
    waiting: BTreeMap<(u64, OsString), Item>,
    /// Waiting or under way.
    known: HashSet<OsString>,
    /// The requests of the waiting submissions.
    asked: HashSet<RequestId>,
    /// The requests that are being answered.
    answering: HashSet<RequestId>,
    /// Jobs under way, and the large ones among them.
    running: usize,
    large: usize,
    is_alone: bool,
    are_orders_waiting: bool,
    are_orders_running: bool,
    /// A submission was skipped because another answer to its request came first.
    is_held_back: bool,
    is_closed: bool,
}

impl Queue {
    /// With one worker per processor, within bounds.
    pub(super) fn for_machine() -> Self {
        let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self::with_workers(processors.clamp(WORKERS_MIN, WORKERS_MAX))
    }

    fn with_workers(workers: usize) -> Self {
        Self { workers, state: Mutex::default(), changed: Condvar::new() }
    }

    /// The number of workers.
    pub(super) fn workers(&self) -> usize {
        self.workers
    }

    /// Whether a name is neither waiting nor under way.
    pub(super) fn is_new(&self, name: &OsStr) -> bool {
        !lock(&self.state).known.contains(name)
    }

    /// Adds a submission. It is skipped while another answer to its request waits or is under way.
    pub(super) fn offer(&self, item: Item) -> bool {
        let mut state = lock(&self.state);
        if state.is_closed || state.known.contains(&item.name) {
            return false;
        }
        if let Some(request) = request_of(&item.name)
            && (state.answering.contains(&request) || !state.asked.insert(request))
        {
            state.is_held_back = true;
            return false;
        }
        state.known.insert(item.name.clone());
        state.waiting.insert((item.bytes, item.name.clone()), item);
        self.changed.notify_one();
        true
    }

    /// Queues a job for the waiting orders.
    pub(super) fn offer_orders(&self) {
        lock(&self.state).are_orders_waiting = true;
        self.changed.notify_one();
    }

    /// Waits for the next job; `None` once the queue is closed.
    pub(super) fn take(&self) -> Option<Job> {
        let mut state = lock(&self.state);
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(job) = state.begin_next(self.workers) {
                return Some(job);
            }
            state = self.wait(state);
        }
    }

    /// A job is done.
    pub(super) fn finish(&self, job: &Job) {
        let mut state = lock(&self.state);
        state.running -= 1;
        match job {
            Job::Judge(item) => {
                state.large -= usize::from(item.is_large());
                state.is_alone &= !item.is_suspect;
                state.known.remove(&item.name);
                if let Some(request) = request_of(&item.name) {
                    state.answering.remove(&request);
                }
            }
            Job::CarryOutOrders => {
                state.large -= 1;
                state.are_orders_running = false;
            }
        }
        self.changed.notify_all();
    }

    /// Waits until no answer to a request is under way, and reserves the request.
    pub(super) fn reserve(&self, name: &OsStr) -> Reservation<'_> {
        let request = request_of(name);
        if let Some(request) = &request {
            let mut state = lock(&self.state);
            while !state.answering.insert(request.clone()) {
                state = self.wait(state);
            }
        }
        Reservation { queue: self, request }
    }

    /// Whether a submission was skipped since the last call.
    pub(super) fn take_held_back(&self) -> bool {
        std::mem::take(&mut lock(&self.state).is_held_back)
    }

    /// The number of jobs under way.
    pub(super) fn running(&self) -> usize {
        lock(&self.state).running
    }

    /// Ends the workers; forgets the waiting submissions, which stay where they are.
    pub(super) fn close(&self) {
        let mut state = lock(&self.state);
        let waiting = std::mem::take(&mut state.waiting);
        for item in waiting.into_values() {
            state.known.remove(&item.name);
        }
        state.asked.clear();
        state.are_orders_waiting = false;
        state.is_closed = true;
        self.changed.notify_all();
    }

    /// Accepts jobs again.
    pub(super) fn reopen(&self) {
        lock(&self.state).is_closed = false;
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn begin_next(&mut self, workers: usize) -> Option<Job> {
        if self.is_alone {
            return None;
        }
        let has_room = self.large + 1 < workers;
        if self.are_orders_waiting && !self.are_orders_running && has_room {
            (self.are_orders_waiting, self.are_orders_running) = (false, true);
            self.running += 1;
            self.large += 1;
            return Some(Job::CarryOutOrders);
        }
        let key = self.next_key(has_room)?;
        let item = self.waiting.remove(&key)?;
        if let Some(request) = request_of(&item.name) {
            self.asked.remove(&request);
            self.answering.insert(request);
        }
        self.running += 1;
        self.large += usize::from(item.is_large());
        self.is_alone = item.is_suspect;
        Some(Job::Judge(item))
    }

    fn next_key(&self, has_room: bool) -> Option<(u64, OsString)> {
        for (key, item) in &self.waiting {
            if item.is_suspect {
                // Nothing may overtake it, so that its turn comes.
                return (self.running == 0).then(|| key.clone());
            }
            if item.is_large() && !has_room {
                // All later ones are larger.
                return None;
            }
            if request_of(&item.name).is_none_or(|request| !self.answering.contains(&request)) {
                return Some(key.clone());
            }
        }
        None
    }
}

/// The request that a submission of this name answers.
fn request_of(name: &OsStr) -> Option<RequestId> {
    let bytes = name.as_bytes();
    let stem = bytes.strip_suffix(b".md").unwrap_or(bytes);
    ResultId::parse(std::str::from_utf8(stem).ok()?).ok().map(|id| id.request().clone())
}

/// Reserves a request: nothing else answers it while this is held.
pub(super) struct Reservation<'a> {
    queue: &'a Queue,
    request: Option<RequestId>,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if let Some(request) = &self.request {
            lock(&self.queue.state).answering.remove(request);
            self.queue.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(name: &str, bytes: u64) -> Item {
        Item { name: name.into(), bytes, is_suspect: false }
    }

    fn next(queue: &Queue) -> Option<String> {
        match lock(&queue.state).begin_next(queue.workers)? {
            Job::Judge(item) => Some(item.name.into_string().unwrap()),
            Job::CarryOutOrders => Some("orders".to_owned()),
        }
    }

    #[test]
    fn the_smallest_is_next_and_large_ones_leave_a_worker_to_the_small_ones() {
        let queue = Queue::with_workers(2);
        for (name, bytes) in [("large", LARGE_BYTES), ("larger", LARGE_BYTES + 1), ("b", 2), ("a", 2), ("c", 1)] {
            assert!(queue.offer(item(name, bytes)));
            assert!(!queue.offer(item(name, bytes)), "{name} waits already");
        }
        let order: Vec<_> = std::iter::from_fn(|| next(&queue)).collect();
        assert_eq!(order, ["c", "a", "b", "large"]);
        // Small ones overtake all waiting submissions.
        assert!(queue.offer(item("small", 1)));
        assert_eq!(next(&queue).as_deref(), Some("small"));
        queue.finish(&Job::Judge(item("large", LARGE_BYTES)));
        assert_eq!(next(&queue).as_deref(), Some("larger"));
    }

    #[test]
    fn a_request_gets_one_answer_at_a_time() {
        let queue = Queue::with_workers(4);
        let first = item("TS-20260209-161030Z-TR-20260209-160501Z-a", 9);
        let second = item("TS-20260209-161031Z-TR-20260209-160501Z-a.md", 1);
        assert!(queue.offer(first.clone()) && !queue.offer(second.clone()));
        assert!(next(&queue).is_some());
        assert!(!queue.offer(second.clone()) && queue.take_held_back() && !queue.take_held_back());
        queue.finish(&Job::Judge(first));
        let reserved = queue.reserve(&second.name);
        assert!(!queue.offer(second.clone()), "an order answers it");
        drop(reserved);
        assert!(queue.offer(second));
        assert!(next(&queue).is_some());
    }

    #[test]
    fn what_may_have_brought_a_gate_down_is_judged_alone_and_overtaken_by_none() {
        let queue = Queue::with_workers(4);
        queue.offer(item("a", 1));
        queue.offer(Item { is_suspect: true, ..item("suspect", 2) });
        queue.offer(item("z", 3));
        assert_eq!(next(&queue).as_deref(), Some("a"));
        assert_eq!(next(&queue), None);
        queue.finish(&Job::Judge(item("a", 1)));
        assert_eq!(next(&queue).as_deref(), Some("suspect"));
        assert_eq!(next(&queue), None);
        queue.finish(&Job::Judge(Item { is_suspect: true, ..item("suspect", 2) }));
        assert_eq!(next(&queue).as_deref(), Some("z"));
    }

    #[test]
    fn orders_go_first_one_worker_at_a_time_and_a_closed_queue_gives_nothing() {
        let queue = Queue::with_workers(2);
        queue.offer(item("a", 1));
        queue.offer_orders();
        assert_eq!(queue.take(), Some(Job::CarryOutOrders));
        queue.offer_orders();
        assert_eq!(queue.take(), Some(Job::Judge(item("a", 1))));
        assert_eq!(queue.running(), 2);
        queue.finish(&Job::CarryOutOrders);
        assert_eq!(queue.take(), Some(Job::CarryOutOrders));
        queue.close();
        assert_eq!(queue.take(), None);
    }
}
