//! `gatepost exec`, `gatepost gate`: the watchers. They stay in the foreground and log to stderr.
//!
//! *Security*: the gate reads a stranger's bytes only after it confined itself; all that its threads need is made before, or can
//! be made inside.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use gatepost_documents::evidence::{EnforcedLevel, Sandbox};
use gatepost_gate::watch as gate;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::lock::Lock;
use gatepost_mailbox::site::Site;
use gatepost_mailbox::stops::Stops;

use super::config::check_policy;
use super::declaration::{Declaration, data};
use super::exit;
use super::failure::Failure;
use super::interruption;
use super::outcome::{Outcome, View};
use super::policy;
use super::side_effect::{Subprocess, Write};
use super::site::{Open, check_scope};
use super::site_layout;
use super::stage::Stage;
use crate::authorize::proofs::Signatories;
use crate::cancel::Cancel;
use crate::context::Context;
use crate::exec::{self, Ended, Mode, Tally};
use crate::log::{Event, LEVEL_VARIABLE, Level, Log};
use crate::pins::PinFile;
use crate::policies::Policies;
use crate::program_version::Versions;
use crate::sandbox;
use crate::secrets::Secrets;
use crate::sessions::Sessions;
use crate::toolbox::Toolbox;

/// How long to wait before the sandbox is tried again: at first, at most, and at most where nothing is to be waited for.
const SANDBOX_PAUSE: Duration = Duration::from_millis(100);
const SANDBOX_PAUSE_MAX: Duration = Duration::from_mins(1);
const SANDBOX_PAUSE_ONCE: Duration = Duration::from_millis(1_600);

/// `gatepost exec` and `gatepost gate`.
pub const DECLARATIONS: [Declaration; 2] = [
    Declaration::mutating("exec", data::<Tally>)
        .writes(Write::OF_EXEC)
        .starts(&[Subprocess::TOOL, Subprocess::NETWORK])
        .watches()
        .fails(&["STREAMING_NOT_SUPPORTED", "CONFIG_INVALID", "LOCK_HELD", "CANCELLED"]),
    Declaration::mutating("gate", data::<gate::Tally>).writes(Write::OF_GATE).confines().watches().fails(&[
        "STREAMING_NOT_SUPPORTED",
        "CONFIG_INVALID",
        "LOCK_HELD",
        "CONFINEMENT_UNAVAILABLE",
        "EXCHANGE_MISSING",
        "FOLDER_REPLACED",
    ]),
];

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Let drops settle, deal with everything that is waiting, and end.
    #[arg(long)]
    pub once: bool,
    /// Log nothing; `--quiet` says so.
    #[arg(skip)]
    quiet: bool,
    /// Log events down to this level: error, warn, info or debug. Default: info.
    #[arg(long, value_name = "LEVEL", env = LEVEL_VARIABLE)]
    log_level: Option<Level>,
    /// Stop when the process that started this one ends, however it ends.
    #[arg(long, hide = true)]
    with_parent: bool,
}

/// What only the gate can be told.
#[derive(Debug, clap::Args)]
pub struct GateArguments {
    #[command(flatten)]
    pub watch: Arguments,
    /// Carry out the orders that wait, judge nothing else, and end.
    #[arg(long, hide = true)]
    orders_only: bool,
}

impl Arguments {
    /// What every command takes says of the log.
    pub fn set_log(&mut self, quiet: bool, verbose: bool) {
        self.quiet = quiet;
        self.log_level = self.log_level.or(verbose.then_some(Level::Debug));
    }

    fn mode(&self) -> Mode {
        if self.once { Mode::Once } else { Mode::Forever }
    }

    /// What asks the watcher to stop. Half a mailbox that outlives the other half's keeper looks alive and is not.
    fn stops(&self) -> Result<Stops, Failure> {
        Ok(Stops::catch(self.with_parent).on("listen for signals in", Path::new("/proc/self"))?)
    }

