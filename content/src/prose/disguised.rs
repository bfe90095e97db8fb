//! Where a text is written in another way than plainly, so that it has to be read once more without its disguise.
//!
//! Seen by the classes of its bytes, generously; what changes nothing when it is undone tells nothing new. Bytes that are no text
//! have no disguise.

use std::ops::Range;

use crate::legible::is_among_text;
use crate::survey::{BLOCK_BYTES, Class, Survey, low};

/// How much of the text around a disguise is read with it, on either side: more than most sentences have.
const AROUND_BYTES: usize = 1024;

/// The parts of the surveyed bytes that have a disguise, each with what stands around it.
pub(super) fn parts(bytes: &[u8], survey: &Survey) -> Vec<Range<usize>> {
    let next = |from, end| survey.next(from, end, |block| noticed(survey, block));
    let mut parts = Vec::new();
    let mut done = 0;
    while let Some(first) = next(done, bytes.len()) {
        if !is_among_text(bytes, &(first..first + BLOCK_BYTES)) {
            done = (first + 1).next_multiple_of(BLOCK_BYTES);
            continue;
        }
        let start = first.saturating_sub(AROUND_BYTES).max(done);
        // A block in which there is one is read to its end.
        done = (first + 1).next_multiple_of(BLOCK_BYTES);
        while let Some(more) = next(done, done + 2 * AROUND_BYTES) {
            done = (more + 1).next_multiple_of(BLOCK_BYTES);
        }
        parts.push(line_start(bytes, start, first)..line_end(bytes, done, done + AROUND_BYTES));
    }
    parts
}

/// The first beginning of a line from `start` to `first`; `start` where there is none.
fn line_start(bytes: &[u8], start: usize, first: usize) -> usize {
    let before = bytes.get(start..first).unwrap_or_default();
    memchr::memchr(b'\n', before).filter(|_| start > 0).map_or(start, |end| start + end + 1)
}

/// The last end of a line from `done` to `end`; `end` where there is none.
fn line_end(bytes: &[u8], done: usize, end: usize) -> usize {
    let end = end.min(bytes.len());
    memchr::memrchr(b'\n', bytes.get(done..end).unwrap_or_default()).map_or(end, |at| done + at + 1)
}

/// The places of a block at which a disguise may begin.
fn noticed(survey: &Survey, block: usize) -> u64 {
    let of = |class| survey.ahead(block, class);
    let (letter, leet, marks) = (of(Class::Letter), of(Class::Leet), of(Class::Emphasis));
    let word = letter | of(Class::Digit);
    // Letters, each apart from the next.
    let spelled = (0..=6_u32).fold(u128::MAX, |all, at| all & if at % 2 == 0 { letter >> at } else { !letter >> at });
    // One or two digits between letters.
    let leet = letter & leet >> 1 & (letter >> 2 | leet >> 2 & letter >> 3);
    // Marks of emphasis within a word; a single low line joins the parts of a name.
    let single = marks & !of(Class::Bar);
    let two = marks >> 1 & marks >> 2;
    let within = single >> 1 & word >> 2 | two & (word >> 3 | marks >> 3 & (word >> 4 | marks >> 4));
    low(spelled | leet | word & within | of(Class::Foreign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::single_range_in_vec_init, reason = "one part")]
    fn every_disguise_is_noticed_and_ordinary_text_is_not() {
        for text in [
            "1gn0re",
            "a11ow",
            "ig**no**re",
            "ig*no*re",
            "ig__no__re",
            "i g n o r e",
            "i-g-n-o-r-e",
            "ignóre",
            "ig~~~~~no",
        ] {
            let text = format!("some text before\nand {text} with it");
            assert_eq!(parts(text.as_bytes(), &Survey::of(text.as_bytes())), vec![0..text.len()], "{text}");
        }
        let text =
            "A **bold** word, `code`, snake_case_names, __init__ and 3 files of 42 kB in x86_64 or v1.2; a b do.";
        assert!(parts(text.as_bytes(), &Survey::of(text.as_bytes())).is_empty());
    }

    #[test]
    #[allow(clippy::single_range_in_vec_init, reason = "one part")]
    fn disguises_that_stand_near_each_other_are_read_together_and_others_apart() {
        let near = format!("l1ne\n{}\nl1ne\n", "word ".repeat(200));
        assert_eq!(parts(near.as_bytes(), &Survey::of(near.as_bytes())), vec![0..near.len()]);
        let far = format!("l1ne\n{}\nl1ne\n", "word word\n".repeat(1000));
        let found = parts(far.as_bytes(), &Survey::of(far.as_bytes()));
        assert_eq!((found.len(), found[0].start, found[1].end), (2, 0, far.len()));
        assert!(found[0].end < 1100 && found[1].start > far.len() - 1100);
    }
}
