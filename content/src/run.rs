//! Finds runs of bytes of one class without testing every byte: a run of sixteen includes every sixteenth position.
//!
//! *Security*: linear; a byte is read at most three times.

use std::ops::Range;

/// Whether each byte belongs to a class.
pub(crate) type Class = [bool; 256];

/// The class of some bytes.
pub(crate) const fn class(members: &[u8]) -> Class {
    let mut class = [false; 256];
    let mut at = 0;
    while at < members.len() {
        class[members[at] as usize] = true;
        at += 1;
    }
    class
}

/// Whether a byte belongs to a class.
pub(crate) fn has(class: &Class, byte: u8) -> bool {
    class.get(usize::from(byte)).is_some_and(|is_member| *is_member)
}

/// The runs of at least `least` bytes of a class, in their order.
pub(crate) fn runs(bytes: &[u8], class: &Class, least: usize) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let (mut done, mut at) = (0, least.saturating_sub(1));
    while let Some(&byte) = bytes.get(at) {
        if !has(class, byte) {
            done = at + 1;
            at += least;
            continue;
        }
        let before = bytes.get(done..at).unwrap_or_default();
        let start = before.iter().rposition(|byte| !has(class, *byte)).map_or(done, |last| done + last + 1);
        let rest = bytes.get(at..).unwrap_or_default();
        let end = at + rest.iter().position(|byte| !has(class, *byte)).unwrap_or(rest.len());
        if end - start >= least {
            runs.push(start..end);
        }
        done = end + 1;
        at = end + least;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_run_that_is_long_enough_is_found_whole(text in "[ab.]{0,60}", least in 1_usize..6) {
            let mut expected = Vec::new();
            let mut start = 0;
            for part in text.split('.') {
                expected.extend((part.len() >= least).then_some(start..start + part.len()));
                start += part.len() + 1;
            }
            prop_assert_eq!(runs(text.as_bytes(), &class(b"ab"), least), expected);
        }
    }
}
