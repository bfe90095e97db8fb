//! A node: asks for requests, has TOOL-EXEC of its own site run them, and returns the bundles.
//!
//! ```text
//! Offered ─▶ Ask ─▶ Order ─▶ parcel fetched ─▶ orders/<id>.<n>.json flushed ─▶ inbox/<id>/
//! outbox/TS-…-<id>/ ─▶ object, Return ─▶ Receipt ─▶ bundle removed
//! ```
//!
//! The site is complete: its TOOL-EXEC reads, authorizes by its own policies, confines and seals. It has no gate and no
//! other requesters. *Commit points*: the order, before its request is dropped; the receipt, before a bundle is
//! removed. *Security*: an order counts only if the home signed it for this node and this question.

mod taking;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt as _;
use gatepost_documents::digest::Digest;
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_mailbox::decision::{self, Decision, Kind};
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::fleet::{self, Tools};
use gatepost_mailbox::keys;
use gatepost_mailbox::lock::Lock;
use gatepost_mailbox::record;
use gatepost_signatures::PublicKey;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Notify;

use crate::Context;
use crate::engine::{self, Engine, Error};
use crate::message::{self, Beat, Cancel, Moment, Order, Receipt, Refused, Return};
use crate::parcel::{self, Parcel};
use crate::records;

/// Poll interval of the outbox while bundles are expected.
const LOOK: Duration = Duration::from_millis(5);
/// Poll interval of the stream without announcements.
const IDLE: Duration = Duration::from_secs(1);
/// How long a consumer is cached.
const KNOWN: Duration = Duration::from_secs(5);
/// Delay of a retry after a fault.
const PAUSE: Duration = Duration::from_millis(500);

/// A node.
pub(crate) struct Node {
    context: Context,
    engine: Engine,
    home: PublicKey,
    state: Mutex<State>,
    /// Serializes drops.
    dropping: Mutex<()>,
    /// The consumers of tools, each with the time it was fetched. They expire because servers forget them.
    consumers: tokio::sync::Mutex<BTreeMap<String, (PullConsumer, Instant)>>,
    /// Signals that a bundle was returned or a request offered.
    news: Notify,
}

struct State {
    now: Moment,
    /// The requests whose orders are recorded, with the orders and their digests.
    holds: BTreeMap<RequestId, (Order, Digest)>,
    /// The requests that it is asking for.
    asks: BTreeSet<RequestId>,
    /// The requests whose bundles are being returned.
    returning: BTreeSet<RequestId>,
    /// Whether it accepts no more requests.
    is_draining: bool,
}

