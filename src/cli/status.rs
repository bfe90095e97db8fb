//! `gatepost status`

use std::collections::BTreeMap;
use std::path::Path;

use chrono::{DateTime, Utc};
use gatepost_contract::config::Mode;
use gatepost_documents::evidence::EnforcedLevel;
use gatepost_exec::in_force;
use gatepost_gate::confinement::Demand;
use gatepost_gate::policy::Policy;
use gatepost_mailbox::faults::{Lasting, lasting};
use gatepost_mailbox::fleet::{self, NodeReport, Nodes};
use gatepost_mailbox::lock::Lock;
use gatepost_mailbox::record;
use gatepost_mailbox::site::CONFIG_FILE;
use rustix::fs::statvfs;

use super::doctor::SPACE_MIN_BYTES;
use super::list::ago;
use super::quarantine::{past_retention_count, reminder};
use crate::cli::prelude::*;

/// `gatepost status`
pub(super) const DECLARATION: Declaration = Declaration::safe("status", data::<Status>)
    .needs_to_list(&["inbox", "outbox", "quarantine"])
    .writes(&[Write::CONTROL_GROUPS, Write::PRIVATE_ROOT])
    .fails(&[ErrorCode::ConfigInvalid]);

#[derive(Serialize, JsonSchema)]
struct Status {
    directory: String,
    exec: Option<String>,
    gate: Option<String>,
    sandbox_level: Option<EnforcedLevel>,
    sandbox_layers: Vec<String>,
    sandbox_fault: Option<String>,
    approval_mode: serde_json::Value,
    /// Whether policies and scope are enforced.
    policy_mode: Mode,
    /// The current `gate.toml`.
    gate_policy: Option<Policy>,
    gate_policy_fault: Option<Reason>,
    folders: Vec<Folder>,
    /// The nodes of the site's fleet.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    nodes: Nodes,
    /// Lasting faults of the running watchers.
    faults: Vec<WatcherFault>,
    /// Whether TOOL-EXEC runs with an older `gatepost.toml` than the current one.
    config_edited: bool,
    /// Free space where TOOL-EXEC makes results; absent if unknown.
    disk_free_bytes: Option<u64>,
    /// How many refused items are past their retention.
    past_retention_count: usize,
}

/// A lasting fault of a watcher.
#[derive(Clone, Serialize, JsonSchema)]
struct WatcherFault {
    watcher: &'static str,
    #[serde(flatten)]
    fault: Lasting,
}

#[derive(Serialize, JsonSchema)]
struct Folder {
    name: &'static str,
    items: usize,
}

impl View for Status {
    fn text(&self) -> String {
        let watcher = |name: &str, holder: &Option<String>| match holder {
            Some(holder) => format!("{name:<10} running ({holder})\n"),
            None => format!("{name:<10} not running\n"),
        };
        let mut text = format!("site       {}\n", self.directory);
        text += &watcher("exec", &self.exec);
        text += &watcher("gate", &self.gate);
        text += &match (&self.sandbox_level, &self.sandbox_fault) {
            (Some(level), _) => format!("sandbox    {level}: {}\n", self.sandbox_layers.join(", ")),
            (None, fault) => format!("sandbox    unavailable: {}\n", fault.as_deref().unwrap_or_default()),
        };
        text += &format!("approval   {}\n", self.approval_mode.as_str().unwrap_or_default());
        if self.policy_mode == Mode::Learn {
            text += "policies   LEARN MODE: requests run that policies or scope would refuse\n";
        }
        text += &match (&self.gate_policy, &self.gate_policy_fault) {
            (Some(policy), _) => format!("gate.toml  {}\n\n", demands(policy)),
            (None, fault) => format!("gate.toml  INVALID: {}\n\n", fault.as_ref().map(described).unwrap_or_default()),
        };
        for folder in &self.folders {
            text += &format!("{:>7}  {}\n", folder.items, folder.name);
        }
        for (name, NodeReport { seen, requests }) in &self.nodes {
            let seen = DateTime::from_timestamp(i64::try_from(*seen).unwrap_or_default(), 0).unwrap_or_default();
            text += &format!("{requests:>7}  on node {name}, seen {}\n", ago(seen, Utc::now()));
        }
        if self.config_edited {
            text += &format!("\nTOOL-EXEC has not read {CONFIG_FILE} since it was edited.\n{}\n", in_force::REMEDY);
        }
        if let Some(free_bytes) = self.disk_free_bytes.filter(|free_bytes| *free_bytes < SPACE_MIN_BYTES) {
            text += &format!(
                "\nOnly {} MiB are free where TOOL-EXEC makes results. Failed writes wait and are retried.\n",
                free_bytes >> 20
            );
        }
        for WatcherFault { watcher, fault: Lasting { since, item, message } } in &self.faults {
            let item = if item.is_empty() { String::new() } else { format!("{item}: ") };
            text += &format!("\nFAULT of {watcher} since {since}: {item}{message}\n");
        }
        let reminder = reminder(self.past_retention_count);
        if !reminder.is_empty() {
            text += &format!("\n{reminder}");
        }
        text
    }
}

