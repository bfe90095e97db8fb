//! TOOL-EXEC: one coordinator that talks to the inbox, and workers that carry requests out.
//!
//! ```text
//! wake (event, timer, worker done, signal) ▶ scan ▶ claim ahead ▶ queue by priority ▶ workers: pipeline::carry_out
//! ```
//!
//! One bad item never holds up the next: a fault is reported once, the item stays where it is and is tried again at the
//! regular scans. The first signal lets running tools finish and leaves the rest claimed; the second stops them at once.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::ffi::OsString;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use gatepost_documents::evidence::FailureCode;
use gatepost_documents::id::RequestId;
use gatepost_documents::text::quoted_name;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::lock::{Lock, LockError};

use crate::context::Context;
use crate::log::{Event, Log};
use crate::mailbox::claim::{self, Claimed, Taken};
use crate::mailbox::claims;
use crate::mailbox::inbox::{Inbox, InboxItem};
use crate::mailbox::record::State;
use crate::mailbox::recovery;
use crate::mailbox::watch::{self, Wake, Watch};
use crate::pipeline::{self, Answered, Resumed};
use crate::request::{Priority, Request};

/// How many requests are claimed before a worker is free for them: enough for priorities to matter.
const CLAIMED_AHEAD: usize = 32;
/// A scan may take at most one part in this many of the time.
const SCAN_SHARE: u32 = 20;

/// How long to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Until a signal.
    Forever,
    /// Until everything that is there is answered.
    Once,
}

/// What was done.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Tally {
    /// Requests that were answered, refusals among them.
    pub answered: u64,
    /// Requests among them that were refused.
    pub refused: u64,
    /// Drops of requests that were known already.
    pub known: u64,
    /// Drops that were no request.
    pub quarantined: u64,
    /// Faults of the world.
    pub faults: u64,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
}

/// Runs TOOL-EXEC on a site.
pub fn run(context: &Context, mode: Mode, log: &Log) -> Result<Tally, LockError> {
    let lock_path = context.site.exec_lock();
    // Before the lock: whoever sees it held may send a signal.
    let stops = watch::Stops::catch().on("listen for signals for", &lock_path)?;
    let _lock = Lock::take(&lock_path, &format!("process {}, gatepost exec", std::process::id()))?;
    recovery::sweep(&context.site)?;
    let (sender, receiver) = mpsc::channel();
    stops.forward(sender.clone());
    let queue = Queue::default();
    let coordinator = Coordinator::new(context, mode, log, &queue, sender.clone());
    thread::scope(|scope| {
        for _ in 0..context.config.workers() {
            let sender = sender.clone();
            let queue = &queue;
            scope.spawn(move || work(context, queue, &sender));
        }
        let tally = coordinator.run(&receiver);
        queue.close();
        tally
    })
    .map_err(LockError::from)
}

/// What a worker has to say.
#[derive(Debug)]
struct Done {
    id: RequestId,
    result: Result<Answered, Fault>,
}

fn work(context: &Context, queue: &Queue, sender: &Sender<Wake<Done>>) {
    // A worker that panics has met a bug: the state table deals with what it leaves behind, at the next start.
    let _bomb = AbortOnPanic;
    while let Some(job) = queue.take() {
        let id = job.claimed.claim.request_id.clone();
        let result = pipeline::carry_out(context, job.claimed, job.request);
        // The coordinator outlives the workers.
        let _ = sender.send(Wake::Message(Done { id, result }));
    }
}

struct AbortOnPanic;

impl std::ops::Drop for AbortOnPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            std::process::abort();
        }
    }
}

/// A claimed request that waits for a worker; the more urgent and then the older is the greater.
struct Job {
    priority: Priority,
    order: Reverse<u64>,
    claimed: Claimed,
    request: Result<Request, Vec<gatepost_documents::reason::Reason>>,
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
struct Queue {
    state: Mutex<(BinaryHeap<Job>, bool)>,
    changed: Condvar,
}

impl Queue {
    fn put(&self, job: Job) {
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
    fn close(&self) -> usize {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.1 = true;
        let waiting = state.0.len();
        state.0.clear();
        self.changed.notify_all();
        waiting
    }
}

struct Coordinator<'a> {
    context: &'a Context,
    mode: Mode,
    log: &'a Log,
    queue: &'a Queue,
    inbox: Inbox,
    watch: Watch<Done>,
    ready: VecDeque<InboxItem>,
    in_flight: HashSet<RequestId>,
    /// Requests that a fault left in a state folder.
    stranded: HashSet<RequestId>,
    /// The last fault reported of each drop, so that each is reported once.
    reported: HashMap<OsString, String>,
    order: u64,
    /// How many requests may be claimed at a time.
    in_flight_max: usize,
    tally: Tally,
}

impl<'a> Coordinator<'a> {
    fn new(context: &'a Context, mode: Mode, log: &'a Log, queue: &'a Queue, sender: Sender<Wake<Done>>) -> Self {
        let inbox = context.site.inbox();
        Self {
            context,
            mode,
            log,
            queue,
            inbox: Inbox::new(inbox.clone(), Duration::from_millis(context.config.inbox.settle_ms)),
            watch: Watch::new(inbox, sender),
            ready: VecDeque::new(),
            in_flight: HashSet::new(),
            stranded: HashSet::new(),
            reported: HashMap::new(),
            order: 0,
            in_flight_max: context.config.workers() + CLAIMED_AHEAD,
            tally: Tally::default(),
        }
    }

