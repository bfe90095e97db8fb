//! TOOL-EXEC: one coordinator that serves the inbox, and workers that carry out requests.
//!
//! ```text
//! wake (event, timer, worker done, signal, parent gone) ▶ scan ▶ claim ahead ▶ queue by priority ▶ workers: pipeline::carry_out
//! ```
//!
//! One bad item never delays the next: TOOL-EXEC reports a fault once, leaves the item where it is, and retries it at the regular
//! scans. The first signal lets running tools finish and leaves the rest claimed; the second stops them at once. SIGHUP ends a run in
//! the same way, and the next run uses the current configuration (`exec/reload.rs`).

mod away;
mod catalog;
mod claiming;
mod ending;
pub mod metrics;
mod notify;
mod people;
mod queue;
mod reload;
mod retries;
mod sessions;
mod tally;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use gatepost_contract::config::Config;
use gatepost_contract::request::Priority;
use gatepost_documents::evidence::FailureCode;
use gatepost_documents::id::RequestId;
use gatepost_events::{Events, Happened};
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::faults::Faults;
use gatepost_mailbox::lock::Lock;
use gatepost_mailbox::stops::Stops;
use gatepost_mailbox::wake::{Changes, Wake};

use crate::context::Context;
use crate::in_force;
use crate::mailbox::claim::Claimed;
use crate::mailbox::exec_log::ExecLog;
use crate::mailbox::inbox::{Inbox, InboxItem};
use crate::mailbox::record::State;
use crate::mailbox::recovery;
use crate::pipeline::{self, Answered, Carried, Left, Resumed};
use gatepost_mailbox::log::{Event, Level, Log};

use catalog::Publisher;
use metrics::Metrics;
use notify::Notifier;
use people::People;
use queue::{CloseOnDrop, Done, Job, Queue, WorkerPool};
use retries::Retries;
use sessions::Waiting;

pub use tally::{End, Tally};

/// How many requests are claimed before a worker is free for them: enough for priorities to matter.
const CLAIMED_AHEAD: usize = 32;
/// A scan may take at most one part in this many of the time.
const SCAN_SHARE: u32 = 20;
/// How many drops that TOOL-EXEC may not read are tried again at each scan.
const DENIED_AT_A_TIME: usize = 64;
/// The items under which faults of starting workers and of the site's folders are reported.
const WORKERS: &str = "the workers";
/// How many scans a run that ends by itself waits for workers that cannot be started.
const SCANS_WITHOUT_WORKERS_ONCE: u32 = 3;
const FOLDERS: &str = "the folders";
const SIGNATURES: &str = "the signatures";
const METRICS: &str = "the metrics";
const CATALOG: &str = "the catalog";

/// When the run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Until a signal.
    Forever,
    /// Until every present item is answered.
    Once,
}

/// The end of a run.
#[derive(Debug)]
pub enum Ended {
    /// No work is left, or a signal requested the end.
    Whole(Tally),
    /// Start another run from this tally with this configuration.
    Reload(Tally, Box<Config>, Stops),
}

/// The number of requests that run at a time.
pub fn workers(config: &Config) -> usize {
    match config.exec.workers {
        0 => thread::available_parallelism().map_or(1, NonZero::get),
        count => count,
    }
}

/// Runs TOOL-EXEC on a site whose lock it holds. Continues counting from `tally`.
pub fn run(
    context: &mut Context,
    (mode, mut tally): (Mode, Tally),
    _lock: &Lock,
    stops: Stops,
    log: &Log,
) -> Result<Ended, Fault> {
    let message = format!("{} with {} workers", context.site.inbox().display(), workers(&context.config));
    log.event(&Event::new("watching", "", message));
    recovery::sweep(&context.site)?;
    let exec_log = ExecLog::open(&context.site)?;
    exec_log.recover_quarantine(&context.site, (context.clock)())?;
    // No decision depends on this note, so a fault does not stop the service.
    if let Err(fault) = in_force::note(&context.site, &context.config) {
        tally.faults += 1;
        log.event(&Event::new("fault", "", format!("failed to {fault}")).at(Level::Error));
    }
    context.exec_log = Some(exec_log);
    let context = &*context;
    let inbox = context.site.inbox();
    let folders = [
        (inbox.clone(), Changes::All),
        (context.site.exec_orders(), Changes::Whole),
        (context.site.exec_cancels(), Changes::Whole),
        (context.site.tools(), Changes::Whole),
    ];
    let fleet = (gatepost_mailbox::fleet::ended(&context.site), Changes::Whole);
    let folders = folders.into_iter().chain((!context.config.fleet.servers.is_empty()).then_some(fleet));
    let wake = Wake::new([], Some(stops)).on("wait for events of", &inbox)?;
    let events = Events::new(folders, wake.bell());
    let (sender, reports) = mpsc::channel();
    let (queue, bell) = (Queue::default(), wake.bell());
    let coordinator = Coordinator { tally, ..Coordinator::new(context, mode, log, &queue, (wake, events), reports) };
    thread::scope(|scope| {
        let _close = CloseOnDrop(&queue);
        let missing = workers(&context.config);
        coordinator.run(&mut WorkerPool { scope, context, log: *log, queue: &queue, sender, bell, missing })
    })
}