/// Serves until a signal, then drains.
pub(crate) async fn run(context: Context) -> Result<(), Error> {
    let home = keys::home(&context.site)?;
    let engine = Engine::connect(&context.fleet, &context.fleet.node).await?;
    let start = records::count_start(&context.site)?;
    let mut holds = BTreeMap::new();
    for bytes in records::orders(&context.site)? {
        // If skipped, the home would take it for one that never started.
        let foreign = "an order in var/exec/fleet/orders is not signed by the key in keys/home: restore that key until it is done";
        let order = message::open::<Order>(&bytes, &home).ok_or(foreign)?;
        holds.insert(order.request_id.clone(), (order, Digest::of(&bytes)));
    }
    let state = State {
        now: Moment { start, message: 0 },
        holds,
        asks: BTreeSet::new(),
        returning: BTreeSet::new(),
        is_draining: false,
    };
    let (mut end, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let node = Node {
        context,
        engine,
        home,
        state: Mutex::new(state),
        dropping: Mutex::new(()),
        consumers: tokio::sync::Mutex::default(),
        news: Notify::new(),
    };
    let node = Arc::new(node);
    let message = format!("the fleet {}, as {}", node.context.fleet.name, node.context.fleet.node);
    node.context.note("watching", "", message);
    let served = async {
        tokio::select! {
            watched = node.watch_offers() => watched,
            watched = node.watch_cancels() => watched,
            () = node.beat() => Ok(()),
            () = node.ask_all() => Ok(()),
            () = node.return_all() => Ok(()),
        }
    };
    tokio::pin!(served);
    tokio::select! {
        ended = &mut served => return ended,
        _ = end.recv() => {}
        _ = interrupt.recv() => {}
    }
    node.state().is_draining = true;
    node.context.note("stopping", "", format!("It has {} requests; send another signal to end at once.", node.count()));
    tokio::select! {
        ended = &mut served => ended,
        () = node.is_empty() => Ok(()),
        _ = end.recv() => Ok(()),
        _ = interrupt.recv() => Ok(()),
    }
}

impl Node {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self) -> usize {
        let state = self.state();
        state.holds.len() + state.asks.len()
    }

    async fn is_empty(&self) {
        while self.count() > 0 {
            tokio::time::sleep(LOOK).await;
        }
        self.engine.flush().await;
    }

    /// The next logical time of this node.
    fn moment(state: &mut State) -> Moment {
        state.now.message += 1;
        state.now
    }

    async fn watch_offers(&self) -> Result<(), Error> {
        let mut news = self.engine.subscribe("news").await?;
        while news.next().await.is_some() {
            self.news.notify_one();
        }
        Ok(())
    }

    /// Orders TOOL-EXEC to stop what the home cancels. The home repeats a message until it has the result.
    async fn watch_cancels(&self) -> Result<(), Error> {
        let mut cancels = self.engine.subscribe("cancel").await?;
        while let Some(message) = cancels.next().await {
            let Some(cancel) = message::open::<Cancel>(&message.payload, &self.home) else { continue };
            let (id, attempt) = (&cancel.request_id, cancel.attempt);
            let is_held = self.state().holds.get(id).is_some_and(|(order, _)| order.attempt == attempt);
            if !is_held || cancel.node != self.context.fleet.node {
                continue;
            }
            let decision = Decision::new(Kind::Cancel, "", id);
            match decision::order(&self.context.site, id, &decision) {
                Ok(true) => self.context.note("cancelled", id.as_str(), "The home cancelled it.".to_owned()),
                Ok(false) => {}
                Err(fault) => self.context.report(id.as_str(), fault),
            }
        }
        Ok(())
    }

    /// Reports what it holds, several times per lease. Drops requests that a crash or a fault left undropped.
    async fn beat(&self) {
        let lease = Duration::from_secs(self.context.fleet.lease_seconds);
        loop {
            self.drop_again();
            let beat = {
                let mut state = self.state();
                Beat {
                    node: self.context.fleet.node.clone(),
                    moment: Self::moment(&mut state),
                    holds: state.holds.values().map(|(order, _)| (order.request_id.clone(), order.attempt)).collect(),
                    asks: state.asks.iter().cloned().collect(),
                }
            };
            let sent = match message::seal(&beat, &self.context.key) {
                Ok(bytes) => self.engine.publish("beat", bytes).await,
                Err(error) => Err(error.into()),
            };
            if let Err(error) = sent {
                self.context.report("", format!("reach the home: {error}"));
            }
            tokio::time::sleep((lease / 5).min(Duration::from_secs(5))).await;
        }
    }

    /// Takes offers while there is room.
    async fn ask_all(self: &Arc<Self>) {
        loop {
            match self.ask_some().await {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => {
                    self.context.report("", format!("take offers: {error}"));
                    tokio::time::sleep(PAUSE).await;
                }
            }
            let _ = tokio::time::timeout(IDLE, self.news.notified()).await;
        }
    }

    /// Takes at most one offer of each tool. Returns whether there was one.
    async fn ask_some(self: &Arc<Self>) -> Result<bool, Error> {
        let slots = usize::try_from(self.context.fleet.slots).unwrap_or(1);
        let mut was_one = false;
        for (tool, manifest_sha256) in self.tools()? {
            let has_room = {
                let state = self.state();
                !state.is_draining && state.holds.len() + state.asks.len() < slots
            };
            if !has_room {
                return Ok(false);
            }
            if let Some(offer) = self.next_offer(&tool).await? {
                was_one = true;
                self.consider(offer, manifest_sha256);
            }
        }
        Ok(was_one)
    }

    async fn next_offer(&self, tool: &str) -> Result<Option<Message>, Error> {
        let mut consumers = self.consumers.lock().await;
        let known = consumers.remove(tool).filter(|(_, since)| since.elapsed() < KNOWN);
        let (consumer, since) = match known {
            Some(known) => known,
            None => (self.engine.offers(tool).await?, Instant::now()),
        };
        let offer = engine::next(&consumer).await?;
        consumers.insert(tool.to_owned(), (consumer, since));
        Ok(offer)
    }

    /// The tools that TOOL-EXEC of this site can run, with the digests of their manifests. None if it does not run.
    fn tools(&self) -> Result<Tools, Fault> {
        if Lock::holder(&self.context.site.exec_lock()).is_none() {
            return Ok(Tools::new());
        }
        match record::read(&fleet::tools(&self.context.site)) {
            Err(fault) if fault.source.kind() == std::io::ErrorKind::NotFound => Ok(Tools::new()),
            tools => tools,
        }
    }

    /// Returns bundles as TOOL-EXEC publishes them.
    async fn return_all(self: &Arc<Self>) {
        loop {
            let is_expected = !self.state().holds.is_empty();
            if is_expected && let Err(fault) = self.return_some() {
                self.context.report("", fault);
                tokio::time::sleep(PAUSE).await;
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    fn return_some(self: &Arc<Self>) -> Result<(), Fault> {
        let outbox = self.context.site.outbox();
        for entry in outbox.read_dir().on("list", &outbox)? {
            let name = entry.on("list", &outbox)?.file_name();
            let Some(result) = name.to_str().and_then(|name| ResultId::parse(name).ok()) else { continue };
            let id = result.request().clone();
            let mut state = self.state();
            let Some((order, digest)) = state.holds.get(&id).cloned() else { continue };
            if state.returning.insert(id.clone()) {
                let node = Arc::clone(self);
                tokio::spawn(async move {
                    node.give_back(&result, &order, digest).await;
                    node.state().returning.remove(&id);
                    node.news.notify_one();
                });
            }
        }
        Ok(())
    }

    /// Returns a bundle until the home confirms it.
    async fn give_back(&self, result: &ResultId, order: &Order, order_sha256: Digest) {
        let mut uploaded = None;
        loop {
            match self.try_give_back(result, (order, order_sha256), &mut uploaded).await {
                Ok(Some(receipt)) => match self.settle(result, order, receipt.is_taken) {
                    Ok(()) => return,
                    Err(fault) => self.context.report(order.request_id.as_str(), fault),
                },
                Ok(None) => {}
                Err(error) => self.context.report(order.request_id.as_str(), format!("return its bundle: {error}")),
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Puts a bundle into the object store.
    async fn upload(&self, result: &ResultId, order: &Order) -> Result<Parcel, Error> {
        let site = &self.context.site;
        let folder = site.outbox().join(result.as_str());
        let paths: Vec<String> = parcel::paths(&folder)?.into_iter().filter(|path| parcel::is_sent(path)).collect();
        let name = format!("{}.{}.result", order.request_id, order.attempt);
        let packed = records::tmp(site, &name);
        durable::remove_tree(&packed)?;
        let parcel = Parcel::pack(&folder, &paths, &packed)?;
        self.engine.put(&name, &packed).await?;
        durable::remove_tree(&packed)?;
        Ok(parcel)
    }

    async fn try_give_back(
        &self,
        result: &ResultId,
        (order, order_sha256): (&Order, Digest),
        uploaded: &mut Option<Parcel>,
    ) -> Result<Option<Receipt>, Error> {
        // Not again while the home may be fetching it: a second upload would replace the object.
        let parcel = match uploaded.as_ref() {
            Some(parcel) => parcel.clone(),
            None => uploaded.insert(self.upload(result, order).await?).clone(),
        };
        let back = Return {
            node: self.context.fleet.node.clone(),
            request_id: order.request_id.clone(),
            attempt: order.attempt,
            order_sha256,
            parcel,
        };
        let answer = self.engine.ask("return", message::seal(&back, &self.context.key)?).await?;
        let is_of = |receipt: &Receipt| {
            (&receipt.node, &receipt.request_id, receipt.attempt) == (&back.node, &back.request_id, back.attempt)
        };
        let receipt = message::open::<Receipt>(&answer, &self.home).filter(is_of);
        let is_refused = |refused: Refused| refused.request_id == back.request_id;
        if message::open::<Refused>(&answer, &self.home).is_some_and(is_refused) {
            *uploaded = None;
        }
        Ok(receipt)
    }

    /// Removes the bundle that the home confirmed; keeps a refused one aside.
    fn settle(&self, result: &ResultId, order: &Order, is_taken: bool) -> Result<(), Fault> {
        let (site, id) = (&self.context.site, &order.request_id);
        let bundle = site.outbox().join(result.as_str());
        if is_taken {
            durable::remove_tree(&bundle)?;
        } else {
            durable::move_new(&bundle, &records::unwanted(site, result.as_str()))?;
        }
        records::forget_order(site, id, order.attempt)?;
        self.state().holds.remove(id);
        let what =
            if is_taken { "The home has it." } else { "The home does not want it; it is in var/exec/fleet/unwanted." };
        self.context.note("confirmed", id.as_str(), what.to_owned());
        Ok(())
    }
}
