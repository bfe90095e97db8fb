//! Words and phrases, found by their first word, or by their first two, where a word of a text begins.
//!
//! ```text
//! one word, or two ──▶ a bit: does any phrase begin so? ──▶ the phrases of its bucket, compared
//! ```
//!
//! *Security*: reads hostile bytes; a word is compared with the phrases of two buckets, which are words of ours.

use std::ops::Range;

use super::sense::Senses;

/// Spreads beginnings over the bits and the buckets.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
/// Bits of a hash that choose among the bits, and among the buckets.
const FILTER_BITS: u32 = 16;
const BUCKET_BITS: u32 = 13;
/// So many bytes of a word are compared as one number.
const HEAD_BYTES: usize = 8;

/// A set of phrases. In them and in the text one space stands between words; a phrase without one behind its last word may go
/// on in any way.
pub(super) struct Phrases {
    /// Whether some phrase is told by a word or two; whether one is told by this word and another.
    told: Filter,
    goes_on: Filter,
    phrases: Box<[Phrase]>,
    /// Where each bucket begins among the phrases.
    buckets: Box<[u32]>,
}

struct Phrase {
    beginning: Beginning,
    text: Box<str>,
    /// Whether the beginning says all of it.
    is_told: bool,
    senses: Senses,
}

/// The first word, and the second where there is one that ends.
type Beginning = (Word, Option<Word>);

struct Filter(Box<[u64]>);

impl Filter {
    fn new(hashes: impl Iterator<Item = u64>) -> Self {
        let mut bits = vec![0; 1 << (FILTER_BITS - 6)];
        for hash in hashes {
            bits[Self::place(hash)] |= 1 << (hash >> (64 - FILTER_BITS) & 63);
        }
        Self(bits.into())
    }

    #[inline]
    fn has(&self, hash: u64) -> bool {
        self.0[Self::place(hash)] >> (hash >> (64 - FILTER_BITS) & 63) & 1 == 1
    }

    /// A hash has as many bits as there are places: this is always one.
    #[inline]
    const fn place(hash: u64) -> usize {
        (hash >> (64 - FILTER_BITS + 6)) as usize
    }
}

/// A word, as far as one number tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Word {
    head: u64,
    length: usize,
}

impl Word {
    /// The word that takes these bytes of a text.
    #[inline]
    fn of(text: &[u8], word: &Range<usize>) -> Self {
        let rest = text.get(word.start..).unwrap_or_default();
        let length = word.len();
        let head = match rest.first_chunk() {
            Some(head) => u64::from_le_bytes(*head),
            None => u64::from_le_bytes(std::array::from_fn(|at| rest.get(at).copied().unwrap_or(0))),
        };
        let unused = 8 * HEAD_BYTES.saturating_sub(length);
        Self { head: if unused < 64 { head << unused >> unused } else { 0 }, length }
    }

    #[inline]
    const fn hash(self) -> u64 {
        (self.head ^ (self.length as u64) << 56).wrapping_mul(FACTOR)
    }
}

#[inline]
fn hash(beginning: Beginning) -> u64 {
    let (first, second) = beginning;
    second.map_or(first.hash(), |second| (first.hash().rotate_left(17) ^ second.hash()).wrapping_mul(FACTOR))
}

const fn bucket(hash: u64) -> usize {
    (hash >> (64 - BUCKET_BITS)) as usize
}

impl Phrase {
    fn new(text: &str, senses: Senses) -> Self {
        let first = text.find(' ').unwrap_or(text.len());
        let rest = text.get(first + 1..).unwrap_or_default();
        let second = rest.find(' ').map(|end| first + 1..first + 1 + end);
        let word = |range: &Range<usize>| Word::of(text.as_bytes(), range);
        let end = second.as_ref().map_or(first, |second| second.end);
        let is_short = first <= HEAD_BYTES && second.as_ref().is_none_or(|second| second.len() <= HEAD_BYTES);
        Self {
            beginning: (word(&(0..first)), second.as_ref().map(word)),
            text: text.into(),
            is_told: is_short && text.len() == end + 1,
            senses,
        }
    }
}

impl Phrases {
    pub(super) fn new<'a>(phrases: impl Iterator<Item = (&'a str, Senses)>) -> Self {
        let mut phrases: Vec<_> = phrases.map(|(text, senses)| Phrase::new(text, senses)).collect();
        phrases.sort_by_key(|phrase| bucket(hash(phrase.beginning)));
        let first = |number| phrases.partition_point(|phrase| bucket(hash(phrase.beginning)) < number);
        let buckets = (0..=1 << BUCKET_BITS).map(|number| u32::try_from(first(number)).unwrap_or(u32::MAX)).collect();
        let pairs = phrases.iter().filter(|phrase| phrase.beginning.1.is_some());
        Self {
            told: Filter::new(phrases.iter().map(|phrase| hash(phrase.beginning))),
            goes_on: Filter::new(pairs.map(|phrase| phrase.beginning.0.hash())),
            phrases: phrases.into(),
            buckets,
        }
    }

    /// The senses of all phrases that begin with a word of a text, behind each of which a space stands.
    #[inline]
    pub(super) fn senses(&self, text: &[u8], word: &Range<usize>, next: Option<&Range<usize>>) -> Senses {
        let first = Word::of(text, word);
        let alone = self.beginning_with(text, word.start, (first, None));
        match next.filter(|_| self.goes_on.has(first.hash())) {
            Some(next) => alone | self.beginning_with(text, word.start, (first, Some(Word::of(text, next)))),
            None => alone,
        }
    }

    #[inline]
    fn beginning_with(&self, text: &[u8], start: usize, beginning: Beginning) -> Senses {
        let hash = hash(beginning);
        if !self.told.has(hash) {
            return 0;
        }
        let bounds = self.buckets.get(bucket(hash)..).and_then(<[u32]>::first_chunk);
        let bucket = bounds.map_or(0..0, |[first, last]| *first as usize..*last as usize);
        let is_here = |phrase: &&Phrase| {
            phrase.beginning == beginning
                && (phrase.is_told || text.get(start..).is_some_and(|rest| rest.starts_with(phrase.text.as_bytes())))
        };
        let here = self.phrases.get(bucket).unwrap_or_default().iter().filter(is_here);
        here.fold(0, |senses, phrase| senses | phrase.senses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_phrase_is_found_where_its_first_word_stands(
            listed in proptest::collection::btree_set("[ab]{1,9}( [ab]{1,9}){0,2} |[ab]{1,9}( [ab]{1,3}){1,2}|é{1,5} ", 0..20),
            text in "([ab]{1,9} |é{1,5} ){1,9}",
        ) {
            let senses = |at: usize| 1 << at;
            let phrases = Phrases::new(listed.iter().enumerate().map(|(at, phrase)| (phrase.as_str(), senses(at))));
            let ends: Vec<_> = text.match_indices(' ').map(|(end, _)| end).collect();
            let words: Vec<_> = ends.iter().scan(0, |start, end| Some(std::mem::replace(start, end + 1)..*end)).collect();
            for (at, word) in words.iter().enumerate() {
                let found = phrases.senses(text.as_bytes(), word, words.get(at + 1));
                let is_first = |phrase: &&str| phrase.split(' ').next() == text.get(word.clone());
                let here = listed.iter().enumerate().filter(|(_, phrase)| {
                    is_first(&phrase.as_str()) && text[word.start..].starts_with(phrase.as_str())
                });
                prop_assert_eq!(found, here.fold(0, |all, (at, _)| all | senses(at)), "{:?} in {}", word, text);
            }
        }
    }
}