struct Coordinator<'a> {
    context: &'a Context,
    mode: Mode,
    log: &'a Log,
    queue: &'a Queue,
    inbox: Inbox,
    wake: Wake,
    events: Events,
    /// The workers' results.
    reports: Receiver<Done>,
    ready: VecDeque<InboxItem>,
    /// Drops that TOOL-EXEC may not read. There may be very many, so they are tried after all others, in turns.
    denied: BTreeSet<OsString>,
    /// The one that was tried last.
    denied_last: OsString,
    /// Drops that are no requests. They wait until no request waits.
    strays: VecDeque<InboxItem>,
    in_flight: HashSet<RequestId>,
    /// Requests that wait for people, and people's actions.
    people: People,
    /// Requests that nodes of the fleet run.
    away: HashSet<RequestId>,
    /// Notifies the approvers.
    notifier: Option<Notifier>,
    /// Requests that open or continue sessions.
    sessions: Waiting,
    /// Requests that a fault left in a state folder.
    stranded: Retries,
    faults: Faults,
    metrics: Metrics,
    catalog: Publisher,
    /// When the list of what a node can run is due.
    tools_due: Option<Instant>,
    order: u64,
    /// How many scans found no worker and could start none.
    scans_without_workers: u32,
    /// The most claimed requests at a time.
    in_flight_max: usize,
    /// The new configuration, to apply once no session is open.
    next_config: Option<Box<Config>>,
    tally: Tally,
}

impl<'a> Coordinator<'a> {
    fn new(
        context: &'a Context,
        mode: Mode,
        log: &'a Log,
        queue: &'a Queue,
        (wake, events): (Wake, Events),
        reports: Receiver<Done>,
    ) -> Self {
        Self {
            context,
            mode,
            log,
            queue,
            inbox: Inbox::new(context.site.inbox(), context.config.inbox.quiet()),
            wake,
            events,
            reports,
            ready: VecDeque::new(),
            denied: BTreeSet::new(),
            denied_last: OsString::new(),
            strays: VecDeque::new(),
            in_flight: HashSet::new(),
            people: People::default(),
            away: HashSet::new(),
            notifier: Notifier::start(&context.site, &context.config.approval, *log),
            sessions: Waiting::default(),
            stranded: Retries::new(Duration::from_millis(context.config.inbox.scan_interval_ms)),
            faults: Faults::begin(&context.site.exec_faults()),
            metrics: Metrics::new(&context.config.metrics),
            catalog: Publisher::default(),
            tools_due: None,
            order: 0,
            scans_without_workers: 0,
            in_flight_max: workers(&context.config) + CLAIMED_AHEAD,
            next_config: None,
            tally: Tally::default(),
        }
    }

    fn run(mut self, pool: &mut WorkerPool<'_, '_>) -> Result<Ended, Fault> {
        self.prepare_fleet()?;
        // Before anything is resumed: what was cancelled meanwhile does not begin.
        self.take_decisions();
        self.resume_all()?;
        self.resume_pending()?;
        let interval = Duration::from_millis(self.context.config.inbox.scan_interval_ms);
        let (mut scan_at, mut rested_at, mut backlog_at) = (Instant::now(), Instant::now(), Instant::now());
        let mut settled = false;
        loop {
            let now = Instant::now();
            // In a backlog the other work of a scan goes on: signatures, faults, results of nodes.
            if now >= scan_at && (self.ready.is_empty() || now >= backlog_at) {
                self.complete(pool)?;
                let next_look = self.scan(now);
                settled = self.ready.is_empty() && self.strays.is_empty() && next_look.is_none();
                rested_at = now + (now.elapsed() * SCAN_SHARE).min(interval);
                backlog_at = now + (now.elapsed() * SCAN_SHARE).max(interval);
                scan_at = rested_at.max(now + next_look.unwrap_or(interval).min(interval));
            }
            if self.metrics.are_due(now) {
                self.write_metrics();
            }
            self.claim_ahead();
            self.set_strays_aside();
            self.take_decisions();
            self.handle_people();
            self.notify_people();
            self.continue_sessions();
            self.open_sessions(pool);
            let is_idle = self.ready.is_empty() && self.strays.is_empty();
            if self.mode == Mode::Once && settled && is_idle {
                if self.in_flight.is_empty() {
                    return Ok(self.leave());
                }
                self.close_if_idle();
            }
            // Ready, unclaimed requests wait for a worker, and a finished worker wakes this thread.
            let wait = match (self.ready.is_empty(), self.strays.is_empty()) {
                (false, _) => interval,
                (true, true) => scan_at.saturating_duration_since(Instant::now()),
                (true, false) => Duration::ZERO,
            };
            let woken = self.wake.wait(wait);
            while let Ok(done) = self.reports.try_recv() {
                // A signature may arrive before its request is set aside.
                if self.note(done) && self.people.has_signatures() {
                    scan_at = scan_at.min(rested_at);
                }
            }
            if let Some(stop) = woken.stop {
                return Ok(self.stop(&stop));
            }
            if woken.is_hung_up {
                self.read_config();
            }
            if self.next_config.is_some() && self.sessions.count() == 0 {
                return Ok(self.hand_over());
            }
            let happened = self.events.take();
            if happened != Happened::default() {
                scan_at = scan_at.min(rested_at);
                settled = false;
            }
            for change in happened.changes.into_iter().filter(|change| change.folder == 0 && change.is_renamed_in) {
                self.inbox.renamed_in(change.name, Instant::now());
            }
        }
    }

