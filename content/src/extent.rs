//! Where in some bytes there is text at all: in what is compressed, encrypted or machine code every short sign turns up by chance,
//! and is read by nobody.
//!
//! Does not say what is text in an encoding other than UTF-8; text with a few such letters still is. *Security*: one pass at the
//! speed of memory over whatever comes.

use std::ops::Range;

/// So many bytes are told apart together.
const BLOCK_BYTES: usize = 256;
/// The shortest run of text between bytes that are none.
const RUN_BYTES_MIN: usize = 16;

/// The stretches of text, in their order, none touching the next.
pub(crate) fn extents(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut extents: Vec<Range<usize>> = Vec::new();
    let mut add = |start: usize, end: usize| match extents.last_mut() {
        Some(last) if last.end == start => last.end = end,
        _ => extents.push(start..end),
    };
    for (block, number) in bytes.chunks(BLOCK_BYTES).zip(0..) {
        let start = number * BLOCK_BYTES;
        if is_text(block) {
            add(start, start + block.len());
        } else if block.iter().any(|byte| *byte != 0) {
            for run in runs(block) {
                add(start + run.start, start + run.end);
            }
        }
    }
    extents
}

/// Whether at least seven of eight bytes are text.
fn is_text(block: &[u8]) -> bool {
    let others = block.iter().map(|byte| u16::from(is_control(*byte))).sum::<u16>();
    let is_ascii = block.is_ascii();
    let invalid = if is_ascii { 0 } else { block.utf8_chunks().map(|chunk| chunk.invalid().len()).sum::<usize>() };
    (usize::from(others) + invalid) * 8 <= block.len() + 16
}

/// Whether a byte is no text: what terminals are told by is text to them.
const fn is_control(byte: u8) -> bool {
    byte < 0x07 || (byte > 0x0F && byte < 0x20 && byte != 0x1B)
}

/// The long runs of printable bytes in a block, and those at its ends, which may go on.
fn runs(block: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let is_other = |byte: &u8| !(byte.is_ascii_graphic() || byte.is_ascii_whitespace() || *byte == 0x1B);
    let mut next = 0;
    let all = block.split(is_other).map(move |run| {
        let start = next;
        next += run.len() + 1;
        start..start + run.len()
    });
    let is_at_end = |run: &Range<usize>| run.start == 0 || run.end == block.len();
    all.filter(move |run| run.len() >= RUN_BYTES_MIN || is_at_end(run) && !run.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_bytes_that_are_none() {
        let noise: Vec<u8> = (0..4200_u32).map(|at| (at.wrapping_mul(0x9E37_79B1) >> 11).to_le_bytes()[1]).collect();
        let among = |text: &[u8]| {
            let bytes = [&noise[..], text, &noise].concat();
            let middle = noise.len() + text.len() / 2;
            extents(&bytes).iter().any(|extent| extent.contains(&middle))
        };
        assert!(among(&b"some words and more of them ".repeat(40)));
        assert!(among("слова и ещё слова, их много ".repeat(40).as_bytes()));
        assert!(among(b"a token of twenty-odd bytes"));
        assert!(!among(b"short"));
        assert!(extents(&[0; 10_000]).is_empty());
        let all = b"text\n".repeat(1000);
        assert_eq!(extents(&all), vec![0..all.len()]);
    }
}
