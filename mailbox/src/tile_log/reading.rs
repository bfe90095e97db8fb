//! Reads a log as auditors do: trusts nothing of it, and writes nothing.
//!
//! *Security*: a stranger may have made the folder: each file is bounded, and no link is followed.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::{CHECKPOINT_FILE, JOURNAL_FILE, VERIFIER_FILE};
use crate::fault::{Fault, OnPath};
use crate::regular_file;
use gatepost_ledger::{ENTRY_BYTES_MAX, Hash, TILE_WIDTH, Tile, VerifierKey, parse, parse_row};

/// A checkpoint, and a key.
const TEXT_MAX_BYTES: u64 = 64 * 1024;
/// A tile of entries, each as long as it may be.
const ENTRIES_MAX_BYTES: u64 = (TILE_WIDTH * (ENTRY_BYTES_MAX + 2)) as u64;
/// The writer of a journal reads it too; an auditor reads as much.
const JOURNAL_MAX_BYTES: u64 = 1 << 30;

/// How long to wait for a file that a watcher has renamed, while no checkpoint states its new name. A few renames and
/// writes are in between, which a busy disk may delay.
const PUBLISHED_WITHIN: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(5);

/// The folder of a log.
#[derive(Debug, Clone)]
pub struct LogFolder(PathBuf);

impl LogFolder {
    /// The log in this folder.
    pub fn at(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The key that its checkpoints are verified with.
    pub fn verifier(&self) -> Result<VerifierKey, Fault> {
        let path = self.path(VERIFIER_FILE);
        let text = self.text(VERIFIER_FILE)?;
        let key = VerifierKey::parse(&text).map_err(invalid).on("read", &path)?;
        if text == format!("{key}\n") { Ok(key) } else { Err(invalid("it is not a line with a key")).on("read", &path) }
    }

    /// The newest checkpoint, a signed note.
    pub fn checkpoint(&self) -> Result<String, Fault> {
        self.text(CHECKPOINT_FILE)
    }

    /// The bytes of the journal.
    pub fn journal(&self) -> Result<Vec<u8>, Fault> {
        let path = self.path(JOURNAL_FILE);
        regular_file::read(&path, JOURNAL_MAX_BYTES).on("read", &path)
    }

    /// The hashes of a tile.
    pub fn row(&self, tile: Tile) -> Result<Vec<Hash>, Fault> {
        let path = self.path(&tile.path());
        let bytes = regular_file::read(&path, ENTRIES_MAX_BYTES).on("read", &path)?;
        let row = parse_row(&bytes, tile.width);
        row.ok_or_else(|| wrong_count(&path, tile.width, "hashes")).on("read", &path)
    }

    /// Passes on each leaf of a tile of entries, if it holds the expected number.
    pub fn entries(&self, tile: Tile, each: impl FnMut(&[u8]) -> Result<(), Fault>) -> Result<(), Fault> {
        let path = self.path(&tile.entries().path());
        let bytes = regular_file::read(&path, ENTRIES_MAX_BYTES).on("read", &path)?;
        let entries = parse(&bytes).filter(|entries| entries.len() == tile.width);
        let entries = entries.ok_or_else(|| wrong_count(&path, tile.width, "entries")).on("read", &path)?;
        entries.into_iter().try_for_each(each)
    }

    /// Passes on every leaf that the newest checkpoint covers, unverified. A writer may replace the tile at the edge
    /// meanwhile; the missing leaves are then read from the new tile.
    pub fn leaves(&self, mut each: impl FnMut(&[u8]) -> Result<(), Fault>) -> Result<(), Fault> {
        let mut given = 0_u64;
        while_published(|| {
            let size = self.stated_size()?;
            let rest = given..size;
            (given / TILE_WIDTH as u64..size.div_ceil(TILE_WIDTH as u64)).try_for_each(|index| {
                let Some(tile) = Tile::of(None, index, size) else { return Ok(()) };
                let mut number = index * TILE_WIDTH as u64;
                self.entries(tile, |leaf| {
                    number += 1;
                    if number <= rest.start {
                        return Ok(());
                    }
                    given = number;
                    each(leaf)
                })
            })
        })
    }

    /// The size in the newest checkpoint, by any signer.
    fn stated_size(&self) -> Result<u64, Fault> {
        let size = self.checkpoint()?.lines().nth(1).and_then(|line| line.parse().ok());
        size.ok_or_else(|| invalid("it states no size")).on("read", &self.path(CHECKPOINT_FILE))
    }

    /// Gives each of the first `count` leaves, as far as they lie in full tiles.
    pub fn full_tiles(&self, count: u64, mut each: impl FnMut(&[u8]) -> Result<(), Fault>) -> Result<(), Fault> {
        (0..count / TILE_WIDTH as u64).try_for_each(|index| self.entries(Tile::full(0, index), &mut each))
    }

    fn text(&self, name: &str) -> Result<String, Fault> {
        let path = self.path(name);
        let bytes = regular_file::read(&path, TEXT_MAX_BYTES).on("read", &path)?;
        String::from_utf8(bytes).map_err(invalid).on("read", &path)
    }
}

/// Reads a log from its checkpoint on, and again where a file is missing that a watcher may be renaming.
pub fn while_published<T>(mut read: impl FnMut() -> Result<T, Fault>) -> Result<T, Fault> {
    let end = Instant::now() + PUBLISHED_WITHIN;
    loop {
        match read() {
            Err(fault) if fault.source.kind() == io::ErrorKind::NotFound && Instant::now() < end => {}
            outcome => return outcome,
        }
        thread::sleep(PAUSE);
    }
}

/// A tile at the edge that was opened before it got its next name has grown; then it is no longer where it was looked for.
fn wrong_count(path: &Path, width: usize, what: &str) -> io::Error {
    match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => error,
        _ => invalid(format!("it does not hold {width} {what}")),
    }
}

fn invalid(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
