//! The features of a sentence: single words and pairs of words, each identified by a number.
//!
//! ```text
//! ignor               a word, by its stem
//! #v_ignore           the class of a word, which its stem has (`words/classes.txt`)
//! PRIOR               a sense, which some words and phrases have (`words/orders.txt` and its like)
//! ^ignor              the same at the beginning of a clause
//! ignor PRIOR         one right behind the other
//! ^ignor PRIOR        the same at the beginning of a clause
//! ignor .. instruct   one behind the other with up to three words between them
//! ```
//!
//! Does not know the weights (`weights.rs`).

use std::ops::Range;

/// The longest stem of a word in ASCII, bytes, and of another word, characters.
const STEM_BYTES: usize = 8;
const STEM_CHARACTERS: usize = 7;
/// A word that no suffix is taken from has so many bytes or fewer.
const WHOLE_BYTES_MAX: usize = 3;

/// How the words of a feature are positioned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Single = 1,
    Opening = 2,
    Adjacent = 3,
    OpeningAdjacent = 4,
    Near = 5,
}

/// The number of a stem, or of the name of a class or sense.
#[inline]
pub(super) fn symbol(name: &[u8]) -> u64 {
    let (whole, rest) = name.as_chunks::<8>();
    let last = rest.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
    let start = whole.iter().fold(0, |hash, eight| mix(hash ^ u64::from_le_bytes(*eight)));
    if rest.is_empty() && !whole.is_empty() { start } else { mix(start ^ last) }
}

/// The same of at most eight bytes, the first in the lowest bits and zeros behind them.
#[inline]
pub(super) const fn short_symbol(name: u64) -> u64 {
    mix(name)
}

/// The number of a feature; `second` is 0 where there is but one word.
#[inline]
pub(super) const fn key(kind: Kind, first: u64, second: u64) -> u64 {
    mix((first ^ kind as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) ^ second)
}

#[inline]
const fn mix(value: u64) -> u64 {
    let value = value.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    value ^ value >> 32
}

/// The stem of a word in lower case: without some endings of English, and of limited length. Every number is the same word.
#[inline]
pub(super) fn stem(word: &str) -> &str {
    if !word.is_ascii() {
        return word.char_indices().nth(STEM_CHARACTERS).map_or(word, |(end, _)| &word[..end]);
    }
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return "0";
    }
    &word[..stem_bytes(word.as_bytes())]
}

/// The length of the stem of a word of ASCII in lower case that is no number.
#[inline]
pub(super) fn stem_bytes(word: &[u8]) -> usize {
    let mut rest = word;
    if let [stem @ .., before, b's'] = rest
        && stem.len() + 2 > WHOLE_BYTES_MAX
        && !matches!(before, b's' | b'u')
    {
        rest = &rest[..rest.len() - 1];
    }
    rest = match rest {
        [stem @ .., b'i', b'n', b'g'] | [stem @ .., b'e', b'd'] if stem.len() > 2 => stem,
        _ => rest,
    };
    rest = match rest {
        [stem @ .., b'e' | b'y' | b'i'] if stem.len() > WHOLE_BYTES_MAX => stem,
        _ => rest,
    };
    rest.len().min(STEM_BYTES)
}

/// A sentence's words under their aspects, and every feature that they make.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    symbols: Vec<Symbol>,
    /// Where the symbols of each word end.
    ends: Vec<usize>,
}

/// A word under one aspect: its stem, the class that its stem belongs to, or a sense of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Symbol {
    pub(super) word: usize,
    pub(super) key: u64,
}

/// One word or pair of a sentence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Feature {
    pub(super) kind: Kind,
    pub(super) first: Symbol,
    pub(super) second: Option<Symbol>,
}

impl Feature {
    #[inline]
    pub(super) fn key(&self) -> u64 {
        key(self.kind, self.first.key, self.second.map_or(0, |second| second.key))
    }
}

/// How far behind a word another still makes a pair with it.
const REACH: usize = 4;

impl Symbols {
    pub(super) fn clear(&mut self) {
        self.symbols.clear();
        self.ends.clear();
    }

    /// Adds a word by the numbers of its aspects.
    pub(super) fn add(&mut self, keys: impl Iterator<Item = u64>) {
        let word = self.ends.len();
        self.symbols.extend(keys.map(|key| Symbol { word, key }));
        self.ends.push(self.symbols.len());
    }

    /// Every feature; `opens` tells whether a word begins a clause.
    pub(super) fn each(&self, opens: impl Fn(usize) -> bool, mut found: impl FnMut(Feature)) {
        let mut start = 0;
        for (word, end) in self.ends.iter().enumerate() {
            let behind = |words: usize| self.ends.get(word + words).or(self.ends.last()).copied().unwrap_or(*end);
            let of = |range: Range<usize>| self.symbols.get(range).unwrap_or_default();
            let (next, near) = (of(*end..behind(1)), of(behind(1)..behind(REACH)));
            let is_opening = opens(word);
            for first in of(std::mem::replace(&mut start, *end)..*end).iter().copied() {
                let mut pairs = |kind, seconds: &[Symbol]| {
                    for second in seconds {
                        found(Feature { kind, first, second: Some(*second) });
                    }
                };
                pairs(Kind::Adjacent, next);
                pairs(Kind::Near, near);
                if is_opening {
                    pairs(Kind::OpeningAdjacent, next);
                    found(Feature { kind: Kind::Opening, first, second: None });
                }
                found(Feature { kind: Kind::Single, first, second: None });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (stem_of_all, words) in [
            ("approv", ["approve", "approves", "approved"]),
            ("ignor", ["ignore", "ignored", "ignoring"]),
            ("instruct", ["instruction", "instructions", "instructed"]),
            ("0", ["7", "4711", "00"]),
            ("инструк", ["инструкция", "инструкции", "инструкций"]),
        ] {
            for word in words {
                assert_eq!(stem(word), stem_of_all, "{word}");
            }
        }
        assert_ne!(stem("previous"), stem("previou"), "an s behind a u is no ending");
        assert_eq!([stem("is"), stem("red"), stem("ring")], ["is", "red", "ring"]);
    }

    #[test]
    fn positions_and_order_of_words_are_distinguished() {
        let [one, other] = ["ignor", "rule"].map(|word| symbol(word.as_bytes()));
        let keys = [
            key(Kind::Single, one, 0),
            key(Kind::Opening, one, 0),
            key(Kind::Adjacent, one, other),
            key(Kind::Adjacent, other, one),
            key(Kind::OpeningAdjacent, one, other),
            key(Kind::Near, one, other),
        ];
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[..at].contains(key), "{at}");
        }
        assert_ne!(symbol(b"aaaaaaaa"), symbol(b"aaaaaaaaa"));
        assert_ne!(symbol(b"aaaaaaaab"), symbol(b"aaaaaaaac"));
    }
}
