//! `gatepost exec`, `gatepost gate`: the watchers. They stay in the foreground and log to stderr.
//!
//! *Security*: the gate confines itself before it reads hostile bytes; everything that its threads need is created
//! before, or can be created inside.

use std::path::Path;
use std::time::Duration;

use gatepost_exec::coordinator::{End, Mode, Tally};
use gatepost_exec::watch;
use gatepost_gate::watch as gate;
use gatepost_mailbox::log::{LEVEL_VARIABLE, Level, Log};

use super::config::check_policy;
use super::interruption;
use crate::cli::prelude::*;

/// `gatepost exec` and `gatepost gate`.
pub(super) const DECLARATIONS: [Declaration; 2] = [
    Declaration::mutating("exec", data::<Tally>)
        .writes(Write::OF_EXEC)
        .starts(&[Subprocess::TOOL, Subprocess::NETWORK])
        .watches()
        .fails(&[
            ErrorCode::StreamingNotSupported,
            ErrorCode::ConfigInvalid,
            ErrorCode::LockHeld,
            ErrorCode::Cancelled,
        ]),
    Declaration::mutating("gate", data::<gate::Tally>).writes(Write::OF_GATE).confines().watches().fails(&[
        ErrorCode::StreamingNotSupported,
        ErrorCode::ConfigInvalid,
        ErrorCode::LockHeld,
        ErrorCode::ConfinementUnavailable,
        ErrorCode::ExchangeMissing,
        ErrorCode::FolderReplaced,
    ]),
];

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Let drops settle, process everything that waits, and exit.
    #[arg(long)]
    pub once: bool,
    /// Log nothing; `--quiet` says so.
    #[arg(skip)]
    quiet: bool,
    /// Log events down to this level: error, warn, info or debug. Default: info.
    #[arg(long, value_name = "LEVEL", env = LEVEL_VARIABLE)]
    log_level: Option<Level>,
    /// Stop when the parent process ends.
    #[arg(long, hide = true)]
    with_parent: bool,
}

/// What only the gate can be told.
#[derive(Debug, clap::Args)]
pub(super) struct GateArguments {
    #[command(flatten)]
    pub watch: Arguments,
    /// Execute the orders that wait, judge nothing else, and exit.
    #[arg(long, hide = true)]
    orders_only: bool,
}

impl Arguments {
    /// Applies the global log flags.
    pub(super) fn set_log(&mut self, quiet: bool, verbose: bool) {
        self.quiet = quiet;
        self.log_level = self.log_level.or(verbose.then_some(Level::Debug));
    }

    /// The destination of its events.
    pub(super) fn log(&self) -> Log {
        match self.log_level {
            _ if self.quiet => Log::SILENT,
            Some(level) => Log::for_stderr().down_to(level),
            None => Log::for_stderr(),
        }
    }
}

impl View for Tally {
    fn text(&self) -> String {
        format!(
            "answered {} (refused {}), known {}, quarantined {}, faults {}\n",
            self.answered, self.refused, self.known, self.quarantined, self.faults
        )
    }
}

impl View for gate::Tally {
    fn text(&self) -> String {
        format!("accepted {}, rejected {}, faults {}\n", self.accepted, self.rejected, self.faults)
    }
}

pub(super) fn exec(open: Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    let options = watch::Options {
        name: "gatepost exec",
        mode: if arguments.once { Mode::Once } else { Mode::Forever },
        with_parent: arguments.with_parent,
        log: arguments.log(),
    };
    let tally = watch::run(&open.site, open.config, options)?;
    Ok(match tally.end(options.mode) {
        End::Done => ended(&tally, 0, None),
        End::Faults(faults) => ended(&tally, faults, None),
        End::CutShort(signal) => ended(&tally, 0, Some(signal)),
    })
}

/// The gate, as `gatepost-gate watch` runs it too.
pub(super) fn gate(open: &Open, arguments: &GateArguments) -> Result<Outcome, Failure> {
    let GateArguments { watch, orders_only } = arguments;
    watch::prepare(&open.site)?;
    check_policy(&open.site)?;
    let options = gate::Options {
        name: "gatepost gate",
        once: watch.once,
        orders_only: *orders_only,
        with_parent: watch.with_parent,
        scan_interval: Duration::from_millis(open.config.gate.scan_interval_ms),
        log: watch.log(),
    };
    let tally = gate::run(&open.site, &options)?;
    Ok(match &tally.replaced {
        Some(replaced) if tally.signal.is_none() => Outcome::failed(&tally, folder_replaced(replaced)),
        _ => ended(&tally, if tally.signal.is_some() { 0 } else { tally.faults }, None),
    })
}

/// The sandbox permits an open folder or file, not its path: only a new gate can open a replacement.
fn folder_replaced(path: &Path) -> Failure {
    let message = format!("{} was replaced, and this gate cannot open the replacement.", path.display());
    let hint = "Restart the gate; `gatepost up` does so automatically.";
    Failure::new(ErrorCode::FolderReplaced, FailureKind::Filesystem, message, hint)
}

/// The outcome of a watcher that ended normally, or was interrupted by a signal.
pub(super) fn ended(view: &impl View, faults: u64, signal: Option<i32>) -> Outcome {
    match signal {
        Some(signal) => {
            let (name, exit) = interruption::named(signal);
            let message = format!("{name} stopped the watcher; running work was stopped or handed back.");
            let hint = "Start it again to continue.";
            let failure = Failure { exit, ..Failure::new(ErrorCode::Cancelled, FailureKind::Runtime, message, hint) };
            Outcome::failed(view, failure.during("signal", name))
        }
        None if faults > 0 => {
            let message = format!("{faults} faults kept items where they are.");
            let hint = "The log names each. Fix the cause, then run it again.";
            Outcome::failed(view, Failure::new(ErrorCode::IoError, FailureKind::Filesystem, message, hint))
        }
        None => Outcome::done(view),
    }
}
