//! The home: offers the requests that TOOL-EXEC cannot run here, orders nodes to run them, and takes their bundles.
//!
//! ```text
//! offers/<id>.json ─▶ Offered ─▶ … Ask ─▶ assigned/<id>.json flushed ─▶ Order
//!                     Return ─▶ object fetched, held against its list, flushed ─▶ ended/<id>/ ─▶ Receipt
//!                     no Beat for the lease ─▶ lost: once more if it is idempotent, else ended/<id>/end.json
//! ```
//!
//! *Commit points*: `assigned/<id>.json` before an order is sent; the rename to `ended/<id>/` before a receipt is sent. If the servers lose
//! an offer, the home repeats it after a lease. *Security*: a node can report only on its own attempts.

mod assigning;
mod ending;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use futures_util::StreamExt as _;
use gatepost_documents::id::RequestId;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::fleet::{self, NodeReport, Nodes, Offer};
use gatepost_mailbox::keys;
use gatepost_mailbox::record;
use gatepost_mailbox::wake::{Changes, Wake, Woken};
use gatepost_signatures::PublicKey;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::Context;
use crate::engine::{Engine, Error};
use crate::message::{self, Beat, Message, Moment, Offered};
use crate::parcel::{self, Parcel};
use crate::records;

/// Interval of a full scan, even if nothing changed.
const SWEEP: Duration = Duration::from_secs(1);
/// How much later the next scan is for each offer: with 100 000, which take some 0.3 s, 6 s.
const SWEEP_OF_OFFER: Duration = Duration::from_micros(60);
/// Interval of the list of nodes for people.
const REPORT: Duration = Duration::from_secs(5);
/// Requests of one tool that are offered at a time. More wait in `offers/`, also if no node has the tool.
const OFFERED_MAX: usize = 128;
/// Concurrent uploads of offers and downloads of bundles.
const TRANSFERS: usize = 16;

/// The home.
pub(crate) struct Home {
    context: Context,
    engine: Engine,
    /// Serializes decisions about assignments.
    state: Mutex<State>,
    transfers: Semaphore,
}

/// The known nodes and offers; empty after a restart.
struct State {
    /// The keys of the nodes.
    keys: BTreeMap<String, PublicKey>,
    /// The latest message of each node, and when it arrived.
    last_seen: HashMap<String, (Moment, Instant)>,
    /// Since when the servers have been reachable.
    connected: Instant,
    is_cut: bool,
    /// When the list of nodes was last written.
    reported: Option<Instant>,
    /// The requests whose bundle is being fetched.
    fetching: HashSet<RequestId>,
    /// The offered requests, each with its parcel and the time of the offer.
    offered: HashMap<RequestId, (Parcel, Instant)>,
    /// The requests whose offers are being sent.
    offering: HashSet<RequestId>,
    /// The tools of waiting requests.
    tools: HashMap<RequestId, String>,
    /// The requests that are assigned, each with the name of its node and the fingerprint of the node's key.
    given: HashMap<RequestId, (String, String)>,
}

impl State {
    fn new(given: HashMap<RequestId, (String, String)>) -> Self {
        Self {
            keys: BTreeMap::new(),
            last_seen: HashMap::new(),
            connected: Instant::now(),
            is_cut: false,
            reported: None,
            fetching: HashSet::new(),
            offered: HashMap::new(),
            offering: HashSet::new(),
            tools: HashMap::new(),
            given,
        }
    }

    /// Records that a node sent a message. A repeated or older one, which a server may keep, is no sign of life.
    fn saw(&mut self, node: &str, moment: Moment) {
        if self.last_seen.get(node).is_none_or(|(latest, _)| moment > *latest) {
            self.last_seen.insert(node.to_owned(), (moment, Instant::now()));
        }
    }

    /// Whether a node sent nothing for the lease, in which the servers were reachable, or its name has another key now.
    fn is_lost(&self, (node, key): &(String, String), lease: Duration) -> bool {
        let last = self.last_seen.get(node).map_or(self.connected, |(_, at)| *at);
        let is_replaced = self.keys.get(node).is_some_and(|listed| listed.fingerprint() != *key);
        is_replaced || last.max(self.connected).elapsed() >= lease
    }

