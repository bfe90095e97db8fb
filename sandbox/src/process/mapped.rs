//! Mappings of files, from a process's `maps`.
//!
//! *Security*: the tool chooses the path at the end of a line; only the end of the path is used. *Standards*: Linux
//! `proc_pid_maps(5)`.

use std::fs::File;
use std::io::{BufRead, BufReader};

use rustix::fs::makedev;

/// A mapping of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mapping {
    /// Its name in `map_files`.
    pub(super) range: String,
    /// The file's device and inode.
    pub(super) file: (u64, u64),
    /// The size of the file if it ends with the mapping, bytes.
    pub(super) end: u64,
    /// Whether the file was deleted.
    pub(super) is_deleted: bool,
}

/// The mappings of a live thread; none if they are hidden. Read line by line: a process may have very many.
pub(super) fn mappings(thread: u32) -> impl Iterator<Item = Mapping> {
    let file = File::open(format!("/proc/{thread}/maps"));
    let lines = file.into_iter().flat_map(|file| BufReader::new(file).split(b'\n').map_while(Result::ok));
    lines.filter_map(|line| mapping(&line))
}

fn mapping(line: &[u8]) -> Option<Mapping> {
    let is_deleted = line.ends_with(b" (deleted)");
    let line = String::from_utf8_lossy(line);
    let mut fields = line.split_ascii_whitespace();
    let range = fields.next()?;
    let (start, end) = range.split_once('-')?;
    let hexadecimal = |text: &str| u64::from_str_radix(text, 16).ok();
    let bytes = hexadecimal(end)?.checked_sub(hexadecimal(start)?)?;
    let offset = hexadecimal(fields.nth(1)?)?;
    let (major, minor) = fields.next()?.split_once(':')?;
    let device = makedev(u32::from_str_radix(major, 16).ok()?, u32::from_str_radix(minor, 16).ok()?);
    let inode = fields.next()?.parse().ok().filter(|inode| *inode != 0)?;
    // `map_files` writes the addresses without leading zeros.
    let range = format!("{:x}-{:x}", hexadecimal(start)?, hexadecimal(end)?);
    Some(Mapping { range, file: (device, inode), end: offset.saturating_add(bytes), is_deleted })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_the_file_and_how_far_it_is_mapped_and_memory_without_a_file_is_left_out() {
        let line = b"00400000-00600000 rw-s 00001000 fd:02 1935                       /a \xff (deleted)";
        let file = (makedev(0xfd, 2), 1935);
        let expected = Mapping { range: "400000-600000".to_owned(), file, end: 0x20_1000, is_deleted: true };
        assert_eq!(mapping(line), Some(expected));
        for line in ["7f4a5d4ba000-7f4a5dcba000 rw-p 00000000 00:00 0  [heap]", "", "x-y rw-p 0 00:01 1 /z"] {
            assert_eq!(mapping(line.as_bytes()), None, "{line}");
        }
    }
}
