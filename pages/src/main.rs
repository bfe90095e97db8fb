//! The program `gatepost-pages` reads a site and shows the outcome of its requests. `gatepost report --html` and `gatepost serve` start it.
//!
//! At the end it prints one line of JSON on stdout ([`Answer`]). It logs to stderr and writes no file.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use chrono::{DateTime, Utc};
use clap::Parser;
use gatepost_documents::exit;
use gatepost_documents::pages_answer::Answer;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::log::{Event, Level, Log};
use gatepost_mailbox::site::{SITE_VARIABLE, Site};
use gatepost_mailbox::stops::Stops;
use gatepost_pages::report::{self, Period};
use gatepost_pages::serve;

/// Pages of gatepost: the outcome of each request. Reads a site, and changes nothing.
#[derive(Debug, clap::Parser)]
#[command(
    name = "gatepost-pages",
    version,
    after_help = "Prints one line of JSON at the end. Exit status: 0 done, 1 failed, 2 arguments refused, 4 no site, 12 address not free."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// The site; by default the nearest folder above with a gatepost.toml.
    #[arg(long, value_name = "DIR", env = SITE_VARIABLE, global = true)]
    site: Option<PathBuf>,
    /// Stop when the parent process ends.
    #[arg(long, hide = true, global = true)]
    with_parent: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print one page of all requests.
    Report {
        /// The folder of the page: its links are relative to it.
        #[arg(long, value_name = "DIR")]
        folder: PathBuf,
        /// Only requests dropped since this time, RFC 3339.
        #[arg(long, value_name = "TIME", value_parser = DateTime::parse_from_rfc3339)]
        since: Option<DateTime<chrono::FixedOffset>>,
    },
    /// Serve pages until a signal comes.
    Serve {
        /// The loopback address and port to listen on; port 0 picks a free one.
        #[arg(long, value_name = "ADDRESS:PORT", value_parser = loopback)]
        listen: SocketAddr,
        /// Log nothing.
        #[arg(long)]
        quiet: bool,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let site = match Site::locate(arguments.site.as_deref()) {
        Ok(site) => site,
        Err(why) => {
            Log::for_stderr().event(&Event::new("failed", "", why).at(Level::Error));
            return ExitCode::from(exit::PRECONDITION);
        }
    };
    let answer = carry_out(&site, arguments).unwrap_or_else(gatepost_pages::fault);
    let Ok(line) = serde_json::to_string(&answer) else { return ExitCode::from(exit::GENERAL) };
    // If the reader has closed the pipe, nobody needs the answer.
    let is_printed = std::io::stdout().lock().write_all((line + "\n").as_bytes()).is_ok();
    ExitCode::from(if is_printed { answer.exit() } else { exit::GENERAL })
}

fn carry_out(site: &Site, arguments: Arguments) -> Result<Answer, Fault> {
    let stops = Stops::catch(arguments.with_parent).on("listen for signals in", Path::new("/proc/self"))?;
    match arguments.command {
        Command::Serve { listen, quiet } => {
            let log = if quiet { Log::SILENT } else { Log::for_stderr() };
            Ok(serve::serve(site, listen, stops, log))
        }
        Command::Report { folder, since } => {
            end_at(stops)?;
            let period = Period { since: since.map(|time| time.to_utc()), now: now() };
            let (html, requests_count) = report::page(site, period, &folder)?;
            Ok(Answer::Page { requests_count, html })
        }
    }
}

/// Ends the process at the first signal, or with its parent: there is nothing to clean up.
fn end_at(mut stops: Stops) -> Result<(), Fault> {
    let end = move || {
        loop {
            if let Some(signal) = stops.wait(None).first() {
                std::process::exit(128 + signal);
            }
        }
    };
    thread::Builder::new().spawn(end).on("start a thread in", Path::new("/proc/self"))?;
    Ok(())
}

#[allow(clippy::disallowed_methods, reason = "reads the clock that is passed on")]
fn now() -> DateTime<Utc> {
    Utc::now()
}

fn loopback(text: &str) -> Result<SocketAddr, String> {
    let address: SocketAddr = text.parse().map_err(|_| "expected ADDRESS:PORT".to_owned())?;
    if address.ip().is_loopback() { Ok(address) } else { Err(format!("{} is not a loopback address", address.ip())) }
}
