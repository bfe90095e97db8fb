//! Reads a foreign bag: takes the whole bag if all of it matches the manifests, else nothing.
//!
//! *Security*: the bag is hostile, and may change during a read. It is read through descriptors, without following a link or waiting for a
//! FIFO, into a copy that is hashed while it is made. Files of the payload that no manifest lists, links, hard links and `fetch.txt`
//! refuse the whole bag. Other tag files, such as those of a system, and manifests of other algorithms are skipped. *Standards*: RFC
//! 8493, section 3.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use gatepost_documents::digest::{Digest, Hasher};
use gatepost_documents::escape;
use gatepost_documents::reason::{Code, Reason};
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::folder::Folder;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};

use super::manifest::{self, Manifest};
use super::{DECLARATION_FILE, MANIFEST_FILE, PAYLOAD, REASONS_MAX, TAG_MANIFEST_FILE};
use crate::step_error::StepError;

/// The most bytes of a manifest, and of another tag file.
const TAG_BYTES_MAX: u64 = 64 * 1024 * 1024;
const ENTRIES_MAX: usize = 100_000;
const DEPTH_MAX: usize = 24;
const BYTES_AT_A_TIME: usize = 256 * 1024;
const AGAIN: &str = "Make the bag again, and import it unchanged.";

/// A bag with exactly the files of its manifests. Digests are checked when files are taken.
#[derive(Debug)]
pub struct Bag {
    folder: OwnedFd,
    place: PathBuf,
    tags: Manifest,
    payload: Manifest,
    sizes: BTreeMap<String, u64>,
    /// The number of files and folders.
    entries: usize,
}

