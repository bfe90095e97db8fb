//! Requests that wait for people, and what people do about them: sign, deny, cancel, or let the time pass.
//!
//! In each case the request returns to the claimed requests, and a worker decides on it anew. Every scan of the inbox looks for such
//! events; the folder of orders also wakes the coordinator.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::{Duration, Instant};

use gatepost_documents::id::RequestId;
use gatepost_documents::text::quoted_name;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::Fault;

use super::Coordinator;
use crate::authorize::proofs::Signatories;
use crate::mailbox::inbox::InboxItem;
use crate::mailbox::pending::{self, Waiting};
use crate::mailbox::signature_drop::{self, Received};
use crate::mailbox::signatures::SIGNATURES_MAX;
use crate::mailbox::{decision, recovery};
use gatepost_mailbox::log::Event;

/// How long a signature waits for its request to be dropped.
const ORPHAN_WAIT: Duration = Duration::from_mins(10);

/// All that waits for people, and what they dropped.
#[derive(Debug, Default)]
pub(super) struct People {
    waiting: HashMap<RequestId, Waiting>,
    /// Signatures that a scan found, to be heard.
    signatures: Vec<InboxItem>,
    /// All that lay in the inbox at the last scan, by their requests.
    by_request: HashMap<RequestId, Vec<OsString>>,
    /// Signatures that wait for their requests, and since when.
    orphans: HashMap<OsString, Instant>,
    /// Whether the last scan's news are still to be heard.
    is_news: bool,
    /// Whether approvers may have to be told of something since the last scan.
    is_to_tell: bool,
}

impl People {
    /// What a scan found.
    pub(super) fn found(&mut self, signatures: Vec<InboxItem>) {
        let names: HashSet<&OsStr> = signatures.iter().map(|item| item.name.as_os_str()).collect();
        self.orphans.retain(|name, _| names.contains(name.as_os_str()));
        self.by_request.clear();
        for name in names {
            if let Some(id) = signature_drop::request_id(name) {
                self.by_request.entry(id).or_default().push(name.to_owned());
            }
        }
        (self.signatures, self.is_news, self.is_to_tell) = (signatures, true, true);
    }

    /// Whether a signature waited too long for its request; none if nothing has changed for it. There may be very many.
    fn is_worth_a_look(&mut self, name: &OsStr) -> Option<bool> {
        let Some(since) = self.orphans.get(name) else {
            self.orphans.insert(name.to_owned(), Instant::now());
            return Some(false);
        };
        let is_late = since.elapsed() >= ORPHAN_WAIT;
        let waits = |id: RequestId| self.waiting.contains_key(&id);
        (is_late || signature_drop::request_id(name).is_some_and(waits)).then_some(is_late)
    }

    /// Whether signatures lie in the inbox.
    pub(super) fn has_signatures(&self) -> bool {
        !self.orphans.is_empty()
    }
}

impl Coordinator<'_> {
    /// Takes up what waited when an earlier process ended.
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
    pub(super) fn set_aside(&mut self, id: RequestId, waiting: Waiting) {
        self.stranded.forget(&id);
        let what = waiting.missing.first().map(|reason| reason.message.clone()).unwrap_or_default();
        let until = waiting.until.format("%Y-%m-%dT%H:%M:%SZ");
        self.log.event(&Event::new("pending", id.as_str(), format!("{what} It waits until {until}.")));
        self.people.waiting.insert(id, waiting);
        self.people.is_to_tell = true;
    }

    /// Hears what people did since the last scan.
    pub(super) fn hear_people(&mut self) {
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

    /// Tells the approvers of what waits, where the site has a program for that.
    pub(super) fn tell_people(&mut self) {
        if !std::mem::take(&mut self.people.is_to_tell) {
            return;
        }
        if let Some(notifier) = self.notifier.as_mut() {
            notifier.tell_all(&self.context.site, &self.people.waiting, (self.context.clock)(), *self.log);
        }
    }

    fn take_orders(&mut self) -> Result<(), Fault> {
        let context = self.context;
        let site = &context.site;
        for (id, order) in decision::ordered(site)? {
            let taken = if self.people.waiting.contains_key(&id) {
                pending::take_order(site, &id, &order).map(|()| self.decide_anew(&id))
            } else if self.in_flight.contains(&id) {
                self.take_close(&id, &order)
            } else {
                let message = "The request was not pending; the order had no effect.".to_owned();
                let removed = gatepost_mailbox::durable::remove_tree(&order);
                removed.map(|()| self.log.event(&Event::new("order", id.as_str(), message)))
            };
            // One that cannot be removed keeps nobody else's from being taken.
            if let Err(fault) = taken {
                self.report(format!("the order about {id}").as_ref(), &fault);
            }
        }
        Ok(())
    }

    /// Takes what requesters cancel of their own. A file of anybody else is removed.
    fn take_cancels(&mut self) -> Result<(), Fault> {
        let site = &self.context.site;
        for (id, order) in decision::cancels(site)? {
            // What becomes of a request that is being decided is not known yet. What is no file was not made by gatepost.
            if self.in_flight.contains(&id) || !order.symlink_metadata().is_ok_and(|found| found.is_file()) {
                continue;
            }
            let taken = if self.people.waiting.contains_key(&id) {
                pending::take_cancel(site, &id, &order)
            } else {
                durable::remove_tree(&order).map(|()| false)
            };
            match taken {
                Ok(true) => self.decide_anew(&id),
                Ok(false) => {
                    let message =
                        "The request was not pending, or not the user's own, so its cancellation was left out.";
                    self.log.event(&Event::new("order", id.as_str(), message.to_owned()));
                }
                Err(fault) => self.report(format!("the cancellation of {id}").as_ref(), &fault),
            }
        }
        Ok(())
    }

    /// Closes the session of a request, if it holds one open; else an order waits until it is known what becomes of the request.
    fn take_close(&self, id: &RequestId, order: &Path) -> Result<(), Fault> {
        // Whatever was meant to become of the request, its session is to end.
        if !self.context.sessions.close(id) {
            return Ok(());
        }
        self.log.event(&Event::new("closing", id.as_str(), "Its session was ordered to close.".to_owned()));
        gatepost_mailbox::durable::remove_tree(order)
    }

    /// Takes along the signatures that lie in the inbox when their request is claimed; it is not being decided yet.
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
            // What is in flight may be set aside at this moment, and is heard of then.
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

    /// Says what went to quarantine.
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
