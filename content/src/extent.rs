//! Finds the text within bytes: compressed, encrypted or machine code contains every short token by chance, and nobody
//! reads it.
//!
//! Does not recognise text in an encoding other than UTF-8, but text with a few such letters still counts. *Security*:
//! one pass at the speed of memory over any bytes.

use std::ops::Range;

use crate::run::{Class, has, runs};

/// The number of bytes that are classified together.
const BLOCK_BYTES: usize = 256;
/// The shortest run of text between bytes that are none.
const RUN_BYTES_MIN: usize = 16;

/// Printable bytes, white space, and what begins a sequence to a terminal.
static PRINTABLE: Class = {
    let mut class = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        class[byte as usize] = matches!(byte, 0x08..=0x0D | 0x1B | b' '..=b'~');
        byte += 1;
    }
    class
};

/// The stretches of text, in their order, none touching the next.
pub(crate) fn extents(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut extents: Vec<Range<usize>> = Vec::new();
    let mut add = |start: usize, end: usize| match extents.last_mut() {
        _ if start == end => {}
        Some(last) if last.end == start => last.end = end,
        _ => extents.push(start..end),
    };
    for (block, number) in bytes.chunks(BLOCK_BYTES).zip(0..) {
        let start = number * BLOCK_BYTES;
        if is_text(block) {
            add(start, start + block.len());
        } else if *block != [0; BLOCK_BYTES] {
            // A character at either end may continue outside.
            let head = block.iter().take_while(|byte| has(&PRINTABLE, **byte)).count();
            let tail = block.iter().rev().take_while(|byte| has(&PRINTABLE, **byte)).count();
            let end = block.len() - tail;
            add(start, start + head);
            let within = runs(block, &PRINTABLE, RUN_BYTES_MIN).into_iter();
            for run in within.filter(|run| run.start >= head && run.end <= end) {
                add(start + run.start, start + run.end);
            }
            add(start + end.max(head), start + block.len());
        }
    }
    extents
}

/// Whether at least seven of eight bytes are text; the ends of a block may cut a character in two.
fn is_text(block: &[u8]) -> bool {
    others(block) * 8 <= block.len() + 16
}

/// How many bytes of a block, which is no longer than some thousand bytes, are no text.
pub(crate) fn others(block: &[u8]) -> usize {
    let controls: u16 = block.iter().map(|byte| u16::from(is_control(*byte))).sum();
    // A character of several bytes begins with one that the others follow.
    let broken: u16 = if block.is_ascii() {
        0
    } else {
        let pairs = block.iter().zip(block.iter().skip(1));
        pairs
            .map(|(byte, next)| u16::from((*byte >= 0xC0) != continues(*next) && (*byte >= 0xC0 || *byte < 0x80)))
            .sum()
    };
    usize::from(controls + broken)
}

/// Whether a byte continues a character of several bytes.
const fn continues(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Whether a byte is no text: terminal control bytes count as text.
const fn is_control(byte: u8) -> bool {
    byte < 0x07 || (byte > 0x0F && byte < 0x20 && byte != 0x1B)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_distinguished_from_other_bytes() {
        let noise: Vec<u8> = (0..4200_u32).map(|at| (at.wrapping_mul(0x9E37_79B1) >> 11).to_le_bytes()[1]).collect();
        let among = |text: &[u8]| {
            let bytes = [&noise[..], text, &noise].concat();
            let middle = noise.len() + text.len() / 2;
            extents(&bytes).iter().any(|extent| extent.contains(&middle))
        };
        assert!(among(&b"some words and more of them ".repeat(40)));
        assert!(among("слова и ещё слова, их много ".repeat(40).as_bytes()));
        assert!(among(b"a token of twenty-odd bytes"));
        let short = [&[0; 100][..], b"short", &[0; 151]].concat();
        assert!(extents(&short).is_empty());
        assert!(extents(&[0; 10_000]).is_empty());
        let all = b"text\n".repeat(1000);
        assert_eq!(extents(&all), vec![0..all.len()]);
    }
}
