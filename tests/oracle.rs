//! What must have become of requests, whatever happened meanwhile: held against a log that the tools themselves write, which lies
//! outside of the site.
//!
//! ```text
//! drop_in ▶ anything at all ▶ settle ▶ complaints      none: each request was answered once, and no tool ran twice
//! ```

pub(crate) mod arguments;
mod batch;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use gatepost_documents::digest::Digest;
use serde_json::Value;

use crate::site::{Bundle, Site, names, page_server};

pub(crate) use batch::flush_tree;

/// What is in the site's `gatepost.toml`.
const CONFIG: &str = "[inbox]\nsettle_ms = 0\nscan_interval_ms = 50\n[exec]\nworkers = 2\ngrace_ms = 500\n\
                      [gate]\nscan_interval_ms = 50\n";

/// What a drop is, and so what must become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A request for a tool that must not run twice.
    Effect,
    /// A request for a tool that may run again.
    Repeatable,
    /// A request for a tool in the strongest sandbox, which leaves no line in the log.
    Walled,
    /// A request for a page, which runs as that does.
    Page,
    /// A request for a tool that there is not.
    Refused,
    /// No request at all.
    Stray,
}

/// What may have happened to the watchers since the last check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// They died at some point: a run may have been interrupted before its tool began.
    Death,
    /// They met passing faults and ended by themselves: only a tool that ran can have been interrupted.
    Faults,
}

/// One drop.
#[derive(Debug)]
struct Dropped {
    name: String,
    kind: Kind,
    number: usize,
    bytes: Vec<u8>,
    /// Whether its name was flushed before anything happened.
    is_durable: bool,
}

/// Everything that was dropped into one site, and what is known of it.
pub(crate) struct Oracle {
    pub site: Site,
    log: PathBuf,
    walled: bool,
    /// Where pages are, on loopback; 0 where there are none.
    port: u16,
    dropped: Vec<Dropped>,
    numbers: usize,
    /// Results that were seen in `core/inbound/`, with the digest of all but the verdict, which may be given again.
    seen: BTreeMap<String, Digest>,
    ledger_lines: usize,
}

impl Oracle {
    /// A new site at a path, whose tools append to `log`; `walled`, they run at the level `full` and append nothing.
    pub(crate) fn new(root: PathBuf, log: PathBuf, walled: bool) -> Self {
        let site = Site::at(root);
        let port = if walled { page_server::serve() } else { 0 };
        site.configure(&if walled { format!("{CONFIG}{}", page_server::config(port)) } else { CONFIG.to_owned() });
        let site = if walled { site } else { site.without_walls() };
        if !walled {
            batch::tools(&site, &log);
        }
        Self { site, log, walled, port, dropped: Vec::new(), numbers: 0, seen: BTreeMap::new(), ledger_lines: 0 }
    }

    /// How many requests were dropped.
    pub(crate) fn drops(&self) -> usize {
        self.dropped.len()
    }

    /// Whether nothing is left to do of what was dropped durably.
    pub(crate) fn is_settled(&self) -> bool {
        let is_done = |dropped: &Dropped| {
            let folder = if dropped.kind == Kind::Stray { "quarantine" } else { "var/exec/done" };
            !dropped.is_durable || self.site.path(folder).join(&dropped.name).exists()
        };
        self.dropped.iter().all(is_done) && self.not_at_rest().is_empty()
    }

    /// Drops one of each kind that this site knows, durably.
    pub(crate) fn drop_each(&mut self) {
        let kinds = [Kind::Effect, Kind::Repeatable, Kind::Refused, Kind::Stray];
        let kinds = if self.walled { &[Kind::Walled, Kind::Page, Kind::Refused] } else { &kinds[..] };
        for kind in kinds {
            self.drop_in(*kind);
        }
    }

    /// Drops one; whether it is known to be on the disk.
    pub(crate) fn drop_in(&mut self, kind: Kind) -> bool {
        let number = self.numbers;
        self.numbers += 1;
        let (name, bytes, written) = if kind == Kind::Stray {
            let (name, bytes) = (format!("stray-{number}.txt"), format!("stray {number}\n").into_bytes());
            let written = batch::rename_in(&self.site, &name, |path| fs::write(path, &bytes));
            (name, bytes, written)
        } else {
            let request = batch::request(kind, number, self.port);
            let written = batch::rename_in(&self.site, &request.name(), |path| batch::write(&request, path));
            (request.id.clone(), request.markdown().into_bytes(), written)
        };
        let is_durable = written.is_ok();
        self.dropped.push(Dropped { name, kind, number, bytes, is_durable });
        is_durable
    }

    /// Notes what CORE has now: from here on it must stay.
    pub(crate) fn look(&mut self) {
        let inbound = self.site.path("core/inbound");
        for name in inbound.read_dir().map(|_| names(&inbound)).unwrap_or_default() {
            if !self.seen.contains_key(&name)
                && let Ok(digest) = digest(&inbound.join(&name))
            {
                self.seen.insert(name, digest);
            }
        }
    }