    /// Starts the missing workers. A run that ends by itself gives up if there is still no worker.
    fn complete(&mut self, pool: &mut WorkerPool<'_, '_>) -> Result<(), Fault> {
        let Err(fault) = pool.complete().on("start all of", Path::new(WORKERS)) else {
            self.faults.over(OsStr::new(WORKERS));
            return Ok(());
        };
        self.scans_without_workers += u32::from(pool.missing == workers(&self.context.config));
        if self.mode == Mode::Once && self.scans_without_workers > SCANS_WITHOUT_WORKERS_ONCE {
            return Err(fault);
        }
        self.report(WORKERS.as_ref(), &fault);
        Ok(())
    }

    fn write_metrics(&mut self) {
        match self.metrics.write(&self.context.site, self.faults.count()) {
            Ok(()) => _ = self.faults.over(OsStr::new(METRICS)),
            Err(fault) => self.report(METRICS.as_ref(), &fault),
        }
    }

    fn publish_catalog(&mut self) {
        match self.catalog.publish(self.context, *self.log) {
            Ok(()) => _ = self.faults.over(OsStr::new(CATALOG)),
            Err(fault) => self.report(CATALOG.as_ref(), &fault),
        }
    }

    /// Scans the inbox and returns when to scan again for incomplete drops.
    fn scan(&mut self, now: Instant) -> Option<Duration> {
        self.events.renew();
        if let Err(fault) = self.context.site.check_folders() {
            self.report(FOLDERS.as_ref(), &fault);
            return None;
        }
        self.faults.over(OsStr::new(FOLDERS));
        // If the gate is another user, it can only set aside judged results.
        gatepost_mailbox::outbox::sweep_judged(&self.context.site);
        self.publish_catalog();
        self.publish_tools(now);
        self.resume_stranded(now);
        self.take_back();
        match self.inbox.scan(now) {
            Ok(scan) => {
                if let Some(reported) = self.faults.over(OsStr::new("")) {
                    self.log.event(&Event::new("inbox", "", format!("The inbox is available again ({reported})")));
                }
                // Drops that a fault kept unclaimed are for the next run.
                let once = self.mode == Mode::Once;
                self.people.found(scan.signatures);
                let is_due = |drop: &InboxItem| !(once && self.faults.has(&drop.name));
                let due = scan.ready.into_iter().filter(is_due);
                let (denied, ready): (Vec<_>, Vec<_>) = due.partition(|drop| self.denied.contains(&drop.name));
                self.ready = ready.into();
                self.strays = scan.strays.into_iter().filter(is_due).collect();
                self.try_again(denied);
                scan.next_look
            }
            Err(fault) => {
                self.report(OsStr::new(""), &fault);
                None
            }
        }
    }

    /// Adds some of the drops that may not be read, each in its turn.
    fn try_again(&mut self, mut denied: Vec<InboxItem>) {
        self.denied = denied.iter().map(|drop| drop.name.clone()).collect();
        denied.sort_by(|one, other| one.name.cmp(&other.name));
        let next = denied.partition_point(|drop| drop.name <= self.denied_last);
        denied.rotate_left(next);
        denied.truncate(DENIED_AT_A_TIME);
        self.denied_last = denied.last().map_or_else(OsString::new, |last| last.name.clone());
        self.ready.extend(denied);
    }

