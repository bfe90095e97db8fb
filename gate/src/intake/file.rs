//! One regular file of a bundle, read once to its end.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::BorrowedFd;

use rustix::fs::{self, FileType, OFlags, Stat};

use super::ranges::{self, Digests};
use super::{Entry, FILE_MODE, Intake, Role, create_file};
use crate::bundle::STDERR_HEAD_BYTES;
use crate::excerpt::Renderer;
use crate::limits::Limits;
use gatepost_content::{Place, Source};
use gatepost_documents::digest::Hasher;
use gatepost_documents::evidence::HTTP_BODY_BYTES_MAX;
use gatepost_documents::reason::Code;

const FILE: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// How much of a response's head is kept: its status line.
const STATUS_LINE_BYTES: usize = 64;

/// The maximum number of kept signatures: TOOL-EXEC accepts as many for one request.
const SIGNATURES_MAX: usize = 32;

impl Intake<'_> {
    pub(super) fn read_file(
        &mut self,
        from: BorrowedFd<'_>,
        to: Option<BorrowedFd<'_>>,
        name: &OsStr,
        path: &str,
    ) -> io::Result<Entry> {
        let Some(descriptor) = self.open(from, name, path, FILE)? else { return Ok(Entry::Unread) };
        let before = fs::fstat(&descriptor)?;
        if FileType::from_raw_mode(before.st_mode) != FileType::RegularFile {
            self.changed(path);
            return Ok(Entry::Unread);
        }
        self.check_mode(path, before.st_mode & 0o7777, FILE_MODE);
        if before.st_nlink != 1 {
            let message = format!("The file has {} names (hard links).", before.st_nlink);
            self.refuse(Code::Hardlink, path, message, "Publish a copy of the file, not a hard link.");
        }
        let role = Role::at(path, &self.bundle.name);
        let bytes = u64::try_from(before.st_size).unwrap_or(u64::MAX);
        if !self.fits(path, bytes, role) {
            return Ok(Entry::Unread);
        }
        let copy = to.map(|to| create_file(to, name)).transpose()?;
        let mut file = File::from(descriptor);
        let entry = self.stream(&mut file, bytes, role, path, copy)?;
        let whole = matches!(entry, Entry::File { bytes: read, .. } if read == bytes);
        if !whole || !same(&before, &fs::fstat(&file)?) {
            self.changed(path);
            return Ok(Entry::Unread);
        }
        Ok(entry)
    }

    fn fits(&mut self, path: &str, bytes: u64, role: Option<Role>) -> bool {
        let limit = self.limits.bytes_of(role);
        if bytes > limit {
            let message = format!("The file has {bytes} bytes; the limit is {limit}.");
            self.refuse(Code::TooLarge, path, message, "Have the tool write less, or split its output.");
            return false;
        }
        let Some(left) = self.bytes_left.checked_sub(bytes) else {
            let message = format!("The files of the bundle have more than {} bytes.", self.limits.bundle_bytes);
            self.refuse(Code::TooLarge, path, message, "Have the tool write less.");
            return false;
        };
        self.bytes_left = left;
        true
    }

    /// Reads at most one byte more than the file had when it was opened, so a growing file cannot stall the gate.
    fn stream(
        &mut self,
        file: &mut File,
        bytes: u64,
        role: Option<Role>,
        path: &str,
        mut copy: Option<File>,
    ) -> io::Result<Entry> {
        let (mut hasher, mut renderer, mut total) = (Hasher::default(), Renderer::default(), 0_u64);
        let (mut head, head_bytes) = head_kept(role, bytes, self.limits);
        let is_artifact =
            matches!(role, Some(Role::Stdout | Role::Stderr | Role::Results | Role::ResponseHead | Role::Output));
        let mut source = (is_artifact && self.scan.is_some()).then(|| Source::new(Place::Artifact, path));
        let ranges = if role == Some(Role::Stdout) { std::mem::take(&mut self.ranges) } else { Vec::new() };
        let mut ranges = Digests::new(ranges);
        let mut file = file.take(bytes.saturating_add(1));
        loop {
            let count = match file.read(&mut self.buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let piece = self.buffer.get(..count).unwrap_or_default();
            hasher.update(piece);
            ranges.feed(piece);
            if matches!(role, Some(Role::Stdout | Role::Stderr)) {
                renderer.feed(piece);
            }
            head.extend_from_slice(piece.get(..head_bytes.saturating_sub(head.len())).unwrap_or(piece));
            if let (Some(source), Some(scan)) = (&mut source, &mut self.scan) {
                source.feed(piece, scan);
            }
            if let Some(copy) = &mut copy {
                copy.write_all(piece)?;
            }
            total += count as u64;
        }
        if let (Some(source), Some(scan)) = (source, &mut self.scan) {
            source.finish(scan);
        }
        match role {
            Some(Role::Stdout) => {
                self.bundle.stdout = renderer.finish();
                self.bundle.stdout_head = head;
                self.bundle.ranges = ranges.finish();
            }
            Some(Role::Stderr) => {
                self.bundle.stderr = renderer.finish();
                self.bundle.stderr_head = head;
            }
            Some(Role::Signature) if self.bundle.signatures.len() < SIGNATURES_MAX => {
                self.bundle.signatures.insert(path.to_owned(), head);
            }
            Some(Role::Signature) => {}
            Some(Role::Results) if head.len() as u64 != total => {}
            Some(role) if role.is_read() => {
                if role == Role::Request {
                    self.bundle.request_path = Some(path.to_owned());
                }
                if role == Role::Evidence {
                    self.ranges = ranges::named(&head);
                }
                self.bundle.bytes.insert(role, head);
            }
            _ => {}
        }
        Ok(Entry::File { bytes: total, digest: hasher.finish() })
    }
}

/// A buffer for the kept beginning of a file, and its limit in bytes.
fn head_kept(role: Option<Role>, bytes: u64, limits: &Limits) -> (Vec<u8>, usize) {
    let bytes = match role {
        Some(Role::Results) if bytes > limits.evidence_bytes => 0,
        Some(Role::ResponseHead) => STATUS_LINE_BYTES,
        Some(role) if role.is_read() => usize::try_from(bytes).unwrap_or(usize::MAX),
        Some(Role::Stdout) => HTTP_BODY_BYTES_MAX,
        Some(Role::Stderr) => STDERR_HEAD_BYTES,
        _ => 0,
    };
    (Vec::new(), bytes)
}

/// Whether a file is unchanged between two examinations.
fn same(before: &Stat, after: &Stat) -> bool {
    let facts = |stat: &Stat| {
        (
            stat.st_size,
            stat.st_mode,
            stat.st_nlink,
            stat.st_mtime,
            stat.st_mtime_nsec,
            stat.st_ctime,
            stat.st_ctime_nsec,
        )
    };
    facts(before) == facts(after)
}
