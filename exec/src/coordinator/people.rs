//! Requests that wait for people, and people's actions: sign, deny, cancel, or let the time pass.
//!
//! A waiting request then returns to the claimed requests, and a worker decides on it anew. A cancellation also stops a request that
//! runs, or is about to. Every scan of the inbox looks for such events; the folder of orders also wakes the coordinator.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
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

    /// Processes people's actions since the last scan.
    pub(super) fn handle_people(&mut self) {
        if !std::mem::take(&mut self.people.is_news) {
            return;
        }
        if let Err(fault) = self.take_orders() {
            self.report("the orders".as_ref(), &fault);
        }
        if let Err(fault) = self.take_cancels() {
            self.report("the cancellations".as_ref(), &fault);
        }
        self.receive_signatures();
        let now = (self.context.clock)();
        let due = self.people.waiting.iter().filter(|(_, waiting)| now >= waiting.until);
        for id in due.map(|(id, _)| id.clone()).collect::<Vec<_>>() {
            self.decide_anew(&id);
        }
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

    fn take_orders(&mut self) -> Result<(), Fault> {
        let context = self.context;
        let site = &context.site;
        for (id, order) in decision::ordered(site)? {
            let taken = if self.people.waiting.contains_key(&id) {
                let folder = site.pending().join(id.as_str());
                pending::take_order(&folder, &order).map(|()| self.decide_anew(&id))
            } else if self.is_in_progress(&id) {
                self.take_while_in_progress(&id, &order)
            } else {
                let message = "The request was not pending; the order had no effect.".to_owned();
                let removed = durable::remove_tree(&order);
                removed.map(|()| self.log.event(&Event::new("order", id.as_str(), message)))
            };
            // An order that cannot be removed does not block others.
            if let Err(fault) = taken {
                self.report(format!("the order about {id}").as_ref(), &fault);
            }
        }
        Ok(())
    }

    /// Processes requesters' cancellations of their own requests. Removes files of other users.
    fn take_cancels(&mut self) -> Result<(), Fault> {
        let site = &self.context.site;
        for (id, order) in decision::cancels(site)? {
            // gatepost made no entry that is not a file.
            if !order.symlink_metadata().is_ok_and(|found| found.is_file()) {
                continue;
            }
            let is_waiting = self.people.waiting.contains_key(&id);
            let taken = if is_waiting {
                pending::take_cancel(&site.pending().join(id.as_str()), &order)
            } else if self.is_in_progress(&id) {
                match self.folder_in_progress(&id) {
                    Ok(Some(folder)) => pending::take_cancel(&folder, &order),
                    // It is moving to another state: look again at the next scan.
                    Ok(None) => continue,
                    Err(fault) => Err(fault),
                }
            } else {
                durable::remove_tree(&order).map(|()| false)
            };
            match taken {
                Ok(true) if is_waiting => self.decide_anew(&id),
                Ok(true) => self.stop_run(&id),
                Ok(false) => {
                    let message = "The request was answered, or not the user's own, so its cancellation was left out.";
                    self.log.event(&Event::new("order", id.as_str(), message.to_owned()));
                }
                Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => {}
                Err(fault) => self.report(format!("the cancellation of {id}").as_ref(), &fault),
            }
        }
        Ok(())
    }

    /// Whether a worker has the request, or gets it soon, or a node of the fleet runs it.
    fn is_in_progress(&self, id: &RequestId) -> bool {
        self.in_flight.contains(id) || self.away.contains(id)
    }

    /// Stops a request in progress, or closes its open session. Any other order waits until the outcome of the request is known.
    fn take_while_in_progress(&self, id: &RequestId, order: &Path) -> Result<(), Fault> {
        match decision::kind(order) {
            Some(Kind::Cancel) => {
                let Some(folder) = self.folder_in_progress(id)? else { return Ok(()) };
                match pending::take_order(&folder, order) {
                    Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => return Ok(()),
                    taken => taken?,
                }
                self.stop_run(id);
                Ok(())
            }
            _ if self.context.sessions.close(id) => {
                self.log.event(&Event::new("closing", id.as_str(), "Its session was ordered to close.".to_owned()));
                durable::remove_tree(order)
            }
            _ => Ok(()),
        }
    }

    /// The folder of a request that is claimed or running; none while it moves to another state.
    fn folder_in_progress(&self, id: &RequestId) -> Result<Option<PathBuf>, Fault> {
        let site = &self.context.site;
        let state = record::locate(site, id)?.map(|(state, _)| state);
        let state = state.filter(|state| matches!(state, State::Claimed | State::Running));
        Ok(state.map(|state| state.folder(site).join(id.as_str())))
    }

    /// Stops the run of a request with a stored cancellation. If it has not begun, the worker finds the cancellation.
    fn stop_run(&self, id: &RequestId) {
        self.context.runs.stop(id);
        self.log.event(&Event::new("cancelled", id.as_str(), "Its run is stopped.".to_owned()));
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
