//! Entries, the leaves themselves, one after the other in a tile: the length of each in two bytes, the high byte
//! first, and its bytes.
//!
//! *Standards*: C2SP tlog-tiles, Log Entries.

/// The most bytes of an entry.
pub const ENTRY_BYTES_MAX: usize = u16::MAX as usize;

/// An entry has more than 65 535 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an entry has {0} bytes, but the limit of a log entry is {ENTRY_BYTES_MAX}")]
pub struct TooLong(usize);

/// Adds an entry to those of a tile.
pub fn append(bytes: &mut Vec<u8>, entry: &[u8]) -> Result<(), TooLong> {
    let length = u16::try_from(entry.len()).map_err(|_| TooLong(entry.len()))?;
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(entry);
    Ok(())
}

/// The entries of a tile; none if the bytes do not end with one.
pub fn parse(mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut entries = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk::<2>()?;
        let (entry, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        entries.push(entry);
        bytes = rest;
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_as_they_were_added_and_nothing_else_is() {
        let (mut bytes, longest) = (Vec::new(), vec![7; ENTRY_BYTES_MAX]);
        for entry in [&b"one"[..], b"", &longest] {
            append(&mut bytes, entry).unwrap();
        }
        assert_eq!(append(&mut bytes, &vec![0; 65_536]), Err(TooLong(65_536)));
        assert_eq!(parse(&bytes).unwrap(), [&b"one"[..], b"", &longest]);
        for cut in [1, 3, 6, bytes.len() - 1] {
            assert_eq!(parse(&bytes[..cut]), None, "{cut}");
        }
    }
}