    /// Records whether the servers are reachable.
    fn reached(&mut self, is_reached: bool) {
        if is_reached && self.is_cut {
            // Nodes that were cut off, too, have a lease for their next message.
            self.connected = Instant::now();
        }
        self.is_cut = !is_reached;
    }

    /// What people may know of the nodes.
    #[allow(clippy::disallowed_methods, reason = "people read the time of the report")]
    fn report(&self) -> Nodes {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let report = |(name, (_, at)): (&String, &(Moment, Instant))| {
            let requests = self.given.values().filter(|(node, _)| node == name).count();
            (name.clone(), NodeReport { seen: now.saturating_sub(at.elapsed()).as_secs(), requests })
        };
        self.last_seen.iter().map(report).collect()
    }

    /// The requests to offer now: new ones whose tool has room, and those that no node took within a lease.
    fn due(&self, waiting: &[RequestId], lease: Duration) -> Vec<RequestId> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for tool in self.offered.keys().filter_map(|id| self.tools.get(id)) {
            *counts.entry(tool).or_default() += 1;
        }
        let mut is_due = |id: &&RequestId| match (self.offered.get(*id), self.tools.get(*id)) {
            _ if self.given.contains_key(*id) => false,
            (Some((_, at)), _) => at.elapsed() >= lease,
            (None, Some(tool)) => {
                let count = counts.entry(tool).or_default();
                *count += 1;
                *count <= OFFERED_MAX
            }
            (None, None) => false,
        };
        waiting.iter().filter(|id| is_due(id)).cloned().collect()
    }
}

