//! Writes a bag beside its final place, and renames it when it is complete.
//!
//! ```text
//! FOLDER.part/, locked                      an existing one must be of an earlier attempt
//! FOLDER.part/data/…                        existing files with the right digest are not copied again
//! remove files of an earlier attempt that are not part of this bag
//! write the tag files, fsync every file and folder
//! rename FOLDER.part → FOLDER, fsync the parent     commit point
//! ```
//!
//! If an export is interrupted, by a pulled medium or a kill, the next one completes it. *Security*: the content may be hostile:
//! no link is followed, no FIFO waited for.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use gatepost_documents::digest::{Digest, Hasher};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::lock::{Lock, LockError};
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};

use super::manifest::{self, Manifest, path_fault};
use super::{DECLARATION, DECLARATION_FILE, INFO_FILE, MANIFEST_FILE, PAYLOAD, TAG_MANIFEST_FILE, is_there};
use crate::step_error::StepError;

/// The marker file of a folder in which a bag is being made.
const MARK: &str = ".gatepost-export";
/// The first line of our bag-info.txt.
const AGENT: &str = "Bag-Software-Agent: gatepost ";

/// An incomplete bag.
#[derive(Debug)]
pub struct Staged {
    place: PathBuf,
    staging: PathBuf,
    payload: Manifest,
    folders: BTreeSet<PathBuf>,
    bytes: u64,
    _lock: Lock,
}

impl Staged {
    /// Begins a bag, or resumes an interrupted one.
    pub fn begin(place: &Path) -> Result<Self, LockError> {
        let mut name = place.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let staging = place.with_file_name(name);
        match fs::create_dir(&staging) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => created.on("create", &staging)?,
        }
        let lock = Lock::folder(&staging)?;
        mark(&staging)?;
        let (payload, folders) = (Manifest::new(), BTreeSet::new());
        Ok(Self { place: place.to_owned(), staging, payload, folders, bytes: 0, _lock: lock })
    }

    /// The place of a file of the payload until the bag is complete; `path` begins below `data/`.
    pub fn path(&self, path: &str) -> PathBuf {
        self.staging.join(PAYLOAD).join(path)
    }

    /// The files of the payload.
    pub fn payload(&self) -> &Manifest {
        &self.payload
    }

    /// The number of files and bytes of the payload.
    pub fn size(&self) -> (usize, u64) {
        (self.payload.len(), self.bytes)
    }

    /// Copies a file below a folder into the payload; follows no link.
    pub fn copy(&mut self, folder: &Path, below: &Path, path: &str) -> Result<(), StepError> {
        check(path)?;
        let source = &folder.join(below);
        let (digest, bytes) = Hasher::read(open(folder, below)?).on("read", source)?;
        let target = self.prepare(path)?;
        if !is_there(&target, digest) {
            durable::remove_tree(&target)?;
            let copied = io::copy(&mut open(folder, below)?.take(bytes), &mut durable::create_new(&target)?);
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
                self.copy(source, below, to)?;
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
            "{AGENT}{}\nBagging-Date: {made}\nPayload-Oxum: {}.{}\n",
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
        // From here on bag-info.txt identifies the bag.
        durable::remove_tree(&self.staging.join(MARK))?;
        durable::sync_tree(&self.staging)?;
        durable::move_new(&self.staging, &self.place)
    }

    fn prepare(&mut self, path: &str) -> Result<PathBuf, Fault> {
        let target = self.path(path);
        let folder = target.parent().unwrap_or(&target).to_owned();
        self.make_folder(&folder)?;
        Ok(target)
    }

    /// Makes a folder of the payload and its parents. Other entries there are of an earlier attempt.
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

    /// Removes remains of an earlier attempt: tag files, and files that are not part of this bag.
    fn sweep(&self) -> Result<(), Fault> {
        let mut open = vec![self.staging.clone()];
        while let Some(folder) = open.pop() {
            for entry in folder.read_dir().on("list", &folder)? {
                let path = entry.on("list", &folder)?.path();
                let name = path.strip_prefix(&self.staging).unwrap_or(&path).to_string_lossy().into_owned();
                if self.folders.contains(&path) {
                    open.push(path);
                } else if name != MARK && !self.payload.contains_key(&name) {
                    durable::remove_tree(&path)?;
                }
            }
        }
        Ok(())
    }
}

/// Marks a folder as one in which a bag is made: all its other content will be removed.
fn mark(staging: &Path) -> Result<(), Fault> {
    let path = staging.join(MARK);
    if path.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return Ok(());
    }
    let info = regular_file::read(&staging.join(INFO_FILE), DOCUMENT_MAX_BYTES);
    let is_of_export = info.is_ok_and(|info| info.starts_with(AGENT.as_bytes()));
    if !is_of_export && staging.read_dir().on("list", staging)?.next().is_some() {
        let why = "it exists and no export created it; move it away, or name another folder";
        return Err(io::Error::other(why)).on("use", staging);
    }
    durable::create_new(&path).map(drop)
}

fn check(path: &str) -> Result<(), Reason> {
    path_fault(path).map_or(Ok(()), |(code, fault)| {
        let message = format!("{} cannot be put into a bag: {fault}.", quoted(path));
        Err(Reason::new(code, message, "Use only letters, digits and . _ - + = @ , in names."))
    })
}

/// Opens a file below a folder; it must be a regular file, reached through no link.
fn open(folder: &Path, below: &Path) -> Result<File, StepError> {
    let path = folder.join(below);
    // Stat before opening: opening a device can have effects.
    if !path.symlink_metadata().on("look at", &path)?.is_file() {
        let message = format!("{} is not a regular file.", quoted(&path.to_string_lossy()));
        return Err(Reason::new(Code::SpecialFile, message, "Replace it with a regular file.").into());
    }
    Ok(regular_file::open_beneath(folder, below).on("open", &path)?)
}
