//! `gatepost serve`: the requests of a site on pages in a browser, live and read only.
//!
//! ```text
//! /                                  the requests, found by words, state, tool, requester and day, so many a page
//! /requests/<request id>             one of them
//! /requests/<request id>/<path>      a file of it
//! /quarantine                        what was refused, the newest first
//! ```
//!
//! *Security*: whoever has an account on this machine can reach a loopback address, and then reads what these pages show. What
//! asks may be a page of somebody else's in the same browser: only names of this machine are answered to, nothing can be
//! changed, and no page may frame or load these. Requests are bounded in time and number. *Standards*: RFC 9110, RFC 9112.

mod file;
mod filter;
mod index;
mod routes;
mod server;
mod views;

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use gatepost_exec::log::{Event, Log};
use gatepost_mailbox::fault::OnPath;
use gatepost_mailbox::site::Site;
use gatepost_mailbox::stops::Stops;
use schemars::JsonSchema;
use serde::Serialize;

use super::declaration::{Declaration, data};
use super::exit;
use super::failure::Failure;
use super::outcome::{Outcome, View};
use crate::cli::failure_kind::FailureKind;

use index::Index;

/// Where it listens unless told otherwise.
const DEFAULT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8170);

/// `gatepost serve`
pub const DECLARATION: Declaration =
    Declaration::safe("serve", data::<Served>).watches().fails(&["ADDRESS_UNAVAILABLE", "STREAMING_NOT_SUPPORTED"]);

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The loopback address and port to listen on; port 0 takes any that is free.
    #[arg(long, value_name = "ADDRESS:PORT", default_value_t = DEFAULT)]
    listen: SocketAddr,
    /// Log nothing; `--quiet` says so.
    #[arg(skip)]
    pub quiet: bool,
}

/// What was served.
#[derive(Serialize, JsonSchema)]
struct Served {
    address: String,
    /// The signal that ended it.
    signal: i32,
}

impl View for Served {
    fn text(&self) -> String {
        String::new()
    }
}

pub fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let Arguments { listen, quiet } = *arguments;
    if !listen.ip().is_loopback() {
        let message = format!("{} is not a loopback address.", listen.ip());
        let hint = "Listen on 127.0.0.1 or [::1]: the pages have neither a login nor encryption. From elsewhere, forward a \
            port: ssh -L 8170:127.0.0.1:8170 HOST.";
        return Err(Failure::usage(message, hint));
    }
    let log = if quiet { Log::SILENT } else { Log::for_stderr() };
    let mut stops = Stops::catch(false).on("listen for signals in", Path::new("/proc/self"))?;
    let listener = TcpListener::bind(listen).map_err(|error| cannot_listen(listen, &error))?;
    let address = listener.local_addr().map_err(|error| cannot_listen(listen, &error))?;
    let index = Index::read(site)?;
    let address = format!("http://{address}/");
    log.event(&Event::new("listening", "", address.clone()));
    let (stop, stopped) = tokio::sync::oneshot::channel();
    // It waits for a signal, and that ends this process.
    thread::spawn(move || {
        let signal = loop {
            if let Some(signal) = stops.wait(None).first() {
                break *signal;
            }
        };
        let _ = stop.send(signal);
    });
    let routes = routes::routes(Arc::new(index));
    let signal = server::serve(listener, routes, stopped).on("serve", site.root())?;
    Ok(Outcome::done(&Served { address, signal }))
}

fn cannot_listen(listen: SocketAddr, error: &std::io::Error) -> Failure {
    let message = format!("{listen} cannot be listened on: {error}.");
    let hint = "Stop what listens there, or give another port with --listen.";
    let failure = Failure::new(exit::UNAVAILABLE, "ADDRESS_UNAVAILABLE", FailureKind::Runtime, message, hint);
    Failure { retryable: true, ..failure.during("listen", listen.to_string()) }
}
