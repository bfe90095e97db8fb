//! Assigns requests to nodes.

use std::time::Duration;

use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::Node;
use gatepost_documents::id::RequestId;
use gatepost_mailbox::decision;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::fleet::{self, Offer};
use gatepost_mailbox::record;
use gatepost_signatures::PublicKey;

use super::{Home, State};
use crate::engine::Error;
use crate::message::{self, Ask, Beat, Cancel, Order, Refused};
use crate::records::{self, Attempt};

impl Home {
    /// Answers a node that asks for a request: an order once the assignment is on disk, or a refusal.
    pub(super) fn assign(&self, bytes: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let Some(ask) = self.open(bytes, |ask: &Ask| &ask.node) else { return Ok(None) };
        let mut state = self.state();
        state.saw(&ask.node, ask.moment);
        match self.decide(&mut state, &ask)? {
            Ok(order) => Ok(Some(order.into_bytes())),
            Err((is_over, why)) => {
                let Ask { node, request_id, .. } = ask;
                let refused = Refused { node, request_id, is_over, why: why.to_owned() };
                Ok(Some(message::seal(&refused, &self.context.key)?))
            }
        }
    }

    /// The order, or why there is none and whether that holds for every node.
    fn decide(&self, state: &mut State, ask: &Ask) -> Result<Result<String, (bool, &'static str)>, Error> {
        let (site, id) = (&self.context.site, &ask.request_id);
        let path = fleet::offer(site, id);
        if !path.exists() || fleet::end(site, id).exists() {
            return Ok(Err((true, "it is not offered")));
        }
        let offer: Offer = record::read(&path)?;
        if offer.manifest_sha256 != ask.manifest_sha256 {
            return Ok(Err((false, "the node has another manifest")));
        }
        let mut assigned = records::assigned(site, id)?;
        if let Some(current) = assigned.current() {
            // After a failed write it may not be known.
            state.given.insert(id.clone(), (current.node.clone(), current.key.clone()));
            // The answer was lost, or the question arrived twice.
            let is_repeated = current.node == ask.node && current.asked == ask.moment;
            return Ok(if is_repeated { Ok(current.order.clone()) } else { Err((true, "another node has it")) });
        }
        if assigned.attempts.iter().any(|attempt| attempt.node == ask.node) {
            return Ok(Err((false, "the node had it before")));
        }
        let Some(key) = state.keys.get(&ask.node).map(PublicKey::fingerprint) else {
            return Ok(Err((false, "the node is not listed")));
        };
        if self.is_cancelled(id) {
            return Ok(Err((true, "it is cancelled")));
        }
        let Some((parcel, _)) = state.offered.get(id) else { return Ok(Err((true, "it will be offered again"))) };
        let order = Order {
            node: ask.node.clone(),
            attempt: assigned.next,
            asked: ask.moment,
            request_id: id.clone(),
            request_sha256: offer.request_sha256,
            form: offer.form,
            tool: offer.tool,
            manifest_sha256: offer.manifest_sha256,
            parcel: parcel.clone(),
        };
        let order = String::from_utf8(message::seal(&order, &self.context.key)?)?;
        assigned.attempts.push(Attempt {
            node: ask.node.clone(),
            key: key.clone(),
            attempt: assigned.next,
            asked: ask.moment,
            order_sha256: Digest::of(order.as_bytes()),
            order: order.clone(),
            is_lost: false,
        });
        assigned.next += 1;
        records::write_assigned(site, id, &assigned)?;
        state.offered.remove(id);
        state.given.insert(id.clone(), (ask.node.clone(), key));
        let number = assigned.next - 1;
        self.context.note("assigned", id.as_str(), format!("To the node {}, attempt {number}.", ask.node));
        Ok(Ok(order))
    }

