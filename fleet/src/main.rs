//! The program `gatepost-fleet`: carries requests to the nodes of a fleet and bundles back. It never judges a tool or a result.
//!
//! Runs beside TOOL-EXEC of a site, as its user: `home` where requests are dropped and results judged, `node` where tools run.

mod engine;
mod home;
mod message;
mod node;
mod parcel;
mod records;

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use gatepost_contract::config::{Config, Fleet};
use gatepost_documents::exit;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::lock::LockError;
use gatepost_mailbox::log::{Event, Level, Log};
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};
use gatepost_mailbox::site::{SITE_VARIABLE, Site};
use gatepost_signatures::SigningKey;

/// Carries requests of a site to other machines, and their bundles back, over NATS.
#[derive(Debug, clap::Parser)]
#[command(
    name = "gatepost-fleet",
    version,
    after_help = "Exit status: 0 done, 1 failed, 2 arguments refused, 4 no site or no [fleet], 12 served already.\nExamples:\n  \
    gatepost-fleet home --site /srv/mailbox\n  gatepost-fleet node --site /srv/node"
)]
struct Arguments {
    /// What this site is.
    role: Role,
    /// The site; without it the nearest folder above that holds a gatepost.toml.
    #[arg(long, value_name = "DIR", env = SITE_VARIABLE)]
    site: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Role {
    /// Offers requests, orders them to be run, and takes bundles, until a signal.
    Home,
    /// Asks for requests and runs them here; after SIGTERM it takes no more and ends once it has none.
    Node,
    /// Prints this site's public key, for `keys/nodes` or `keys/home` of the other side.
    Key,
}

/// What both roles share.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) site: Site,
    pub(crate) fleet: Fleet,
    pub(crate) key: SigningKey,
    pub(crate) log: Log,
}

impl Context {
    /// Reports a failure that is retried.
    pub(crate) fn report(&self, id: &str, message: impl std::fmt::Display) {
        self.log.event(&Event::new("fault", id, format!("failed to {message}; it will be retried")).at(Level::Error));
    }

    /// Logs an event.
    pub(crate) fn note(&self, event: &'static str, id: &str, message: String) {
        self.log.event(&Event::new(event, id, message));
    }
}

fn main() -> ExitCode {
    let (arguments, log) = (Arguments::parse(), Log::for_stderr());
    match carry_out(&arguments, log) {
        Ok(()) => ExitCode::SUCCESS,
        Err((status, why)) => {
            log.event(&Event::new("failed", "", why).at(Level::Error));
            ExitCode::from(status)
        }
    }
}

/// Checks the user: TOOL-EXEC could not read another user's files. The error is a clause for the user.
fn is_of_exec(site: &Site) -> Result<(), String> {
    let (folder, own) = (site.root().join("var/exec"), rustix::process::geteuid().as_raw());
    match folder.metadata().map(|data| data.uid()) {
        Ok(owner) if owner == own => Ok(()),
        Ok(owner) => Err(format!("{} belongs to user {owner}, as whom this is to run", folder.display())),
        Err(error) => Err(format!("cannot look at {}: {error}", folder.display())),
    }
}

fn carry_out(arguments: &Arguments, log: Log) -> Result<(), (u8, String)> {
    let precondition = |why: String| (exit::PRECONDITION, why);
    let failed = |fault: Fault| (exit::GENERAL, format!("failed to {fault}"));
    let site = Site::locate(arguments.site.as_deref()).map_err(precondition)?;
    let path = site.config_file();
    let read = regular_file::read(&path, DOCUMENT_MAX_BYTES).on("read", &path).map_err(failed)?;
    let config = Config::parse(&String::from_utf8_lossy(&read), "gatepost.toml").map_err(|reasons| {
        let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
        precondition(format!("{} is not in order: {}", path.display(), reasons.join("; ")))
    })?;
    is_of_exec(&site).map_err(precondition)?;
    records::prepare(&site).map_err(failed)?;
    let key = records::key(&site).map_err(failed)?;
    if arguments.role == Role::Key {
        print!("{}", key.public().to_line());
        return Ok(());
    }
    if config.fleet.servers.is_empty() {
        let what = format!("{} names no servers: set `servers` in [fleet]", path.display());
        return Err(precondition(what));
    }
    if (arguments.role == Role::Node) != config.fleet.is_node() {
        let what = "only a node has a name in `node` in [fleet], and only a home has `tools`";
        return Err(precondition(format!("{}: {what}", path.display())));
    }
    let _lock = records::take(&site).map_err(|error| match error {
        LockError::Held { .. } => (exit::UNAVAILABLE, format!("{error}; stop that one first")),
        LockError::Fault(fault) => failed(fault),
    })?;
    let context = Context { site, fleet: config.fleet, key, log };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| (exit::GENERAL, format!("failed to start threads: {error}")))?;
    let ended = match arguments.role {
        Role::Home => runtime.block_on(home::run(context)),
        Role::Node | Role::Key => runtime.block_on(node::run(context)),
    };
    ended.map_err(|error| (exit::GENERAL, format!("failed to go on: {error}")))
}
