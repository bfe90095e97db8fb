//! The network of a tool with an allow list: a proxy, the only peer that the tool can reach; or, if its manifest says so, a route for
//! packets to these destinations alone ([`Route`]).
//!
//! ```text
//! tool ──127.0.0.1:3128 in its own network namespace──▶ gatepost ──listed? public?──▶ the destination
//!        HTTP CONNECT, http:// by absolute URI, SOCKS5            destination ▶ egress ▶ resolver, address
//! ```
//!
//! Names are resolved here, once a run, so a tool cannot turn one into another address; bytes are relayed uninspected. It caches
//! nothing, rewrites no answer and adds no identity. Threads and blocking calls: one thread a connection, and each waits for its
//! sockets and for the end of the run at once.
//!
//! Security: the tool is hostile, and servers may be. The number of connections, the size of requests and every wait are bounded. Known
//! weakness: a listed destination may forward the tool's data, and with TLS gatepost bounds only the address and port, not the name
//! that the tool sends inside.
//! *Standards*: RFC 9110, RFC 9112 (HTTP), RFC 1928 (SOCKS 5).

mod conversation;
mod deadline;
mod egress;
mod http;
mod record;
mod relay;
mod resolver;
mod route;
mod socks;

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::PollFlags;

use crate::cancel::Cancel;

pub use gatepost_contract::network::{Allowlist, Destination, Host, NetworkMode, Peer, TargetScope, plain};
pub use record::Record;
pub use resolver::{Resolve, SystemResolver};
pub use route::{OWN_V4, OWN_V6, Route, is_own};

use deadline::Deadline;
use egress::Egress;

/// The pause if the machine is out of descriptors or threads.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// The limits of a tool's connections.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Connections at a time; further ones wait.
    pub connections: usize,
    /// The longest time for a client's request.
    pub head: Duration,
    /// The longest time for resolving a name, and for each attempt to connect.
    pub connect: Duration,
    /// The longest idle time.
    pub idle: Duration,
    /// The longest duration of a connection.
    pub total: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            connections: 64,
            head: Duration::from_secs(10),
            connect: Duration::from_secs(10),
            idle: Duration::from_mins(10),
            total: Duration::from_hours(1),
        }
    }
}

/// The granted network of a run: its destinations, their resolver and its limits.
#[derive(Debug, Clone)]
pub struct Access {
    /// The permitted destinations.
    pub allowed: Vec<Destination>,
    /// Hosts that the call targets, which a tool with a route reaches on every port and by ICMP.
    pub targets: Vec<Host>,
    /// The addresses to which some of these names may resolve.
    pub target_scope: TargetScope,
    /// Looks up their names.
    pub resolver: Arc<dyn Resolve>,
    /// The limits of connections.
    pub bounds: Bounds,
    /// The mechanism: proxy or route.
    pub network_mode: NetworkMode,
}

impl Access {
    /// To these destinations through the proxy, by the system's resolver.
    pub fn to(allowed: Vec<Destination>) -> Self {
        Self {
            allowed,
            targets: Vec::new(),
            target_scope: TargetScope::default(),
            resolver: Arc::new(SystemResolver),
            bounds: Bounds::default(),
            network_mode: NetworkMode::Proxy,
        }
    }
}

/// The network of a run.
#[derive(Debug, Default)]
pub enum Connectivity {
    /// Nothing.
    #[default]
    None,
    /// A [`Proxy`] to the granted destinations.
    Proxy(Access),
    /// A route for its own packets.
    Route(Route),
}

impl Connectivity {
    /// The network for this grant, with the names of a route resolved.
    pub fn to(access: Option<&Access>, stop: &Cancel) -> Self {
        match access {
            None => Self::None,
            Some(access) if access.network_mode == NetworkMode::Routed => Self::Route(Route::find(access, stop)),
            Some(access) => Self::Proxy(access.clone()),
        }
    }

    /// The mechanism of the granted network, if there is one.
    pub fn network_mode(&self) -> Option<NetworkMode> {
        match self {
            Self::None => None,
            Self::Proxy(_) => Some(NetworkMode::Proxy),
            Self::Route(_) => Some(NetworkMode::Routed),
        }
    }
}

/// A running proxy. Stopping or dropping it ends it and every connection.
#[derive(Debug)]
pub struct Proxy {
    listener: Option<Sender<TcpListener>>,
    egress: Arc<Egress>,
    stop: Arc<Cancel>,
    thread: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Starts its thread, which waits for [`Self::serve`].
    pub fn start(access: &Access) -> io::Result<Self> {
        let (listener, given) = mpsc::channel();
        let bounds = access.bounds;
        let egress = Arc::new(Egress::new(access));
        let stop = Arc::new(Cancel::new()?);
        let (theirs, until) = (Arc::clone(&egress), Arc::clone(&stop));
        let work = move || {
            if let Ok(listener) = given.recv() {
                serve(&listener, &theirs, &bounds, Deadline::none(&until));
            }
        };
        let thread = thread::Builder::new().name("proxy".to_owned()).spawn(work)?;
        Ok(Self { listener: Some(listener), egress, stop, thread: Some(thread) })
    }

    /// Serves one listener; ignores further ones.
    pub fn serve(&self, listener: TcpListener) -> io::Result<()> {
        listener.set_nonblocking(true)?;
        // Its thread ends earlier only if it panicked.
        let _ = self.listener.as_ref().map(|thread| thread.send(listener));
        Ok(())
    }

    /// Ends every connection, and returns the record of them.
    pub fn stop(mut self) -> Record {
        self.end();
        std::mem::take(&mut self.egress.record())
    }

    fn end(&mut self) {
        self.stop.fire();
        self.listener = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.end();
    }
}

/// Serves each connection in a thread of its own; accepts no more connections than there are places.
fn serve(listener: &TcpListener, egress: &Egress, bounds: &Bounds, deadline: Deadline<'_>) {
    let (leave, places) = mpsc::channel();
    for _ in 0..bounds.connections {
        let _ = leave.send(());
    }
    thread::scope(|scope| {
        while places.recv().is_ok() {
            let client = match deadline.retry(listener, PollFlags::IN, || listener.accept()) {
                Ok((client, _)) => client,
                Err(_) if !deadline.is_ahead() => return,
                Err(_) => {
                    egress.record().run_short();
                    let _ = (deadline.at_most(RETRY_DELAY).wait(&[]), leave.send(()));
                    continue;
                }
            };
            let (place, (hand_over, handed_over)) = (leave.clone(), mpsc::channel());
            let talk = move || {
                if let Ok(client) = handed_over.recv() {
                    conversation::serve(client, egress, bounds, deadline);
                    let _ = place.send(());
                }
            };
            if thread::Builder::new().name("connection".to_owned()).spawn_scoped(scope, talk).is_ok() {
                let _ = hand_over.send(client);
            } else {
                // The machine is out of threads: serve it here, and let the next ones wait.
                conversation::serve(client, egress, bounds, deadline);
                let _ = leave.send(());
            }
        }
    });
}

#[cfg(test)]
mod tests;