    /// Revokes an assignment that its node, after the answer, does not report. The node records an order before it
    /// drops the request, and ignores the answer to an earlier question.
    pub(super) fn release_untaken(&self, state: &mut State, id: &RequestId, beat: &Beat) -> Result<(), Fault> {
        let site = &self.context.site;
        let mut assigned = records::assigned(site, id)?;
        let is_untaken = |attempt: &Attempt| {
            attempt.node == beat.node
                && state.keys.get(&beat.node).is_some_and(|key| key.fingerprint() == attempt.key)
                && beat.moment > attempt.asked
                && !beat.holds.contains(&(id.clone(), attempt.attempt))
                && !beat.asks.contains(id)
        };
        let is_open = fleet::offer(site, id).exists() && !fleet::end(site, id).exists();
        let current = assigned.current();
        if !is_open || !current.is_some_and(is_untaken) {
            if current.is_none() {
                state.given.remove(id);
            }
            return Ok(());
        }
        assigned.attempts.pop();
        records::write_assigned(site, id, &assigned)?;
        state.offered.remove(id);
        state.given.remove(id);
        self.context.note("released", id.as_str(), format!("The node {} has not taken it up.", beat.node));
        Ok(())
    }

    /// Gives up the nodes that sent nothing for the lease.
    pub(super) fn give_up_lost(&self) -> Result<(), Fault> {
        let site = &self.context.site;
        let lease = Duration::from_secs(self.context.fleet.lease_seconds);
        let mut state = self.state();
        // What a node returns now is taken.
        let of_lost =
            |(id, node): &(&RequestId, &(String, String))| state.is_lost(node, lease) && !state.fetching.contains(*id);
        let given_up: Vec<RequestId> = state.given.iter().filter(of_lost).map(|(id, _)| id.clone()).collect();
        for id in given_up {
            let mut assigned = records::assigned(site, &id)?;
            let Some(last) = assigned.attempts.last_mut().filter(|attempt| !attempt.is_lost) else {
                state.given.remove(&id);
                continue;
            };
            let path = fleet::offer(site, &id);
            if fleet::end(site, &id).exists() || !path.exists() {
                continue;
            }
            let offer: Offer = record::read(&path)?;
            self.context.note("lost", id.as_str(), format!("The node {} stopped reporting.", last.node));
            if offer.idempotent && !self.is_cancelled(&id) {
                last.is_lost = true;
                records::write_assigned(site, &id, &assigned)?;
                state.offered.remove(&id);
                state.given.remove(&id);
            } else {
                self.end(&id, Some(&lost(last)), None)?;
            }
        }
        Ok(())
    }

    /// Whether somebody cancelled the request; TOOL-EXEC stored that in its folder.
    fn is_cancelled(&self, id: &RequestId) -> bool {
        decision::is_taken(&self.context.site.running().join(id.as_str()))
    }

    /// Ends the cancelled requests that no node has, and tells the nodes of the others to stop.
    pub(super) async fn cancel_all(&self, offers: &[RequestId]) -> Result<(), Fault> {
        for id in offers.iter().filter(|id| self.is_cancelled(id)) {
            let Some(cancel) = self.cancel(id)? else { continue };
            let sent = match message::seal(&cancel, &self.context.key) {
                Ok(bytes) => self.engine.publish("cancel", bytes).await,
                Err(error) => Err(error.into()),
            };
            if let Err(error) = sent {
                self.context.report(id.as_str(), format!("cancel it: {error}"));
            }
        }
        Ok(())
    }

    /// Ends a cancelled request, unless a node has it: then the message for that node.
    fn cancel(&self, id: &RequestId) -> Result<Option<Cancel>, Fault> {
        let site = &self.context.site;
        let mut state = self.state();
        if fleet::end(site, id).exists() {
            return Ok(None);
        }
        let assigned = records::assigned(site, id)?;
        if let Some(Attempt { node, attempt, .. }) = assigned.current() {
            return Ok(Some(Cancel { node: node.clone(), request_id: id.clone(), attempt: *attempt }));
        }
        state.offered.remove(id);
        // An earlier attempt may have had effects.
        self.end(id, assigned.attempts.last().map(lost).as_ref(), None).map(|_| None)
    }
}

/// A node that was lost.
fn lost(attempt: &Attempt) -> Node {
    let Attempt { node, attempt, order_sha256, .. } = attempt.clone();
    Node { name: node, attempt, order_sha256, sha256sums_sha256: None }
}
