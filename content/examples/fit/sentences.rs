//! The parts of sentences that the fitting of the weights needs. Built for `examples/fit/` only.

use std::ops::Range;

use super::features::{self, Feature, Kind, Symbol, Symbols, stem};
use super::lexicon::LEXICON;
use super::split::Glance;
use super::weights::{WEIGHTED, aspects};
use super::words::{Reading, ReportSenses};

/// A sentence, a piece of a long one, or a line of it.
#[derive(Debug)]
pub struct Sentence {
    /// The stems of its words, and their classes.
    pub stems: Vec<u64>,
    /// The number of each of its features.
    pub features: Vec<u64>,
    /// Whether it quotes something in such a way that nothing in it is sure.
    pub is_mention: bool,
}

/// The number of a stem.
#[must_use]
pub fn symbol(stem: &str) -> u64 {
    features::symbol(stem.as_bytes())
}

/// Reads every sentence of a text; `named` is told the number of every feature, with a function that names it as the table of
/// weights does.
pub fn sentences(text: &str, mut named: impl FnMut(u64, &dyn Fn() -> String)) -> Vec<Sentence> {
    let (mut reading, mut symbols, mut glance) = (Reading::default(), Symbols::default(), Glance::default());
    let mut read = Vec::new();
    // A number has no meaning, and no weight.
    let number = symbol("0");
    let mut at = 0;
    while at < text.len() {
        let piece = glance.piece(text, at);
        let before = reading.all();
        let next = reading.read(text, at..piece.end).unwrap_or(piece.next);
        symbols.clear();
        for word in &reading.words {
            symbols.add(aspects(word.stem, word.senses).filter(|key| *key != number));
        }
        let mut found = Vec::new();
        symbols.each(
            |word| reading.words[word].opens,
            |feature| {
                let last = feature.second.unwrap_or(feature.first).word;
                found.push((feature.key(), feature.first.word..last + 1));
                named(feature.key(), &|| name(text, &reading, &feature));
            },
        );
        for words in reading.parts().filter(|words| !words.is_empty()) {
            let is_within = |of: &Range<usize>| of.start >= words.start && of.end <= words.end;
            let features = found.iter().filter(|(_, of)| is_within(of)).map(|(key, _)| *key).collect();
            let is_mention = reading.is_reported(&words, before, ReportSenses::of(&LEXICON));
            let stems = reading.words[words].iter().map(|word| word.stem).filter(|stem| *stem != number);
            let stems = stems.flat_map(|stem| [Some(stem), WEIGHTED.class(stem)]).flatten();
            read.push(Sentence { stems: stems.collect(), features, is_mention });
        }
        at = next;
    }
    read
}

fn name(text: &str, reading: &Reading, feature: &Feature) -> String {
    let of = |symbol: &Symbol| {
        let sense = LEXICON.symbols.iter().position(|key| *key == symbol.key).map(|sense| LEXICON.names[sense]);
        let class = WEIGHTED.classes.iter().find(|class| self::symbol(class) == symbol.key);
        let word = text[reading.words[symbol.word].range.clone()].to_lowercase();
        sense.or(class.map(String::as_str)).unwrap_or(stem(&word)).to_owned()
    };
    let first = of(&feature.first);
    let second = feature.second.as_ref().map(of).unwrap_or_default();
    let mark = match feature.kind {
        Kind::Single | Kind::Adjacent => "",
        Kind::Opening | Kind::OpeningAdjacent => "^",
        Kind::Near => "~",
    };
    format!("{first} {mark}{second}")
}
