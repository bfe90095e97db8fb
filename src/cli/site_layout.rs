//! Creates a site: folders, notes, logs, configuration and sample tools. It never changes existing files.

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use crate::cli::prelude::*;
use gatepost_contract::config;
use gatepost_exec::layout::Layout;
use gatepost_exec::mailbox::exec_log;
use gatepost_gate::{ledger, policy};
use gatepost_mailbox::site::{CONFIG_FILE, FORMAT, FORMAT_FILE, GATE_CONFIG_FILE, MCP_CALLS};
use gatepost_mailbox::tile_log::Place;

macro_rules! samples {
    ($($name:literal)+) => {
        &[$(($name, include_str!(concat!("../../tools/", $name))),)+]
    };
}

/// The sample tools: manifests and scripts.
const SAMPLES: &[(&str, &str)] = samples! {
    "csv_stats.clad.toml" "fail_with.clad.toml" "hostile_output.clad.toml" "line_count.clad.toml" "sha256_sum.clad.toml"
    "sleep_for.clad.toml" "sort_lines.clad.toml" "scripts/csv_stats.py" "scripts/fail_with.sh" "scripts/hostile_output.py"
    "scripts/sha256_sum_parse.py"
};

/// The initial policies of a site.
const POLICIES: &str = include_str!("../../policies/site.cedar");

/// Creates the missing parts of a site and returns their paths, relative to the root; a dry run only returns them.
/// `sample_tools`: include the samples.
pub(super) fn make(site: &Site, sample_tools: bool, is_dry_run: bool) -> Result<Vec<String>, Fault> {
    let mut layout = Layout::of(site, is_dry_run);
    if !is_dry_run {
        fs::create_dir_all(site.root()).on("create", site.root())?;
    }
    layout.complete()?;
    layout.folder(MCP_CALLS)?;
    layout.file(FORMAT_FILE, &format!("{FORMAT}\n"), false)?;
    if sample_tools {
        for (name, content) in SAMPLES {
            layout.file(&format!("tools/{name}"), content, content.starts_with("#!"))?;
        }
    }
    logs(&mut layout, site, is_dry_run)?;
    layout.file("policies/site.cedar", POLICIES, false)?;
    layout.file(GATE_CONFIG_FILE, policy::TEMPLATE, false)?;
    // Last, because this file makes the folder a site.
    layout.file(CONFIG_FILE, config::TEMPLATE, false)?;
    Ok(layout.made)
}

/// The logs and keys of both watchers, if their user is also the caller; otherwise each watcher creates its own.
fn logs(layout: &mut Layout<'_>, site: &Site, is_dry_run: bool) -> Result<(), Fault> {
    let of_gate = ("var/gate", Place::of_gate(site), ledger::begin as fn(&Site) -> _);
    for (folder, log, begin) in [of_gate, ("var/exec", Place::of_exec(site), exec_log::begin)] {
        let path = site.root().join(folder);
        let is_own = match path.metadata() {
            Err(_) if is_dry_run => true,
            metadata => metadata.on("look at", &path)?.uid() == rustix::process::geteuid().as_raw(),
        };
        if is_own && !log.is_begun() {
            if !is_dry_run {
                begin(site)?;
            }
            layout.made.push(format!("{folder}/log/"));
        }
    }
    Ok(())
}
