//! `gatepost exec`, `gatepost gate`: the watchers. They stay in the foreground and log to stderr.
//!
//! *Security*: the gate reads a stranger's bytes only after it confined itself; all that its threads need is made before, or can
//! be made inside.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use chrono::Utc;
use gatepost_documents::evidence::{EnforcedLevel, Sandbox};
use gatepost_documents::text::quoted_name;
use gatepost_documents::verdict::Decision;
use gatepost_gate::failure;
use gatepost_gate::mailbox::Gate;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::site::Site;
use rustix::process::Signal;
use serde::Serialize;

use super::exit;
use super::outcome::{Failure, Outcome, View};
use super::site::Open;
use super::site_layout;
use crate::cancel::Cancel;
use crate::context::Context;
use crate::exec::{self, Mode, Tally};
use crate::log::{Event, Log};
use crate::mailbox::watch::{Stops, Wake, Watch};
use crate::program_version::Versions;
use crate::sandbox;
use crate::toolbox::Toolbox;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Let drops settle, deal with everything that is waiting, and end.
    #[arg(long)]
    pub once: bool,
    /// Log nothing.
    #[arg(long)]
    pub quiet: bool,
    /// Stop when the process that started this one ends, however it ends.
    #[arg(long, hide = true)]
    with_parent: bool,
}

/// What only the gate can be told.
#[derive(Debug, clap::Args)]
pub struct GateArguments {
    #[command(flatten)]
    watch: Arguments,
    /// Carry out the orders that wait, judge nothing else, and end.
    #[arg(long, hide = true)]
    orders_only: bool,
}

impl Arguments {
    fn mode(&self) -> Mode {
        if self.once { Mode::Once } else { Mode::Forever }
    }

    /// Half a mailbox that outlives the other half's keeper looks alive and is not.
    fn follow_parent(&self) -> Result<(), Failure> {
        if self.with_parent {
            let died = rustix::process::set_parent_process_death_signal(Some(Signal::TERM));
            died.on("follow the parent of", Path::new("/proc/self"))?;
        }
        Ok(())
    }

