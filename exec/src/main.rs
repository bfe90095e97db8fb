//! The program `gatepost-exec`: TOOL-EXEC alone, without the command line. It logs to stderr, and prints nothing.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use gatepost_documents::exit;
use gatepost_exec::coordinator::{End, Mode, Tally};
use gatepost_exec::watch::{self, Options};
use gatepost_mailbox::log::{Event, LEVEL_VARIABLE, Level, Log};
use gatepost_mailbox::site::{SITE_VARIABLE, Site};

/// TOOL-EXEC of gatepost: claims the requests in inbox/, runs their tools in a sandbox, seals results into outbox/.
#[derive(Debug, clap::Parser)]
#[command(
    name = "gatepost-exec",
    version,
    after_help = "Exit status: 0 done, 1 failed, 2 arguments refused, 4 no site or a file of it is not valid, 12 another holds the lock, \
                  130/143 stopped by a second signal."
)]
struct Arguments {
    /// The site; without it the nearest folder above that holds a gatepost.toml.
    #[arg(long, value_name = "DIR", env = SITE_VARIABLE)]
    site: Option<PathBuf>,
    /// Deal with everything that waits, and end.
    #[arg(long)]
    once: bool,
    /// Log nothing.
    #[arg(long)]
    quiet: bool,
    /// Log events down to this level: error, warn, info or debug. Default: info.
    #[arg(long, value_name = "LEVEL", env = LEVEL_VARIABLE)]
    log_level: Option<Level>,
    /// Stop when the process that started this one ends, however it ends.
    #[arg(long, hide = true)]
    with_parent: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let log = if arguments.quiet { Log::SILENT } else { Log::for_stderr() };
    let log = arguments.log_level.filter(|_| !arguments.quiet).map_or(log, |level| log.down_to(level));
    ExitCode::from(serve(&arguments, log))
}

fn serve(arguments: &Arguments, log: Log) -> u8 {
    let fail = |message: String| log.event(&Event::new("failed", "", message).at(Level::Error));
    let site = match Site::locate(arguments.site.as_deref()) {
        Ok(site) => site,
        Err(why) => {
            fail(why);
            return exit::PRECONDITION;
        }
    };
    let options = Options {
        name: "gatepost-exec",
        mode: if arguments.once { Mode::Once } else { Mode::Forever },
        with_parent: arguments.with_parent,
        log,
    };
    match watch::configuration(&site).and_then(|config| watch::run(&site, config, options)) {
        Ok(tally) => ended(&tally, options.mode, log),
        Err(error) => {
            fail(error.to_string());
            error.exit()
        }
    }
}

/// The exit status of a watcher that did this.
fn ended(tally: &Tally, mode: Mode, log: Log) -> u8 {
    let Tally { answered, refused, known, quarantined, faults, .. } = *tally;
    let message =
        format!("answered {answered} (refused {refused}), known {known}, quarantined {quarantined}, faults {faults}");
    log.event(&Event::new("ended", "", message));
    match tally.end(mode) {
        End::CutShort(signal) => 128_u8.saturating_add(u8::try_from(signal).unwrap_or_default()),
        End::Faults(_) => exit::GENERAL,
        End::Done => exit::SUCCESS,
    }
}
