//! Notifies waiters: a call when its request is answered, a listener when the catalog changes, everybody at shutdown.
//!
//! ```text
//! core/inbound/TS-… renamed in, a line of var/exchange/judged/results.jsonl   ──▶ callers that wait for that request
//! core/catalog.json replaced                                                  ──▶ clients that listen for tools
//! ```
//!
//! An event is only a hint: waiters also poll twice a second. The cache (which result answers a request) only saves a
//! search of all results; a restart may lose it.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use gatepost_documents::id::{RequestId, ResultId};
use gatepost_events::Events;
use gatepost_mailbox::exchange::Following;
use gatepost_mailbox::site::Site;
use gatepost_mailbox::stops::Stops;
use gatepost_mailbox::wake::{Change, Changes, Wake};
use tokio::sync::{Notify, watch};

/// Interval for renewing the folders' watches without events.
const RENEW: Duration = Duration::from_secs(2);
/// The most cached results.
const HINTS_MAX: usize = 4_096;

/// The waiters.
#[derive(Debug)]
pub(super) struct Board {
    waiting: Mutex<HashMap<RequestId, Vec<Arc<Notify>>>>,
    hints: Mutex<HashMap<RequestId, ResultId>>,
    /// The number of changes of the catalog.
    catalog: watch::Sender<u64>,
    /// The signal to stop.
    stopped: watch::Sender<Option<i32>>,
}

/// A subscription to a request.
#[derive(Debug)]
pub(super) struct Subscription<'a> {
    board: &'a Board,
    id: RequestId,
    bell: Arc<Notify>,
}

impl Subscription<'_> {
    /// Waits until the request may have changed.
    pub(super) async fn rung(&self) {
        self.bell.notified().await;
    }
}

impl Drop for Subscription<'_> {
    fn drop(&mut self) {
        let mut waiting = lock(&self.board.waiting);
        if let Some(bells) = waiting.get_mut(&self.id) {
            bells.retain(|bell| !Arc::ptr_eq(bell, &self.bell));
            if bells.is_empty() {
                waiting.remove(&self.id);
            }
        }
    }
}

impl Board {
    /// Watches the folders of a site on its own thread, until a signal.
    pub(super) fn watch(site: &Site, stops: Stops) -> io::Result<Arc<Self>> {
        let board = Arc::new(Self {
            waiting: Mutex::default(),
            hints: Mutex::default(),
            catalog: watch::channel(0).0,
            stopped: watch::channel(None).0,
        });
        let wake = Wake::new([], Some(stops))?;
        let (site, watched) = (site.clone(), Arc::clone(&board));
        thread::Builder::new().spawn(move || watched.run(&site, wake))?;
        Ok(board)
    }

    fn run(&self, site: &Site, mut wake: Wake) {
        let folders = [
            (site.core_inbound(), Changes::Whole),
            (site.root().join("core"), Changes::Whole),
            (site.exchange_judged(), Changes::All),
        ];
        let mut events = Events::new(folders, wake.bell());
        let mut judged = Following::default();
        // Nobody waits for earlier verdicts.
        let _ = judged.next(site);
        loop {
            events.renew();
            let woken = wake.wait(RENEW);
            if let Some(stop) = woken.stop {
                self.stopped.send_replace(Some(stop.signal));
                return;
            }
            let happened = events.take();
            for Change { folder, name, .. } in &happened.changes {
                match folder {
                    0 => {
                        if let Some(result) = name.to_str().and_then(|name| ResultId::parse(name).ok()) {
                            self.answered(result);
                        }
                    }
                    1 if name == "catalog.json" => self.catalog.send_modify(|count| *count += 1),
                    _ => {}
                }
            }
            if happened.changes.iter().any(|change| change.folder == 2) {
                for judged in judged.next(site).map(|(_, judged)| judged).unwrap_or_default() {
                    self.ring(&judged.request_id);
                }
            }
            if happened.has_lost_events {
                lock(&self.waiting).values().flatten().for_each(|bell| bell.notify_one());
                self.catalog.send_modify(|count| *count += 1);
            }
        }
    }

    fn answered(&self, result: ResultId) {
        let request = result.request().clone();
        let mut hints = lock(&self.hints);
        if hints.len() >= HINTS_MAX {
            hints.clear();
        }
        hints.insert(request.clone(), result);
        drop(hints);
        self.ring(request.as_str());
    }

    fn ring(&self, id: &str) {
        lock(&self.waiting).get(id).into_iter().flatten().for_each(|bell| bell.notify_one());
    }

    /// Subscribes to a request; later events are not missed.
    pub(super) fn subscribe(&self, id: &RequestId) -> Subscription<'_> {
        let bell = Arc::new(Notify::new());
        lock(&self.waiting).entry(id.clone()).or_default().push(Arc::clone(&bell));
        Subscription { board: self, id: id.clone(), bell }
    }

    /// The result that answers a request, if it is cached.
    pub(super) fn hint(&self, id: &RequestId) -> Option<ResultId> {
        lock(&self.hints).get(id).cloned()
    }

    /// The number of changes of the catalog, and its updates.
    pub(super) fn catalog(&self) -> watch::Receiver<u64> {
        self.catalog.subscribe()
    }

    /// Waits for the signal to stop.
    pub(super) async fn stopped(&self) {
        let mut stopped = self.stopped.subscribe();
        let _ = stopped.wait_for(Option::is_some).await;
    }

    /// The signal to stop.
    pub(super) fn signal(&self) -> Option<i32> {
        *self.stopped.borrow()
    }
}

/// After a panic in another thread, the list of waiters is still valid.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
