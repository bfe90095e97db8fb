//! Writes the metrics of a site to a file at regular times: items by state and age, answers, verdicts, faults.
//!
//! Counts of TOOL-EXEC's answers are of this process. Counts of verdicts are of the site, by the word of the gate in `var/exchange/`.
//! The file is replaced whole: a reader finds the old one or the new one. *Security*: labels are words of our own, never a requester's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use gatepost_contract::config;
use gatepost_documents::evidence::Evidence;
use gatepost_documents::reason::Code;
use gatepost_documents::verdict::Decision;
use gatepost_mailbox::exchange::{Following, Judged};
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::faults;
use gatepost_mailbox::fleet::{self, Nodes};
use gatepost_mailbox::folder::Folder;
use gatepost_mailbox::lock::Lock;
use gatepost_mailbox::record;
use gatepost_mailbox::site::Site;
use rustix::fs::statvfs;

use super::SCAN_SHARE;
use crate::mailbox::inbox::is_drop;
use crate::metrics::{Exposition, Histogram, Kind};

/// The folder of the metrics, if only TOOL-EXEC's user and root can write there.
pub fn metrics_folder(file: &Path, exec: u32) -> Result<Folder, Fault> {
    let folder = Folder::open(file.parent().unwrap_or(file))?;
    folder.check_owner(&[exec, 0])?;
    Ok(folder)
}

/// The counts since this process began.
#[derive(Debug)]
pub(super) struct Metrics {
    /// `None` disables metrics.
    file: Option<PathBuf>,
    interval: Duration,
    due: Instant,
    answers: BTreeMap<String, u64>,
    runs: Histogram,
    faults: u64,
    verdicts: Verdicts,
}

/// The gate's verdicts so far.
#[derive(Debug, Default)]
struct Verdicts {
    following: Following,
    accepted: u64,
    rejected: u64,
    rejecting: BTreeMap<&'static str, u64>,
    flagging: BTreeMap<&'static str, u64>,
}

impl Metrics {
    pub(super) fn new(config: &config::Metrics) -> Self {
        let is_wanted = !config.file.as_os_str().is_empty();
        Self {
            file: is_wanted.then(|| config.file.clone()),
            interval: Duration::from_secs(config.interval_seconds),
            due: Instant::now(),
            answers: BTreeMap::new(),
            runs: Histogram::default(),
            faults: 0,
            verdicts: Verdicts::default(),
        }
    }

    /// Counts an answer by its outcome.
    pub(super) fn answered(&mut self, evidence: &Evidence) {
        let outcome = evidence.error.as_ref().map_or("success".to_owned(), |error| error.code.to_string());
        *self.answers.entry(outcome).or_default() += 1;
        self.runs.observe_ms(evidence.duration_ms);
    }

    /// Counts a fault.
    pub(super) fn met_fault(&mut self) {
        self.faults += 1;
    }

    /// Whether a write is due.
    pub(super) fn are_due(&self, now: Instant) -> bool {
        now >= self.due
    }

    /// Writes them, and schedules the next write; `lasting` is the number of TOOL-EXEC's lasting faults.
    pub(super) fn write(&mut self, site: &Site, lasting: usize) -> Result<(), Fault> {
        let began = Instant::now();
        let written = self.replace(site, lasting);
        // With very many requests on their way, counting them must not take the time in which they are answered.
        self.due = began + self.interval.max(began.elapsed() * SCAN_SHARE);
        written
    }

    fn replace(&mut self, site: &Site, lasting: usize) -> Result<(), Fault> {
        let Some(file) = self.file.clone() else { return Ok(()) };
        self.verdicts.read(site)?;
        let folder = metrics_folder(&file, rustix::process::geteuid().as_raw())?;
        folder.replace(file.file_name().unwrap_or_default(), self.text(site, lasting)?.as_bytes(), 0o644)
    }

    fn text(&self, site: &Site, lasting: usize) -> Result<String, Fault> {
        let mut text = Exposition::default();
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        text.family("gatepost_build_info", Kind::Gauge, "The version of TOOL-EXEC.", &[(&version, 1)]);
        let states = on_the_way(site)?;
        let counts: Vec<_> = states.iter().map(|(state, found)| ([("state", *state)], found.count)).collect();
        text.family(
            "gatepost_requests",
            Kind::Gauge,
            "Requests and results on their way, by state.",
            &borrowed(&counts),
        );
        let ages: Vec<_> = states.iter().map(|(state, found)| ([("state", *state)], found.oldest_seconds)).collect();
        let help = "Time since the last change of the oldest item in a state.";
        text.family("gatepost_oldest_age_seconds", Kind::Gauge, help, &borrowed(&ages));
        let answers: Vec<_> =
            self.answers.iter().map(|(outcome, count)| ([("outcome", outcome.as_str())], *count)).collect();
        text.family(
            "gatepost_answers_total",
            Kind::Counter,
            "Results that were sealed, by how the tool ended.",
            &borrowed(&answers),
        );
        text.histogram("gatepost_run_seconds", "Run time of tools.", &self.runs);
        let Verdicts { accepted, rejected, rejecting, flagging, .. } = &self.verdicts;
        let verdicts = [([("verdict", "accept")], *accepted), ([("verdict", "reject")], *rejected)];
        text.family(
            "gatepost_verdicts_total",
            Kind::Counter,
            "Results judged since the site began, by verdict.",
            &borrowed(&verdicts),
        );
        let help = "Rejected results, once for each code that rejected.";
        text.family("gatepost_rejections_total", Kind::Counter, help, &borrowed(&by_code(rejecting)));
        let help = "Judged results, once for each code that only flagged.";
        text.family("gatepost_flags_total", Kind::Counter, help, &borrowed(&by_code(flagging)));
        text.family("gatepost_faults_total", Kind::Counter, "Faults that TOOL-EXEC met.", &[(&[], self.faults)]);
        let running = [("exec", true), ("gate", Lock::holder(&site.gate_lock()).is_some())];
        let of_gate =
            if running[1].1 { faults::lasting(&site.gate_faults()).map_or(0, |faults| faults.len()) } else { 0 };
        let lasting = [([("watcher", "exec")], lasting), ([("watcher", "gate")], of_gate)];
        text.family(
            "gatepost_faults_lasting",
            Kind::Gauge,
            "Items and folders that wait because of a fault.",
            &borrowed(&lasting),
        );
        let running = running.map(|(watcher, is_running)| ([("watcher", watcher)], u8::from(is_running)));
        text.family("gatepost_watcher_running", Kind::Gauge, "Whether a watcher holds its lock.", &borrowed(&running));
        let free = statvfs(site.outbox()).on("look at the file system of", &site.outbox())?;
        let free_bytes = free.f_bavail.saturating_mul(free.f_frsize);
        text.family("gatepost_disk_free_bytes", Kind::Gauge, "Space that is left for writing.", &[(&[], free_bytes)]);
        if fleet::offers(site).is_dir() {
            write_fleet(site, &mut text)?;
        }
        Ok(text.finish())
    }
}

