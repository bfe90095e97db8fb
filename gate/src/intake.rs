//! Reads a bundle in one streaming pass: reads every file once, and hashes, renders, copies and scans it.
//!
//! Judges nothing and runs no fsync: it records faults of shape for the first stage, and the publisher of the copy
//! makes it durable. An entry that cannot be copied completely (a link, a FIFO, a file over its limit or one that
//! changes during the read) is recorded as unread, and the copy is incomplete.
//!
//! Security: the folder belongs to a stranger who may still be writing. Every component is opened relative to its
//! folder's descriptor, without following links and without blocking; every fact comes from the open descriptor.
//! Weakness: a change that is undone between two reads of one block, with forged times, stays unnoticed; the copy still
//! holds the hashed bytes. Standards: POSIX.1-2024 openat, fstatat.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use ranges::Range;

use crate::bare_document::{BareDocument, stem};
use crate::bundle::{Bundle, Entry, Role};
use crate::consistency;
use crate::failure;
use crate::limits::Limits;
use crate::submission::{Kind, Submission};
use gatepost_content::{RuleSet, Scan};
use gatepost_documents::artifact_name;
use gatepost_documents::escape;
use gatepost_documents::id::ResultId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text;

mod file;
mod ranges;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const FILE_MODE: u32 = 0o644;
const FOLDER_MODE: u32 = 0o755;
const SETGID: u32 = 0o2000;

/// Reads the submission `name` in the folder `source`, as the given kind.
pub fn take_in(
    kind: Kind,
    source: &Path,
    name: &OsStr,
    copy_to: Option<&Path>,
    limits: &Limits,
    rules: &RuleSet,
) -> io::Result<Submission> {
    match kind {
        Kind::Bundle => take_in_bundle(source, name, copy_to, limits, rules).map(Submission::Bundle),
        Kind::BareDocument => take_in_bare_document(source, name, copy_to, limits).map(Submission::BareDocument),
    }
}

/// Reads the bundle `name` in the folder `source`. With `copy_to`, a path that does not exist yet, writes everything
/// that can be copied there: files 0644, folders 0755.
///
/// Faults of the bundle are in [`Bundle::faults`]; an error is the system's (no such bundle, disk full, no permission),
/// and may leave a partial copy behind.
///
/// A panic over the bundle is also a fault of the bundle; the copy is then partial.
pub fn take_in_bundle(
    source: &Path,
    name: &OsStr,
    copy_to: Option<&Path>,
    limits: &Limits,
    rules: &RuleSet,
) -> io::Result<Bundle> {
    let taken = failure::survived(|| read_bundle(source, name, name, copy_to, limits, Some(Scan::new(rules))));
    taken.unwrap_or_else(|reason| Ok(Bundle::unread(name, reason)))
}

/// The same for the bare document `name`: the copy is a folder with the file in it. Rejects anything that is not, or no
/// longer, a regular file.
pub fn take_in_bare_document(
    source: &Path,
    name: &OsStr,
    copy_to: Option<&Path>,
    limits: &Limits,
) -> io::Result<BareDocument> {
    let taken = failure::survived(|| read_bare_document(source, name, copy_to, limits));
    taken.unwrap_or_else(|reason| Ok(BareDocument::unread(name, reason)))
}

/// The same for a bundle that was judged before and only has to be recognised: copies nothing and skips the content
/// scan, so there are no findings. The bundle's name is `called`, whatever the name of its folder is.
pub(crate) fn recognise(source: &Path, name: &OsStr, called: &OsStr, limits: &Limits) -> io::Result<Bundle> {
    let taken = failure::survived(|| read_bundle(source, name, called, None, limits, None));
    taken.unwrap_or_else(|reason| Ok(Bundle::unread(called, reason)))
}

