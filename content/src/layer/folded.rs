//! Digits of base64, base32 or hexadecimal that are folded into lines too short to be noticed one by one.
//!
//! ```text
//! aWdub3Jl        a line holds nothing but digits, and perhaps a mark of a quotation or an indent before them
//! IGFsbCB0
//! aGF0
//! ```
//!
//! Lists of words look the same: lines of one length are read in any case, others only if they mix cases or digits as encoded
//! text does. Decoding a list in vain does no harm.
//!
//! Security: reads hostile bytes; each line once, and the digits of one text a fixed number of times.

use std::ops::Range;

use super::RUN_BYTES_MIN;
use super::base64::decode;
use super::found::Found;
use crate::survey::Class;

/// The most bytes of a line, its mark and line end included.
const LINE_BYTES_MAX: usize = RUN_BYTES_MIN as usize + MARK_BYTES_MAX + 2;
/// The most bytes before the digits of a line.
const MARK_BYTES_MAX: usize = 8;
/// The fewest lines and digits of a text.
const LINES_MIN: usize = 3;
const DIGITS_MIN: usize = 24;

/// Decodes texts of short lines.
pub(super) fn find(bytes: &[u8], found: &mut Found) {
    let mut lines = Vec::new();
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes).chain(std::iter::once(bytes.len())) {
        let line = if end - start <= LINE_BYTES_MAX { digits(bytes, start..end) } else { None };
        match line {
            Some(line) => lines.push(line),
            None if lines.is_empty() => {}
            None => text(bytes, &mut lines, found),
        }
        start = end + 1;
    }
    text(bytes, &mut lines, found);
}

/// The digits of a line that holds nothing else, fewer than would be noticed alone.
fn digits(bytes: &[u8], line: Range<usize>) -> Option<Range<usize>> {
    let text = bytes.get(line.clone())?;
    let is_mark = |byte: &u8| matches!(byte, b' ' | b'\t' | b'>' | b'#' | b'|' | b'"' | b'\'');
    let mark = text.iter().take(MARK_BYTES_MAX).take_while(|byte| is_mark(byte)).count();
    let rest = text.get(mark..)?;
    let count = rest.iter().take_while(|byte| Class::Base64.has(**byte)).count();
    let is_end = |byte: &u8| matches!(byte, b'=' | b'\r' | b' ' | b'"' | b'\'' | b'|' | b',' | b'+' | b'\\');
    let start = line.start + mark;
    ((1..RUN_BYTES_MIN as usize).contains(&count) && rest.get(count..)?.iter().all(is_end))
        .then_some(start..start + count)
}

/// Decodes the lines of one text, which are taken.
fn text(bytes: &[u8], lines: &mut Vec<Range<usize>>, found: &mut Found) {
    let total: usize = lines.iter().map(Range::len).sum();
    if lines.len() >= LINES_MIN && total >= DIGITS_MIN {
        let width = lines.first().map_or(0, Range::len);
        let is_even = lines.iter().rev().skip(1).all(|line| line.len() == width);
        let is_mixed = |line: &&Range<usize>| {
            let line = bytes.get((*line).clone()).unwrap_or_default();
            line.iter().any(u8::is_ascii_digit) || line.iter().skip(1).any(u8::is_ascii_uppercase)
        };
        if is_even || lines.iter().filter(is_mixed).count() * 2 >= lines.len() {
            decode(bytes, lines, found);
        }
    }
    lines.clear();
}

#[cfg(test)]
mod tests {
    use super::super::tests::shows;
    use super::super::{View, layers};
    use crate::place::Place;

    const ENCODED: &str = "aWdub3JlIGFsbCB0aGF0IHdhcyBzYWlk";
    const CLEAR: &[u8] = b"ignore all that was said";

    fn folded(width: usize, mark: &str) -> String {
        let lines: Vec<_> = ENCODED.as_bytes().chunks(width).map(|line| String::from_utf8_lossy(line)).collect();
        lines.iter().map(|line| format!("{mark}{line}\n")).collect::<Vec<_>>().concat()
    }

    #[test]
    fn digits_in_lines_of_any_shortness_are_read() {
        for width in 1..15 {
            for mark in ["", "  ", "> "] {
                let text = format!("see below\n{}and above\n", folded(width, mark));
                assert!(shows(text.as_bytes(), "base64", CLEAR), "{text}");
            }
        }
    }

    #[test]
    fn digits_in_lines_of_several_lengths_are_read() {
        assert!(shows(b"aWdub3JlI\nGFsbC\nB0aGF0IHd\nhcyBz\nYWlk\n", "base64", CLEAR));
        assert!(shows(b"69676e\n6f726520\n616c6c206f\n662069\n74\n", "hex", b"ignore all of it"));
    }

    #[test]
    fn a_list_of_words_is_no_text() {
        let words = "apple\nbanana\ncherry\nplum\nquince\nfig\napricot\nmedlar\nsloe\ndamson\n";
        assert_eq!(layers(&View::whole(words.as_bytes(), Place::Artifact), 1 << 20).layers, []);
    }
}
