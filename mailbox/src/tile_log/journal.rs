//! The journal of a log: the leaves since its last full tiles.
//!
//! ```text
//! 8 bytes     how many leaves lie in the full tiles before it, the high byte first
//! groups      entries as in a tile, then two zero bytes, and the signed checkpoint that covers them as one more entry
//! ```
//!
//! If a power cut tore off a group at the end, nothing acted on that group, and it is left out.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::fs::OFlags;

use crate::fault::{Fault, OnPath};
use crate::regular_file;
use gatepost_ledger::{TILE_WIDTH, append};

/// The most bytes of a journal that are read: one that begins with all leaves of an older record is the largest.
const JOURNAL_MAX_BYTES: u64 = 1 << 30;

/// Leaves, in their order.
type Leaves<'a> = Vec<&'a [u8]>;

/// A journal as it was read.
#[derive(Debug, PartialEq, Eq)]
pub struct Journal<'a> {
    /// How many leaves lie in full tiles before it.
    pub start: u64,
    /// Its groups: leaves, and the checkpoint that covers them.
    pub groups: Vec<(Leaves<'a>, &'a str)>,
    /// So many of its bytes are whole groups.
    pub whole: usize,
}

/// The bytes are no journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("from byte {0} on it is not a journal; run `gatepost audit verify`")]
pub struct JournalError(usize);

impl<'a> Journal<'a> {
    /// Reads a journal as far as its groups are whole; it has at least one.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, JournalError> {
        let (start, mut rest) = bytes.split_first_chunk().ok_or(JournalError(0))?;
        let mut journal = Self { start: u64::from_be_bytes(*start), groups: Vec::new(), whole: 8 };
        if !journal.start.is_multiple_of(TILE_WIDTH as u64) {
            return Err(JournalError(0));
        }
        while let Some((leaves, note, left)) = split_group(rest) {
            // After a power cut, the new end of the file may be zeros.
            if note.is_empty() && leaves.is_empty() && rest.iter().all(|byte| *byte == 0) {
                break;
            }
            let note = std::str::from_utf8(note).map_err(|_| JournalError(journal.whole))?;
            journal.groups.push((leaves, note));
            journal.whole = bytes.len() - left.len();
            rest = left;
        }
        if journal.groups.is_empty() { Err(JournalError(8)) } else { Ok(journal) }
    }
}

/// The first group: its leaves, its note, and the rest.
fn split_group(bytes: &[u8]) -> Option<(Leaves<'_>, &[u8], &[u8])> {
    let (mut leaves, mut rest) = (Vec::new(), bytes);
    loop {
        let (entry, left) = split_entry(rest)?;
        if entry.is_empty() {
            let (note, left) = split_entry(left)?;
            return Some((leaves, note, left));
        }
        leaves.push(entry);
        rest = left;
    }
}

fn split_entry(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))
}

/// A group of entries and the checkpoint that covers them, which is shorter than an entry may be.
pub(super) fn group(entries: &[u8], note: &str) -> Vec<u8> {
    let mut bytes = entries.to_vec();
    let _ = append(&mut bytes, b"").and_then(|()| append(&mut bytes, note.as_bytes()));
    bytes
}

/// A journal that begins after so many leaves, with one group.
pub(super) fn begin(start: u64, entries: &[u8], note: &str) -> Vec<u8> {
    [&start.to_be_bytes()[..], &group(entries, note)].concat()
}

/// The bytes of a journal.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    regular_file::read(path, JOURNAL_MAX_BYTES).on("read", path)
}

/// Opens a journal to add to it.
pub(super) fn open(path: &Path) -> Result<File, Fault> {
    let flags = OFlags::NOFOLLOW.bits().cast_signed();
    OpenOptions::new().append(true).custom_flags(flags).open(path).on("open", path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_read_as_it_was_written_and_one_that_was_cut_as_far_as_its_groups_are_whole() {
        let mut entries = Vec::new();
        append(&mut entries, b"one").unwrap();
        append(&mut entries, b"two").unwrap();
        let first = begin(512, &entries, "note");
        let both = [&first[..], &group(&entries, "more")].concat();
        let parsed = Journal::parse(&both).unwrap();
        assert_eq!((parsed.start, parsed.whole), (512, both.len()));
        let leaves = || vec![&b"one"[..], b"two"];
        assert_eq!(parsed.groups, [(leaves(), "note"), (leaves(), "more")]);
        for end in first.len()..both.len() {
            let cut = Journal::parse(&both[..end]).unwrap();
            assert_eq!((cut.groups, cut.whole), (vec![(leaves(), "note")], first.len()), "{end}");
        }
        let zeros = [&first[..], &[0; 999]].concat();
        assert_eq!(Journal::parse(&zeros).unwrap().whole, first.len());
        for bytes in [&first[..first.len() - 1], &first[..7], b"", &[1; 99]] {
            assert!(Journal::parse(bytes).is_err());
        }
    }
}
