//! Encoded data without separators: line breaks and indentation, the colons, commas and spaces between hexadecimal digits, the prefix
//! `0x` of two such digits, and line breaks and slashes as the escapes of JSON.

use std::ops::Range;

/// The most consecutive omitted bytes: a line break, and an indentation as deep as OpenSSL's. It bounds the distance of the characters
/// of a value, and so the memory of the search.
pub(super) const SEPARATORS_MAX: usize = 24;

/// The bytes that may be omitted. A table, because every byte of every stream passes here.
static SPECIAL: [bool; 256] = {
    let (special, mut table, mut at) = (b"\n\r\t ,:\\", [false; 256], 0);
    while at < special.len() {
        table[special[at] as usize] = true;
        at += 1;
    }
    table
};

/// The remaining bytes from a place on.
pub(super) fn folded(bytes: &[u8], from: usize) -> Vec<u8> {
    let mut left = Vec::with_capacity(bytes.len() - from);
    walk(bytes, from, |range| left.extend_from_slice(&bytes[range]));
    left
}

/// The origins of the remaining bytes. Its memory grows only with the gaps between them.
pub(super) struct Origins {
    /// The start of each run of bytes: in the remaining bytes, and in the original.
    runs: Vec<(usize, usize)>,
}

impl Origins {
    /// Finds the runs from a place on.
    pub(super) fn of(bytes: &[u8], from: usize) -> Self {
        let (mut runs, mut length): (Vec<(usize, usize)>, _) = (Vec::new(), 0);
        walk(bytes, from, |range| {
            if runs.last().is_none_or(|(left, start)| start + (length - left) != range.start) {
                runs.push((length, range.start));
            }
            length += range.len();
        });
        Self { runs }
    }

    /// The origin of the remaining byte at a place.
    pub(super) fn place(&self, at: usize) -> usize {
        let before = self.runs.partition_point(|(left, _)| *left <= at);
        let (left, start) = before.checked_sub(1).and_then(|last| self.runs.get(last)).copied().unwrap_or_default();
        start + at - left
    }
}

/// Visits each remaining part.
fn walk(bytes: &[u8], from: usize, mut show: impl FnMut(Range<usize>)) {
    let (mut at, mut separators) = (from, 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let plain = rest.iter().position(|byte| SPECIAL[usize::from(*byte)]).unwrap_or(rest.len());
        let (length, is_separator) = match rest {
            _ if is_prefixed_byte(rest) => (2, true),
            _ if plain > 0 => (plain, false),
            [b'\\', b'n' | b'r', ..] => (2, true),
            [b'\\', b'/', ..] => (1, true),
            [b'\\', ..] => (1, false),
            _ => (1, true),
        };
        separators = if is_separator { separators + length } else { 0 };
        if !is_separator || separators > SEPARATORS_MAX {
            show(at..at + length);
        }
        at += length;
    }
}

/// Whether these bytes begin with `0x` and exactly two digits: a byte in a list, and no part of Base64.
fn is_prefixed_byte(bytes: &[u8]) -> bool {
    matches!(bytes, [b'0', b'x' | b'X', high, low, rest @ ..]
        if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() && !rest.first().is_some_and(u8::is_ascii_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_parts_encoded_data_is_left_out_and_a_long_gap_is_not() {
        let fold = |text: &str| String::from_utf8(folded(text.as_bytes(), 0)).unwrap();
        for (text, expected) in [
            ("ab\r\ncd\n  ef", "abcdef"),
            ("0a:0b 0c\t0d", "0a0b0c0d"),
            ("0x0a, 0x0B,\n  0x0c", "0a0B0c"),
            ("0xabc 0x0", "0xabc0x0"),
            (r"ab\ncd\r\nef\/gh", "abcdef/gh"),
            (r"no\such\rung", r"no\suchung"),
            ("nr", "nr"),
        ] {
            assert_eq!(fold(text), expected);
        }
        let gap = |spaces: usize| fold(&format!("a{}b", " ".repeat(spaces)));
        assert_eq!((gap(SEPARATORS_MAX).as_str(), gap(SEPARATORS_MAX + 1).as_str()), ("ab", "a b"));
        let origins = Origins::of(b"ab\nc\\d", 1);
        assert_eq!(folded(b"ab\nc\\d", 1), b"bc\\d");
        assert_eq!(([0, 1, 2, 3].map(|at| origins.place(at)), origins.runs.len()), ([1, 3, 4, 5], 2));
    }
}
