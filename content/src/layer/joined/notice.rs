//! Where a word may have been taken apart, seen by the classes of its bytes.
//!
//! Generous: what is noticed is looked at again.

use crate::survey::{Class, Survey, low};

/// The first place from `from` on, and before `end`, that stands before a mark within a word.
pub(super) fn next(survey: &Survey, from: usize, end: usize) -> Option<usize> {
    survey.next(from, end, |block| noticed(survey, block))
}

/// All such places in a block.
fn noticed(survey: &Survey, block: usize) -> u64 {
    let of = |class| survey.ahead(block, class);
    let (letter, mark, quote) = (of(Class::Letter), of(Class::Mark), of(Class::Quote));
    let (joint, close, bar) = (of(Class::Joint), of(Class::Close), of(Class::Bar));
    let word = letter | of(Class::Digit);
    let sign = !word;
    let within = mark >> 1 & (letter >> 2 | mark >> 2 | (sign & !joint) >> 2);
    let quoted = quote >> 1 & (joint >> 2 | quote >> 2 & letter >> 3);
    // `__` and `/*`.
    let barred = bar >> 1 & (bar >> 2 | mark >> 2);
    let apart = |step: u32| {
        let one = sign >> 1 & sign >> (step - 1) & word >> step;
        one & one >> step & one >> (2 * step)
    };
    let apart = apart(2) | apart(3) | apart(4) | apart(5);
    low(letter & (within | quoted | barred | apart) | close & letter >> 1)
}
