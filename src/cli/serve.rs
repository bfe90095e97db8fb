//! `gatepost serve`: starts `gatepost-pages`, which serves the requests of a site to browsers, live and read only.

use std::ffi::OsStr;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;

use gatepost_documents::pages_answer::Answer;
use gatepost_mailbox::stops::Stops;

use super::pages::{self, Pages};
use super::up::terminate;
use crate::cli::prelude::*;

/// The default address.
const DEFAULT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8170);

/// `gatepost serve`
pub(super) const DECLARATION: Declaration = Declaration::safe("serve", data::<Served>)
    .starts(&[Subprocess::PAGES])
    .watches()
    .fails(&[ErrorCode::AddressUnavailable, ErrorCode::StreamingNotSupported, ErrorCode::ProgramMissing]);

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
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

pub(super) fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let Arguments { listen, quiet } = *arguments;
    if !listen.ip().is_loopback() {
        let message = format!("{} is not a loopback address.", listen.ip());
        let hint = "Listen on 127.0.0.1 or [::1]: the pages have neither a login nor encryption. From elsewhere, forward a \
            port: ssh -L 8170:127.0.0.1:8170 HOST.";
        return Err(Failure::usage(message, hint));
    }
    let stops = Stops::catch(false).on("listen for signals in", Path::new("/proc/self"))?;
    let listen_at = listen.to_string();
    let words = ["--listen", &listen_at].into_iter().chain(quiet.then_some("--quiet")).map(OsStr::new);
    let pages = Pages::start(site, "serve", words)?;
    let caught = pass_on(stops, pages.id())?;
    let answer = pages.answer();
    let own = caught.load(Ordering::SeqCst);
    // It may have been stopped before it could answer.
    if answer.is_err() && own != 0 {
        return Ok(Outcome::done(&Served { address: listen_at, signal: own }));
    }
    match answer? {
        Answer::Served { address, signal } => {
            Ok(Outcome::done(&Served { address, signal: if own == 0 { signal } else { own } }))
        }
        Answer::Unavailable(why) => Err(cannot_listen(listen, &why)),
        other => Err(pages::failure(other)),
    }
}

/// Forwards each signal to the program in a thread; returns where the last one is stored.
fn pass_on(mut stops: Stops, pid: u32) -> Result<Arc<AtomicI32>, Failure> {
    let caught = Arc::new(AtomicI32::new(0));
    let noted = Arc::clone(&caught);
    let wait = move || {
        loop {
            for signal in stops.wait(None) {
                noted.store(signal, Ordering::SeqCst);
                terminate(pid);
            }
        }
    };
    thread::Builder::new().spawn(wait).on("start a thread in", Path::new("/proc/self"))?;
    Ok(caught)
}

fn cannot_listen(listen: SocketAddr, why: &str) -> Failure {
    let message = format!("gatepost cannot listen on {listen}: {why}.");
    let hint = "Stop the process that listens there, or give another port with --listen.";
    let failure = Failure::new(ErrorCode::AddressUnavailable, FailureKind::Runtime, message, hint);
    Failure { retryable: true, ..failure.during("listen", listen.to_string()) }
}
