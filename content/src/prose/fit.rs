//! What the fitting of the weights needs to see of sentences. Built for `examples/fit/` only.

use super::feature::Kind;
use super::reading::Reading;
use super::sense::NAMES;
use super::sentence::Sentences;
use super::weight::{Aspect, CLASS_NAMES, Feature, Scale, Symbol, class};
use crate::survey::Survey;

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
    super::feature::symbol(stem.as_bytes())
}

/// Reads every sentence of a text; `named` is told the number of every feature, with a function that names it.
pub fn sentences(text: &str, mut named: impl FnMut(u64, &dyn Fn() -> String)) -> Vec<Sentence> {
    let survey = Survey::of(text.as_bytes());
    let sentences = Sentences { text, survey: &survey, at: 0 };
    let (mut reading, mut scale) = (Reading::default(), Scale::default());
    let mut read = Vec::new();
    // A number says nothing, and weighs nothing.
    let number = symbol("0");
    let mut at = 0;
    while at < text.len() {
        let end = sentences.end(at);
        let mut from = Some(at);
        while let Some(piece) = from {
            let before = reading.all;
            from = reading.read(text, piece..end);
            scale.name(&reading, |symbol| symbol.aspect != Aspect::Stem || reading.words[symbol.word].stem != number);
            for words in reading.parts().filter(|words| !words.is_empty()) {
                let mut features = Vec::new();
                scale.each(&reading, words.clone(), |feature| {
                    features.push(feature.key());
                    named(feature.key(), &|| name(text, &reading, &feature));
                });
                let is_mention = reading.mentioned(words.start, words.end, before);
                let stems = reading.words[words].iter().map(|word| word.stem).filter(|stem| *stem != number);
                let stems = stems.flat_map(|stem| [Some(stem), class(stem).map(|(_, class)| class)]).flatten();
                read.push(Sentence { stems: stems.collect(), features, is_mention });
            }
        }
        at = end;
    }
    read
}

fn name(text: &str, reading: &Reading, feature: &Feature) -> String {
    let symbol = |symbol: &Symbol| {
        let word = reading.words.get(symbol.word).and_then(|word| text.get(word.range.clone())).unwrap_or_default();
        match symbol.aspect {
            Aspect::Stem => super::feature::stem(&word.to_lowercase()).to_owned(),
            Aspect::Class(class) => CLASS_NAMES[class].to_owned(),
            Aspect::Sense(sense) => NAMES[sense].to_owned(),
        }
    };
    let first = symbol(&feature.first);
    let second = feature.second.as_ref().map(symbol).unwrap_or_default();
    match feature.kind {
        Kind::Single => first,
        Kind::Opening => format!("^{first}"),
        Kind::Adjacent => format!("{first} {second}"),
        Kind::OpeningAdjacent => format!("^{first} {second}"),
        Kind::Near => format!("{first} .. {second}"),
    }
}