    fn run(mut self, receiver: &Receiver<Wake<Done>>) -> Result<Tally, Fault> {
        self.resume_all()?;
        let interval = Duration::from_millis(self.context.config.inbox.scan_interval_ms);
        let (mut scan_at, mut rested_at) = (Instant::now(), Instant::now());
        let mut settled = false;
        loop {
            let now = Instant::now();
            if now >= scan_at && self.ready.is_empty() {
                let next_look = self.scan(now);
                settled = self.ready.is_empty() && next_look.is_none();
                rested_at = now + (now.elapsed() * SCAN_SHARE).min(interval);
                scan_at = rested_at.max(now + next_look.unwrap_or(interval).min(interval));
            }
            self.claim_ahead();
            if self.mode == Mode::Once && settled && self.ready.is_empty() && self.in_flight.is_empty() {
                return Ok(self.tally);
            }
            // What is ready and unclaimed waits for a worker, and a worker that is done wakes this thread.
            let wait = if self.ready.is_empty() { scan_at.saturating_duration_since(Instant::now()) } else { interval };
            let mut wake = match receiver.recv_timeout(wait) {
                Ok(wake) => Some(wake),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Ok(self.tally),
            };
            while let Some(event) = wake {
                match event {
                    Wake::RenamedIn(name) => {
                        self.inbox.renamed_in(name, Instant::now());
                        scan_at = scan_at.min(rested_at);
                        settled = false;
                    }
                    Wake::Changed => {
                        scan_at = scan_at.min(rested_at);
                        settled = false;
                    }
                    Wake::Message(done) => self.note(done),
                    Wake::Stop(signal) => return Ok(self.stop(signal, receiver)),
                }
                wake = receiver.try_recv().ok();
            }
        }
    }

    /// Looks at the inbox and returns when to look again at what is not complete yet.
    fn scan(&mut self, now: Instant) -> Option<Duration> {
        self.watch.renew();
        // Where the gate is another user, it may only set aside what it judged.
        gatepost_mailbox::outbox::sweep_judged(&self.context.site);
        self.resume_stranded();
        match self.inbox.scan(now) {
            Ok(scan) => {
                if let Some(reported) = self.reported.remove(&OsString::new()) {
                    self.log.event(&Event::new("inbox", "", format!("The inbox is available again ({reported})")));
                }
                // What a fault kept from being claimed is for the next run.
                let once = self.mode == Mode::Once;
                self.ready
                    .extend(scan.ready.into_iter().filter(|drop| !(once && self.reported.contains_key(&drop.name))));
                scan.next_look
            }
            Err(fault) => {
                self.report(OsString::new(), &fault);
                None
            }
        }
    }

    fn claim_ahead(&mut self) {
        loop {
            let room = self.in_flight_max.saturating_sub(self.in_flight.len());
            let drops = claims::next(&mut self.ready, room);
            if drops.is_empty() {
                return;
            }
            let Context { site, config, clock, .. } = self.context;
            for (drop, taken) in claims::claim_all(site, &config.inbox, drops, clock()) {
                match taken {
                    Ok(taken) => {
                        self.inbox.forget(&drop.name);
                        self.reported.remove(&drop.name);
                        self.taken(&drop, taken);
                    }
                    Err(fault) => {
                        // The claim itself may stand, and only the drop's name could not be taken away.
                        self.stranded.extend(claim::request_id(&drop.name));
                        self.report(drop.name, &fault);
                    }
                }
            }
        }
    }

    fn taken(&mut self, drop: &InboxItem, taken: Taken) {
        match taken {
            Taken::Claimed(claimed) => self.enqueue(claimed),
            Taken::Known(id, state) => {
                self.tally.known += 1;
                let message = format!("The same request is already {}; it will not be run again.", state.as_str());
                self.log.event(&Event::new("known", id.as_str(), message));
            }
            Taken::Quarantined(item, reasons) => {
                self.tally.quarantined += 1;
                let first = reasons.first().map(ToString::to_string).unwrap_or_default();
                let message = format!("{} is in {}: {first}", quoted_name(&drop.name), item.display());
                self.log.event(&Event::new("quarantined", "", message));
            }
            Taken::Gone => {}
        }
    }