/// Serves until a signal.
pub(crate) async fn run(context: Context) -> Result<(), Error> {
    let engine = Engine::connect(&context.fleet, "home").await?;
    let state = State::new(records::given(&context.site)?);
    let home = Arc::new(Home { context, engine, state: Mutex::new(state), transfers: Semaphore::new(TRANSFERS) });
    let (mut end, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let [asks, returns, beats] = [home.serve("ask"), home.serve("return"), home.serve("beat")];
    home.context.note("watching", "", format!("the fleet {}, at {}", home.context.fleet.name, home.servers()));
    tokio::select! {
        served = asks => served,
        served = returns => served,
        served = beats => served,
        offered = home.offer_all() => offered,
        _ = end.recv() => Ok(()),
        _ = interrupt.recv() => Ok(()),
    }
}

impl Home {
    fn servers(&self) -> String {
        self.context.fleet.servers.join(", ")
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The nodes, as the operator lists them now.
    fn nodes(&self) -> BTreeMap<String, PublicKey> {
        keys::nodes(&self.context.site).unwrap_or_else(|fault| {
            self.context.report("", fault);
            BTreeMap::new()
        })
    }

    /// Verifies a message: a listed node signed it under its own name.
    fn open<M: Message>(&self, bytes: &[u8], of: impl Fn(&M) -> &str) -> Option<M> {
        let nodes = self.nodes();
        let (signer, message) = message::open_by::<M>(bytes, &nodes)?;
        let mut state = self.state();
        if state.keys != nodes {
            let before = std::mem::replace(&mut state.keys, nodes.clone());
            // The moments of another machine under the same name begin anew.
            state.last_seen.retain(|name, _| before.get(name) == nodes.get(name));
        }
        drop(state);
        (of(&message) == signer).then_some(message)
    }

    /// Answers one kind of message; each message in its own task.
    async fn serve(self: &Arc<Self>, what: &'static str) -> Result<(), Error> {
        let mut questions = self.engine.subscribe(what).await?;
        while let Some(question) = questions.next().await {
            let home = Arc::clone(self);
            tokio::spawn(async move {
                let answer = match what {
                    "ask" => home.assign(&question.payload),
                    "return" => home.take(&question.payload).await,
                    _ => home.record_beat(&question.payload),
                };
                let answered = match answer {
                    Ok(Some(answer)) => home.engine.answer(&question, answer).await.map_err(|error| error.to_string()),
                    Ok(None) => Ok(()),
                    Err(error) => Err(error.to_string()),
                };
                if let Err(error) = answered {
                    home.context.report("", format!("answer a node ({what}): {error}"));
                }
            });
        }
        Ok(())
    }

    /// Records that a node is alive. An order that it does not report was never accepted.
    fn record_beat(&self, bytes: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        if let Some(beat) = self.open(bytes, |beat: &Beat| &beat.node) {
            let mut state = self.state();
            state.saw(&beat.node, beat.moment);
            let of_node = state.given.iter().filter(|(_, (node, _))| *node == beat.node);
            let given: Vec<RequestId> = of_node.map(|(id, _)| id.clone()).collect();
            for id in given {
                self.release_untaken(&mut state, &id, &beat)?;
            }
        }
        Ok(None)
    }

    /// Offers each request as its offer appears, and looks at all of them at regular times.
    async fn offer_all(self: &Arc<Self>) -> Result<(), Error> {
        let mut news = self.watch_offers()?;
        let mut sweep_at = Instant::now();
        while let Some((offers, has_lost_events)) = news.recv().await {
            let is_due = has_lost_events || Instant::now() >= sweep_at;
            let count = self.look(offers, is_due).await.unwrap_or_else(|fault| {
                self.context.report("", fault);
                0
            });
            if is_due {
                sweep_at = Instant::now() + SWEEP + SWEEP_OF_OFFER * u32::try_from(count).unwrap_or(u32::MAX);
            }
        }
        Ok(())
    }

    /// The offers that appear, and whether some were missed; at least one message per [`SWEEP`]. A thread of its own waits for them.
    fn watch_offers(&self) -> Result<UnboundedReceiver<(Vec<RequestId>, bool)>, Error> {
        let mut wake = Wake::new([(fleet::offers(&self.context.site), Changes::Whole)], None)?;
        let (sender, receiver) = unbounded_channel();
        let watch = move || {
            let mut news = (Vec::new(), true);
            while sender.send(news).is_ok() {
                let Woken { changes, has_lost_events, .. } = wake.wait(SWEEP);
                wake.renew();
                news = (changes.iter().filter_map(|change| fleet::offer_id(&change.name)).collect(), has_lost_events);
            }
        };
        std::thread::Builder::new().name("offers".to_owned()).spawn(watch)?;
        Ok(receiver)
    }

    /// Offers these requests. If `is_due`, offers all that are new or that no node took within a lease, gives up lost nodes and
    /// forgets answered requests. Returns how many offers it looked at.
    async fn look(self: &Arc<Self>, new: Vec<RequestId>, is_due: bool) -> Result<usize, Fault> {
        let site = &self.context.site;
        let offers = if is_due { fleet::offered(site)? } else { new };
        if is_due {
            let prepared = self.engine.prepare().await;
            self.state().reached(prepared.is_ok());
            if let Err(error) = prepared {
                self.context.report("", format!("make streams: {error}"));
                return Ok(offers.len());
            }
            self.give_up_lost()?;
            self.cancel_all(&offers).await?;
            self.report_nodes()?;
            self.forget_answered(&offers)?;
            self.state().tools.retain(|id, _| offers.binary_search(id).is_ok());
        }
        for id in &offers {
            self.learn_tool(id)?;
        }
        let lease = Duration::from_secs(self.context.fleet.lease_seconds);
        let due = self.state().due(&offers, lease);
        for id in due {
            if fleet::end(site, &id).exists() || !self.state().offering.insert(id.clone()) {
                continue;
            }
            let home = Arc::clone(self);
            tokio::spawn(async move {
                if let Err(error) = home.offer(&id).await {
                    home.context.report(id.as_str(), format!("offer it: {error}"));
                    tokio::time::sleep(SWEEP).await;
                }
                home.state().offering.remove(&id);
            });
        }
        Ok(offers.len())
    }

    /// Writes the list of nodes, at times.
    fn report_nodes(&self) -> Result<(), Fault> {
        let mut state = self.state();
        if state.reported.is_some_and(|at| at.elapsed() < REPORT) {
            return Ok(());
        }
        state.reported = Some(Instant::now());
        let (nodes, path) = (state.report(), fleet::nodes(&self.context.site));
        drop(state);
        durable::replace(&path, &record::bytes(&nodes, &path)?)
    }

    /// Records the tool of a request; the request may be answered meanwhile.
    fn learn_tool(&self, id: &RequestId) -> Result<(), Fault> {
        if self.state().tools.contains_key(id) {
            return Ok(());
        }
        match record::read::<Offer>(&fleet::offer(&self.context.site, id)) {
            Err(fault) if fault.source.kind() == std::io::ErrorKind::NotFound => Ok(()),
            offer => offer.map(|offer| _ = self.state().tools.insert(id.clone(), offer.tool)),
        }
    }

    /// Puts a request into the object store, and its offer into the stream.
    async fn offer(&self, id: &RequestId) -> Result<(), Error> {
        let _turn = self.transfers.acquire().await?;
        let site = &self.context.site;
        let offer: Offer = record::read(&fleet::offer(site, id))?;
        let folder = site.running().join(id.as_str());
        let request = record::request_file(offer.form);
        let belongs = |path: &String| path == request || path.starts_with("in/") || path.starts_with("approvals/");
        let paths: Vec<String> = parcel::paths(&folder)?.into_iter().filter(belongs).collect();
        let packed = records::tmp(site, &format!("{id}.request"));
        let _ = std::fs::remove_file(&packed);
        let parcel = Parcel::pack(&folder, &paths, &packed)?;
        let put = self.engine.put(&format!("{id}.request"), &packed).await;
        let _ = std::fs::remove_file(&packed);
        put?;
        self.state().offered.insert(id.clone(), (parcel, Instant::now()));
        let offered =
            Offered { request_id: id.clone(), tool: offer.tool.clone(), manifest_sha256: offer.manifest_sha256 };
        self.engine.offer(&offer.tool, id, message::seal(&offered, &self.context.key)?).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatepost_signatures::SigningKey;

    const LEASE: Duration = Duration::from_secs(3);

    fn moment(start: u64, message: u64) -> Moment {
        Moment { start, message }
    }

    #[test]
    fn a_repeated_or_older_message_is_no_sign_of_life() {
        let (mut state, long_ago) = (State::new(HashMap::new()), Instant::now().checked_sub(2 * LEASE).unwrap());
        state.connected = long_ago;
        let node = ("n1".to_owned(), String::new());
        state.last_seen.insert("n1".to_owned(), (moment(2, 5), long_ago));
        for (start, message) in [(2, 5), (2, 4), (1, 9)] {
            state.saw("n1", moment(start, message));
            assert!(state.is_lost(&node, LEASE), "{start}, {message}");
        }
        state.saw("n1", moment(2, 6));
        assert!(!state.is_lost(&node, LEASE));
    }

    #[test]
    fn a_node_whose_name_has_another_key_is_lost_at_once() {
        let mut state = State::new(HashMap::new());
        let keys = [1, 2].map(|seed| SigningKey::from_seed(&[seed; 32], "").unwrap().public().clone());
        let node = ("n1".to_owned(), keys[0].fingerprint());
        assert!(!state.is_lost(&node, LEASE));
        state.keys.insert("n1".to_owned(), keys[0].clone());
        assert!(!state.is_lost(&node, LEASE));
        state.keys.insert("n1".to_owned(), keys[1].clone());
        assert!(state.is_lost(&node, LEASE));
    }

    #[test]
    fn after_an_outage_each_node_has_a_lease_for_its_next_message() {
        let (mut state, long_ago) = (State::new(HashMap::new()), Instant::now().checked_sub(2 * LEASE).unwrap());
        state.connected = long_ago;
        state.last_seen.insert("n1".to_owned(), (moment(1, 1), long_ago));
        let node = ("n1".to_owned(), String::new());
        state.reached(true);
        assert!(state.is_lost(&node, LEASE));
        state.reached(false);
        state.reached(true);
        assert!(!state.is_lost(&node, LEASE));
    }
}
