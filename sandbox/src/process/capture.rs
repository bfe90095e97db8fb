//! Copies one stream of a tool into a file, with a limit and a running hash.
//!
//! Security: reads hostile bytes and interprets none of them.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use gatepost_documents::digest::Hasher;
use rustix::buffer::spare_capacity;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use super::{Captured, ProcessError};

/// The size of one read: the capacity of a pipe.
pub(super) const CHUNK_BYTES: usize = 64 * 1024;

/// A stream being stored.
pub(super) struct Capture {
    pipe: OwnedFd,
    file: File,
    path: PathBuf,
    hasher: Hasher,
    bytes: u64,
    bytes_max: u64,
    truncated: bool,
    /// Whether all writers have closed it.
    has_ended: bool,
    /// The bytes for a listener since its last call.
    received: Option<Vec<u8>>,
}

/// Creates the file, which must not exist, and a pipe into it; returns the tool's end. While the caller
/// keeps that end open, a tool that closes its own causes no wake-up.
pub(super) fn create(path: &Path, bytes_max: u64) -> Result<(Capture, OwnedFd), ProcessError> {
    let failed = |errno: Errno| ProcessError::Store { path: path.to_owned(), source: errno.into() };
    let (pipe, tool_end) = pipe_with(PipeFlags::CLOEXEC).map_err(failed)?;
    // Only our end: a tool may not expect EAGAIN. Each end has its own flags.
    rustix::fs::fcntl_setfl(&pipe, OFlags::NONBLOCK).map_err(failed)?;
    Ok((Capture::of(pipe, path, bytes_max, None)?, tool_end))
}

/// Creates the file for a program's output on a terminal, whose other end is ours and non-blocking, with a listener.
pub(super) fn listen(terminal: OwnedFd, path: &Path, bytes_max: u64) -> Result<Capture, ProcessError> {
    Capture::of(terminal, path, bytes_max, Some(Vec::new()))
}

impl Capture {
    fn of(pipe: OwnedFd, path: &Path, bytes_max: u64, received: Option<Vec<u8>>) -> Result<Self, ProcessError> {
        let mut options = File::options();
        let file = options.write(true).create_new(true).mode(0o644).open(path);
        let file = file.map_err(|source| ProcessError::Store { path: path.to_owned(), source })?;
        let (path, hasher) = (path.to_owned(), Hasher::default());
        Ok(Self { pipe, file, path, hasher, bytes: 0, bytes_max, truncated: false, has_ended: false, received })
    }

    /// The bytes stored since the last call, if there is a listener.
    pub(super) fn take_received(&mut self) -> Vec<u8> {
        self.received.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The pipe, while its bytes are still stored.
    pub(super) fn awaited(&self) -> Option<BorrowedFd<'_>> {
        (!self.truncated && !self.has_ended).then(|| self.pipe.as_fd())
    }

    /// Stores the bytes in the pipe, in `reads` reads at most.
    pub(super) fn pump(&mut self, buffer: &mut Vec<u8>, reads: usize) -> Result<(), ProcessError> {
        for _ in 0..reads {
            if self.truncated || !self.pump_once(buffer)? {
                break;
            }
        }
        Ok(())
    }

    /// Stores the bytes in the pipe at this moment, and none that are written later.
    pub(super) fn drain(&mut self, buffer: &mut Vec<u8>) -> Result<(), ProcessError> {
        // A terminal does not report its buffered bytes, and no process writes to it any more.
        let queued = match self.received {
            Some(_) => u64::MAX,
            None => rustix::io::ioctl_fionread(&self.pipe).map_err(|errno| self.failed(errno.into()))?,
        };
        let end = self.bytes.saturating_add(queued);
        while !self.truncated && self.bytes < end && self.pump_once(buffer)? {}
        Ok(())
    }

    /// Stores the bytes of one read; returns whether there may be more. `buffer` lends its capacity, so only those
    /// pages that a tool fills are ever touched.
    fn pump_once(&mut self, buffer: &mut Vec<u8>) -> Result<bool, ProcessError> {
        buffer.clear();
        let count = match rustix::io::read(&self.pipe, spare_capacity(buffer)) {
            Ok(0) => {
                self.has_ended = true;
                return Ok(false);
            }
            Ok(count) => count,
            // A terminal fails once its other end is closed.
            Err(Errno::AGAIN | Errno::IO) => return Ok(false),
            Err(Errno::INTR) => return Ok(true),
            Err(errno) => return Err(self.failed(errno.into())),
        };
        let room = usize::try_from(self.bytes_max - self.bytes).unwrap_or(usize::MAX);
        let kept = &buffer[..count.min(room)];
        self.file.write_all(kept).map_err(|source| self.failed(source))?;
        self.hasher.update(kept);
        self.bytes += kept.len() as u64;
        self.received.iter_mut().for_each(|received| received.extend_from_slice(kept));
        self.truncated = count > room;
        Ok(!self.truncated)
    }

    fn failed(&self, source: io::Error) -> ProcessError {
        ProcessError::Store { path: self.path.clone(), source }
    }

    /// Whether the tool printed more than the limit.
    pub(super) fn truncated(&self) -> bool {
        self.truncated
    }

    /// What was stored.
    pub(super) fn finish(self) -> Captured {
        Captured { digest: self.hasher.finish(), bytes: self.bytes, truncated: self.truncated }
    }
}
