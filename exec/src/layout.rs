//! The folders and notes of a site. It makes missing ones, and changes nothing that exists.
//!
//! Only a person makes configuration. Watchers only complete folders, so TOOL-EXEC never writes a file that the gate obeys.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::folder::Folder;
use gatepost_mailbox::site::{STAGING, Site};

use crate::mailbox::exchange;

/// The name of the note in each folder for people; a dotfile is never taken for an item.
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

const SCOPE: &str = include_str!("../../scope/scope.toml");

/// Makes the folders that a site lacks, with their notes.
pub fn complete(site: &Site) -> Result<(), Fault> {
    Layout::of(site, false).complete()
}

/// The layout of a site in progress.
#[derive(Debug)]
pub struct Layout<'a> {
    site: &'a Site,
    root: &'a Path,
    is_dry_run: bool,
    /// The missing paths, relative to the root.
    pub made: Vec<String>,
}

impl<'a> Layout<'a> {
    /// The layout of a site; a dry run creates nothing and only records missing paths.
    pub fn of(site: &'a Site, is_dry_run: bool) -> Self {
        Self { site, root: site.root(), is_dry_run, made: Vec::new() }
    }

    /// Makes the missing folders with their notes.
    pub fn complete(&mut self) -> Result<(), Fault> {
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

    /// Makes a missing folder and its parents.
    pub fn folder(&mut self, name: &str) -> Result<(), Fault> {
        if !self.root.join(name).is_dir() {
            self.made.push(format!("{name}/"));
        }
        if self.is_dry_run { Ok(()) } else { self.reach(name).map(drop) }
    }

    /// Opens a folder of the site, and makes missing parents.
    fn reach(&self, name: &str) -> Result<Folder, Fault> {
        let mut folder = Folder::of_site(self.site, ".")?;
        for part in name.split('/') {
            folder.make_folder(part)?;
            folder = folder.folder(part)?;
        }
        Ok(folder)
    }

    /// Makes a missing file, with mode 0644 or 0755.
    pub fn file(&mut self, name: &str, content: &str, executable: bool) -> Result<(), Fault> {
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
