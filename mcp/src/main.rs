//! The program `gatepost-mcp` serves a site over MCP. `gatepost mcp` starts it.
//!
//! On stdio it speaks the protocol on stdin and stdout, and logs only fatal errors. Over HTTP it logs to stderr.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use clap::Parser;
use gatepost_contract::config::Config;
use gatepost_documents::exit;
use gatepost_mailbox::fault::OnPath as _;
use gatepost_mailbox::log::{Event, Level, Log};
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};
use gatepost_mailbox::site::{SITE_VARIABLE, Site};
use gatepost_mailbox::stops::Stops;
use gatepost_mcp::catalog::Reader;
use gatepost_mcp::context::Context;
use gatepost_mcp::note::Notes;
use gatepost_mcp::principal::{Name, Principal, Tokens};
use gatepost_mcp::serve::{self, Listen};

/// A site of gatepost as an MCP server: on stdin and stdout, or over HTTP on loopback.
#[derive(Debug, clap::Parser)]
#[command(
    name = "gatepost-mcp",
    version,
    after_help = "Exit status: 0 done, 1 failed, 2 arguments refused, 4 no site, 12 address not free.\nExamples:\n  \
    gatepost-mcp --site /srv/mailbox\n  \
    gatepost-mcp --site /srv/mailbox --http 127.0.0.1:8171 --tokens /etc/gatepost/mcp.tokens"
)]
struct Arguments {
    /// The site; without it the nearest folder above that holds a gatepost.toml.
    #[arg(long, value_name = "DIR", env = SITE_VARIABLE)]
    site: Option<PathBuf>,
    /// On stdio: who calls; else the user of this process. For the forced command of an SSH key.
    #[arg(long, value_name = "NAME", value_parser = Name::parse, conflicts_with = "http")]
    principal: Option<Name>,
    /// On stdio: a tool that may be asked for; may be repeated. Else every tool.
    #[arg(long = "tool", value_name = "TOOL", conflicts_with = "http")]
    tools: Vec<String>,
    /// Serve HTTP at this loopback address and port; port 0 takes any that is free.
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = loopback, requires = "tokens")]
    http: Option<SocketAddr>,
    /// Over HTTP: the file of tokens, a line for each principal: NAME sha256:DIGEST [TOOL,TOOL].
    #[arg(long, value_name = "FILE", requires = "http")]
    tokens: Option<PathBuf>,
    /// Over HTTP: a name of this server that a proxy passes on in Host; may be repeated.
    #[arg(long = "host", value_name = "HOST", requires = "http")]
    hosts: Vec<String>,
    /// Over HTTP: an origin whose web pages may call, such as `https://agent.example.org:443`; may be repeated.
    #[arg(long = "origin", value_name = "ORIGIN", requires = "http")]
    origins: Vec<String>,
    /// Stop when the process that started this one ends, however it ends.
    #[arg(long, hide = true, requires = "http")]
    with_parent: bool,
}

fn main() -> ExitCode {
    let log = Log::for_stderr();
    match carry_out(Arguments::parse(), log) {
        Ok(signal) => ExitCode::from(signal.map_or(0, |signal| u8::try_from(128 + signal).unwrap_or(1))),
        Err((status, why)) => {
            log.event(&Event::new("failed", "", why).at(Level::Error));
            ExitCode::from(status)
        }
    }
}

fn carry_out(arguments: Arguments, log: Log) -> Result<Option<i32>, (u8, String)> {
    let precondition = |why: String| (exit::PRECONDITION, why);
    let site = Site::locate(arguments.site.as_deref()).map_err(precondition)?;
    let path = site.config_file();
    let read = regular_file::read(&path, DOCUMENT_MAX_BYTES).on("read", &path);
    let text = String::from_utf8(read.map_err(|fault| (exit::GENERAL, format!("failed to {fault}")))?)
        .map_err(|_| precondition(format!("{} is not UTF-8", path.display())))?;
    let config = Config::parse(&text, "gatepost.toml").map_err(|reasons| {
        let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
        precondition(format!("{} is not in order: {}", path.display(), reasons.join("; ")))
    })?;
    let context = Context { site, catalog: Reader::default(), limits: config.mcp_server, clock: now };
    let stops = if arguments.http.is_some() { Stops::catch(arguments.with_parent) } else { Stops::catch_ends() };
    let stops = stops.map_err(|error| (exit::GENERAL, format!("failed to listen for signals: {error}")))?;
    let served = if let (Some(address), Some(tokens)) = (arguments.http, arguments.tokens) {
        let count = Tokens::read(&tokens).map_err(|error| precondition(error.to_string()))?.count();
        log.event(&Event::new("tokens", "", format!("{} lists {count} principals", tokens.display())));
        let listen = Listen { address, tokens, hosts: arguments.hosts, origins: arguments.origins };
        serve::http(Arc::new(context), listen, stops, log)
    } else {
        let tools = (!arguments.tools.is_empty()).then_some(arguments.tools);
        let principal = Principal { name: arguments.principal.unwrap_or_else(Name::of_user), tools };
        // Reports at startup what would fail the first call.
        Notes::of(&context.site, &principal.name).map_err(|fault| (exit::GENERAL, format!("failed to {fault}")))?;
        serve::stdio(Arc::new(context), principal, stops)
    };
    served.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse | std::io::ErrorKind::AddrNotAvailable => {
            (exit::UNAVAILABLE, format!("failed to listen: {error}. Stop what listens there, or give another port"))
        }
        _ => (exit::GENERAL, format!("failed to serve: {error}")),
    })
}

#[allow(clippy::disallowed_methods, reason = "reads the clock that is passed on")]
fn now() -> DateTime<Utc> {
    Utc::now()
}

fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text.parse().map_err(|_| "expected ADDRESS:PORT".to_owned())?;
    if address.ip().is_loopback() {
        return Ok(address);
    }
    Err(format!("{} is not a loopback address; TLS and other machines are for a proxy in front", address.ip()))
}