impl Bag {
    /// Opens a bag.
    pub fn open(place: &Path) -> Result<Self, StepError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(CWD, place, flags, Mode::empty()).on("open", place)?;
        let mut bag = Self {
            folder,
            place: place.to_owned(),
            tags: Manifest::new(),
            payload: Manifest::new(),
            sizes: BTreeMap::new(),
            entries: 0,
        };
        let mut reasons = Vec::new();
        bag.list("", 0, &mut reasons)?;
        refuse(reasons)?;
        bag.declaration()?;
        // It may be left out.
        if bag.sizes.contains_key(TAG_MANIFEST_FILE) {
            bag.tags = bag.manifest(TAG_MANIFEST_FILE)?;
        }
        bag.payload = bag.manifest(MANIFEST_FILE)?;
        refuse(bag.differences())?;
        for (path, digest) in &bag.tags {
            bag.is_small(path)?;
            bag.copy(path, *digest, None)?;
        }
        Ok(bag)
    }

    /// The digest of each file of the payload, by its path from the bag on.
    pub fn payload(&self) -> &Manifest {
        &self.payload
    }

    /// The digest that names exactly this payload.
    pub fn digest(&self) -> Digest {
        Digest::of(manifest::format(&self.payload).as_bytes())
    }

    /// The size of a file, bytes.
    pub fn size(&self, path: &str) -> u64 {
        self.sizes.get(path).copied().unwrap_or_default()
    }

    /// Reads every file of the payload, and copies it below `to`, if given. Keeps existing files with the right digest. No fsync.
    pub fn take(&self, to: Option<&Folder>) -> Result<(), StepError> {
        let mut reasons = Vec::new();
        for (path, digest) in &self.payload {
            match self.copy(path, *digest, to) {
                Err(StepError::Refused(more)) => reasons.extend(more),
                copied => copied?,
            }
            if reasons.len() >= REASONS_MAX {
                break;
            }
        }
        refuse(reasons)
    }

    /// Records the size of every file below a folder, and every entry that is no file.
    fn list(&mut self, within: &str, depth: usize, reasons: &mut Vec<Reason>) -> Result<(), StepError> {
        let place = self.place.join(within);
        let folder = self.descend(within)?;
        for entry in rustix::fs::Dir::read_from(&folder).on("list", &place)? {
            let entry = entry.on("list", &place)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let path = join(within, name);
            if depth >= DEPTH_MAX || self.entries >= ENTRIES_MAX || reasons.len() >= REASONS_MAX {
                let message = format!(
                    "The bag has more than {ENTRIES_MAX} files and folders, or folders deeper than {DEPTH_MAX}."
                );
                reasons.push(Reason::new(Code::TooManyFiles, message, "Split the export into smaller bags."));
                return Ok(());
            }
            self.entries += 1;
            let stat = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).on("look at", &place.join(name))?;
            let shown = escape::path(path.as_encoded_bytes());
            match (FileType::from_raw_mode(stat.st_mode), path.to_str()) {
                (FileType::Directory, Some(path)) => self.list(path, depth + 1, reasons)?,
                (FileType::RegularFile, Some(path)) if stat.st_nlink == 1 => {
                    self.sizes.insert(path.to_owned(), stat.st_size.cast_unsigned());
                }
                (kind, _) => reasons.push(unfit(kind, shown)),
            }
        }
        Ok(())
    }

    fn declaration(&self) -> Result<(), StepError> {
        let text = self.text(DECLARATION_FILE)?;
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = manifest::lines(&text).collect();
        if let [version, "Tag-File-Character-Encoding: UTF-8"] = lines[..]
            && ["BagIt-Version: 1.0", "BagIt-Version: 0.97"].contains(&version)
        {
            return Ok(());
        }
        let message = "It does not declare a bag of version 1.0 or 0.97 in UTF-8.";
        Err(Reason::new(Code::ValueInvalid, message, AGAIN).in_file(DECLARATION_FILE).into())
    }

    fn manifest(&self, name: &str) -> Result<Manifest, StepError> {
        Ok(manifest::parse(&self.text(name)?, name)?)
    }

    fn is_small(&self, name: &str) -> Result<(), StepError> {
        if self.size(name) <= TAG_BYTES_MAX {
            return Ok(());
        }
        let message = format!("{name} has more than {TAG_BYTES_MAX} bytes.");
        Err(Reason::new(Code::TooLarge, message, "Split the export into smaller bags.").in_file(name).into())
    }

    fn text(&self, name: &str) -> Result<Vec<u8>, StepError> {
        if !self.sizes.contains_key(name) {
            let hint = "Make the bag again with SHA-256 manifests of payload and tag files.";
            return Err(Reason::new(Code::FileMissing, format!("The bag has no {name}."), hint).in_file(name).into());
        }
        self.is_small(name)?;
        let mut bytes = Vec::new();
        self.file(name)?.take(TAG_BYTES_MAX).read_to_end(&mut bytes).on("read", &self.place.join(name))?;
        Ok(bytes)
    }

    /// The differences between the existing files and the manifests.
    fn differences(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for path in self.sizes.keys() {
            let is_listed = !path.starts_with(PAYLOAD) || self.payload.contains_key(path);
            if path == "fetch.txt" {
                let message = "The bag contains a fetch.txt, and gatepost never fetches files.";
                reasons.push(
                    Reason::new(Code::FileUnlisted, message, "Make the bag again with all its files in it.")
                        .in_file(path),
                );
            } else if !is_listed {
                reasons.push(
                    Reason::new(Code::FileUnlisted, "No manifest lists this file.", AGAIN)
                        .in_file(escape::path(path.as_bytes())),
                );
            }
        }
        for (files, is_payload, manifest) in
            [(&self.payload, true, MANIFEST_FILE), (&self.tags, false, TAG_MANIFEST_FILE)]
        {
            for path in files.keys().filter(|path| path.starts_with(PAYLOAD) != is_payload) {
                let message = format!("{path} does not belong in this manifest.");
                reasons.push(Reason::new(Code::FileUnlisted, message, AGAIN).in_file(manifest));
            }
            for path in files.keys().filter(|path| !self.sizes.contains_key(*path)) {
                let message = format!("{manifest} lists this file, but it is missing.");
                reasons.push(Reason::new(Code::FileMissing, message, AGAIN).in_file(path.as_str()));
            }
        }
        let is_unlisted = |name: &&str| !self.tags.is_empty() && !self.tags.contains_key(*name);
        for name in [DECLARATION_FILE, MANIFEST_FILE].into_iter().filter(is_unlisted) {
            let message = format!("It does not list {name}.");
            reasons.push(Reason::new(Code::FileMissing, message, AGAIN).in_file(TAG_MANIFEST_FILE));
        }
        reasons.truncate(REASONS_MAX);
        reasons
    }

    /// Reads a file, which must have this digest, and copies it to the same path below `to`.
    fn copy(&self, path: &str, digest: Digest, to: Option<&Folder>) -> Result<(), StepError> {
        let place = self.place.join(path);
        let mut copy = match to {
            Some(to) => prepare(to, path, digest)?,
            None => None,
        };
        // Bytes beyond the size that was checked are not part of the listed file.
        let mut source = self.file(path)?.take(self.size(path).saturating_add(1));
        let (mut hasher, mut buffer) = (Hasher::default(), vec![0; BYTES_AT_A_TIME]);
        loop {
            let count = source.read(&mut buffer).on("read", &place)?;
            if count == 0 {
                break;
            }
            hasher.update(&buffer[..count]);
            if let Some((file, folder)) = &mut copy {
                file.write_all(&buffer[..count]).on("write", folder.path())?;
            }
        }
        if hasher.finish() == digest {
            return Ok(());
        }
        if let Some((_, folder)) = copy {
            folder.remove(split(path).1)?;
        }
        let message = "Its SHA-256 differs from the digest in the manifest.";
        let hint = "Copy the bag again from its source; the medium may be failing.";
        Err(Reason::new(Code::HashMismatch, message, hint).in_file(path).into())
    }

    /// Opens a listed regular file.
    fn file(&self, path: &str) -> Result<File, StepError> {
        let (folder, name) = split(path);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let place = self.place.join(path);
        let file = rustix::fs::openat(self.descend(folder)?, name, flags, Mode::empty()).on("open", &place)?;
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&file).on("look at", &place)?.st_mode);
        if kind == FileType::RegularFile { Ok(file.into()) } else { Err(unfit(kind, path.to_owned()).into()) }
    }

    /// Opens a folder of the bag, step by step.
    fn descend(&self, path: &str) -> Result<OwnedFd, Fault> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let place = self.place.join(path);
        let open = |from: &OwnedFd, name: &str| rustix::fs::openat(from, name, flags, Mode::empty()).on("open", &place);
        let mut folder = open(&self.folder, ".")?;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            folder = open(&folder, name)?;
        }
        Ok(folder)
    }
}