/// The gate's demands on one line.
fn demands(policy: &Policy) -> String {
    let mut demands = vec![format!("level {} or stronger", policy.sandbox.minimum.as_str())];
    if !policy.sandbox.launchers.is_empty() {
        demands.push(format!("{} trusted", counted(policy.sandbox.launchers.len(), "launcher")));
    }
    demands.push(match policy.gate.confinement {
        Demand::Required => "confined gate".to_owned(),
        Demand::BestEffort => "confined gate where possible".to_owned(),
    });
    if policy.accept.learn_mode {
        demands.push("results of learn mode are accepted".to_owned());
    }
    if policy.gate.accept_foreign {
        demands.push("bare documents are accepted".to_owned());
    }
    demands.push(match policy.content.severity.len() {
        0 => "default content weights".to_owned(),
        changed => format!("content weights with {} changed", counted(changed, "setting")),
    });
    let kept = match (policy.quarantine.keep_days, policy.quarantine.bytes_max) {
        (0, 0) => "refused items are kept forever".to_owned(),
        (days, 0) => format!("refused items may be purged after {}", counted(days, "day")),
        (0, bytes) => format!("refused items may be purged beyond {}", counted(bytes, "byte")),
        (days, bytes) => {
            format!("refused items may be purged after {} or beyond {}", counted(days, "day"), counted(bytes, "byte"))
        }
    };
    demands.push(kept);
    demands.join(", ")
}

/// The fault of the file, and its consequence.
fn described(fault: &Reason) -> String {
    let place = match (fault.line, fault.column) {
        (Some(line), Some(column)) => format!("line {line}, column {column}: "),
        _ => String::new(),
    };
    format!("{place}{} The gate judges nothing until you correct it.", fault.message)
}

pub(super) fn run(open: &Open) -> Result<Outcome, Failure> {
    let site = &open.site;
    let named = [
        ("inbox", site.inbox()),
        ("claimed", site.claimed()),
        ("pending", site.pending()),
        ("running", site.running()),
        ("outbox", site.outbox()),
        ("core/inbound", site.core_inbound()),
        ("quarantine", site.quarantine()),
        ("done", site.done()),
    ];
    let folders = named.into_iter().map(|(name, path)| Ok(Folder { name, items: count(&path)? }));
    let folders = folders.collect::<Result<_, Fault>>()?;
    let probed = gatepost_sandbox::strongest(open.config.sandbox.minimum, open.config.sandbox.maximum)
        .map(|(_, enforced)| enforced);
    let policy = Policy::read(site);
    let disk_free_bytes = statvfs(site.outbox()).ok().map(|free| free.f_bavail.saturating_mul(free.f_frsize));
    Ok(Outcome::done(&Status {
        directory: site.root().display().to_string(),
        exec: Lock::holder(&site.exec_lock()),
        gate: Lock::holder(&site.gate_lock()),
        sandbox_level: probed.as_ref().ok().map(|sandbox| sandbox.level),
        sandbox_layers: probed.as_ref().map(|sandbox| sandbox.layers.clone()).unwrap_or_default(),
        sandbox_fault: probed.err().map(|error| error.to_string()),
        approval_mode: serde_json::to_value(open.config.approval.mode).unwrap_or_default(),
        policy_mode: open.config.policy.mode,
        gate_policy: policy.as_ref().ok().cloned(),
        gate_policy_fault: policy.err(),
        folders,
        nodes: record::read(&fleet::nodes(site)).unwrap_or_default(),
        faults: [
            faults("exec", &site.exec_lock(), &site.exec_faults())?,
            faults("gate", &site.gate_lock(), &site.gate_faults())?,
        ]
        .concat(),
        config_edited: in_force::is_other(site, &open.config),
        disk_free_bytes,
        past_retention_count: past_retention_count(site, Utc::now())?,
    }))
}

/// The faults of a running watcher; the file of a stopped one is out of date.
fn faults(watcher: &'static str, lock: &Path, file: &Path) -> Result<Vec<WatcherFault>, Fault> {
    if Lock::holder(lock).is_none() {
        return Ok(Vec::new());
    }
    let lasting = lasting(file).on("read", file)?;
    Ok(lasting.into_iter().map(|fault| WatcherFault { watcher, fault }).collect())
}

fn count(folder: &std::path::Path) -> Result<usize, Fault> {
    let names = match folder.read_dir() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        names => names.on("list", folder)?,
    };
    Ok(names.filter_map(Result::ok).filter(|entry| !entry.file_name().to_string_lossy().starts_with('.')).count())
}
