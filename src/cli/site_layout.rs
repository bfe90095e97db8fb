//! Makes a site, or completes one: folders, notes, configuration and sample tools. Nothing that exists is touched.
//!
//! Only a person makes configuration: watchers complete folders, so that TOOL-EXEC never writes what the gate obeys.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use gatepost_gate::{ledger, policy};
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::folder::Folder;
use gatepost_mailbox::site::{CONFIG_FILE, GATE_CONFIG_FILE, STAGING, Site};
use gatepost_mailbox::tile_log::Place;

use crate::config;
use crate::mailbox::{exchange, exec_log};

/// The name of the note in each folder that people look into; a dotfile, so that it is never taken for an item.
pub const NOTE_FILE: &str = ".about.md";

/// Folders with a staging place of their own.
const STAGED: &[&str] = &["inbox", "outbox", "quarantine", "var/exec/claimed"];

const NOTES: &[(&str, &str)] = &[
    ("inbox", include_str!("../../inbox/.about.md")),
    ("outbox", include_str!("../../outbox/.about.md")),
    ("core/inbound", include_str!("../../core/inbound/.about.md")),
    ("quarantine", include_str!("../../quarantine/.about.md")),
    ("tools", include_str!("../../tools/.about.md")),
    ("policies", include_str!("../../policies/.about.md")),
    ("rules", include_str!("../../rules/.about.md")),
    ("scope", include_str!("../../scope/.about.md")),
    ("keys", include_str!("../../keys/.about.md")),
];

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

/// The policies that a new site begins with.
const POLICIES: &str = include_str!("../../policies/site.cedar");

const SCOPE: &str = include_str!("../../scope/scope.toml");

/// Makes what is missing of a site and returns it, relative to the root; in a dry run only says it. `sample_tools` says whether it gets
/// the samples.
pub fn make(site: &Site, sample_tools: bool, is_dry_run: bool) -> Result<Vec<String>, Fault> {
    let mut layout = Layout { site, root: site.root(), is_dry_run, made: Vec::new() };
    if !is_dry_run {
        fs::create_dir_all(site.root()).on("create", site.root())?;
    }
    layout.complete()?;
    if sample_tools {
        for (name, content) in SAMPLES {
            layout.file(&format!("tools/{name}"), content, content.starts_with("#!"))?;
        }
    }
    layout.logs()?;
    layout.file("policies/site.cedar", POLICIES, false)?;
    layout.file(GATE_CONFIG_FILE, policy::TEMPLATE, false)?;
    // Last: it is what makes the folder a site.
    layout.file(CONFIG_FILE, config::TEMPLATE, false)?;
    Ok(layout.made)
}

/// Makes the folders that a site lacks, with their notes.
pub fn complete(site: &Site) -> Result<(), Fault> {
    Layout { site, root: site.root(), is_dry_run: false, made: Vec::new() }.complete()
}

struct Layout<'a> {
    site: &'a Site,
    root: &'a Path,
    is_dry_run: bool,
    made: Vec<String>,
}

impl Layout<'_> {
    fn complete(&mut self) -> Result<(), Fault> {
        if !self.is_dry_run {
            exchange::complete(self.site)?;
        }
        for folder in Site::FOLDERS {
            self.folder(folder)?;
        }
        for folder in STAGED {
            self.folder(&format!("{folder}/{STAGING}"))?;
        }
        for (folder, note) in NOTES {
            self.file(&format!("{folder}/{NOTE_FILE}"), note, false)?;
        }
        self.file("scope/scope.toml", SCOPE, false)
    }

    /// The logs of both watchers and their keys, as far as whoever makes the site is also their user; else each makes its own.
    fn logs(&mut self) -> Result<(), Fault> {
        self.log("var/gate", &Place::of_gate(self.site), ledger::begin)?;
        self.log("var/exec", &Place::of_exec(self.site), exec_log::begin)
    }

    fn log(&mut self, folder: &str, log: &Place, begin: fn(&Site) -> Result<(), Fault>) -> Result<(), Fault> {
        let path = self.root.join(folder);
        let is_own = match path.metadata() {
            Err(_) if self.is_dry_run => true,
            metadata => metadata.on("look at", &path)?.uid() == rustix::process::geteuid().as_raw(),
        };
        if is_own && !log.is_begun() {
            if !self.is_dry_run {
                begin(self.site)?;
            }
            self.made.push(format!("{folder}/log/"));
        }
        Ok(())
    }

    fn folder(&mut self, name: &str) -> Result<(), Fault> {
        if !self.root.join(name).is_dir() {
            self.made.push(format!("{name}/"));
        }
        if self.is_dry_run { Ok(()) } else { self.reach(name).map(drop) }
    }

    /// Opens a folder of the site, and makes those on the way that are missing.
    fn reach(&self, name: &str) -> Result<Folder, Fault> {
        let mut folder = Folder::of_site(self.site, ".")?;
        for part in name.split('/') {
            folder.make_folder(part)?;
            folder = folder.folder(part)?;
        }
        Ok(folder)
    }

    fn file(&mut self, name: &str, content: &str, executable: bool) -> Result<(), Fault> {
        let (folder, file) = name.rsplit_once('/').unwrap_or((".", name));
        if self.is_dry_run {
            self.made.extend(self.root.join(name).symlink_metadata().is_err().then(|| name.to_owned()));
            return Ok(());
        }
        let folder = self.reach(folder)?;
        match folder.create(file, 0o644) {
            Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
            created => {
                let (mut created, path) = (created?, folder.path().join(file));
                created.write_all(content.as_bytes()).on("write", &path)?;
                if executable {
                    created.set_permissions(fs::Permissions::from_mode(0o755)).on("set the mode of", &path)?;
                }
                durable::flush(&created, &path)?;
            }
        }
        self.made.push(name.to_owned());
        Ok(())
    }
}
