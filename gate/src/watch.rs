//! The gate's watcher: wakes up, carries out orders, judges the outbox, and logs to stderr.
//!
//! ```text
//! make all that wakes it up ▶ open the gate's own files ▶ confine itself ▶ start the workers
//!     ▶ (orders, scan, reports, wait)* ▶ a signal: finish what is begun; a second one: hand it back
//! ```
//!
//! Both programs run it: `gatepost-gate watch`, and `gatepost gate`. Events only wake it up; it relies on a scan of the
//! outbox, at the start, when events were lost, and every few seconds. *Security*: it reads hostile bytes only after
//! the confinement; everything that its threads need is created before, or can be created inside.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::confinement::ConfinementError;
use crate::failure;
use crate::mailbox::{Gate, Judged, OpenError, Report, Workers};
use gatepost_documents::text::{quoted, quoted_name};
use gatepost_documents::verdict::Decision;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::faults::Faults;
use gatepost_mailbox::log::{Event, Level, Log};
use gatepost_mailbox::order::Answer;
use gatepost_mailbox::site::Site;
use gatepost_mailbox::stops::Stops;
use gatepost_mailbox::wake::{Changes, Stop, Wake};

/// A scan may take at most one part in this many of the time.
const SCAN_SHARE: u32 = 20;

/// The position of the outbox among the watched folders.
const OUTBOX: usize = 0;

/// The settings of the watcher.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Its name for a process that finds its lock.
    pub name: &'static str,
    /// Carry out and judge everything that waits, then end.
    pub once: bool,
    /// Carry out the waiting orders, judge nothing else, then end.
    pub orders_only: bool,
    /// End when the parent process ends, for any reason.
    pub with_parent: bool,
    /// The interval of scans without any event.
    pub scan_interval: Duration,
    /// The log of its events.
    pub log: Log,
}

/// What was done.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tally {
    /// Accepted results.
    pub accepted: u64,
    /// Quarantined ones.
    pub rejected: u64,
    /// Faults of the world, each told once for as long as it stayed the same.
    pub faults: u64,
    /// The signal that ended it, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// What was replaced by another file or folder, so that only a new gate can reach it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced: Option<PathBuf>,
}

/// Why the gate judged nothing.
#[derive(Debug, thiserror::Error)]
#[allow(clippy::large_enum_variant, reason = "made once a process")]
pub enum WatchError {
    /// The gate could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It could not confine itself as `gate.toml` demands.
    #[error("failed to confine itself as gate.toml demands: {0}")]
    Confinement(#[from] ConfinementError),
    /// TOOL-EXEC has not announced its claims yet: without them every result would be rejected.
    #[error("{} is missing: TOOL-EXEC creates it when it starts", .0.display())]
    NoExchange(PathBuf),
    /// A file or folder of the gate's own.
    #[error("failed to {0}")]
    Fault(#[from] Fault),
}

/// The gate's own folders; it creates the missing ones.
const OWN_FOLDERS: [fn(&Site) -> PathBuf; 7] = [
    Site::outbox,
    Site::core_inbound,
    Site::quarantine,
    Site::gate_judging,
    Site::gate_orders,
    Site::gate_audit,
    Site::exchange_judged,
];

/// Serves a site until everything is done, a signal comes, or a folder is replaced.
pub fn run(site: &Site, options: &Options) -> Result<Tally, WatchError> {
    failure::hide_words_of_panics();
    prepare(site)?;
    // First: a process that sees the lock holder may send it a signal.
    let folders = [site.outbox(), site.gate_orders()].map(|folder| (folder, Changes::Whole));
    let wake = Stops::catch(options.with_parent).and_then(|stops| Wake::new(folders, Some(stops)));
    let mut wake = wake.on("wait for events of", &site.outbox())?;
    let mut gate = Gate::open(site, &format!("process {}, {}", std::process::id(), options.name))?;
    let faults = Faults::begin(&site.gate_faults());
    let enforced = gate.confine()?.names();
    for tool in gate.unknown_tools()? {
        let message = format!(
            "gate.toml has an expectation for the tool {}, but no manifest in tools/ has that name",
            quoted(&tool)
        );
        options.log.event(&Event::new("warning", "", message).at(Level::Warn));
    }
    let message = format!("{}, confined by {enforced}", site.outbox().display());
    options.log.event(&Event::new("watching", "", message));
    let mut watcher = Watcher { gate: &gate, options, tally: Tally::default(), faults };
    if options.once || options.orders_only {
        watcher.serve_once()?;
    } else {
        watcher.serve(&mut wake)?;
    }
    Ok(watcher.tally)
}

/// Bundles must have exact modes, whatever the user's umask; and claims must be announced before anything is judged.
fn prepare(site: &Site) -> Result<(), WatchError> {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    for folder in OWN_FOLDERS.map(|folder| folder(site)) {
        std::fs::create_dir_all(&folder).on("create", &folder)?;
    }
    site.check_folders()?;
    let claimed = site.exchange_claimed();
    if claimed.is_dir() { Ok(()) } else { Err(WatchError::NoExchange(claimed)) }
}

#[allow(clippy::disallowed_methods, reason = "the one clock of the watcher")]
fn now() -> DateTime<Utc> {
    std::time::SystemTime::now().into()
}

struct Watcher<'a> {
    gate: &'a Gate,
    options: &'a Options,
    tally: Tally,
    faults: Faults,
}

impl Watcher<'_> {
    fn serve_once(&mut self) -> Result<(), Fault> {
        let carried_out = self.gate.carry_out(now, |answer| self.ordered(answer));
        if self.options.orders_only {
            return carried_out;
        }
        let drained = self.gate.drain(now, |name, judged| self.judged(name, judged));
        self.whole(carried_out.and(drained));
        self.tally.replaced = self.gate.replaced().map(PathBuf::from);
        Ok(())
    }

