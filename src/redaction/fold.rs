//! Encoded data without what parts it: line breaks and indentation, the colons and spaces between hexadecimal digits, and line
//! breaks and slashes as the escapes of JSON.

use std::ops::Range;

/// Most bytes in a row that are left out: a line break, and an indentation as deep as OpenSSL's. It bounds how far the characters
/// of a value can stand apart, and with it the memory of the search.
pub(super) const SEPARATORS_MAX: usize = 24;

/// What may be left out. In a table, because every byte of every stream passes here.
static SPECIAL: [bool; 256] = {
    let (special, mut table, mut at) = (b"\n\r\t :\\", [false; 256], 0);
    while at < special.len() {
        table[special[at] as usize] = true;
        at += 1;
    }
    table
};

/// The bytes from a place on that are left.
pub(super) fn folded(bytes: &[u8], from: usize) -> Vec<u8> {
    let mut left = Vec::with_capacity(bytes.len() - from);
    walk(bytes, from, |range| left.extend_from_slice(&bytes[range]));
    left
}

/// The places of the bytes that are left.
pub(super) fn places(bytes: &[u8], from: usize) -> Vec<usize> {
    let mut places = Vec::new();
    walk(bytes, from, |range| places.extend(range));
    places
}

/// Shows each part that is left.
fn walk(bytes: &[u8], from: usize, mut show: impl FnMut(Range<usize>)) {
    let (mut at, mut separators) = (from, 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let plain = rest.iter().position(|byte| SPECIAL[usize::from(*byte)]).unwrap_or(rest.len());
        let (length, is_separator) = match rest {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_parts_encoded_data_is_left_out_and_a_long_gap_is_not() {
        let fold = |text: &str| String::from_utf8(folded(text.as_bytes(), 0)).unwrap();
        for (text, expected) in [
            ("ab\r\ncd\n  ef", "abcdef"),
            ("0a:0b 0c\t0d", "0a0b0c0d"),
            (r"ab\ncd\r\nef\/gh", "abcdef/gh"),
            (r"no\such\rung", r"no\suchung"),
            ("nr", "nr"),
        ] {
            assert_eq!(fold(text), expected);
        }
        let gap = |spaces: usize| fold(&format!("a{}b", " ".repeat(spaces)));
        assert_eq!((gap(SEPARATORS_MAX).as_str(), gap(SEPARATORS_MAX + 1).as_str()), ("ab", "a b"));
        assert_eq!((folded(b"ab\ncd", 1), places(b"ab\ncd", 1)), (b"bcd".to_vec(), vec![1, 3, 4]));
    }
}
