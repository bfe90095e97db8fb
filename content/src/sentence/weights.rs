//! The weight of a sentence: the sum of the weights of its words and pairs of words, from a fitted table.
//!
//! ```text
//! (sentence) =-64,-64,-9      what every sentence weighs: as an order, as a claim, at a glance; what is left out is 0
//! ignor =9,,7 ^=5 PRIOR=3     a word; the same at the beginning of a clause; with another right behind it,
//!       ^rule=4 ~rule=2,1     the same at the beginning of a clause, and with up to three words between them
//! ```
//!
//! Weights are in sixteenths. The table, `content/words/weights.txt`, is a logistic regression over hostile sentences
//! that were written for it and over the sentences of real documents, in which nothing may be found; `examples/fit/`
//! makes it. A feature counts once per sentence. Does not split sentences (`split.rs`, `words.rs`).
//!
//! *Security*: a bounded number of look-ups for each of a bounded number of words. Known weakness: an attacker can add
//! words with negative weights to a sentence.

use std::ops::Range;
use std::sync::LazyLock;

use super::features::{self, Kind, Symbols, stem, symbol};
use super::lexicon::{LEXICON, Senses};
use super::table::Table;
use super::words::Reading;

const WEIGHTS: &str = include_str!("../../words/weights.txt");
const CLASSES: &str = include_str!("../../words/classes.txt");

/// The weight of a sentence as an order and as a claim.
pub(super) type Sides = [i32; 2];

/// The table and the classes of words.
pub(super) struct Weights {
    /// The weight of every sentence.
    bias: Sides,
    pub(super) glance_bias: i32,
    features: Table<[i8; 2]>,
    /// By the number of a stem what it weighs at a glance, and the place of its class, from 1 on.
    stems: Table<(i8, u8)>,
    /// The name of each class, and the number of that.
    pub(super) classes: Vec<String>,
    symbols: Vec<u64>,
}

pub(super) static WEIGHTED: LazyLock<Weights> = LazyLock::new(|| Weights::of(WEIGHTS, CLASSES));

impl Weights {
    fn of(weights: &str, classes: &str) -> Self {
        let items = weights.bytes().filter(|byte| *byte == b'=').count();
        let mut all = Self {
            bias: [0; 2],
            glance_bias: 0,
            features: Table::with_room(items + items / 8),
            stems: Table::with_room(items / 4 + classes.split(' ').count()),
            classes: Vec::new(),
            symbols: Vec::new(),
        };
        for line in weights.lines().filter(|line| !line.starts_with("# ")) {
            let mut items = line.split(' ');
            let first = items.next().unwrap_or_default();
            let number = symbol(first.as_bytes());
            all.features.entry(features::key(Kind::Single, number, 0));
            items.for_each(|item| all.add(first, number, item));
        }
        for (line, class) in classes.lines().zip(1..=u8::MAX) {
            all.add_class(line, class);
        }
        all
    }

    /// Takes an item of the line of a word, which has this number.
    fn add(&mut self, first: &str, number: u64, item: &str) {
        let Some((place, values)) = item.split_once('=') else { return };
        let mut values = values.split(',').map(|value| value.parse::<i8>().unwrap_or(0));
        let weight = [values.next().unwrap_or(0), values.next().unwrap_or(0)];
        let glance = values.next().unwrap_or(0);
        if first == "(sentence)" {
            (self.bias, self.glance_bias) = (weight.map(i32::from), i32::from(glance));
            return;
        }
        let (kind, second) = match place.as_bytes() {
            [] => (Kind::Single, None),
            b"^" => (Kind::Opening, None),
            [b'^', second @ ..] => (Kind::OpeningAdjacent, Some(second)),
            [b'~', second @ ..] => (Kind::Near, Some(second)),
            second => (Kind::Adjacent, Some(second)),
        };
        let second = second.map_or(0, symbol);
        if second != 0 {
            // Every member of a pair is known as a word.
            self.features.entry(features::key(Kind::Single, second, 0));
        }
        *self.features.entry(features::key(kind, number, second)) = weight;
        if glance != 0 {
            self.stems.entry(number).0 = glance;
        }
    }

