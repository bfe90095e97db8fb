//! `gatepost up`, `gatepost exec`, `gatepost gate`: the watchers.
//!
//! `exec` and `gate` are processes of their own even under `up`: what the gate trusts must not share memory with what runs
//! tools. They stay in the foreground and log to stderr.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use chrono::Utc;
use gatepost_gate::evidence::Sandbox;
use gatepost_gate::fault::{Fault, OnPath};
use gatepost_gate::mailbox::Gate;
use gatepost_gate::site::Site;
use gatepost_gate::text::quoted_name;
use gatepost_gate::verdict::Decision;
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;

use super::exit;
use super::outcome::{Failure, Outcome, View};
use super::site::Open;
use crate::exec::{self, Mode, Tally};
use crate::lane::era::Versions;
use crate::log::{Event, Log};
use crate::mailbox::watch::{Wake, Watch, forward_signals};
use crate::pipeline::Context;
use crate::process::Cancel;
use crate::sandbox;
use crate::site_layout;
use crate::toolbox::Toolbox;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Let drops settle, deal with everything that is waiting, and end.
    #[arg(long)]
    once: bool,
    /// Log nothing.
    #[arg(long)]
    quiet: bool,
    /// Stop when the process that started this one ends, however it ends.
    #[arg(long, hide = true)]
    with_parent: bool,
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

    fn log(&self) -> Log {
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
        toolbox: Toolbox::of(&open.site),
        // What is hoped for until it was tried.
        sandbox_level: open.config.sandbox.maximum,
        enforced: Sandbox { level: "none".to_owned(), layers: Vec::new(), kernel: kernel.clone(), launcher: None },
        sandbox_fault: None,
        versions: Versions::default(),
        kernel,
        site: open.site,
        config: open.config,
        cancel: Arc::new(cancel),
        clock: Utc::now,
    })
}

pub fn gate(open: &Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    arguments.follow_parent()?;
    prepare(&open.site)?;
    let log = arguments.log();
    let mut gate = Gate::open(&open.site, &format!("process {}, gatepost gate", std::process::id()))?;
    let (sender, receiver) = mpsc::channel::<Wake<()>>();
    forward_signals(sender.clone()).on("listen for signals, being", open.site.root())?;
    let outbox = open.site.outbox();
    let mut watch = Watch::new(outbox.clone(), sender);
    log.event(&Event::new("watching", "", outbox.display().to_string()));
    let mut judgements = Judgements::default();
    let mut told = HashMap::new();
    loop {
        watch.renew();
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
        match drained {
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

fn ended(view: &impl View, faults: u64, signal: Option<i32>) -> Outcome {
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
fn prepare(site: &Site) -> Result<(), Failure> {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    site_layout::complete(site)?;
    Ok(())
}

/// How the two watchers ended.
#[derive(Debug, Serialize)]
struct Watchers {
    exec_status: Option<i32>,
    gate_status: Option<i32>,
}

impl View for Watchers {
    fn text(&self) -> String {
        String::new()
    }
}

pub fn up(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    // While it is alone in its group: both watchers inherit the place aside.
    sandbox::claim_cgroup();
    let (sender, receiver) = mpsc::channel::<Wake<()>>();
    forward_signals(sender.clone()).on("listen for signals, being", site.root())?;
    if arguments.once {
        // The gate judges what TOOL-EXEC has published by then.
        let exec_status = wait(&mut start(site, "exec", true, arguments.quiet)?)?;
        let gate_status = wait(&mut start(site, "gate", true, arguments.quiet)?)?;
        return Ok(both(&Watchers { exec_status, gate_status }, None));
    }
    let (exec, gate) = (start(site, "exec", false, arguments.quiet)?, start(site, "gate", false, arguments.quiet)?);
    let pids = [exec.id(), gate.id()];
    let threads = [exec, gate].map(|mut child| {
        let sender = sender.clone();
        std::thread::spawn(move || {
            let status = wait(&mut child);
            let _ = sender.send(Wake::Message(()));
            status
        })
    });
    let (mut signal, mut running) = (None, pids.len());
    while running > 0 {
        match receiver.recv() {
            Ok(Wake::Stop(number)) => {
                signal = Some(number);
                for pid in pids {
                    terminate(pid);
                }
            }
            Ok(Wake::Message(())) => {
                running -= 1;
                // One of the two ending ends the other: a mailbox with half its watchers looks alive and is not. Not after
                // a signal: to whoever is finishing its work a second one would mean to drop it.
                if signal.is_none() && running > 0 {
                    for pid in pids {
                        terminate(pid);
                    }
                }
            }
            Err(_) => break,
            Ok(Wake::Changed | Wake::RenamedIn(_)) => {}
        }
    }
    let [exec_status, gate_status] = threads.map(|thread| thread.join().unwrap_or(Ok(None)));
    Ok(both(&Watchers { exec_status: exec_status?, gate_status: gate_status? }, signal))
}

fn both(watchers: &Watchers, signal: Option<i32>) -> Outcome {
    let failed = [("exec", watchers.exec_status), ("gate", watchers.gate_status)]
        .into_iter()
        .filter(|(_, status)| *status != Some(0))
        // When one fails the other is stopped: the cause is the one that ended by itself.
        .min_by_key(|(_, status)| status.is_none());
    match (signal, failed) {
        (Some(_), _) | (None, None) => ended(watchers, 0, signal),
        (None, Some((name, status))) => {
            let status = status.map_or("a signal".to_owned(), |status| format!("status {status}"));
            let message = format!("`gatepost {name}` ended with {status}; its own message is above.");
            let hint = format!("Run `gatepost {name}` alone to see why.");
            Outcome::failed(watchers, Failure::new(exit::GENERAL, "WATCHER_ENDED", "runtime", message, hint))
        }
    }
}

/// Starts `exec` or `gate` as a process of its own.
pub fn start(site: &Site, name: &str, once: bool, quiet: bool) -> Result<Child, Failure> {
    let program = std::env::current_exe().on("find", Path::new("/proc/self/exe"))?;
    let mut command = Command::new(&program);
    // A key pressed in the terminal reaches the parent alone, which passes it on once.
    command.process_group(0);
    command
        .arg("--site")
        .arg(site.root())
        .arg("--output=text")
        .arg(name)
        .arg("--with-parent")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    for (flag, set) in [("--once", once), ("--quiet", quiet)] {
        if set {
            command.arg(flag);
        }
    }
    Ok(command.spawn().on("start", &program)?)
}

fn wait(child: &mut Child) -> Result<Option<i32>, Failure> {
    let status = child.wait().on("wait for", Path::new("a watcher"))?;
    Ok(status.code())
}

/// Asks a watcher to stop.
pub fn terminate(pid: u32) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // It may have ended by itself.
        let _ = kill_process(pid, Signal::TERM);
    }
}
