//! Whether a finding stands among text at all: in what is compressed, encrypted or machine code every short sign turns up by
//! chance, and is read by nobody.
//!
//! Does not say what is text in an encoding other than UTF-8; text with a few such letters still is.
//!
//! *Security*: reads a bounded neighbourhood of each finding.

use std::ops::Range;

/// The fewest bytes that say of themselves whether they are text, and how many around fewer ones are read with them.
const OWN_BYTES_MIN: usize = 16;
const AROUND_BYTES: usize = 48;
/// The most bytes that are read.
const READ_BYTES_MAX: usize = 512;

/// Whether what stands at `range` is text, or stands in some: at least seven of eight bytes are.
pub(super) fn is_among_text(bytes: &[u8], range: &Range<usize>) -> bool {
    let is_own = range.len() >= OWN_BYTES_MIN;
    let around = if is_own { 0 } else { AROUND_BYTES };
    let from = range.start.saturating_sub(around);
    let to = bytes.len().min(range.end.saturating_add(around)).min(from + READ_BYTES_MAX);
    let near = bytes.get(from..to).unwrap_or_default();
    // What terminals are told by is text to them.
    let is_other = |byte: &&u8| {
        byte.is_ascii_control()
            && !byte.is_ascii_whitespace()
            && !matches!(byte, 0x07 | 0x08 | 0x0B | 0x0E | 0x0F | 0x1B | 0x7F)
    };
    let others = near.utf8_chunks().map(|chunk| {
        // The ends may cut a character in two.
        chunk.invalid().len() + chunk.valid().as_bytes().iter().filter(is_other).count()
    });
    // What a layer puts for bytes that are no text is none either.
    let replaced = memchr::memmem::find_iter(near, "\u{fffd}").count() * '\u{fffd}'.len_utf8();
    (others.sum::<usize>() + replaced) * 8 <= near.len() + 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_is_told_from_one_that_turned_up_by_chance() {
        let noise: Vec<u8> = (0..200_u32).map(|at| (at.wrapping_mul(0x9E37_79B1) >> 11).to_le_bytes()[1]).collect();
        let sign = b"\x1b[8m";
        let within = |around: &[u8]| {
            let bytes = [around, sign, around].concat();
            is_among_text(&bytes, &(around.len()..around.len() + sign.len()))
        };
        assert!(!within(&noise));
        assert!(within(&b"some words and more of them ".repeat(4)));
        assert!(within("слова и ещё слова, их много ".repeat(4).as_bytes()));
        assert!(within(b"") && !within(&[0x10; 60]));
        // What is long enough to be no chance cannot be covered by what stands around it.
        let token = b"AKIA".repeat(4);
        let bytes = [&[0x10; 60][..], &token, &[0x10; 60]].concat();
        assert!(is_among_text(&bytes, &(60..60 + token.len())));
        let comment = b"<!-- words that nobody sees -->";
        let bytes = [&noise[..], comment, &noise].concat();
        assert!(is_among_text(&bytes, &(noise.len()..noise.len() + comment.len())));
    }
}