    /// All that is wrong with what became of the drops, now that everything was answered.
    pub(crate) fn complaints(&mut self, trouble: Trouble) -> Vec<String> {
        let mut complaints = self.not_at_rest();
        let found = Found::of(self);
        for dropped in &self.dropped {
            let about = format!("{} ({:?}, durable {})", dropped.name, dropped.kind, dropped.is_durable);
            let wrong = found.complaints_of(&self.site, dropped, trouble);
            complaints.extend(wrong.into_iter().map(|wrong| format!("{about}: {wrong}")));
        }
        let known: BTreeSet<&str> = self.dropped.iter().map(|dropped| dropped.name.as_str()).collect();
        let asked = found.accepted.keys().chain(found.quarantined.keys());
        complaints
            .extend(asked.filter(|name| !known.contains(name.as_str())).map(|name| format!("nobody asked {name}")));
        complaints.extend(self.changed());
        complaints.extend(self.ledger_complaints(&found));
        self.look();
        complaints
    }

    /// Judges the results in CORE's folder again that were not yet; all that is wrong with them.
    pub(crate) fn verify(&self) -> Vec<String> {
        let bundles: Vec<PathBuf> = self.seen.keys().map(|name| self.site.path("core/inbound").join(name)).collect();
        if bundles.is_empty() {
            return Vec::new();
        }
        let mut verify = self.site.command(&[], &["verify"]);
        let mut judge = std::process::Command::new(crate::site::program("gatepost-gate"));
        judge.arg("judge");
        let mut complaints = Vec::new();
        let run = [("gatepost verify", &mut verify)];
        // A bundle alone is held to a gate's strictest demands: at level `none` it cannot meet them.
        let walled = self.walled.then_some(("gatepost-gate judge", &mut judge));
        for (what, command) in run.into_iter().chain(walled) {
            let output = command.args(&bundles).output().unwrap();
            if !output.status.success() {
                complaints.push(format!("{what} {}: {}", output.status, String::from_utf8_lossy(&output.stdout)));
            }
        }
        complaints
    }

    fn not_at_rest(&self) -> Vec<String> {
        let ways = ["inbox", "outbox", "var/exec/claimed", "var/exec/running", "var/gate/judging"];
        let staging = ["inbox/.tmp", "outbox/.tmp", "quarantine/.tmp", "var/exec/claimed/.tmp"];
        let left = ways.iter().chain(&staging).map(|folder| (folder, self.site.names(folder)));
        // What was not dropped durably may still lie where its writer made it.
        let left = left.filter(|(folder, names)| !names.is_empty() && **folder != "inbox/.tmp");
        left.map(|(folder, names)| format!("{folder} still holds {names:?}")).collect()
    }

    /// Results that were there once and are not, or are others.
    fn changed(&self) -> Vec<String> {
        let inbound = self.site.path("core/inbound");
        let is_other = |(name, seen): &(&String, &Digest)| digest(&inbound.join(name)).ok() != Some(**seen);
        let changed = self.seen.iter().filter(is_other);
        changed.map(|(name, _)| format!("{name} was in core/inbound/ and is gone or changed")).collect()
    }

    /// The ledger is whole, only grows, and has one line for each result.
    fn ledger_complaints(&mut self, found: &Found) -> Vec<String> {
        let text = fs::read_to_string(self.site.path("var/gate/audit/verdicts.jsonl")).unwrap_or_default();
        let mut complaints = Vec::new();
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        for line in text.lines() {
            match serde_json::from_str::<Value>(line) {
                Ok(line) => *lines.entry(line["result_id"].as_str().unwrap_or_default().to_owned()).or_default() += 1,
                Err(error) => complaints.push(format!("a line of the ledger is no JSON ({error}): {line:?}")),
            }
        }
        for result in found.accepted.values().flatten() {
            let count = lines.get(result).copied().unwrap_or_default();
            if count != 1 {
                complaints.push(format!("{result} has {count} lines in the ledger"));
            }
        }
        let count = text.lines().count();
        if count < self.ledger_lines {
            complaints.push(format!("the ledger had {} lines and has {count}", self.ledger_lines));
        }
        self.ledger_lines = count;
        let audit = self.site.gatepost(&["audit", "verify"]);
        if audit.0.status.code() != Some(0) {
            complaints.push(format!("the gate's log does not verify: {}", audit.stdout()));
        }
        complaints
    }
}

/// What is in the site and in the log, by the names of drops.
struct Found {
    accepted: BTreeMap<String, Vec<String>>,
    quarantined: BTreeMap<String, Vec<String>>,
    runs: BTreeMap<usize, usize>,
}

impl Found {
    fn of(oracle: &Oracle) -> Self {
        let by_drop = |folder: &str| {
            let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for name in oracle.site.names(folder) {
                found.entry(drop_of(&name)).or_default().push(name);
            }
            found
        };
        let mut runs = BTreeMap::new();
        for line in fs::read_to_string(&oracle.log).unwrap_or_default().lines() {
            *runs.entry(line.parse().unwrap_or(usize::MAX)).or_default() += 1;
        }
        Self { accepted: by_drop("core/inbound"), quarantined: by_drop("quarantine"), runs }
    }