    fn enqueue(&mut self, claimed: Claimed) {
        let request = pipeline::read(self.context, &claimed);
        let priority = request.as_ref().map_or(Priority::Normal, |request| request.priority);
        self.order += 1;
        self.in_flight.insert(claimed.claim.request_id.clone());
        self.queue.put(Job { priority, order: Reverse(self.order), claimed, request });
    }

    fn note(&mut self, done: Done) {
        self.in_flight.remove(&done.id);
        match done.result {
            Ok(answered) => self.answered(&done.id, &answered),
            Err(fault) => {
                self.report(done.id.to_string().into(), &fault);
                self.stranded.insert(done.id);
            }
        }
    }

    fn answered(&mut self, id: &RequestId, answered: &Answered) {
        self.tally.answered += 1;
        let refused = answered.evidence.error.as_ref().is_some_and(|error| error.code == FailureCode::RequestRefused);
        self.tally.refused += u64::from(refused);
        let outcome = match &answered.evidence.error {
            None => "success".to_owned(),
            Some(error) => error.code.to_string(),
        };
        self.log.event(&Event::new("answered", id.as_str(), format!("{outcome}: {}", answered.result_id)));
    }

    /// Reports a fault, once for as long as it stays the same.
    fn report(&mut self, name: OsString, fault: &Fault) {
        let message = format!("failed to {fault}");
        if self.reported.get(&name) != Some(&message) {
            self.tally.faults += 1;
            let id = name.to_string_lossy().into_owned();
            self.log.event(&Event::new("fault", &id, format!("{message}; it stays where it is and will be retried")));
            self.reported.insert(name, message);
        }
    }

    /// Takes up what an earlier process left in the state folders.
    fn resume_all(&mut self) -> Result<(), Fault> {
        let site = &self.context.site;
        let running = recovery::ids(&site.running())?;
        let published = if running.is_empty() { HashSet::new() } else { recovery::published(site)? };
        let claimed = recovery::ids(&site.claimed())?;
        let found = running
            .into_iter()
            .map(|id| (id, State::Running))
            .chain(claimed.into_iter().map(|id| (id, State::Claimed)));
        for (id, state) in found.collect::<Vec<_>>() {
            self.resume(&id, state, &published);
        }
        Ok(())
    }

    fn resume_stranded(&mut self) {
        for id in std::mem::take(&mut self.stranded) {
            if self.in_flight.contains(&id) {
                continue;
            }
            let site = &self.context.site;
            let is_in = |state: State| state.folder(site).join(id.as_str()).exists();
            if is_in(State::Claimed) {
                self.resume(&id, State::Claimed, &HashSet::new());
            } else if is_in(State::Running) {
                match recovery::published(site) {
                    Ok(published) => self.resume(&id, State::Running, &published),
                    Err(fault) => {
                        self.report(id.to_string().into(), &fault);
                        self.stranded.insert(id);
                    }
                }
            }
        }
    }

    fn resume(&mut self, id: &RequestId, state: State, published: &HashSet<RequestId>) {
        match pipeline::resume(self.context, id, state, |id| published.contains(id)) {
            Ok(Resumed::Claimed(claimed)) => self.enqueue(claimed),
            Ok(Resumed::Answered(answered)) => self.answered(id, &answered),
            Ok(Resumed::Finished) => {
                self.log.event(&Event::new(
                    "finished",
                    id.as_str(),
                    "Its result had already been published.".to_owned(),
                ));
            }
            Err(fault) => {
                self.report(id.to_string().into(), &fault);
                self.stranded.insert(id.clone());
            }
        }
    }

    /// Lets what runs finish; a second signal stops it.
    fn stop(mut self, signal: i32, receiver: &Receiver<Wake<Done>>) -> Tally {
        self.tally.signal = Some(signal);
        let mut running = self.in_flight.len() - self.queue.close();
        let message = "Stopping: running tools may finish; send another signal to stop them at once.".to_owned();
        self.log.event(&Event::new("stopping", "", message));
        while running > 0 {
            match receiver.recv() {
                Ok(Wake::Message(done)) => {
                    self.note(done);
                    running -= 1;
                }
                Ok(Wake::Stop(_)) => self.context.cancel.fire(),
                Ok(Wake::RenamedIn(_) | Wake::Changed) => {}
                Err(_) => break,
            }
        }
        self.tally
    }
}
