//! Requests that wait for people, and people's actions: sign, deny, cancel, or let the time pass.
//!
//! A waiting request then returns to the claimed requests, and a worker decides on it anew. A cancellation also stops a request that
//! runs, or is about to. Orders are taken also in a backlog and during the end; their folders wake the coordinator.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use gatepost_documents::id::RequestId;
use gatepost_documents::text::quoted_name;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::Fault;

use super::Coordinator;
use crate::authorize::proofs::Signatories;
use crate::mailbox::decision::{self, Kind};
use crate::mailbox::inbox::InboxItem;
use crate::mailbox::pending::{self, Waiting};
use crate::mailbox::record::{self, State};
use crate::mailbox::recovery;
use crate::mailbox::signature_drop::{self, Received};
use crate::mailbox::signatures::SIGNATURES_MAX;
use gatepost_mailbox::log::Event;

/// How long a signature waits for its request to be dropped.
const ORPHAN_WAIT: Duration = Duration::from_mins(10);

/// The shortest and the longest time between two looks at orders.
const DECISIONS_PACE: Duration = Duration::from_millis(50);
const DECISIONS_PAUSE_MAX: Duration = Duration::from_secs(5);

/// The requests that wait for people, and people's drops.
#[derive(Debug, Default)]
pub(super) struct People {
    waiting: HashMap<RequestId, Waiting>,
    /// Signatures that a scan found, not yet processed.
    signatures: Vec<InboxItem>,
    /// The signatures in the inbox at the last scan, by request.
    by_request: HashMap<RequestId, Vec<OsString>>,
    /// Signatures that wait for their requests, with the start of the wait.
    orphans: HashMap<OsString, Instant>,
    /// Whether the last scan's findings are unprocessed.
    is_news: bool,
    /// Whether approvers may need a notification since the last scan.
    must_notify: bool,
    /// When orders are next taken.
    decisions_at: Option<Instant>,
}

impl People {
    /// Takes the findings of a scan.
    pub(super) fn found(&mut self, signatures: Vec<InboxItem>) {
        let names: HashSet<&OsStr> = signatures.iter().map(|item| item.name.as_os_str()).collect();
        self.orphans.retain(|name, _| names.contains(name.as_os_str()));
        self.by_request.clear();
        for name in names {
            if let Some(id) = signature_drop::request_id(name) {
                self.by_request.entry(id).or_default().push(name.to_owned());
            }
        }
        (self.signatures, self.is_news, self.must_notify) = (signatures, true, true);
    }

    /// Whether a signature waited too long for its request; none if nothing has changed. There may be very many.
    fn is_worth_a_look(&mut self, name: &OsStr) -> Option<bool> {
        let Some(since) = self.orphans.get(name) else {
            self.orphans.insert(name.to_owned(), Instant::now());
            return Some(false);
        };
        let is_late = since.elapsed() >= ORPHAN_WAIT;
        let waits = |id: RequestId| self.waiting.contains_key(&id);
        (is_late || signature_drop::request_id(name).is_some_and(waits)).then_some(is_late)
    }

    /// Whether the inbox has signatures.
    pub(super) fn has_signatures(&self) -> bool {
        !self.orphans.is_empty()
    }
}