fn read_bundle(
    source: &Path,
    name: &OsStr,
    called: &OsStr,
    copy_to: Option<&Path>,
    limits: &Limits,
    scan: Option<Scan>,
) -> io::Result<Bundle> {
    let (source, found) = look_up(source, name)?;
    let mut intake = Intake::new(Bundle::called(called), limits, scan);
    if FileType::from_raw_mode(found.st_mode) != FileType::Directory {
        intake.refuse_top(&found);
        return Ok(intake.bundle);
    }
    let folder = fs::openat(&source, name, FOLDER, Mode::empty())?;
    let copy = copy_to.map(|path| create_folder(CWD, path.as_os_str())).transpose()?;
    intake.check_folder_mode("", &fs::fstat(&folder)?);
    intake.read_folder(folder.as_fd(), copy.as_ref().map(AsFd::as_fd), "", 1)?;
    intake.bundle.findings = intake.scan.map(Scan::into_findings).unwrap_or_default();
    Ok(intake.bundle)
}

fn read_bare_document(
    source: &Path,
    name: &OsStr,
    copy_to: Option<&Path>,
    limits: &Limits,
) -> io::Result<BareDocument> {
    let (source, found) = look_up(source, name)?;
    // Digests it as a folder with nothing else, which is the form of its copy. Judging scans it.
    let mut intake = Intake::new(Bundle::called(stem(name)), limits, None);
    match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => {
            let copy = copy_to.map(|path| create_folder(CWD, path.as_os_str())).transpose()?;
            let path = escape::path(name.as_bytes());
            intake.check_name(name.as_bytes(), &path);
            let entry = intake.read_file(source.as_fd(), copy.as_ref().map(AsFd::as_fd), name, &path)?;
            intake.bundle.entries.insert(path, entry);
        }
        FileType::Directory => intake.changed(""),
        _ => intake.refuse_top(&found),
    }
    Ok(BareDocument::alone_in(intake.bundle))
}