    fn serve(&mut self, wake: &mut Wake) -> Result<(), Fault> {
        let (gate, bell) = (self.gate, wake.bell());
        let (mut scan_at, mut rested_at) = (Instant::now(), Instant::now());
        Workers::serve(
            gate,
            now,
            || bell.ring(),
            |workers| {
                loop {
                    self.tally.replaced = gate.replaced().map(PathBuf::from);
                    if self.tally.replaced.is_some() {
                        return;
                    }
                    let began = Instant::now();
                    if began >= scan_at {
                        wake.renew();
                        let sound = gate.site().check_folders().and_then(|()| gate.recover_once());
                        let scanned = sound.and_then(|()| workers.offer_all());
                        workers.offer_orders();
                        self.whole(scanned);
                        rested_at = Instant::now() + began.elapsed() * SCAN_SHARE;
                        scan_at = began + self.options.scan_interval;
                    }
                    let woken = wake.wait(scan_at.max(rested_at).saturating_duration_since(Instant::now()));
                    for report in workers.reports() {
                        self.handle(report);
                    }
                    match woken.stop {
                        Some(stop) => return self.stop(&stop, workers, wake),
                        None if woken.has_lost_events || workers.take_held_back() => scan_at = rested_at,
                        None => {}
                    }
                    for change in woken.changes {
                        match change.folder {
                            OUTBOX => _ = workers.offer(&change.name),
                            _ => workers.offer_orders(),
                        }
                    }
                }
            },
        )
    }

    /// Lets the running jobs finish; on a second signal, abandons them.
    fn stop(&mut self, stop: &Stop, workers: &Workers<'_>, wake: &mut Wake) {
        self.tally.signal = Some(stop.signal);
        workers.close();
        while workers.running() > 0 {
            let again = wake.wait(self.options.scan_interval).stop;
            if again.is_some_and(|again| again.count > stop.count) {
                self.gate.hand_back();
                std::process::exit(128 + stop.signal);
            }
        }
        for report in workers.reports() {
            self.handle(report);
        }
    }

    fn handle(&mut self, report: Report) {
        match report {
            Report::Judged(name, judged) => self.judged(&name, judged),
            Report::Ordered(answer) => self.ordered(answer),
        }
    }

    fn judged(&mut self, name: &OsStr, judged: Result<Judged, Fault>) {
        match judged {
            Ok(Judged { verdict, place }) => {
                self.faults.over(name);
                let is_accepted = verdict.verdict == Decision::Accept;
                self.tally.accepted += u64::from(is_accepted);
                self.tally.rejected += u64::from(!is_accepted);
                let first = verdict.reasons.first().map(|reason| format!(": {reason}")).unwrap_or_default();
                let event = if is_accepted { "accepted" } else { "rejected" };
                self.options.log.event(&Event::new(event, &verdict.result_id, format!("{}{first}", place.display())));
            }
            // Its sender withdrew it.
            Err(fault) if fault.source.kind() == io::ErrorKind::NotFound && !self.is_in_outbox(name) => {
                self.faults.over(name);
            }
            Err(fault) => self.report_fault(name, &fault),
        }
    }

    fn is_in_outbox(&self, name: &OsStr) -> bool {
        self.gate.site().outbox().join(name).symlink_metadata().is_ok()
    }

    fn ordered(&mut self, answer: Result<Answer, Fault>) {
        match answer {
            Ok(answer) => self.options.log.event(&Event::new("order", &answer.item, answer.message)),
            Err(fault) => self.report_fault(OsStr::new("an order"), &fault),
        }
    }

    /// The outbox as a whole.
    fn whole(&mut self, result: Result<(), Fault>) {
        match result {
            Ok(()) => _ = self.faults.over(OsStr::new("")),
            Err(fault) => self.report_fault(OsStr::new(""), &fault),
        }
    }

    /// Reports a fault, once while it stays the same; `name` is the submission's, empty for the outbox itself.
    fn report_fault(&mut self, name: &OsStr, fault: &Fault) {
        let message = format!("{} waits: failed to {fault}; the gate retries", quoted_name(name));
        if self.faults.keep(name, &message) {
            self.tally.faults += 1;
            self.options.log.event(&Event::new("fault", "", message).at(Level::Error));
        }
    }
}
