//! What words that are out of sight stand for when they are encoded, too: whoever hides a message twice has nothing to mark.
//!
//! *Security*: hostile bytes; reads one short run, and what comes out of it is bounded.

use super::talk::{Talk, talk};
use crate::layer::layers;
use crate::place::Place;
use crate::view::View;

/// The shortest and longest run that is decoded, bytes, and the most that may come out.
const RUN_BYTES_MIN: usize = 12;
const RUN_BYTES_MAX: usize = 512;
const DECODED_BYTES_MAX: usize = 4096;

/// The fewest numbers that are read as characters.
const NUMBERS_MIN: usize = 5;

/// What the words are for that a hidden run is the code of; silent if it is no code, or of nothing legible.
pub(super) fn unveiled(text: &[u8]) -> Talk {
    let text = text.trim_ascii();
    let is_code = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(byte);
    let is_number = |byte: &u8| byte.is_ascii_hexdigit() || b" ,".contains(byte);
    if !(RUN_BYTES_MIN..=RUN_BYTES_MAX).contains(&text.len())
        || !(text.iter().all(is_code) || text.iter().all(is_number))
    {
        return Talk::Silent;
    }
    if let Some(said) = by_number(text) {
        return said;
    }
    let found = layers(&View::new(text, true, true, 1, Place::Artifact), DECODED_BYTES_MAX);
    let is_legible = |bytes: &[u8]| {
        bytes.contains(&b' ') && bytes.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
    };
    // Words that stand together, `prettier-ignore-end`, veil nothing.
    let is_code = |encoding: &str| !matches!(encoding, "glued" | "joined" | "spelling");
    let layers = found.layers.iter().filter(|layer| is_code(layer.encoding) && is_legible(&layer.bytes));
    let words = layers.map(|layer| talk(&layer.bytes));
    words.max().filter(|said| *said >= Talk::Mark).map_or(Talk::Silent, |said| said.max(Talk::Sentence))
}

/// The same of characters by their decimal numbers.
fn by_number(text: &[u8]) -> Option<Talk> {
    let text = std::str::from_utf8(text).ok()?;
    let numbers = text.split([' ', ',']).filter(|number| !number.is_empty());
    let bytes = numbers.map(|number| number.parse().ok().filter(|byte: &u8| matches!(byte, b' '..=b'~')));
    let bytes: Vec<u8> = bytes.collect::<Option<_>>()?;
    (bytes.len() >= NUMBERS_MIN && bytes.contains(&b' ') && talk(&bytes) >= Talk::Mark).then_some(Talk::Sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_words_are_words_and_other_runs_are_none() {
        for code in
            ["73656e64207468652069645f7273612066696c65", "a2V5IHVuZGVyIHRoZSBtYXQ=", "111 98 101 121 32 109 101"]
        {
            assert!(unveiled(code.as_bytes()) >= Talk::Sentence, "{code}");
        }
        for run in ["4f2c9d1e8ab37c5560e1d2f3a4b5c6d7", "navigation-main-menu", "2026-11-22", "a few words of it", ""] {
            assert_eq!(unveiled(run.as_bytes()), Talk::Silent, "{run}");
        }
    }
}
