//! The words and phrases that have a sense, from the lists in `content/words/`.
//!
//! ```text
//! [OVERRIDE COMMANDING]             the senses of the group
//! ignore | do not follow | ignorier*
//! ```
//!
//! A list is read once. A phrase is a path of hashes, one for every word of it, so that a sentence is read in one pass.
//! Does not judge: the weights of senses are in the table of weights.
//!
//! *Security*: linear in the sentence; a phrase has few words.

use std::sync::LazyLock;

use super::features::symbol;
use super::table::Table;
use super::words::push_plain;
use crate::plain::folded;

/// A set of senses: a bit each.
pub(super) type Senses = u64;

const LISTS: [&str; 5] = [
    include_str!("../../words/orders.txt"),
    include_str!("../../words/demands.txt"),
    include_str!("../../words/claims.txt"),
    include_str!("../../words/governing.txt"),
    include_str!("../../words/languages.txt"),
];

/// The contents of the lists.
pub(super) struct Lexicon {
    /// The senses by the hash of a phrase with a space behind each word; none where only the beginning of one ends.
    phrases: Table<Senses>,
    /// The same by the hash of a word that may go on in any way.
    stems: Table<Senses>,
    /// The sense of each bit, by name and by the number of that.
    pub(super) names: Vec<&'static str>,
    pub(super) symbols: Vec<u64>,
}

pub(super) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::of(&LISTS));

/// Hashes begin with this, and each byte is worked in by a multiplication (FNV-1a).
const SEED: u64 = 0xcbf2_9ce4_8422_2325;

#[inline]
const fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3)
}

impl Lexicon {
    fn of(lists: &[&'static str]) -> Self {
        let lines = || lists.iter().flat_map(|list| list.lines()).filter(|line| !line.starts_with('#'));
        let count = |sign: char| lists.iter().map(|list| list.matches(sign).count()).sum::<usize>();
        // Every entry twice, and as often again for the words that begin them.
        let (phrases, stems) = (Table::with_room(3 * count('|')), Table::with_room(2 * count('*')));
        let mut lexicon = Self { phrases, stems, names: Vec::new(), symbols: Vec::new() };
        let mut senses = 0;
        for line in lines() {
            if let Some(names) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                senses = names.split(' ').fold(0, |all, name| all | lexicon.bit(name));
            } else {
                line.split(" | ").for_each(|entry| lexicon.add(entry, senses));
            }
        }
        lexicon.symbols = lexicon.names.iter().map(|name| symbol(name.as_bytes())).collect();
        lexicon
    }

    /// The bit of a sense, which is a new one if its name is.
    fn bit(&mut self, name: &'static str) -> Senses {
        let place = self.names.iter().position(|known| *known == name);
        if place.is_none() {
            self.names.push(name);
        }
        1_u64.checked_shl(u32::try_from(place.unwrap_or(self.names.len() - 1)).unwrap_or(u32::MAX)).unwrap_or(0)
    }

    /// The bit of a sense that the lists have.
    pub(super) fn sense(&self, name: &str) -> Senses {
        self.names.iter().position(|known| *known == name).map_or(0, |place| 1 << place)
    }

    /// Adds an entry, with and without its accents.
    fn add(&mut self, entry: &str, senses: Senses) {
        let folded = if entry.is_ascii() { String::new() } else { folded(entry) };
        for entry in [entry, &*folded].into_iter().filter(|entry| !entry.is_empty()) {
            let mut plain = String::new();
            entry.trim_end_matches('*').chars().for_each(|character| push_plain(&mut plain, character));
            let mut hash = SEED;
            for byte in plain.trim().bytes() {
                hash = step(hash, byte);
                if byte == b' ' {
                    self.phrases.entry(hash);
                }
            }
            if entry.ends_with('*') {
                *self.stems.entry(hash) |= senses;
            } else {
                *self.phrases.entry(step(hash, b' ')) |= senses;
            }
        }
    }

    /// What a word of a plain form can mean with which `rest` begins, or a phrase that begins with it; a space stands behind
    /// the last word.
    #[inline]
    pub(super) fn senses(&self, rest: &[u8]) -> Senses {
        let (mut hash, mut senses) = (SEED, 0);
        for byte in rest {
            hash = step(hash, *byte);
            if *byte == b' ' {
                let Some((_, here)) = self.phrases.find_rare(hash) else { break };
                senses |= here;
            } else if let Some((_, here)) = self.stems.find_rare(hash) {
                senses |= here;
            }
        }
        senses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_phrases_and_beginnings_of_words_have_their_senses() {
        let lexicon = Lexicon::of(&["# a list\n[ONE]\ntell | do not tell | éviter\n[TWO FOREIGN]\nregel* | não sig*"]);
        let senses = |text: &str| {
            let senses = lexicon.senses(text.as_bytes());
            (0..lexicon.names.len())
                .filter(|sense| senses >> sense & 1 == 1)
                .map(|sense| lexicon.names[sense])
                .collect::<Vec<_>>()
        };
        for text in ["tell me ", "do not tell ", "éviter ", "eviter "] {
            assert_eq!(senses(text), ["ONE"], "{text}");
        }
        for text in ["regeln ", "regel ", "nao sigas ", "não siga "] {
            assert_eq!(senses(text), ["TWO", "FOREIGN"], "{text}");
        }
        for text in ["tells ", "do not ", "do nottell ", "rege ", "não ", ""] {
            assert!(senses(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn every_sense_of_the_lists_has_a_bit_of_its_own() {
        assert!((50..=64).contains(&LEXICON.names.len()), "{:?}", LEXICON.names);
        for name in ["ABOUT", "TOLD", "QUOTING", "REPORTING", "ADDRESS"] {
            assert_ne!(LEXICON.sense(name), 0, "{name}");
        }
    }
}