    /// Takes a class of words, as a line names it: `v_think: think thought know`.
    fn add_class(&mut self, line: &str, class: u8) {
        let Some((name, words)) = line.split_once(": ") else { return };
        let name = format!("#{name}");
        let number = symbol(name.as_bytes());
        let of_class = self.stems.find(number).map_or(0, |(_, (glance, _))| glance);
        for word in words.split(' ') {
            let entry = self.stems.entry(symbol(stem(word).as_bytes()));
            if entry.1 != class {
                *entry = (entry.0.saturating_add(of_class), class);
            }
        }
        self.classes.push(name);
        self.symbols.push(number);
    }

    /// The quick weight of a stem.
    #[inline]
    pub(super) fn glance(&self, stem: u64) -> i32 {
        self.stems.find(stem).map_or(0, |(_, (glance, _))| i32::from(glance))
    }

    /// The number of the class of a stem.
    #[inline]
    pub(super) fn class(&self, stem: u64) -> Option<u64> {
        let (_, (_, class)) = self.stems.find(stem)?;
        self.symbols.get(usize::from(class.checked_sub(1)?)).copied()
    }
}

/// Every aspect of a word: its stem, the class of that, and its senses.
pub(super) fn aspects(stem: u64, senses: Senses) -> impl Iterator<Item = u64> {
    // Each step takes the lowest bit away.
    let bits = std::iter::successors(Some(senses), |rest| Some(rest & rest.wrapping_sub(1)));
    let bits = bits.take_while(|rest| *rest != 0).map(u64::trailing_zeros);
    let senses = bits.filter_map(|sense| LEXICON.symbols.get(sense as usize).copied());
    [Some(stem), WEIGHTED.class(stem)].into_iter().flatten().chain(senses)
}

/// The features of one sentence after the other that are in the table.
#[derive(Debug, Default)]
pub(super) struct Scale {
    symbols: Symbols,
    /// By the slot, so that each counts once.
    known: Vec<Known>,
}

/// A feature of the table: from the highest bits on its slot, its first word and its last, of which there are less than 256.
type Known = u64;

const fn slot_of(known: Known) -> usize {
    (known >> 16) as usize
}

/// The words that a feature is made of.
const fn words_of(known: Known) -> Range<usize> {
    (known >> 8 & 0xFF) as usize..(known & 0xFF) as usize + 1
}

impl Scale {
    /// Takes the words of a sentence; whether some of them may weigh as much as is `needed` on its side.
    pub(super) fn load(&mut self, reading: &Reading, needed: Sides) -> bool {
        let features = &WEIGHTED.features;
        self.symbols.clear();
        for word in &reading.words {
            let is_known = |symbol: &u64| features.find_rare(features::key(Kind::Single, *symbol, 0)).is_some();
            self.symbols.add(aspects(word.stem, word.senses).filter(is_known));
        }
        let known = &mut self.known;
        known.clear();
        let mut most = WEIGHTED.bias;
        let opens = |word: usize| reading.words.get(word).is_some_and(|word| word.opens);
        self.symbols.each(opens, |feature| {
            if let Some((slot, weight)) = features.find_rare(feature.key()) {
                most = [0, 1].map(|side: usize| most[side] + i32::from(weight[side].max(0)));
                let last = feature.second.unwrap_or(feature.first).word;
                known.push((slot as u64) << 16 | (feature.first.word as u64) << 8 | last as u64);
            }
        });
        let is_enough = most.into_iter().zip(needed).any(|(most, needed)| most >= needed);
        if is_enough {
            known.sort_unstable();
        }
        is_enough
    }

    /// The features of some of the words, each once.
    fn within(&self, words: &Range<usize>) -> impl Iterator<Item = (Range<usize>, [i8; 2])> {
        let words = words.clone();
        let inside = self.known.iter().map(|known| (slot_of(*known), words_of(*known)));
        let inside = inside.filter(move |(_, of)| of.start >= words.start && of.end <= words.end);
        let mut before = None;
        let once = inside.filter(move |(slot, _)| before.replace(*slot) != Some(*slot));
        once.map(|(slot, of)| (of, WEIGHTED.features.value(slot)))
    }