/// The requests that nodes run, and the nodes that the carrier of the home lists.
fn write_fleet(site: &Site, text: &mut Exposition) -> Result<(), Fault> {
    let nodes: Nodes = record::read(&fleet::nodes(site)).unwrap_or_default();
    let offered = fleet::offered(site)?.len();
    let assigned = nodes.values().map(|node| node.requests).sum::<usize>();
    let states = [([("state", "waiting")], offered.saturating_sub(assigned)), ([("state", "assigned")], assigned)];
    let help = "Requests for nodes, by whether one has them.";
    text.family("gatepost_fleet_requests", Kind::Gauge, help, &borrowed(&states));
    let requests: Vec<_> = nodes.iter().map(|(name, node)| ([("node", name.as_str())], node.requests)).collect();
    let help = "Requests that are assigned to a node.";
    text.family("gatepost_fleet_node_requests", Kind::Gauge, help, &borrowed(&requests));
    let seen: Vec<_> = nodes.iter().map(|(name, node)| ([("node", name.as_str())], node.seen)).collect();
    let help = "When a node last sent a message, seconds since 1970.";
    text.family("gatepost_fleet_node_seen_timestamp_seconds", Kind::Gauge, help, &borrowed(&seen));
    Ok(())
}

/// Samples with one label each, as a family takes them.
fn borrowed<'a, V: Copy>(samples: &'a [([(&'a str, &'a str); 1], V)]) -> Vec<(&'a [(&'a str, &'a str)], V)> {
    samples.iter().map(|(labels, value)| (&labels[..], *value)).collect()
}

/// A sample for each code.
fn by_code(counts: &BTreeMap<&'static str, u64>) -> Vec<([(&'static str, &'static str); 1], u64)> {
    counts.iter().map(|(code, count)| ([("code", *code)], *count)).collect()
}

impl Verdicts {
    /// Counts the gate's new verdicts; starts over if its record began anew.
    fn read(&mut self, site: &Site) -> Result<(), Fault> {
        let (is_anew, judged) = self.following.next(site)?;
        if is_anew {
            (self.accepted, self.rejected) = (0, 0);
            self.rejecting.clear();
            self.flagging.clear();
        }
        for Judged { verdict, codes, flags, .. } in judged {
            match verdict {
                Some(Decision::Accept) => self.accepted += 1,
                Some(Decision::Reject) => {
                    self.rejected += 1;
                    count(&mut self.rejecting, codes.iter().filter(|code| !flags.contains(code)));
                }
                // Older gates report no verdict.
                None => {}
            }
            count(&mut self.flagging, &flags);
        }
        Ok(())
    }
}

fn count<'a>(counts: &mut BTreeMap<&'static str, u64>, codes: impl IntoIterator<Item = &'a Code>) {
    codes.into_iter().for_each(|code| *counts.entry(code.as_str()).or_default() += 1);
}

/// The number of entries of a folder, and the age of the oldest.
#[derive(Debug, Default)]
struct Found {
    count: u64,
    /// Since the oldest was changed; 0 where there is none.
    oldest_seconds: u64,
}

fn on_the_way(site: &Site) -> Result<[(&'static str, Found); 5], Fault> {
    Ok([
        ("dropped", found(&site.inbox())?),
        ("claimed", found(&site.claimed())?),
        ("pending", found(&site.pending())?),
        ("running", found(&site.running())?),
        ("judging", found(&site.outbox())?),
    ])
}

#[allow(clippy::disallowed_methods, reason = "the age of a file is told from the clock of now")]
fn found(folder: &Path) -> Result<Found, Fault> {
    let (now, mut found) = (SystemTime::now(), Found::default());
    for entry in folder.read_dir().on("list", folder)? {
        let entry = entry.on("list", folder)?;
        if !is_drop(&entry.file_name()) {
            continue;
        }
        found.count += 1;
        // Ignores an entry that was removed meanwhile.
        let modified = entry.metadata().and_then(|metadata| metadata.modified()).unwrap_or(now);
        found.oldest_seconds = found.oldest_seconds.max(now.duration_since(modified).unwrap_or_default().as_secs());
    }
    Ok(found)
}
