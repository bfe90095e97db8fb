//! What a sentence weighs: the sum of what its words and pairs of words speak for and against, by a fitted table.
//!
//! Does not split sentences (`reading.rs`), and does not say which rule is broken (`broken.rs`).
//!
//! The table, `weights.tsv`, is a logistic regression over hostile sentences that were written for it and over the sentences of
//! real documents, in which nothing may be found; `examples/fit/` makes it, and `docs/content.md` says how often it is right. A
//! feature counts once in a sentence. The build turns it into a hash table.
//!
//! *Security*: a bounded number of look-ups for each of the at most [`WORDS_MAX`] words. Known
//! weakness: words that speak against can be strewn into a sentence.

use super::feature::{self, Kind};
use super::reading::{Reading, WORDS_MAX};
use super::sense::NAMES;
use std::ops::Range;
use std::sync::LazyLock;

/// How far behind a word another still makes a pair with it.
const REACH: usize = 4;

/// Weights are in sixteenths: what a sentence weighs as an order and as a claim.
pub(super) type Weight = [i32; 2];
/// Where each of them stands in a [`Weight`].
pub(super) const ORDER: usize = 0;
pub(super) const CLAIM: usize = 1;

mod table;

/// What a symbol of a word is: its stem, the class that its stem belongs to, or a sense of it, by their places among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aspect {
    Stem,
    Class(usize),
    Sense(usize),
}

/// A word under one aspect.
#[derive(Debug, Clone, Copy)]
pub(super) struct Symbol {
    pub(super) word: usize,
    #[cfg_attr(not(feature = "fit"), expect(dead_code, reason = "names a feature"))]
    pub(super) aspect: Aspect,
    key: u64,
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
        feature::key(self.kind, self.first.key, self.second.map_or(0, |second| second.key))
    }
}

static SENSES: LazyLock<Vec<u64>> = LazyLock::new(|| numbers(NAMES));
static CLASSES: LazyLock<Vec<u64>> = LazyLock::new(|| numbers(table::CLASSES));

fn numbers(names: &[&str]) -> Vec<u64> {
    names.iter().map(|name| feature::symbol(name.as_bytes())).collect()
}

/// The class of a stem, by its place among all and by its number.
#[inline]
pub(super) fn class(stem: u64) -> Option<(usize, u64)> {
    let class = table::class(stem)?;
    Some((class, CLASSES.get(class).copied()?))
}

/// A feature in the table: its place there, and the words between which it stands, both included.
type Known = (u32, u8, u8);

// Words are found by bisection among these: a place that did not fit would stand out of order.
const _: () = assert!(WORDS_MAX <= 1 << u8::BITS);

/// The symbols and sums of one sentence after the other.
#[derive(Debug, Default)]
pub(super) struct Scale {
    symbols: Vec<Symbol>,
    /// Where the symbols of each word end.
    ends: Vec<usize>,
    /// Of each feature of the sentence that is in the table, its place there, and its first and last word; by the first.
    known: Vec<Known>,
    /// Those of the words that were weighed last, each once.
    found: Vec<Known>,
    /// The places of those that were weighed, a bit each; none once a sentence was weighed.
    weighed: Vec<u64>,
}

impl Scale {
    /// Takes the words of a sentence.
    pub(super) fn load(&mut self, reading: &Reading) {
        self.name(reading, |symbol| table::find(feature::key(Kind::Single, symbol.key, 0)).is_some());
        let mut known = std::mem::take(&mut self.known);
        known.clear();
        self.each(reading, 0..reading.words.len(), |feature| {
            if let Some(place) = table::find(feature.key()) {
                let second = feature.second.unwrap_or(feature.first).word;
                known.push((place, u8::try_from(feature.first.word).unwrap_or(0), u8::try_from(second).unwrap_or(0)));
            }
        });
        debug_assert!(known.is_sorted_by_key(|(_, first, _)| *first), "by the first word");
        self.known = known;
    }

    /// What some words weigh of the sentence that was loaded.
    pub(super) fn weigh(&mut self, words: Range<usize>) -> Weight {
        self.weighed.resize(table::SLOTS.div_ceil(64), 0);
        self.found.clear();
        let first = self.known.partition_point(|(_, first, _)| usize::from(*first) < words.start);
        let mut sum = table::BIAS;
        for known in self.known.iter().skip(first).take_while(|(_, first, _)| usize::from(*first) < words.end) {
            let (place, _, second) = *known;
            if usize::from(second) < words.end
                && let Some(bits) = self.weighed.get_mut(place as usize / 64)
                && *bits >> (place % 64) & 1 == 0
            {
                *bits |= 1 << (place % 64);
                self.found.push(*known);
                let weight = table::weight(place);
                sum = [sum[ORDER] + weight[ORDER], sum[CLAIM] + weight[CLAIM]];
            }
        }
        for (place, ..) in &self.found {
            if let Some(bits) = self.weighed.get_mut(*place as usize / 64) {
                *bits = 0;
            }
        }
        sum
    }

