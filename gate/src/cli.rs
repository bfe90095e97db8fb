//! The command line of `gatepost-gate`: the gate alone, without the rest of gatepost.
//!
//! Prints JSON, one line per bundle or file, and errors to stderr. *Security*: before the first file is read, the process gives
//! up every right except to read the files: as far as the kernel allows (`judge`, `check`), or as `gate.toml` demands (`watch`).

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use gatepost_content::Place;
use gatepost_documents::escape;
use gatepost_documents::exit;
use gatepost_documents::reason::Severity;
use gatepost_documents::verdict::Decision;
use gatepost_mailbox::fault::is_shortage;
use gatepost_mailbox::log::{Event, Level, Log};
use gatepost_mailbox::site::Site;
use serde_json::json;

use crate::audit::judge_in_place;
use crate::check::check;
use crate::confinement::{Confinement, Demand};
use crate::facts::Facts;
use crate::failure;
use crate::judge::RULES_VERSION;
use crate::policy::{Policy, SitePolicy};
use crate::program;
use crate::watch::{self, Options, Tally, WatchError};

mod arguments;

use arguments::{Arguments, Command};

/// The name of the program.
pub const NAME: &str = "gatepost-gate";

const HELP: &str = "\
The gate of gatepost: judges result bundles, executes nothing, trusts nobody.

usage: gatepost-gate watch [--site DIR] [--once] [--quiet] [--log-level LEVEL] [--scan-interval-ms MS]
       gatepost-gate judge BUNDLE...
       gatepost-gate check [--site DIR] FILE...
       gatepost-gate --help | --version

  watch   judge each bundle in outbox/ and move it to core/inbound/ or quarantine/
  judge   judge bundles in place, without a site: one JSON verdict a line
  check   check any files by the gate's rules: one JSON object a line

  --site DIR             the site (default: GATEPOST_SITE, or the nearest folder above with a gatepost.toml)
  --once                 judge everything that waits, then exit
  --quiet                log nothing
  --log-level LEVEL      error, warn, info or debug (default: GATEPOST_LOG, or info)
  --scan-interval-ms MS  scan interval without events (default: 2000)

Exit status: 0 done, 1 failed, 2 arguments refused, 4 no site, or not confined as gate.toml requires,
12 lock held by another gate, 79 something was rejected, 82 restart needed, 130/143 stopped by a second signal.
";

/// The output of `--version`: two programs that print the same judge identically.
pub fn version() -> String {
    format!("{NAME} {} (rules {RULES_VERSION})", env!("CARGO_PKG_VERSION"))
}

/// Runs one invocation and returns its exit status.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let status = match Arguments::read(arguments.into_iter().skip(1)) {
        Ok(Arguments { command: Command::Help, .. }) => print(HELP),
        Ok(Arguments { command: Command::Version, .. }) => print(&format!("{}\n", version())),
        Ok(Arguments { command: Command::Watch(options), site, .. }) => serve(site.as_deref(), &options),
        Ok(Arguments { command: Command::Judge, files, .. }) => judge_all(&files),
        Ok(Arguments { command: Command::Check, site, files }) => check_all(site.as_deref(), &files),
        Err(fault) => {
            complain(format!("{fault}\n{}", HELP.lines().skip(2).take(4).collect::<Vec<_>>().join("\n")));
            exit::USAGE
        }
    };
    ExitCode::from(status)
}

fn print(text: &str) -> u8 {
    match io::stdout().write_all(text.as_bytes()) {
        // The reader closed the pipe: it has seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => exit::GENERAL,
        _ => exit::SUCCESS,
    }
}

fn complain(message: impl Display) {
    let _ = writeln!(io::stderr(), "{NAME}: {message}");
}

fn serve(named: Option<&Path>, options: &Options) -> u8 {
    let site = match Site::locate(named) {
        Ok(site) => site,
        Err(fault) => {
            options.log.event(&Event::new("failed", "", fault).at(Level::Error));
            return exit::PRECONDITION;
        }
    };
    match watch::run(&site, options) {
        Ok(tally) => {
            let Tally { accepted, rejected, faults, .. } = tally;
            if let Some(replaced) = &tally.replaced {
                let message = format!("{} was replaced by another, which this gate cannot reach", replaced.display());
                options.log.event(&Event::new("replaced", "", message).at(Level::Warn));
            }
            let message = format!("accepted {accepted}, rejected {rejected}, faults {faults}");
            options.log.event(&Event::new("ended", "", message));
            tally.exit()
        }
        Err(error) => {
            options.log.event(&Event::new("failed", "", error.to_string()).at(Level::Error));
            error.exit()
        }
    }
}