    fn enqueue(&mut self, claimed: Claimed) {
        let request = pipeline::read(self.context, &claimed);
        self.log.event(
            &Event::new("claimed", claimed.claim.request_id.as_str(), "Its private copy is on the disk.".to_owned())
                .at(Level::Debug),
        );
        let priority = request.as_ref().map_or(Priority::Normal, |request| request.priority);
        self.order += 1;
        self.in_flight.insert(claimed.claim.request_id.clone());
        let (turn, order) = (Reverse(0), Reverse(self.order));
        self.dispatch(Job { priority, turn, order, claimed, request, is_back: false });
    }

    /// Records the outcome of a request; true if it was set aside.
    fn note(&mut self, done: Done) -> bool {
        self.in_flight.remove(&done.id);
        self.go_on_with_session(&done.id);
        match done.result {
            Ok(Carried::Answered(answered)) => self.answered(&done.id, &answered),
            Ok(Carried::SetAside(waiting)) => {
                self.set_aside(&done.id, waiting);
                return true;
            }
            Ok(Carried::Away) => self.sent_away(done.id),
            Err(unanswered) => {
                self.report(done.id.as_str().as_ref(), &unanswered.fault);
                let left = if unanswered.has_started { Left::Unknown } else { Left::Unstarted };
                self.stranded.after_fault(done.id, Some(left), Instant::now());
            }
        }
        false
    }

    fn answered(&mut self, id: &RequestId, answered: &Answered) {
        self.stranded.forget(id);
        self.faults.over(OsStr::new(id.as_str()));
        self.metrics.answered(&answered.evidence);
        self.tally.answered += 1;
        let refused = answered.evidence.error.as_ref().is_some_and(|error| error.code == FailureCode::RequestRefused);
        self.tally.refused += u64::from(refused);
        let outcome = match &answered.evidence.error {
            None => "success".to_owned(),
            Some(error) => error.code.to_string(),
        };
        self.log.event(&Event::new("answered", id.as_str(), format!("{outcome}: {}", answered.result_id)));
    }

    /// Reports a fault once, until it changes.
    fn report(&mut self, name: &OsStr, fault: &Fault) {
        let message = format!("failed to {fault}");
        if self.faults.keep(name, &message) {
            self.tally.faults += 1;
            self.metrics.met_fault();
            let is_item =
                !["", WORKERS, FOLDERS, SIGNATURES, METRICS, CATALOG, away::FLEET].iter().any(|whole| name == *whole);
            let id = if is_item { name.to_string_lossy() } else { Cow::Borrowed("") };
            let what_next = match (fault.as_unusable(), is_item) {
                (Some(_), _) => "signatures and requests wait until it is corrected",
                (None, true) => "it stays where it is and will be retried",
                (None, false) => "it will be retried",
            };
            self.log.event(&Event::new("fault", &id, format!("{message}; {what_next}")).at(Level::Error));
        }
    }

    /// Resumes requests of an earlier process in the state folders.
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
            self.resume(&id, state, Left::Unknown, &published);
        }
        Ok(())
    }

    fn resume_stranded(&mut self, now: Instant) {
        for (id, left) in self.stranded.due(now) {
            if self.in_flight.contains(&id) {
                continue;
            }
            let site = &self.context.site;
            let is_in = |state: State| state.folder(site).join(id.as_str()).exists();
            if is_in(State::Claimed) {
                self.resume(&id, State::Claimed, left, &HashSet::new());
            } else if is_in(State::Running) {
                match recovery::published(site) {
                    Ok(published) => self.resume(&id, State::Running, left, &published),
                    Err(fault) => self.strand(&id, &fault),
                }
            } else {
                self.stranded.forget(&id);
            }
        }
    }

    /// Leaves a request in its state, to be retried.
    fn strand(&mut self, id: &RequestId, fault: &Fault) {
        self.report(id.as_str().as_ref(), fault);
        self.stranded.after_fault(id.clone(), None, Instant::now());
    }

    fn resume(&mut self, id: &RequestId, state: State, left: Left, published: &HashSet<RequestId>) {
        match pipeline::resume(self.context, id, state, left, |id| published.contains(id)) {
            Ok(Resumed::Claimed(claimed)) => self.enqueue(claimed),
            Ok(Resumed::Answered(answered)) => self.answered(id, &answered),
            Ok(Resumed::Away) => self.sent_away(id.clone()),
            Ok(Resumed::Finished) => {
                self.stranded.forget(id);
                self.log.event(&Event::new(
                    "finished",
                    id.as_str(),
                    "Its result had already been published.".to_owned(),
                ));
            }
            Err(fault) => self.strand(id, &fault),
        }
    }
}