    /// The words that spoke for what was weighed last: the pair that spoke most, and from the first to the last of
    /// those that spoke half as much.
    pub(super) fn main_words(&mut self, side: usize) -> [(usize, usize); 2] {
        self.found.sort_unstable();
        let weight = |found: &Known| table::weight(found.0)[side];
        let Some(most) = self.found.iter().max_by_key(|found| weight(found)) else { return [(0, 0); 2] };
        let main = self.found.iter().filter(|found| weight(found) * 2 >= weight(most));
        let words = main.fold((usize::MAX, 0), |(first, last), found| {
            (first.min(usize::from(found.1)), last.max(usize::from(found.2)))
        });
        [(usize::from(most.1), usize::from(most.2)), words]
    }

    /// Names the symbols of the words, but those that are in no feature.
    pub(super) fn name(&mut self, reading: &Reading, is_known: impl Fn(&Symbol) -> bool) {
        self.symbols.clear();
        self.ends.clear();
        for (word, read) in reading.words.iter().enumerate() {
            let stem = Symbol { word, aspect: Aspect::Stem, key: read.stem };
            let class = class(read.stem).map(|(class, key)| Symbol { word, aspect: Aspect::Class(class), key });
            self.symbols.extend([Some(stem), class].into_iter().flatten().filter(&is_known));
            let mut senses = read.senses;
            while senses != 0 {
                let sense = senses.trailing_zeros() as usize;
                senses &= senses - 1;
                let key = SENSES.get(sense).copied().unwrap_or_default();
                let symbol = Symbol { word, aspect: Aspect::Sense(sense), key };
                self.symbols.extend(Some(symbol).filter(&is_known));
            }
            self.ends.push(self.symbols.len());
        }
    }

    /// Every feature of some of the words whose symbols were named.
    pub(super) fn each(&self, reading: &Reading, words: Range<usize>, mut found: impl FnMut(Feature)) {
        let of = |word: usize| {
            if word >= words.end {
                return &[][..];
            }
            let start = word.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
            self.symbols.get(start..self.ends.get(word).copied().unwrap_or(start)).unwrap_or_default()
        };
        for (word, read) in reading.words.iter().enumerate().take(words.end).skip(words.start) {
            for first in of(word) {
                let feature = |kind, second| Feature { kind, first: *first, second };
                found(feature(Kind::Single, None));
                if read.opens {
                    found(feature(Kind::Opening, None));
                    for second in of(word + 1) {
                        found(feature(Kind::OpeningAdjacent, Some(*second)));
                    }
                }
                for second in of(word + 1) {
                    found(feature(Kind::Adjacent, Some(*second)));
                }
                for second in (word + 2..=word + REACH).flat_map(of) {
                    found(feature(Kind::Near, Some(*second)));
                }
            }
        }
    }
}

#[cfg(feature = "fit")]
pub(super) use table::CLASSES as CLASS_NAMES;
pub(super) use table::{GLANCE_BIAS, glance};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// The lines of the table, each a feature and what it weighs.
    fn lines() -> impl Iterator<Item = (&'static str, Vec<i32>)> {
        include_str!("weights.tsv").lines().map(|line| {
            let mut fields = line.split('\t');
            (fields.next().unwrap(), fields.map(|field| field.parse().unwrap()).collect())
        })
    }

    #[test]
    fn every_word_and_sense_weighs_what_its_line_says() {
        let glances: HashMap<_, _> = lines().filter_map(|(name, weights)| Some((name, *weights.get(2)?))).collect();
        let at_a_glance = |name| glances.get(name).copied().unwrap_or(0);
        let mut senses = 0;
        for (name, weights) in lines().skip(1).filter(|(name, _)| !name.contains([' ', '^'])) {
            let symbol = feature::symbol(name.as_bytes());
            let place = table::find(feature::key(Kind::Single, symbol, 0)).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(table::weight(place), weights[..2], "{name}");
            let of_class = class(symbol).map_or(0, |(class, _)| at_a_glance(table::CLASSES[class]));
            let expected = at_a_glance(name) + of_class;
            assert_eq!(glance(symbol), expected.clamp(i8::MIN.into(), i8::MAX.into()), "{name}");
            senses += usize::from(name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'));
        }
        assert!(senses > 40, "{senses}");
        assert_eq!(
            (table::find(feature::symbol(b"no such word")), glance(feature::symbol(b"no such word"))),
            (None, 0)
        );
    }

    #[test]
    fn every_sense_that_weighs_is_one() {
        for (name, _) in lines().skip(1) {
            for word in name.trim_start_matches('^').split(' ') {
                let is_sense = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
                assert!(!is_sense || NAMES.contains(&word), "{name}");
            }
        }
    }

    #[test]
    fn a_sentence_weighs_the_sum_of_its_features_each_once() {
        let mut reading = Reading::default();
        let mut scale = Scale::default();
        let mut weigh = |text: &str| {
            reading.read(text, 0..text.len());
            scale.load(&reading);
            scale.weigh(0..reading.words.len())
        };
        assert_eq!(weigh("7"), table::BIAS);
        assert_ne!(weigh("ignore"), table::BIAS);
        assert_eq!(weigh(&"ignore, ".repeat(6)), weigh(&"ignore, ".repeat(30)));
    }
}