fn join(within: &str, name: &OsStr) -> OsString {
    let mut path = OsString::from(within);
    if !within.is_empty() {
        path.push("/");
    }
    path.push(name);
    path
}

fn unfit(kind: FileType, shown: String) -> Reason {
    let (code, message) = match kind {
        FileType::Symlink => (Code::Symlink, "It is a symbolic link; gatepost never follows links."),
        FileType::RegularFile => (Code::Hardlink, "It has a second hard link, or a name that is not UTF-8."),
        _ => (Code::SpecialFile, "It is neither a file nor a folder with a plain name."),
    };
    Reason::new(code, message, AGAIN).in_file(shown)
}

fn refuse(reasons: Vec<Reason>) -> Result<(), StepError> {
    if reasons.is_empty() { Ok(()) } else { Err(reasons.into()) }
}

/// The path of the folder of a file, and the file's name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// A new file at a path below `to`, and its folder, created if missing. None if the file exists with this digest.
fn prepare(to: &Folder, path: &str, digest: Digest) -> Result<Option<(File, Folder)>, Fault> {
    let (folder, name) = split(path);
    let mut names = folder.split('/').filter(|name| !name.is_empty());
    let mut folder = to.own_folder(names.next().unwrap_or("."), 0o755)?;
    for name in names {
        folder = folder.own_folder(name, 0o755)?;
    }
    if folder.open_file(name).and_then(Hasher::read).is_ok_and(|(found, _)| found == digest) {
        return Ok(None);
    }
    folder.remove(name)?;
    Ok(Some((folder.create(name, 0o644)?, folder)))
}