impl Coordinator<'_> {
    /// Resumes the waiting requests of an earlier process.
    pub(super) fn resume_pending(&mut self) -> Result<(), Fault> {
        for id in recovery::ids(&self.context.site.pending())? {
            match pending::resume(&self.context.site, &id) {
                Ok(waiting) => _ = self.people.waiting.insert(id, waiting),
                Err(fault) => self.report(id.as_str().as_ref(), &fault),
            }
        }
        self.end_waits();
        Ok(())
    }

    /// A request was set aside.
    pub(super) fn set_aside(&mut self, id: &RequestId, waiting: Waiting) {
        self.stranded.forget(id);
        let what = waiting.missing.first().map(|reason| reason.message.clone()).unwrap_or_default();
        let until = waiting.until.format("%Y-%m-%dT%H:%M:%SZ");
        self.log.event(&Event::new("pending", id.as_str(), format!("{what} It waits until {until}.")));
        let is_decided = decision::is_taken(&self.context.site.pending().join(id.as_str()));
        self.people.waiting.insert(id.clone(), waiting);
        self.people.must_notify = true;
        // A cancellation came while it was claimed.
        if is_decided {
            self.decide_anew(id);
        }
    }

    /// Processes people's signatures since the last scan.
    pub(super) fn handle_people(&mut self) {
        if std::mem::take(&mut self.people.is_news) {
            self.receive_signatures();
        }
    }

    /// Takes the orders and cancellations, and ends the waits that are over. It takes a small part of the time, also in a backlog.
    pub(super) fn take_decisions(&mut self) {
        let began = Instant::now();
        if self.people.decisions_at.is_some_and(|at| began < at) {
            return;
        }
        if let Err(fault) = self.take_orders() {
            self.report("the orders".as_ref(), &fault);
        }
        if let Err(fault) = self.take_cancels() {
            self.report("the cancellations".as_ref(), &fault);
        }
        self.end_waits();
        let pause = (began.elapsed() * super::SCAN_SHARE).clamp(DECISIONS_PACE, DECISIONS_PAUSE_MAX);
        self.people.decisions_at = Some(Instant::now() + pause);
    }

    /// Notifies the approvers of waiting requests, if the site has a program for that.
    pub(super) fn notify_people(&mut self) {
        if !std::mem::take(&mut self.people.must_notify) {
            return;
        }
        if let Some(notifier) = self.notifier.as_mut() {
            notifier.notify_all(&self.context.site, &self.people.waiting, (self.context.clock)(), *self.log);
        }
    }

    /// Decides the requests whose wait is over, or whose decision was taken.
    fn end_waits(&mut self) {
        let now = (self.context.clock)();
        let due = self.people.waiting.iter().filter(|(_, waiting)| now >= waiting.until);
        for id in due.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            self.decide_anew(&id);
        }
    }

    fn take_orders(&mut self) -> Result<(), Fault> {
        for (id, order) in decision::ordered(&self.context.site)? {
            // An order that cannot be taken does not block others.
            if let Err(fault) = self.take_order(&id, &order) {
                self.report(format!("the order about {id}").as_ref(), &fault);
            }
        }
        Ok(())
    }

    fn take_order(&mut self, id: &RequestId, order: &Path) -> Result<(), Fault> {
        let kind = decision::kind(order).unwrap_or(Kind::Deny);
        let is_dropped = record::dropped(&self.context.site, id).is_some();
        match record::locate(&self.context.site, id)?.map(|(state, _)| state) {
            None if kind == Kind::Cancel && is_dropped => Ok(()),
            None | Some(State::Done) => {
                let message = "The request was not in progress; the order had no effect.".to_owned();
                self.log.event(&Event::new("order", id.as_str(), message));
                durable::remove_tree(order)
            }
            Some(State::Claimed | State::Running) if kind == Kind::Close => {
                if self.context.sessions.close(id) {
                    self.log.event(&Event::new("closing", id.as_str(), "Its session was ordered to close.".to_owned()));
                    return durable::remove_tree(order);
                }
                Ok(())
            }
            Some(state) if state == State::Pending || kind == Kind::Cancel => {
                self.take(id, (state, order), None).map(drop)
            }
            // It waits until the outcome of the request is known.
            Some(_) => Ok(()),
        }
    }

    /// Takes requesters' cancellations of their own requests. Removes files of other users.
    fn take_cancels(&mut self) -> Result<(), Fault> {
        let (mut left_out, mut first) = (0, None);
        for (id, order) in decision::cancels(&self.context.site)? {
            // It leaves the inbox after its claim is complete.
            let is_dropped = record::dropped(&self.context.site, &id).is_some();
            let taken = match record::locate(&self.context.site, &id) {
                Ok(None) if is_dropped => Ok(true),
                Ok(None | Some((State::Done, _))) => durable::remove_tree(&order).map(|()| false),
                Ok(Some((state, claim))) => self.take(&id, (state, &order), Some(claim.uid)),
                Err(fault) => Err(fault),
            };
            match taken {
                Ok(true) => {}
                Ok(false) => {
                    left_out += 1;
                    first.get_or_insert(id);
                }
                Err(fault) => self.report(format!("the cancellation of {id}").as_ref(), &fault),
            }
        }
        if let Some(first) = first {
            let message = format!(
                "Cancellations left out because the request was answered, or was not the user's own: {left_out}."
            );
            self.log.event(&Event::new("order", first.as_str(), message));
        }
        Ok(())
    }

    /// Takes the cancellations of requests that are just claimed, before any of them begins.
    pub(super) fn cancel_early(&mut self, claims: impl Iterator<Item = (RequestId, u32)>) {
        let claims: BTreeMap<RequestId, u32> = claims.collect();
        if claims.is_empty() {
            return;
        }
        let orders = claims.keys().filter_map(|id| {
            let order = self.context.site.exec_orders().join(format!("{id}.json"));
            (decision::kind(&order) == Some(Kind::Cancel)).then(|| (id.clone(), order, None))
        });
        let mut orders: Vec<_> = orders.collect();
        match decision::cancels_of(&self.context.site, &claims) {
            Ok(cancels) => {
                orders.extend(cancels.into_iter().map(|(id, order)| {
                    let requester = claims.get(&id).copied();
                    (id, order, requester)
                }));
            }
            Err(fault) => self.report("the cancellations".as_ref(), &fault),
        }
        for (id, order, requester) in orders {
            if let Err(fault) = self.take(&id, (State::Claimed, &order), requester) {
                self.report(format!("the order about {id}").as_ref(), &fault);
            }
        }
    }

    /// Stores an order in the folder of its request, and acts on it. False if it does not count.
    fn take(&mut self, id: &RequestId, (state, order): (State, &Path), requester: Option<u32>) -> Result<bool, Fault> {
        let folder = state.folder(&self.context.site).join(id.as_str());
        match decision::take(&folder, order, id, requester) {
            // It moved to another state: look again next time.
            Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => return Ok(true),
            Ok(false) => return Ok(false),
            taken => _ = taken?,
        }
        if self.people.waiting.contains_key(id) {
            self.decide_anew(id);
        } else {
            let did_run = self.context.runs.stop(id);
            // What it sent to a session cannot be taken back.
            if let Some(session) = self.sessions.of(id).filter(|_| did_run) {
                self.context.runs.stop(session);
            }
            self.log.event(&Event::new("cancelled", id.as_str(), "It is stopped, or will not begin.".to_owned()));
        }
        Ok(true)
    }

    /// Receives the signatures in the inbox when their request is claimed, before it is decided.
    pub(super) fn take_along(&mut self, id: &RequestId) {
        let Some(names) = self.people.by_request.remove(id) else { return };
        let signatories = match Signatories::read(&self.context.site) {
            Ok(signatories) => signatories,
            Err(fault) => return self.report(super::SIGNATURES.as_ref(), &fault),
        };
        for name in names.into_iter().take(SIGNATURES_MAX) {
            self.receive(&name, &signatories, false);
        }
    }

    fn receive_signatures(&mut self) {
        let signatures = std::mem::take(&mut self.people.signatures);
        if signatures.is_empty() {
            return;
        }
        let signatories = match Signatories::read(&self.context.site) {
            Ok(signatories) => signatories,
            Err(fault) => return self.report(super::SIGNATURES.as_ref(), &fault),
        };
        for item in signatures {
            // A request in flight may be set aside at this moment; its signatures are received then.
            let id = signature_drop::request_id(&item.name);
            if id.as_ref().is_some_and(|id| self.in_flight.contains(id)) {
                self.people.orphans.entry(item.name).or_insert_with(Instant::now);
                continue;
            }
            let Some(is_late) = self.people.is_worth_a_look(&item.name) else { continue };
            if let Some(id) = self.receive(&item.name, &signatories, is_late)
                && self.people.waiting.contains_key(&id)
            {
                self.decide_anew(&id);
            }
        }
    }

    /// Receives one signature; the request for which it counts.
    fn receive(&mut self, name: &OsStr, signatories: &Signatories, is_late: bool) -> Option<RequestId> {
        let (site, now) = (&self.context.site, (self.context.clock)());
        let received = signature_drop::receive((site, self.context.exec_log.as_ref()), name, signatories, is_late, now);
        if !matches!(received, Ok(Received::Waits)) {
            self.people.orphans.remove(name);
            self.inbox.forget(name);
        }
        match received {
            Ok(Received::For(id)) => {
                self.log.event(&Event::new("signed", id.as_str(), format!("{} counts.", quoted_name(name))));
                return Some(id);
            }
            Ok(Received::Again(id)) => {
                let message = format!("{} repeats an earlier signature.", quoted_name(name));
                self.log.event(&Event::new("signed", id.as_str(), message));
            }
            Ok(Received::Quarantined(place, reason)) => self.quarantined(name, &place, &reason.to_string()),
            Ok(Received::Waits | Received::Gone) => {}
            Err(fault) => self.report(name, &fault),
        }
        None
    }

    /// Logs an item that went to quarantine.
    pub(super) fn quarantined(&mut self, name: &OsStr, place: &Path, reason: &str) {
        self.tally.quarantined += 1;
        let message = format!("{} is in {}: {reason}", quoted_name(name), place.display());
        self.log.event(&Event::new("quarantined", "", message));
    }

    fn decide_anew(&mut self, id: &RequestId) {
        let site = &self.context.site;
        match pending::take_back(site, id).and_then(|()| recovery::claimed(site, id)) {
            Ok(claimed) => {
                self.people.waiting.remove(id);
                self.enqueue(claimed);
            }
            Err(fault) => {
                if !site.pending().join(id.as_str()).exists() {
                    self.people.waiting.remove(id);
                }
                self.stranded.after_fault(id.clone(), None, Instant::now());
                self.report(id.as_str().as_ref(), &fault);
            }
        }
    }
}
