//! Requests that nodes of the fleet run: TOOL-EXEC waits for their results without a worker.

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use gatepost_contract::request::Priority;
use gatepost_documents::id::RequestId;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::log::{Event, Level};

use super::Coordinator;
use super::queue::Job;
use crate::fleet;
use crate::mailbox::recovery;
use crate::pipeline;

/// The item under which faults of reading the fleet's results are reported.
pub(super) const FLEET: &str = "the fleet";
/// The item of a fault that prevents listing what a node can run.
const TOOLS: &str = "the tools of this node";
/// The interval of that list: programs, signatures and keys are read for it.
const TOOLS_INTERVAL: Duration = Duration::from_secs(1);

impl Coordinator<'_> {
    /// Records that a node runs the request.
    pub(super) fn sent_away(&mut self, id: RequestId) {
        self.stranded.forget(&id);
        self.faults.over(id.as_str().as_ref());
        let message = "It is offered to the nodes of the fleet.".to_owned();
        self.log.event(&Event::new("offered", id.as_str(), message).at(Level::Debug));
        self.away.insert(id);
    }

    /// Queues the returned requests for their answers.
    pub(super) fn take_back(&mut self) {
        if self.context.config.fleet.servers.is_empty() && self.away.is_empty() {
            return;
        }
        let ended = match fleet::ended(&self.context.site) {
            Ok(ended) => ended,
            Err(fault) => return self.report(FLEET.as_ref(), &fault),
        };
        self.faults.over(FLEET.as_ref());
        for id in ended {
            if !self.away.remove(&id) {
                continue;
            }
            match recovery::running(&self.context.site, &id) {
                Ok(claimed) => {
                    self.order += 1;
                    self.in_flight.insert(id);
                    let request = pipeline::read(self.context, &claimed);
                    let (turn, order) = (Reverse(0), Reverse(self.order));
                    self.queue.put(Job { priority: Priority::High, turn, order, claimed, request, is_back: true });
                }
                Err(fault) => self.strand(&id, &fault),
            }
        }
    }

    /// Tells the carrier of a node what TOOL-EXEC can run.
    pub(super) fn publish_tools(&mut self, now: Instant) {
        if !self.context.config.fleet.is_node() || self.tools_due.is_some_and(|due| now < due) {
            return;
        }
        self.tools_due = Some(now + TOOLS_INTERVAL);
        match fleet::publish_tools(self.context) {
            Ok(()) => _ = self.faults.over(TOOLS.as_ref()),
            Err(fault) => self.report(TOOLS.as_ref(), &fault),
        }
    }

    /// Makes the folders of a site with a fleet, and removes remains of answered requests after a crash.
    pub(super) fn prepare_fleet(&mut self) -> Result<(), Fault> {
        let site = &self.context.site;
        if self.context.config.fleet.servers.is_empty() {
            return Ok(());
        }
        gatepost_mailbox::fleet::prepare(site)?;
        for id in fleet::ended(site)?.into_iter().chain(gatepost_mailbox::fleet::offered(site)?) {
            if !site.running().join(id.as_str()).exists() {
                fleet::forget(site, &id)?;
            }
        }
        Ok(())
    }
}