    fn complaints_of(&self, site: &Site, dropped: &Dropped, trouble: Trouble) -> Vec<String> {
        let none = Vec::new();
        let accepted = self.accepted.get(&dropped.name).unwrap_or(&none);
        let quarantined = self.quarantined.get(&dropped.name).unwrap_or(&none);
        let runs = self.runs.get(&dropped.number).copied().unwrap_or_default();
        let mut complaints = Vec::new();
        if !dropped.is_durable && accepted.is_empty() && quarantined.is_empty() {
            return if runs == 0 { complaints } else { vec![format!("it ran {runs} times and has no answer")] };
        }
        let (answers, items) = match dropped.kind {
            Kind::Effect | Kind::Repeatable | Kind::Walled | Kind::Page => (1, 0),
            Kind::Refused => (1, 1),
            Kind::Stray => (0, 1),
        };
        if (accepted.len(), quarantined.len()) != (answers, items) {
            let reasons: Vec<String> = quarantined.iter().map(|item| reasons(site, item)).collect();
            complaints.push(format!("accepted as {accepted:?}, quarantined as {quarantined:?} for {reasons:?}"));
        }
        let codes: Vec<String> =
            accepted.iter().map(|name| code(&Bundle(site.path("core/inbound").join(name)))).collect();
        let is_right = match (dropped.kind, codes.first().map(String::as_str)) {
            (Kind::Effect, Some("")) => runs == 1,
            (Kind::Effect, Some("INTERRUPTED")) => runs <= 1 && (trouble == Trouble::Death || runs == 1),
            (Kind::Repeatable, Some("")) => runs >= 1,
            (Kind::Walled | Kind::Page, Some("")) => true,
            (Kind::Walled, Some("INTERRUPTED")) => trouble == Trouble::Death,
            (Kind::Refused, Some("REQUEST_REFUSED")) | (Kind::Stray, None) => runs == 0,
            (_, _) => false,
        };
        if !is_right {
            complaints.push(format!("answered {codes:?} after {runs} runs{}", messages(site, accepted)));
        }
        for (folder, file, name) in accepted
            .iter()
            .map(|name| ("core/inbound", "request.md".to_owned(), name))
            .chain(quarantined.iter().map(|name| ("quarantine", kept(dropped), name)))
        {
            let path = site.path(folder).join(name).join(file);
            if fs::read(&path).ok().as_deref() != Some(&dropped.bytes) {
                complaints.push(format!("{} is not what was dropped", path.display()));
            }
        }
        complaints
    }
}

/// Where an item of the quarantine keeps what was dropped.
fn kept(dropped: &Dropped) -> String {
    let name = if dropped.kind == Kind::Stray { dropped.name.as_str() } else { "request.md" };
    format!("untouched/{name}")
}

/// What a result or an item in quarantine is the answer to.
fn drop_of(name: &str) -> String {
    let request = name
        .strip_prefix("TS-")
        .or_else(|| name.strip_prefix("RP-"))
        .and_then(|rest| rest.find("TR-").map(|at| &rest[at..]))
        .unwrap_or(name);
    // A taken name got a number behind it.
    let numbered = request.rsplit_once('.').filter(|(_, number)| number.parse::<u32>().is_ok());
    numbered.map_or(request, |(stem, _)| stem).to_owned()
}

fn code(bundle: &Bundle) -> String {
    fs::read_to_string(bundle.0.join("evidence.json"))
        .ok()
        .and_then(|text| serde_json::from_str::<Value>(&text).ok())
        .map_or("no evidence".to_owned(), |evidence| evidence["error"]["code"].as_str().unwrap_or_default().to_owned())
}

/// What the answers themselves say went wrong.
fn messages(site: &Site, accepted: &[String]) -> String {
    let said = accepted.iter().filter_map(|name| {
        let text = fs::read_to_string(site.path("core/inbound").join(name).join("evidence.json")).ok()?;
        let evidence = serde_json::from_str::<Value>(&text).ok()?;
        Some(format!("; {} {}", evidence["error"], evidence["anomalies"]))
    });
    said.collect()
}

/// Why an item is in quarantine.
fn reasons(site: &Site, item: &str) -> String {
    let record = fs::read_to_string(site.path("quarantine").join(item).join("reasons.json")).unwrap_or_default();
    serde_json::from_str::<Value>(&record).map_or(record, |record| record["reasons"].to_string())
}

/// The digest of all names and bytes below a folder but for the verdict, and the attestation, which names the verdict and its leaf.
fn digest(folder: &Path) -> std::io::Result<Digest> {
    let mut all = Vec::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        all.extend(entry.path().to_string_lossy().as_bytes());
        let of_gate = ["verdict.json", "attestation.intoto.jsonl"];
        if entry.file_type().is_file() && !of_gate.iter().any(|name| entry.file_name() == *name) {
            all.extend(fs::read(entry.path())?);
        }
    }
    Ok(Digest::of(&all))
}
