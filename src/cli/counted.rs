//! Counts with nouns in sentences for people.

use std::fmt::Display;

/// `1 file`, `2 files`.
pub(super) fn counted<N: Display + PartialEq + From<u8> + Copy>(count: N, noun: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// The number of checked things with a fault, as a sentence; `one` and `many` are the predicates for one and for
/// several.
pub(super) fn faulty(faulty: usize, all: usize, noun: &str, one: &str, many: &str) -> String {
    match (faulty, all) {
        (1, 1) => format!("The {noun} {one}."),
        (1, _) => format!("1 of {all} {noun}s {one}."),
        _ => format!("{faulty} of {all} {noun}s {many}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_is_not_told_as_many() {
        assert_eq!([0_usize, 1, 2].map(|count| counted(count, "file")), ["0 files", "1 file", "2 files"]);
        let sentence = |part, all| faulty(part, all, "bundle", "is not sound", "are not sound");
        assert_eq!(sentence(1, 1), "The bundle is not sound.");
        assert_eq!(sentence(1, 2), "1 of 2 bundles is not sound.");
        assert_eq!(sentence(2, 2), "2 of 2 bundles are not sound.");
    }
}
