//! `gatepost status`

use gatepost_gate::fault::{Fault, OnPath};
use gatepost_gate::lock::Lock;
use serde::Serialize;

use super::outcome::{Failure, Outcome, View};
use super::site::Open;
use crate::sandbox;

#[derive(Serialize)]
struct Status {
    directory: String,
    exec: Option<String>,
    gate: Option<String>,
    sandbox_level: Option<String>,
    sandbox_layers: Vec<String>,
    sandbox_fault: Option<String>,
    approval_mode: serde_json::Value,
    folders: Vec<Folder>,
}

#[derive(Serialize)]
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
        text += &format!("approval   {}\n\n", self.approval_mode.as_str().unwrap_or_default());
        for folder in &self.folders {
            text += &format!("{:>7}  {}\n", folder.items, folder.name);
        }
        text
    }
}

pub fn run(open: &Open) -> Result<Outcome, Failure> {
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
    let probed =
        sandbox::strongest(open.config.sandbox.minimum, open.config.sandbox.maximum).map(|(_, enforced)| enforced);
    Ok(Outcome::done(&Status {
        directory: site.root().display().to_string(),
        exec: Lock::holder(&site.exec_lock()),
        gate: Lock::holder(&site.gate_lock()),
        sandbox_level: probed.as_ref().ok().map(|sandbox| sandbox.level.clone()),
        sandbox_layers: probed.as_ref().map(|sandbox| sandbox.layers.clone()).unwrap_or_default(),
        sandbox_fault: probed.err().map(|error| error.to_string()),
        approval_mode: serde_json::to_value(open.config.approval.mode).unwrap_or_default(),
        folders,
    }))
}

fn count(folder: &std::path::Path) -> Result<usize, Fault> {
    let names = match folder.read_dir() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        names => names.on("list", folder)?,
    };
    Ok(names.filter_map(Result::ok).filter(|entry| !entry.file_name().to_string_lossy().starts_with('.')).count())
}