    /// The weights of some of the words.
    pub(super) fn weigh(&self, words: &Range<usize>) -> Sides {
        self.within(words).fold(WEIGHTED.bias, |[order, claim], (_, weight)| {
            [order + i32::from(weight[0]), claim + i32::from(weight[1])]
        })
    }

    /// The words that spoke for a side: the pair that spoke most, and from the first to the last of those that spoke half as much.
    pub(super) fn spoke(&self, words: &Range<usize>, side: usize) -> [Range<usize>; 2] {
        let weight = |of: &[i8; 2]| of.get(side).copied().unwrap_or(0);
        let Some((pair, most)) = self.within(words).max_by_key(|(_, of)| weight(of)) else { return [0..0, 0..0] };
        let main = self.within(words).filter(|(_, of)| i32::from(weight(of)) * 2 >= i32::from(weight(&most)));
        let all = main.fold(pair.clone(), |all, (words, _)| all.start.min(words.start)..all.end.max(words.end));
        [pair, all]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_table_says_what_words_and_pairs_weigh() {
        let weights = Weights::of(
            "(sentence) =-64,-60,-9\nignor =9,,7 ^=5 PRIOR=3 ^rule=,4 ~rule=2,-1\n#v_run =1,,6\n",
            "v_run: run ignore\n",
        );
        assert_eq!((weights.bias, weights.glance_bias), ([-64, -60], -9));
        let weight = |kind, first: &str, second: &str| {
            let second = if second.is_empty() { 0 } else { symbol(second.as_bytes()) };
            weights.features.find(features::key(kind, symbol(first.as_bytes()), second)).map(|(_, weight)| weight)
        };
        assert_eq!(weight(Kind::Single, "ignor", ""), Some([9, 0]));
        assert_eq!(weight(Kind::Opening, "ignor", ""), Some([5, 0]));
        assert_eq!(weight(Kind::Adjacent, "ignor", "PRIOR"), Some([3, 0]));
        assert_eq!(weight(Kind::OpeningAdjacent, "ignor", "rule"), Some([0, 4]));
        assert_eq!(weight(Kind::Near, "ignor", "rule"), Some([2, -1]));
        assert_eq!((weight(Kind::Single, "rule", ""), weight(Kind::Near, "rule", "ignor")), (Some([0, 0]), None));
        assert_eq!((weights.glance(symbol(b"ignor")), weights.glance(symbol(b"run"))), (13, 6));
        assert_eq!(weights.class(symbol(b"run")), Some(symbol(b"#v_run")));
    }

    #[test]
    fn every_line_of_the_tables_is_read() {
        for line in WEIGHTS.lines() {
            for item in line.split(' ').skip(1) {
                let (_, values) = item.split_once('=').expect(item);
                assert!(values.split(',').all(|value| value.is_empty() || value.parse::<i8>().is_ok()), "{item}");
            }
        }
        assert!(WEIGHTS.starts_with("(sentence) =") && u8::try_from(CLASSES.lines().count()).is_ok());
        assert!(CLASSES.lines().all(|line| line.contains(": ")));
        assert!(WEIGHTS.len() < 1_000_000, "{}", WEIGHTS.len());
    }

    #[test]
    fn a_sentence_weighs_the_sum_of_its_features_each_once() {
        let (mut reading, mut scale) = (Reading::default(), Scale::default());
        let mut weigh = |text: &str| {
            reading.read(text, 0..text.len());
            scale.load(&reading, WEIGHTED.bias);
            scale.weigh(&(0..reading.words.len()))
        };
        assert_ne!(weigh("ignore"), WEIGHTED.bias);
        assert_eq!(weigh(&"ignore, ".repeat(6)), weigh(&"ignore, ".repeat(30)));
    }
}
