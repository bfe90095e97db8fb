//! The requests of a site in a browser, live and read only.
//!
//! ```text
//! /                                  the requests, found by words, state, tool, requester and day, so many a page
//! /requests/<request id>             one of them
//! /requests/<request id>/<path>      a file of it
//! /quarantine                        what was refused, the newest first
//! /pending.json                      the requests that wait for people, as a JSON feed
//! ```
//!
//! *Security*: anyone with an account on this machine can reach a loopback address and read these pages. A hostile page
//! in the same browser may also send requests. The server answers only to loopback names, offers no change, and forbids
//! framing and embedding. Requests are bounded in time and number. *Standards*: RFC 9110, RFC 9112.

mod feed;
mod file;
mod filter;
mod index;
mod routes;
mod server;
mod views;

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use gatepost_documents::pages_answer::Answer;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::log::{Event, Log};
use gatepost_mailbox::site::Site;
use gatepost_mailbox::stops::Stops;

use index::Index;

/// Serves the site at an address until a signal comes.
pub fn serve(site: &Site, listen: SocketAddr, stops: Stops, log: Log) -> Answer {
    let listener = TcpListener::bind(listen).and_then(|listener| Ok((listener.local_addr()?, listener)));
    match listener {
        Ok((address, listener)) => until_stopped(site, address, listener, stops, log).unwrap_or_else(crate::fault),
        Err(error) => Answer::Unavailable(error.to_string()),
    }
}

fn until_stopped(
    site: &Site,
    address: SocketAddr,
    listener: TcpListener,
    mut stops: Stops,
    log: Log,
) -> Result<Answer, Fault> {
    let index = Index::read(site)?;
    let address = format!("http://{address}/");
    log.event(&Event::new("listening", "", address.clone()));
    let (stop, stopped) = tokio::sync::oneshot::channel();
    // It waits for a signal, which ends this process.
    let wait = move || {
        let signal = loop {
            if let Some(signal) = stops.wait(None).first() {
                break *signal;
            }
        };
        let _ = stop.send(signal);
    };
    thread::Builder::new().spawn(wait).on("start a thread in", Path::new("/proc/self"))?;
    let signal = server::serve(listener, routes::routes(Arc::new(index)), stopped).on("serve", site.root())?;
    Ok(Answer::Served { address, signal })
}