/// The folder `source`, and the entry with a name in it. The folder is only needed to look up that name; a confined
/// reader may not be allowed to list it.
fn look_up(source: &Path, name: &OsStr) -> io::Result<(OwnedFd, Stat)> {
    let source = fs::openat(CWD, source, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    let found = fs::statat(&source, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok((source, found))
}

struct Intake<'a> {
    bundle: Bundle,
    limits: &'a Limits,
    entries_left: usize,
    bytes_left: u64,
    buffer: Vec<u8>,
    /// The parts of stdout that the evidence names.
    ranges: Vec<Range>,
    /// The scan of artifacts, if they are scanned.
    scan: Option<Scan>,
}

impl<'a> Intake<'a> {
    fn new(bundle: Bundle, limits: &'a Limits, scan: Option<Scan>) -> Self {
        let buffer = vec![0; 128 * 1024];
        Self {
            bundle,
            limits,
            entries_left: limits.entries,
            bytes_left: limits.bundle_bytes,
            buffer,
            ranges: Vec::new(),
            scan,
        }
    }

    /// The bundle's name leads to something that is no folder, or a document's to something that is no file.
    fn refuse_top(&mut self, found: &Stat) {
        let code = match FileType::from_raw_mode(found.st_mode) {
            FileType::Symlink => Code::Symlink,
            FileType::RegularFile => Code::NotABundle,
            _ => Code::SpecialFile,
        };
        let is_document = self.bundle.name.strip_suffix(".md").is_some_and(|stem| ResultId::parse(stem).is_ok());
        let (message, hint) = if code == Code::NotABundle && is_document {
            (
                "This is a result document without its bundle: the gate cannot check it against evidence, artifacts or \
                 request.",
                "Publish the whole folder TS-…; `gatepost check FILE` checks a single document. To accept bare documents of \
                 ThreeGate's form, set `accept_foreign = true` under [gate] in gate.toml.",
            )
        } else {
            ("This item in the outbox is not a folder.", "Publish a folder TS-… by renaming it into the outbox.")
        };
        self.bundle.faults.push(Reason::new(code, message, hint));
    }

    fn refuse(&mut self, code: Code, path: &str, message: impl Into<String>, hint: &str) {
        let reason = Reason::new(code, message, hint);
        self.bundle.faults.push(if path.is_empty() { reason } else { reason.in_file(path) });
    }

    /// Reads one folder, or reports that it holds too much. Reads entries in the order of their names, so that the
    /// result is deterministic, but the evidence first: it says what to look for in the artifacts.
    fn read_folder(
        &mut self,
        from: BorrowedFd<'_>,
        to: Option<BorrowedFd<'_>>,
        path: &str,
        depth: usize,
    ) -> io::Result<bool> {
        let Some(mut names) = self.names_in(from)? else {
            let message = format!("The bundle has more than {} files and folders.", self.limits.entries);
            self.refuse(Code::TooManyFiles, path, message, "Have the tool leave fewer files, or pack them into one.");
            return Ok(false);
        };
        if path.is_empty() {
            names.sort_by_key(|name| name != consistency::FILE.as_bytes());
        }
        for name in names {
            let shown = escape::path(&name);
            let path = if path.is_empty() { shown } else { format!("{path}/{shown}") };
            self.check_name(&name, &path);
            self.read_entry(from, to, OsStr::from_bytes(&name), &path, depth)?;
        }
        Ok(true)
    }

    /// The names in a folder, sorted; `None` if they exceed the remaining number.
    fn names_in(&mut self, folder: BorrowedFd<'_>) -> io::Result<Option<Vec<Vec<u8>>>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(folder)? {
            let name = entry?.file_name().to_bytes().to_vec();
            if name == b"." || name == b".." {
                continue;
            }
            if names.len() == self.entries_left {
                return Ok(None);
            }
            names.push(name);
        }
        self.entries_left -= names.len();
        names.sort_unstable();
        Ok(Some(names))
    }

    /// A bad name rejects the bundle; the file is still copied, so that the quarantine is complete.
    fn check_name(&mut self, name: &[u8], path: &str) {
        let fault = artifact_name::fault(name).or_else(|| {
            let long = path.len() > self.limits.path_bytes;
            long.then_some((Code::NameInvalid, "its path in the bundle is too long"))
        });
        if let Some((code, fault)) = fault {
            let message = format!("The name {} is refused: {fault}.", text::quoted_name(OsStr::from_bytes(name)));
            self.refuse(code, path, message, "Use the percent-encoded name of the file.");
        }
    }

    fn read_entry(
        &mut self,
        from: BorrowedFd<'_>,
        to: Option<BorrowedFd<'_>>,
        name: &OsStr,
        path: &str,
        depth: usize,
    ) -> io::Result<()> {
        let entry = match fs::statat(from, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => {
                self.changed(path);
                Entry::Unread
            }
            Err(error) => return Err(error.into()),
            Ok(found) => match FileType::from_raw_mode(found.st_mode) {
                FileType::RegularFile => self.read_file(from, to, name, path)?,
                FileType::Directory => self.enter(from, to, name, path, depth)?,
                FileType::Symlink => {
                    self.refuse(
                        Code::Symlink,
                        path,
                        "This is a symbolic link.",
                        "Copy the file that the link points to.",
                    );
                    Entry::Unread
                }
                _ => {
                    let hint = "Publish only regular files and folders.";
                    self.refuse(Code::SpecialFile, path, "This is a FIFO, a socket or a device.", hint);
                    Entry::Unread
                }
            },
        };
        self.bundle.entries.insert(path.to_owned(), entry);
        Ok(())
    }

    fn enter(
        &mut self,
        from: BorrowedFd<'_>,
        to: Option<BorrowedFd<'_>>,
        name: &OsStr,
        path: &str,
        depth: usize,
    ) -> io::Result<Entry> {
        if depth >= self.limits.depth {
            let message = format!("A path in the bundle has more than {} components.", self.limits.depth);
            self.refuse(Code::TooLarge, path, message, "Have the tool leave a flatter tree.");
            return Ok(Entry::Unread);
        }
        let Some(folder) = self.open(from, name, path, FOLDER)? else { return Ok(Entry::Unread) };
        self.check_folder_mode(path, &fs::fstat(&folder)?);
        let copy = to.map(|to| create_folder(to, name)).transpose()?;
        let read = self.read_folder(folder.as_fd(), copy.as_ref().map(AsFd::as_fd), path, depth + 1)?;
        Ok(if read { Entry::Folder } else { Entry::Unread })
    }

    /// Opens an entry that was just examined. If it is gone, or of another type, the bundle changed meanwhile.
    fn open(&mut self, from: BorrowedFd<'_>, name: &OsStr, path: &str, flags: OFlags) -> io::Result<Option<OwnedFd>> {
        match fs::openat(from, name, flags, Mode::empty()) {
            Ok(descriptor) => Ok(Some(descriptor)),
            Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR | Errno::NXIO) => {
                self.changed(path);
                Ok(None)
            }
            Err(Errno::ACCESS) => {
                let hint = "Write files with mode 0644 and folders with 0755.";
                self.refuse(Code::ModeInvalid, path, "The gate cannot read this: permission denied.", hint);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn changed(&mut self, path: &str) {
        let message = "This changed while the gate read it.";
        self.refuse(
            Code::ChangedWhileReading,
            path,
            message,
            "Finish the bundle first, then rename it into the outbox.",
        );
    }

    /// A folder inherits the setgid bit from a shared outbox, so it says nothing about the bundle: the copy has none.
    fn check_folder_mode(&mut self, path: &str, found: &Stat) {
        self.check_mode(path, found.st_mode & 0o7777 & !SETGID, FOLDER_MODE);
    }

    fn check_mode(&mut self, path: &str, mode: u32, expected: u32) {
        if mode & 0o7000 != 0 {
            let message = format!("The mode is {mode:04o}: it has a setuid, setgid or sticky bit.");
            self.refuse(Code::SetuidOrDevice, path, message, &format!("Set the mode to {expected:04o}."));
        } else if mode != expected {
            let message = format!("The mode is {mode:04o}, expected {expected:04o}.");
            self.refuse(Code::ModeInvalid, path, message, &format!("Set the mode to {expected:04o}."));
        }
    }
}

/// Creates a folder that must not exist, and opens it.
fn create_folder(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    fs::mkdirat(parent, name, Mode::from_raw_mode(FOLDER_MODE))?;
    let folder = fs::openat(parent, name, FOLDER, Mode::empty())?;
    // The process's umask changed the requested mode.
    fs::fchmod(&folder, Mode::from_raw_mode(FOLDER_MODE))?;
    Ok(folder)
}

/// Creates a file that must not exist.
fn create_file(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = fs::openat(parent, name, flags, Mode::from_raw_mode(FILE_MODE))?;
    fs::fchmod(&file, Mode::from_raw_mode(FILE_MODE))?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_without_its_bundle_is_distinguished_from_other_files() {
        let folder = tempfile::tempdir().unwrap();
        let message = |name: &str| {
            std::fs::write(folder.path().join(name), "x").unwrap();
            let bundle =
                take_in_bundle(folder.path(), OsStr::new(name), None, &Limits::default(), RuleSet::built_in()).unwrap();
            assert_eq!((bundle.faults.len(), bundle.faults[0].code), (1, Code::NotABundle));
            bundle.faults[0].message.clone()
        };
        assert!(message("TS-20260209-161030Z-TR-20260209-160501Z-a.md").contains("without its bundle"));
        assert!(message("TS-20260209-161030Z-TR-20260209-160501Z-a").contains("not a folder"));
        assert!(message("notes.md").contains("not a folder"));
    }

    #[test]
    fn what_is_only_known_again_is_not_looked_through() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("bundle/artifacts")).unwrap();
        let key = ["-----BEGIN PRIVATE", " KEY-----\nMC4CAQAwBQYDK2VwBCIEINsample0MC4CAQAwBQYDK2Vw\n"].concat();
        std::fs::write(folder.path().join("bundle/artifacts/stdout.txt"), key).unwrap();
        let limits = Limits::default();
        let taken = take_in_bundle(folder.path(), OsStr::new("bundle"), None, &limits, RuleSet::built_in()).unwrap();
        let known = recognise(folder.path(), OsStr::new("bundle"), OsStr::new("bundle"), &limits).unwrap();
        assert_eq!((taken.digest(), taken.stdout == known.stdout), (known.digest(), true));
        assert!(taken.findings.total() > 0);
        assert_eq!(known.findings.total(), 0);
    }
}
