//! Requests that open sessions, and those that continue them.
//!
//! ```text
//! keep_open: true ▶ a thread of its own, until the session ends        session_id ▶ a worker, one request of a session at a time
//! ```
//!
//! An open session takes no worker, so open sessions never delay other requests.

use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::time::{Duration, Instant};

use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_mailbox::fault::OnPath;

use super::Coordinator;
use super::queue::{Job, WorkerPool};
use crate::mailbox::{record, recovery};
use crate::pipeline::Left;

/// Requests of one session that wait for each other, at most.
const WAITING_MAX: usize = 1000;

/// How long a request waits until the drop that opens its session is complete.
const EARLY_WAIT: Duration = Duration::from_secs(10);

/// The item under which faults of opening a session are reported.
const THREAD: &str = "the thread of a session";

/// The dropper and the requester of a request: its identity before signatures are verified.
type Dropper = (u32, String);

/// Requests that open or continue sessions and are in flight.
#[derive(Default)]
pub(super) struct Waiting {
    /// Requests that will open a session.
    to_open: Vec<Job>,
    /// Requests that open a session or keep it open.
    opening: HashMap<RequestId, Dropper>,
    /// Requests that continue a session, by its name, with the end of the wait for its opener, if that is in the inbox.
    continuing: Vec<(RequestId, Job, Instant)>,
    /// The request in progress of each session.
    busy: HashMap<RequestId, RequestId>,
    /// The waiting requests of each session, the oldest first. They stay claimed, and are read again.
    next: HashMap<RequestId, VecDeque<RequestId>>,
}

impl Waiting {
    /// The number of requests in flight without a worker.
    pub(super) fn count(&self) -> usize {
        self.opening.len() + self.next.values().map(VecDeque::len).sum::<usize>()
    }

    /// The session that a request in progress continues.
    pub(super) fn of(&self, id: &RequestId) -> Option<&RequestId> {
        self.busy.iter().find_map(|(session, request)| (request == id).then_some(session))
    }
}

impl Coordinator<'_> {
    /// Queues a claimed request.
    pub(super) fn dispatch(&mut self, job: Job) {
        let Ok(request) = &job.request else { return self.queue.put(job) };
        match request.session_id.as_deref().map(RequestId::parse) {
            None if request.keep_open == Some(true) => self.open_session(job),
            Some(Ok(session)) => self.sessions.continuing.push((session, job, Instant::now() + EARLY_WAIT)),
            None | Some(Err(_)) => self.queue.put(job),
        }
    }

    /// Queues the requests that continue sessions, now that all requests claimed together are known.
    pub(super) fn continue_sessions(&mut self) {
        for (session, job, until) in std::mem::take(&mut self.sessions.continuing) {
            if self.sessions.opening.contains_key(&session) {
                self.continue_session(&session, job);
            } else if Instant::now() < until && record::dropped(&self.context.site, &session).is_some() {
                self.sessions.continuing.push((session, job, until));
            } else {
                self.queue.put(job);
            }
        }
    }

    fn open_session(&mut self, job: Job) {
        let config = &self.context.config;
        if self.sessions.opening.len() >= config.exec.sessions_max + super::workers(config) {
            return self.refuse(job, "Too many sessions are open, or are being opened.");
        }
        let id = job.claimed.claim.request_id.clone();
        self.context.sessions.expect(id.clone());
        self.sessions.opening.insert(id, dropper(&job));
        self.sessions.to_open.push(job);
    }

    fn continue_session(&mut self, session: &RequestId, job: Job) {
        let Waiting { opening, busy, next, .. } = &mut self.sessions;
        // Other requests are refused when they are carried out, and block none.
        if opening.get(session) != Some(&dropper(&job)) {
            return self.queue.put(job);
        }
        let id = job.claimed.claim.request_id.clone();
        if !busy.contains_key(session) {
            busy.insert(session.clone(), id);
            return self.queue.put(job);
        }
        let waiting = next.entry(session.clone()).or_default();
        if waiting.len() < WAITING_MAX {
            waiting.push_back(id);
        } else {
            self.refuse(job, "Too many requests wait for the session.");
        }
    }

    fn refuse(&self, job: Job, message: &str) {
        let reason = Reason::new(Code::LimitExceeded, message, "Wait for results, then drop it again under a new id.");
        self.queue.put(Job { request: Err(vec![reason]), ..job });
    }

    /// Starts the threads of the new sessions.
    pub(super) fn open_sessions(&mut self, pool: &mut WorkerPool<'_, '_>) {
        for job in std::mem::take(&mut self.sessions.to_open) {
            let id = job.claimed.claim.request_id.clone();
            if let Err(fault) = pool.hold(job).on("start", Path::new(THREAD)) {
                self.in_flight.remove(&id);
                self.go_on_with_session(&id);
                self.report(id.as_str().as_ref(), &fault);
                self.stranded.after_fault(id, Some(Left::Unstarted), Instant::now());
            }
        }
    }

    /// Forgets the waiting requests, which stay claimed; returns their number.
    pub(super) fn give_up_sessions(&mut self) -> usize {
        let to_open = std::mem::take(&mut self.sessions.to_open);
        for job in &to_open {
            self.context.sessions.settle(&job.claimed.claim.request_id);
        }
        let next: usize = self.sessions.next.drain().map(|(_, ids)| ids.len()).sum();
        next + to_open.len() + self.sessions.continuing.drain(..).count()
    }

    /// A request ended or was set aside: the requests that waited for it continue.
    pub(super) fn go_on_with_session(&mut self, id: &RequestId) {
        self.context.sessions.settle(id);
        self.sessions.opening.remove(id);
        let Some(session) = self.sessions.of(id).cloned() else { return };
        let Waiting { opening, busy, next, .. } = &mut self.sessions;
        busy.remove(&session);
        let mut waiting = next.remove(&session).unwrap_or_default();
        // Requests for an ended session need no order.
        let rest =
            if opening.contains_key(&session) { waiting.split_off(waiting.len().min(1)) } else { VecDeque::new() };
        if !rest.is_empty() {
            next.insert(session, rest);
        }
        for id in waiting {
            match recovery::claimed(&self.context.site, &id) {
                Ok(claimed) => self.enqueue(claimed),
                Err(fault) => {
                    self.in_flight.remove(&id);
                    self.strand(&id, &fault);
                }
            }
        }
    }

    /// Closes the sessions if no other request is in flight.
    pub(super) fn close_if_idle(&mut self) {
        if self.in_flight.len() == self.sessions.opening.len() {
            self.context.sessions.close_all();
        }
    }
}

fn dropper(job: &Job) -> Dropper {
    let name = job.request.as_ref().map(|request| request.requested_by.clone()).unwrap_or_default();
    (job.claimed.claim.uid, name)
}
