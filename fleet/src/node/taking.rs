//! From an offer to a dropped request.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use async_nats::jetstream::{AckKind, Message};
use gatepost_documents::digest::Digest;
use gatepost_documents::id::RequestId;
use gatepost_documents::request_form::REQUEST_BYTES_MAX;
use gatepost_mailbox::drop_folder;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::folder::{Folder, Staged};
use gatepost_mailbox::record;
use gatepost_mailbox::regular_file;

use super::{Node, PAUSE};
use crate::engine::Error;
use crate::message::{self, Ask, Moment, Offered, Order, Refused};
use crate::parcel::Names;
use crate::records;

/// What to do with an offer.
enum Offer {
    /// No node needs it any more.
    Over,
    /// Another node may take it, or this one later.
    Later,
}

impl Node {
    /// Asks for an offered request in its own task, unless this node has it.
    pub(super) fn consider(self: &Arc<Self>, offer: Message, manifest_sha256: Digest) {
        let Some(offered) = message::open::<Offered>(&offer.payload, &self.home) else {
            // No node can use it.
            tokio::spawn(async move { offer.ack_with(AckKind::Term).await });
            return;
        };
        let id = offered.request_id.clone();
        let moment = {
            let mut state = self.state();
            if state.holds.contains_key(&id) || !state.asks.insert(id.clone()) {
                None
            } else {
                Some(Self::moment(&mut state))
            }
        };
        let node = Arc::clone(self);
        tokio::spawn(async move {
            let became = match moment {
                None => Offer::Over,
                Some(_) if offered.manifest_sha256 != manifest_sha256 => Offer::Later,
                Some(moment) => node.ask(&id, manifest_sha256, moment).await.unwrap_or_else(|error| {
                    node.context.report(id.as_str(), format!("take it: {error}"));
                    Offer::Later
                }),
            };
            if moment.is_some() {
                node.state().asks.remove(&id);
            }
            let kind = match became {
                Offer::Over => AckKind::Ack,
                Offer::Later => AckKind::Nak(Some(PAUSE)),
            };
            let _ = offer.ack_with(kind).await;
            node.news.notify_one();
        });
    }

    async fn ask(&self, id: &RequestId, manifest_sha256: Digest, moment: Moment) -> Result<Offer, Error> {
        let node = self.context.fleet.node.clone();
        let ask = Ask { node, moment, request_id: id.clone(), manifest_sha256 };
        let answer = self.engine.ask("ask", message::seal(&ask, &self.context.key)?).await?;
        if let Some(order) = message::open::<Order>(&answer, &self.home) {
            let is_mine = (&order.node, order.asked, &order.request_id) == (&ask.node, moment, id);
            if is_mine && order.manifest_sha256 == manifest_sha256 {
                self.take_up(order, &answer).await?;
            }
            return Ok(Offer::Over);
        }
        let refused = message::open::<Refused>(&answer, &self.home).filter(|refused| refused.request_id == *id);
        Ok(if refused.is_some_and(|refused| refused.is_over) { Offer::Over } else { Offer::Later })
    }

    /// Fetches the request, records the order, and drops the request.
    async fn take_up(&self, order: Order, bytes: &[u8]) -> Result<(), Error> {
        let (site, id) = (&self.context.site, order.request_id.clone());
        let begun = Instant::now();
        if let Some(fault) = order.parcel.fault(self.context.fleet.parcel_mb * 1_000_000, Names::Inputs) {
            return Err(format!("use its parcel: {fault}").into());
        }
        let (object, folder) = (self.object(&order), self.parcel(&order));
        for old in [&object, &folder] {
            durable::remove_tree(old)?;
        }
        let is_whole = self.engine.get(&format!("{id}.request"), order.parcel.bytes(), &object).await?
            && order.parcel.unpack(&object, &folder)?;
        durable::remove_tree(&object)?;
        let request = folder.join(record::request_file(order.form));
        if !is_whole || Digest::of(&regular_file::read(&request, REQUEST_BYTES_MAX as u64)?) != order.request_sha256 {
            return Err("use its parcel: it is not what the order says".into());
        }
        // A copy of the parcel stays beside the order until the request is dropped.
        let kept = records::parcel(site, &id, order.attempt);
        durable::remove_tree(&kept)?;
        durable::sync_tree(&folder)?;
        durable::move_new(&folder, &kept)?;
        let is_new = records::write_order(site, &id, order.attempt, bytes).unwrap_or_else(|fault| {
            // Whether the order is on the disk is unknown. The next start reads it, and only then says what this node has.
            self.context.report(id.as_str(), fault);
            std::process::exit(1)
        });
        if !is_new {
            return Err("take it: this order was received before".into());
        }
        self.state().holds.insert(id.clone(), (order.clone(), Digest::of(bytes)));
        self.drop_request(&order)?;
        let took = begun.elapsed().as_millis();
        self.context.note("taken", id.as_str(), format!("Attempt {}; it is dropped after {took} ms.", order.attempt));
        Ok(())
    }

    fn object(&self, order: &Order) -> std::path::PathBuf {
        records::tmp(&self.context.site, &format!("{}.{}.request", order.request_id, order.attempt))
    }

    fn parcel(&self, order: &Order) -> std::path::PathBuf {
        records::tmp(&self.context.site, &format!("{}.{}.files", order.request_id, order.attempt))
    }

    /// Drops the requests that are not dropped yet.
    pub(super) fn drop_again(&self) {
        let orders: Vec<Order> = self.state().holds.values().map(|(order, _)| order.clone()).collect();
        for order in orders {
            if let Err(fault) = self.drop_request(&order) {
                self.context.report(order.request_id.as_str(), fault);
            }
        }
    }

    /// Drops the request of a recorded order, unless that was done. Removes the parcel afterwards.
    fn drop_request(&self, order: &Order) -> Result<(), Fault> {
        let (site, id) = (&self.context.site, &order.request_id);
        let _one = self.dropping.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = records::parcel(site, id, order.attempt);
        if !kept.exists() {
            return Ok(());
        }
        if record::locate(site, id)?.is_none() {
            let extension = order.form.extension();
            let staged = Folder::of_site(site, "inbox/.tmp")?.stage("fleet", 0o755)?;
            for item in &order.parcel.files {
                let name = if item.path == record::request_file(order.form) {
                    format!("{id}.{extension}")
                } else {
                    item.path.clone()
                };
                copy(&kept.join(&item.path), &staged, &name)?;
            }
            // The inbox may already have the same request.
            drop_folder::publish(&staged, &Folder::of_site(site, "inbox")?, id.as_str())?;
        }
        durable::remove_tree(&kept)
    }
}

/// Copies a file into a staged folder that contains only our folders.
fn copy(from: &Path, staged: &Staged, path: &str) -> Result<(), Fault> {
    let mut source = File::open(from).on("open", from)?;
    let mut to = match path.rsplit_once('/') {
        None => staged.folder().create(path, 0o644)?,
        Some((parents, name)) => {
            let mut folder: Option<Folder> = None;
            for parent in parents.split('/') {
                let above = folder.as_ref().unwrap_or_else(|| staged.folder());
                if !above.is_folder(parent)? {
                    above.make_folder(parent)?;
                }
                folder = Some(above.folder(parent)?);
            }
            folder.as_ref().unwrap_or_else(|| staged.folder()).create(name, 0o644)?
        }
    };
    io::copy(&mut source, &mut to).on("copy", from).map(drop)
}
