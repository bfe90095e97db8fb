//! Writes a bag: beside its place, and there once it is whole.
//!
//! ```text
//! FOLDER.part/data/…                        what is there with the right digest is not copied again
//! remove what an earlier attempt left and this bag does not hold
//! write the tag files, fsync every file and folder
//! rename FOLDER.part → FOLDER, fsync the parent     commit point
//! ```
//!
//! Whoever is cut short, by a pulled stick or a kill, does the rest when it is asked again. *Security*: what is copied may be a stranger's: no
//! link is followed, no FIFO waited for.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use gatepost_documents::digest::{Digest, Hasher};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use rustix::fs::OFlags;

use super::manifest::{self, Manifest, path_fault};
use super::{DECLARATION, DECLARATION_FILE, INFO_FILE, MANIFEST_FILE, PAYLOAD, TAG_MANIFEST_FILE};
use crate::step_error::StepError;

/// A bag that is not whole yet.
#[derive(Debug)]
pub struct Staged {
    place: PathBuf,
    staging: PathBuf,
    payload: Manifest,
    folders: BTreeSet<PathBuf>,
    bytes: u64,
}

impl Staged {
    /// Begins a bag, or goes on with one that was cut short.
    pub fn begin(place: &Path) -> Result<Self, Fault> {
        let mut name = place.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let staging = place.with_file_name(name);
        match fs::create_dir(&staging) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => created.on("create", &staging)?,
        }
        let (payload, folders) = (Manifest::new(), BTreeSet::new());
        Ok(Self { place: place.to_owned(), staging, payload, folders, bytes: 0 })
    }

    /// Where a file of the payload lies until the bag is whole; `path` begins below `data/`.
    pub fn path(&self, path: &str) -> PathBuf {
        self.staging.join(PAYLOAD).join(path)
    }

    /// How many files the payload has, and how many bytes.
    pub fn size(&self) -> (usize, u64) {
        (self.payload.len(), self.bytes)
    }

    /// Copies a file into the payload.
    pub fn copy(&mut self, source: &Path, path: &str) -> Result<(), StepError> {
        check(path)?;
        let (digest, bytes) = Hasher::read(open(source)?).on("read", source)?;
        let target = self.prepare(path)?;
        if !is_there(&target, digest) {
            durable::remove_tree(&target)?;
            let copied = io::copy(&mut open(source)?.take(bytes), &mut durable::create_new(&target)?);
            copied.on("copy to", &target)?;
            if !is_there(&target, digest) {
                let message = format!("{} changed while it was copied.", quoted(path));
                return Err(Reason::new(Code::ChangedWhileReading, message, "Run the command again.").into());
            }
        }
        self.hold(path, digest, bytes);
        Ok(())
    }

    /// Copies a folder and all below it into the payload.
    pub fn copy_tree(&mut self, source: &Path, path: &str) -> Result<(), StepError> {
        let walk = walkdir::WalkDir::new(source).sort_by_file_name();
        for entry in walk {
            let entry = entry.map_err(io::Error::from).on("list", source)?;
            let below = entry.path().strip_prefix(source).unwrap_or(entry.path());
            let to = Path::new(path).join(below);
            let to = to.to_string_lossy();
            let to = to.trim_end_matches('/');
            if entry.file_type().is_dir() {
                check(to)?;
                let folder = self.path(to);
                self.make_folder(&folder)?;
            } else {
                self.copy(entry.path(), to)?;
            }
        }
        Ok(())
    }

    /// Writes a file of the payload.
    pub fn write(&mut self, bytes: &[u8], path: &str) -> Result<(), Fault> {
        let (target, digest) = (self.prepare(path)?, Digest::of(bytes));
        if !is_there(&target, digest) {
            durable::remove_tree(&target)?;
            durable::create_new(&target)?.write_all(bytes).on("write", &target)?;
        }
        self.hold(path, digest, bytes.len() as u64);
        Ok(())
    }

    /// Completes the bag. `guide` is a tag file for people, its name and its text.
    pub fn finish(self, made: NaiveDate, guide: Option<(&str, &str)>) -> Result<(), Fault> {
        self.sweep()?;
        let info = format!(
            "Bag-Software-Agent: gatepost {}\nBagging-Date: {made}\nPayload-Oxum: {}.{}\n",
            env!("CARGO_PKG_VERSION"),
            self.bytes,
            self.payload.len()
        );
        let manifest = manifest::format(&self.payload);
        let tags = [(DECLARATION_FILE, DECLARATION), (INFO_FILE, &info), (MANIFEST_FILE, &manifest)];
        let mut listed = Manifest::new();
        for (name, text) in tags.into_iter().chain(guide) {
            durable::create_new(&self.staging.join(name))?.write_all(text.as_bytes()).on("write", &self.staging)?;
            listed.insert(name.to_owned(), Digest::of(text.as_bytes()));
        }
        let target = self.staging.join(TAG_MANIFEST_FILE);
        durable::create_new(&target)?.write_all(manifest::format(&listed).as_bytes()).on("write", &target)?;
        durable::sync_tree(&self.staging)?;
        durable::move_new(&self.staging, &self.place)
    }

    fn prepare(&mut self, path: &str) -> Result<PathBuf, Fault> {
        let target = self.path(path);
        let folder = target.parent().unwrap_or(&target).to_owned();
        self.make_folder(&folder)?;
        Ok(target)
    }

    /// Makes a folder of the payload, and those above it. What else lies there was left by an earlier attempt.
    fn make_folder(&mut self, folder: &Path) -> Result<(), Fault> {
        let above = folder.ancestors().take_while(|above| **above != self.staging);
        let above: Vec<PathBuf> = above.map(Path::to_owned).collect();
        for folder in above.into_iter().rev() {
            if self.folders.contains(&folder) {
                continue;
            }
            if !folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                durable::remove_tree(&folder)?;
                fs::create_dir(&folder).on("create", &folder)?;
            }
            self.folders.insert(folder);
        }
        Ok(())
    }

    fn hold(&mut self, path: &str, digest: Digest, bytes: u64) {
        if self.payload.insert(format!("{PAYLOAD}{path}"), digest).is_none() {
            self.bytes += bytes;
        }
    }

    /// Removes what an earlier attempt left: tag files, and what is no part of this bag.
    fn sweep(&self) -> Result<(), Fault> {
        let mut open = vec![self.staging.clone()];
        while let Some(folder) = open.pop() {
            for entry in folder.read_dir().on("list", &folder)? {
                let path = entry.on("list", &folder)?.path();
                let name = path.strip_prefix(&self.staging).unwrap_or(&path).to_string_lossy().into_owned();
                if self.folders.contains(&path) {
                    open.push(path);
                } else if !self.payload.contains_key(&name) {
                    durable::remove_tree(&path)?;
                }
            }
        }
        Ok(())
    }
}

fn check(path: &str) -> Result<(), Reason> {
    path_fault(path).map_or(Ok(()), |(code, fault)| {
        let message = format!("{} cannot be put into a bag: {fault}.", quoted(path));
        Err(Reason::new(code, message, "Use only letters, digits and . _ - + = @ , in names."))
    })
}

/// Opens what has to be a regular file.
fn open(path: &Path) -> Result<File, StepError> {
    let special = || {
        let message = format!("{} is not a regular file.", quoted(&path.to_string_lossy()));
        Reason::new(Code::SpecialFile, message, "Put the file itself in its place.")
    };
    // Looked at before it is opened: opening a device can have effects.
    if !path.symlink_metadata().on("look at", path)?.is_file() {
        return Err(special().into());
    }
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).on("open", path)?;
    if file.metadata().on("look at", path)?.is_file() { Ok(file) } else { Err(special().into()) }
}

/// Whether a file with this digest was copied before.
fn is_there(path: &Path, digest: Digest) -> bool {
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    is_file && File::open(path).and_then(Hasher::read).is_ok_and(|(found, _)| found == digest)
}
