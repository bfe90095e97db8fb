//! Every leaf of a log as a line, for people: never flushed, and completed from the log when the log is opened.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use crate::fault::{Fault, OnPath};

#[derive(Debug)]
pub(super) struct View {
    file: File,
    path: PathBuf,
    reader: BufReader<File>,
    /// The lines that are as they should be, and their bytes; the first that is not ends them.
    good_lines: u64,
    good_bytes: u64,
    is_good: bool,
}

impl View {
    pub(super) fn open(path: &Path) -> Result<Self, Fault> {
        let flags = OFlags::NOFOLLOW.bits().cast_signed();
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).custom_flags(flags).open(path).on("open", path)?;
        if !file.metadata().on("look at", path)?.is_file() {
            // A read from a FIFO would block forever.
            return Err(io::Error::other("it is not a regular file; remove it")).on("read", path);
        }
        let reader = BufReader::new(file.try_clone().on("open", path)?);
        Ok(Self { file, path: path.to_owned(), reader, good_lines: 0, good_bytes: 0, is_good: true })
    }

    /// The next line should be this leaf.
    pub(super) fn expect(&mut self, leaf: &[u8]) -> Result<(), Fault> {
        if !self.is_good {
            return Ok(());
        }
        let mut line = Vec::new();
        self.reader.read_until(b'\n', &mut line).on("read", &self.path)?;
        self.is_good = line.strip_suffix(b"\n") == Some(leaf);
        if self.is_good {
            self.good_lines += 1;
            self.good_bytes += line.len() as u64;
        }
        Ok(())
    }

    /// Cuts away all that is not as it should be; how many lines are left.
    pub(super) fn cut(&mut self) -> Result<u64, Fault> {
        if self.file.metadata().on("look at", &self.path)?.len() > self.good_bytes {
            self.file.set_len(self.good_bytes).on("cut", &self.path)?;
        }
        Ok(self.good_lines)
    }

    /// Adds a leaf.
    pub(super) fn add(&mut self, leaf: &[u8]) -> Result<(), Fault> {
        self.file.write_all(&[leaf, b"\n"].concat()).on("write", &self.path)
    }
}