    /// Where its events go.
    pub fn log(&self) -> Log {
        if self.quiet { Log::Silent } else { Log::for_stderr() }
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

/// What the gate did.
#[derive(Debug, Default, Serialize)]
struct Judgements {
    accepted: u64,
    rejected: u64,
    faults: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
}

impl Judgements {
    /// Tells a fault, once for as long as it stays the same; `name` is the bundle's, empty for the outbox itself.
    fn fault(&mut self, told: &mut HashMap<OsString, String>, log: Log, name: &OsStr, fault: &Fault) {
        let message = format!("{} waits: failed to {fault}; it is tried again", quoted_name(name));
        if told.get(name) != Some(&message) {
            self.faults += 1;
            log.event(&Event::new("fault", "", message.clone()));
            told.insert(name.to_owned(), message);
        }
    }
}

impl View for Judgements {
    fn text(&self) -> String {
        format!("accepted {}, rejected {}, faults {}\n", self.accepted, self.rejected, self.faults)
    }
}

pub fn exec(open: Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    arguments.follow_parent()?;
    let log = arguments.log();
    prepare(&open.site)?;
    sandbox::claim_cgroup();
    let mut context = context(open)?;
    try_sandbox(&mut context);
    if let Some(fault) = &context.sandbox_fault {
        let message = format!(
            "Every request will be refused, because tools cannot be run at the level that the site demands: {fault}"
        );
        log.event(&Event::new("sandbox", "", message));
    }
    let inbox = context.site.inbox();
    log.event(&Event::new("watching", "", format!("{} with {} workers", inbox.display(), context.config.workers())));
    let tally = exec::run(&context, arguments.mode(), &log)?;
    Ok(ended(&tally, tally.faults, tally.signal))
}

/// Takes the strongest level that the machine offers, or notes why there is none that the site allows.
pub fn try_sandbox(context: &mut Context) {
    let allowed = &context.config.sandbox;
    match sandbox::strongest(allowed.minimum, allowed.maximum) {
        Ok((level, enforced)) => (context.sandbox_level, context.enforced) = (level, enforced),
        Err(error) => context.sandbox_fault = Some(error.to_string()),
    }
}

/// All that a call meets, without having tried what the machine can enforce.
pub fn context(open: Open) -> Result<Context, Failure> {
    let kernel = sandbox::kernel();
    let cancel = Cancel::new().on("make a cancel handle for", open.site.root())?;
    Ok(Context {
        toolbox: Toolbox::at(&open.site),
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
    })
}

pub fn gate(open: &Open, arguments: &GateArguments) -> Result<Outcome, Failure> {
    let GateArguments { watch: arguments, orders_only } = arguments;
    arguments.follow_parent()?;
    prepare(&open.site)?;
    let log = arguments.log();
    failure::hide_words_of_panics();
    let mut gate = Gate::open(&open.site, &format!("process {}, gatepost gate", std::process::id()))?;
    let (sender, receiver) = mpsc::channel::<Wake<()>>();
    // Before the confinement, which leaves no way to make what they come through.
    let stops = Stops::catch().on("listen for signals for", open.site.root())?;
    let held = gate.confine()?.names();
    stops.forward(sender.clone());
    let outbox = open.site.outbox();
    let mut watches = [outbox.clone(), open.site.gate_orders()].map(|folder| Watch::new(folder, sender.clone()));
    log.event(&Event::new("watching", "", format!("{}, confined by {held}", outbox.display())));
    let mut judgements = Judgements::default();
    let mut told = HashMap::new();
    loop {
        if let Some(folder) = gate.replaced() {
            return Ok(Outcome::failed(&judgements, replaced(folder)));
        }
        watches.iter_mut().for_each(Watch::renew);
        let carried_out = gate.carry_out(Utc::now, |answer| match answer {
            Ok(answer) => log.event(&Event::new("order", &answer.item, answer.message.clone())),
            Err(fault) => judgements.fault(&mut told, log, OsStr::new("an order"), &fault),
        });
        if *orders_only {
            carried_out?;
            return Ok(ended(&judgements, judgements.faults, None));
        }
        let drained = gate.drain(Utc::now, |name, judged| match judged {
            Ok(judged) => {
                told.remove(name);
                let accepted = judged.verdict.verdict == Decision::Accept;
                judgements.accepted += u64::from(accepted);
                judgements.rejected += u64::from(!accepted);
                let first = judged.verdict.reasons.first().map(|reason| format!(": {reason}")).unwrap_or_default();
                let event = if accepted { "accepted" } else { "rejected" };
                log.event(&Event::new(event, &judged.verdict.result_id, format!("{}{first}", judged.place.display())));
            }
            Err(fault) => judgements.fault(&mut told, log, name, &fault),
        });
        match carried_out.and(drained) {
            Ok(()) => _ = told.remove(OsStr::new("")),
            Err(fault) => judgements.fault(&mut told, log, OsStr::new(""), &fault),
        }
        if arguments.once {
            return Ok(ended(&judgements, judgements.faults, None));
        }
        let mut wake = receiver.recv_timeout(Duration::from_millis(open.config.gate.scan_interval_ms)).ok();
        while let Some(event) = wake {
            if let Wake::Stop(signal) = event {
                judgements.signal = Some(signal);
                return Ok(ended(&judgements, judgements.faults, Some(signal)));
            }
            wake = receiver.try_recv().ok();
        }
    }
}

/// What was allowed to the gate is a folder, not its path: only a new gate can be allowed another.
fn replaced(folder: &Path) -> Failure {
    let message = format!("{} was replaced by another folder, which this gate cannot reach.", folder.display());
    let hint = "Start the gate again; `gatepost up` does so by itself.";
    Failure::new(exit::START_AGAIN, "FOLDER_REPLACED", "filesystem", message, hint)
}

/// The outcome of a watcher that ended in order, or because of a signal.
pub fn ended(view: &impl View, faults: u64, signal: Option<i32>) -> Outcome {
    match signal {
        Some(signal) => {
            let exit = if signal == signal_hook::consts::SIGINT { exit::INTERRUPTED } else { exit::TERMINATED };
            let message = format!("Stopped by signal {signal}; what was running was finished or handed back.");
            Outcome::failed(view, Failure::new(exit, "CANCELLED", "runtime", message, "Start it again to go on."))
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
    site_layout::complete(site)?;
    Ok(())
}