/// Gives up every right except to read the files.
#[allow(clippy::disallowed_methods, reason = "a program asks the clock once")]
fn confine(files: &[PathBuf]) -> Result<Facts, u8> {
    failure::hide_words_of_panics();
    let program = program::this();
    let enforced = Confinement::reading(files).enter(Demand::BestEffort).map_err(|error| {
        complain(&error);
        exit::GENERAL
    })?;
    let now = std::time::SystemTime::now().into();
    Ok(Facts { program, confinement: Some(enforced), ..Facts::without_site(now) })
}

/// A file that cannot be read does not stop the others; the worst result sets the exit status.
fn each(files: &[PathBuf], line: impl Fn(&Path) -> io::Result<(String, bool)>) -> u8 {
    let (mut rejected, mut failed) = (false, false);
    for file in files {
        let printed = line(file).and_then(|(line, is_sound)| {
            rejected |= !is_sound;
            writeln!(io::stdout(), "{line}")
        });
        match printed {
            // The reader closed the pipe: nobody reads the rest.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return exit::GENERAL,
            Err(error) => {
                failed = true;
                complain(error);
            }
            Ok(()) => {}
        }
    }
    match (failed, rejected) {
        (true, _) => exit::GENERAL,
        (false, true) => exit::REJECTED,
        (false, false) => exit::SUCCESS,
    }
}

fn judge_all(bundles: &[PathBuf]) -> u8 {
    let facts = match confine(bundles) {
        Ok(facts) => facts,
        Err(status) => return status,
    };
    each(bundles, |bundle| {
        let (verdict, _) = judge_in_place(bundle, false, &facts).map_err(io::Error::other)?;
        Ok((serde_json::to_string(&verdict)?, verdict.verdict == Decision::Accept))
    })
}

fn check_all(named: Option<&Path>, files: &[PathBuf]) -> u8 {
    let site = if named.is_some() { Site::locate(named).map(Some) } else { Ok(Site::locate(None).ok()) };
    let policy = site.and_then(|site| match site {
        Some(site) => SitePolicy::read(&site).map(Some).map_err(|reason| reason.to_string()),
        None => Ok(None),
    });
    let (policy, facts) = match (policy, confine(files)) {
        (Ok(None), Ok(facts)) => (Policy::default(), facts),
        (Ok(Some(SitePolicy { policy, rules, .. })), Ok(facts)) => (policy, Facts { rules, ..facts }),
        (Err(fault), _) => {
            complain(fault);
            return exit::PRECONDITION;
        }
        (_, Err(status)) => return status,
    };
    each(files, |file| {
        let name = escape::path(file.file_name().unwrap_or_default().as_bytes());
        let checked = check(file, &name, Place::Artifact, &policy, &facts).map_err(io::Error::other)?;
        let ok = !checked.reasons.iter().any(|reason| reason.severity == Severity::Reject);
        let line =
            json!({"path": checked.path.to_string_lossy(), "kind": checked.kind, "ok": ok, "reasons": checked.reasons});
        Ok((line.to_string(), ok))
    })
}

impl Tally {
    /// The exit status of a watcher with this outcome.
    pub fn exit(&self) -> u8 {
        match (self.signal, &self.replaced) {
            (None, Some(_)) => exit::START_AGAIN,
            (None, None) if self.faults > 0 => exit::GENERAL,
            _ => exit::SUCCESS,
        }
    }
}

impl WatchError {
    /// The exit status of a watcher that could not start.
    pub fn exit(&self) -> u8 {
        use crate::mailbox::OpenError;
        use gatepost_mailbox::lock::LockError;
        match self {
            Self::Open(OpenError::Lock(LockError::Held { .. })) => exit::UNAVAILABLE,
            Self::Open(OpenError::Policy(_)) | Self::Confinement(_) => exit::PRECONDITION,
            Self::NoExchange(_) => exit::START_AGAIN,
            Self::Open(OpenError::Fault(fault)) | Self::Fault(fault) if is_shortage(&fault.source) => exit::START_AGAIN,
            Self::Open(OpenError::Lock(LockError::Fault(_)) | OpenError::Fault(_)) | Self::Fault(_) => exit::GENERAL,
        }
    }
}

/// The settings without arguments.
impl Default for Options {
    fn default() -> Self {
        Self {
            name: NAME,
            once: false,
            orders_only: false,
            with_parent: false,
            scan_interval: Duration::from_secs(2),
            log: Log::for_stderr(),
        }
    }
}