    /// Where its events go.
    pub fn log(&self) -> Log {
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

pub fn exec(open: Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    let log = arguments.log();
    Stage::Keys.begin(log);
    // A list of keys that cannot be used is said at once, and not when the first request needs it.
    Signatories::read(&open.site)?;
    sandbox::forbid_core_dumps()?;
    Stage::Folders.begin(log);
    prepare(&open.site)?;
    Stage::Policies.begin(log);
    let has_policies = !policy::valid(&open)?.policies().is_empty();
    Stage::Scope.begin(log);
    check_scope(&open.site)?;
    // Before the lock: whoever sees it held may send a signal.
    let mut stops = arguments.stops()?;
    let lock = Lock::take(&open.site.exec_lock(), &format!("process {}, gatepost exec", std::process::id()))?;
    Stage::Sandbox.begin(log);
    sandbox::claim_cgroup();
    let (site, mut context, mut tally) = (open.site.clone(), context(open)?, Tally::default());
    if !has_policies {
        let message =
            "Every request will be refused, because policies/ holds no policy; `gatepost init` adds the starting ones";
        log.event(&Event::new("policies", "", message.to_owned()).at(Level::Warn));
    }
    loop {
        if let Some(signal) = wait_for_sandbox(&mut context, arguments.mode(), &mut stops, log)? {
            return Ok(ended(&Tally { signal: Some(signal), ..tally }, 0, None));
        }
        if let Some(fault) = &context.sandbox_fault {
            let message = format!(
                "Every request will be refused, because tools cannot be run at the level that the site demands: {fault}"
            );
            log.event(&Event::new("sandbox", "", message).at(Level::Warn));
        }
        Stage::Inbox.begin(log);
        match exec::run(&mut context, (arguments.mode(), tally), &lock, stops, &log)? {
            Ended::Whole(tally) if tally.is_cut_short || arguments.once => {
                return Ok(ended(&tally, tally.faults, tally.signal));
            }
            // Whoever asks a watcher to stop gets what was asked for.
            Ended::Whole(tally) => {
                return Ok(ended(&tally, if tally.signal.is_some() { 0 } else { tally.faults }, None));
            }
            Ended::Reload(so_far, config, caught) => {
                drop(context);
                (context, tally, stops) =
                    (self::context(Open { site: site.clone(), config: *config })?, so_far, caught);
            }
        }
    }
}

/// Takes the strongest level that the machine offers, or notes why there is none that the site allows. The error says what the
/// machine is short of, so that nobody can tell.
pub fn try_sandbox(context: &mut Context) -> Result<(), Fault> {
    let allowed = &context.config.sandbox;
    match sandbox::strongest(allowed.minimum, allowed.maximum) {
        Ok((level, enforced)) => (context.sandbox_level, context.enforced) = (level, enforced),
        Err(error) if error.is_shortage() => {
            let source = std::io::Error::other(error);
            return Err(Fault { operation: "try the sandbox in", path: context.site.root().to_owned(), source });
        }
        Err(error) => context.sandbox_fault = Some(error.to_string()),
    }
    Ok(())
}

/// The same, again and again while the machine is short of something; until a signal, which is returned, and a few times only where
/// nothing is to be waited for.
fn wait_for_sandbox(context: &mut Context, mode: Mode, stops: &mut Stops, log: Log) -> Result<Option<i32>, Failure> {
    let mut pause = SANDBOX_PAUSE;
    while let Err(fault) = try_sandbox(context) {
        if pause == SANDBOX_PAUSE {
            log.event(&Event::new("fault", "", format!("failed to {fault}; it will be retried")).at(Level::Error));
        }
        if mode == Mode::Once && pause > SANDBOX_PAUSE_ONCE {
            return Err(fault.into());
        }
        if let Some(signal) = stops.wait(Some(pause)).first().copied() {
            return Ok(Some(signal));
        }
        pause = (pause * 2).min(SANDBOX_PAUSE_MAX);
    }
    Ok(None)
}

/// All that a call meets, without having tried what the machine can enforce.
pub fn context(open: Open) -> Result<Context, Failure> {
    let kernel = sandbox::kernel();
    let cancel = Cancel::new().on("make a cancel handle for", open.site.root())?;
    Ok(Context {
        pins: PinFile::of(&open.site),
        secrets: Secrets::of(&open.config.secrets),
        sessions: Sessions::new(open.config.exec.sessions_max),
        toolbox: Toolbox::at(&open.site),
        policies: Policies::at(&open.site),
        // What is hoped for until it was tried.
        sandbox_level: open.config.sandbox.maximum,
        enforced: Sandbox { level: EnforcedLevel::None, layers: Vec::new(), kernel: kernel.clone(), launcher: None },
        sandbox_fault: None,
        versions: Versions::default(),
        kernel,
        site: open.site,
        config: open.config,
        cancel: Arc::new(cancel),
        clock: Utc::now,
        exec_log: None,
    })
}

/// The gate, as `gatepost-gate watch` runs it too.
pub fn gate(open: &Open, arguments: &GateArguments) -> Result<Outcome, Failure> {
    let GateArguments { watch, orders_only } = arguments;
    prepare(&open.site)?;
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

/// What was allowed to the gate is a folder or file, not its path: only a new gate can be allowed another.
fn folder_replaced(path: &Path) -> Failure {
    let message = format!("{} was replaced by another, which this gate cannot reach.", path.display());
    let hint = "Start the gate again; `gatepost up` does so by itself.";
    Failure::new(exit::START_AGAIN, "FOLDER_REPLACED", "filesystem", message, hint)
}

/// The outcome of a watcher that ended in order, or was cut short by a signal.
pub fn ended(view: &impl View, faults: u64, signal: Option<i32>) -> Outcome {
    match signal {
        Some(signal) => {
            let (name, exit) = interruption::named(signal);
            let message = format!("Cut short by {name}; what was running was stopped or handed back.");
            let failure = Failure::new(exit, "CANCELLED", "runtime", message, "Start it again to go on.");
            Outcome::failed(view, failure.during("signal", name))
        }
        None if faults > 0 => {
            let message = format!("{faults} faults kept items where they are.");
            let hint = "The log names each; mend the cause and run it again.";
            Outcome::failed(view, Failure::new(exit::GENERAL, "IO_ERROR", "filesystem", message, hint))
        }
        None => Outcome::done(view),
    }
}

/// Bundles must have exact modes, whatever the user's umask; and folders that a site lacks are made.
pub fn prepare(site: &Site) -> Result<(), Failure> {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    site.check_folders()?;
    site_layout::complete(site)?;
    Ok(())
}
