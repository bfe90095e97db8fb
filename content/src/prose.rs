//! Detector of `instruction` and `policy_claim`: sentences that address whoever reads a result, or a model that does, and
//! sentences that claim that its limits have changed.
//!
//! ```text
//! text ──▶ sentence.rs ──▶ glance.rs ──▶ reading.rs (words, by lexicon.rs) ──▶ weight.rs ──▶ broken.rs
//!      └─────────▶ template.rs, look_alike.rs: forms that need no grammar
//! ```
//!
//! Does not undo disguises or encodings, and does not understand: it is a tripwire. Text *about* such sentences, or one that quotes
//! them, is reported as mentioning them.
//!
//! *Security*: linear: a sentence is read once, in pieces of bounded length. *Standards*: docs/content.md, `policy_claim` and
//! `instruction`.

use std::cell::LazyCell;
use std::ops::Range;

use super::keyword::{Detector, Mark, Marks};
use super::normal::Normal;
use super::rule::{Hit, Rule, Strength};
use super::survey::Survey;
use super::view::View;

mod broken;
mod disguised;
mod feature;
#[cfg(feature = "fit")]
pub mod fit;
mod glance;
mod lexicon;
mod look_alike;
mod member;
mod phrases;
mod reading;
mod rules;
mod sense;
mod sentence;
mod setting;
mod template;
#[cfg(test)]
mod tests;
mod weight;

use glance::Glance;
use reading::Reading;
use sentence::Sentences;
use weight::{CLAIM, ORDER, Scale};

/// What is looked for by keywords of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Looking {
    Template,
    LookAlike,
    Setting,
}

pub(crate) fn keywords(looking: Looking) -> Vec<&'static str> {
    match looking {
        Looking::Template => template::keywords(),
        Looking::LookAlike => look_alike::keywords(),
        Looking::Setting => setting::keywords(),
    }
}

pub(crate) fn rules() -> &'static [Rule] {
    rules::ALL
}

/// Whether a rule knows an attack by a form that no report of it has.
pub(crate) fn has_form(rule: &Rule) -> bool {
    rules::FORMS.contains(&rule)
}

pub(crate) fn find(view: &View<'_>, hits: &mut Vec<Hit>) {
    let mut at = 0;
    // What is text as a whole, as most of it is, is known to be so in a fraction of the time.
    let (whole, chunks) = match std::str::from_utf8(view.bytes) {
        Ok(text) => (Some(text), &[][..]),
        Err(_) => (None, view.bytes),
    };
    let chunks = chunks.utf8_chunks().map(|chunk| (chunk.valid(), chunk.invalid()));
    for (text, invalid) in whole.into_iter().map(|text| (text, &[][..])).chain(chunks) {
        let mut found = |rule, range: Range<usize>, strength| {
            hits.push(Hit { rule, range: range.start + at..range.end + at, strength });
        };
        let marks = |looking| within(view.marks(Detector::Prose(looking)), at, text.len());
        sentences(Sentences { text, survey: view.survey(), at }, &mut found);
        template::find(text, marks(Looking::Template), &mut found);
        look_alike::find(text, marks(Looking::LookAlike), &mut found);
        setting::find(text, marks(Looking::Setting), &mut found);
        at += text.len() + invalid.len();
    }
    disguised(view, hits);
}

/// The marks of a view that stand in `length` bytes from `at` on, as places in these.
fn within(marks: &[Mark], at: usize, length: usize) -> impl Iterator<Item = Mark> + Clone {
    let first = marks.partition_point(|mark| mark.end <= at);
    let marks = marks.iter().skip(first).take_while(move |mark| mark.end <= at + length);
    marks.filter_map(move |mark| Some(Mark { start: mark.start.checked_sub(at)?, end: mark.end - at, ..*mark }))
}

/// Of marks that overlap, the one that ends first.
fn apart(marks: impl Iterator<Item = Mark>) -> impl Iterator<Item = Mark> {
    let mut behind = 0;
    marks.filter(move |mark| {
        let is_apart = mark.start >= behind;
        behind = if is_apart { mark.end } else { behind };
        is_apart
    })
}

/// Reads once more, without its disguises, what has any.
fn disguised(view: &View<'_>, hits: &mut Vec<Hit>) {
    for part in disguised::parts(view.bytes, view.survey()) {
        let normal = Normal::of(view.bytes.get(part.clone()).unwrap_or_default());
        let text = normal.text();
        if !normal.disguised(0..text.len()) {
            continue;
        }
        let mut found = |rule, range: Range<usize>, strength| {
            if normal.disguised(range.clone()) {
                let range = normal.source(range);
                hits.push(Hit { rule, range: part.start + range.start..part.start + range.end, strength });
            }
        };
        let survey = Survey::of(text.as_bytes());
        let marks = Marks::of(text.as_bytes());
        let marks = |looking| marks.of_detector(Detector::Prose(looking)).iter().copied();
        sentences(Sentences { text, survey: &survey, at: 0 }, &mut found);
        template::find(text, marks(Looking::Template), &mut found);
    }
}

/// The weight from which on an order and a claim are worth a remark, and from which on they are sure, in sixteenths.
const FAINT: [i32; 2] = [-18, -20];
const SURE: [i32; 2] = [34, 34];

/// A single word says nothing.
const WORDS_MIN: usize = 2;

/// Reads every sentence that is worth it, and says which rules it breaks.
fn sentences(sentences: Sentences<'_>, found: &mut impl FnMut(&'static Rule, Range<usize>, Strength)) {
    let (mut reading, mut scale) = (Reading::default(), Scale::default());
    let mut before = 0..0;
    let mut at = 0;
    while at < sentences.text.len() {
        let end = sentences.end(at);
        let mut from = Some(at);
        while let Some(piece) = from {
            from = match glance::over(&sentences, piece..end) {
                Glance::Skip(next) => next,
                Glance::Read => {
                    let next = reading.read(sentences.text, piece..end);
                    judge(sentences.text, &before, &reading, &mut scale, found);
                    next
                }
            };
            before = piece..from.unwrap_or(end);
        }
        at = end;
    }
}

/// Whether a text has an order or a claim in it that is worth a remark, where it stands by itself.
pub(crate) fn is_remarkable(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let survey = Survey::of(text.as_bytes());
    let mut is_found = false;
    sentences(Sentences { text: &text, survey: &survey, at: 0 }, &mut |_, _, _| is_found = true);
    is_found
}

/// Says which rules a sentence breaks, if any, by the part of it that weighs most. `before` is the sentence before it.
fn judge(
    text: &str,
    before: &Range<usize>,
    reading: &Reading,
    scale: &mut Scale,
    found: &mut impl FnMut(&'static Rule, Range<usize>, Strength),
) {
    let before = LazyCell::new(|| {
        let mut reading = Reading::default();
        reading.read(text, before.clone());
        reading.all
    });
    let mut most: [Option<(i32, Hit)>; 2] = [None, None];
    scale.load(reading);
    for words in reading.parts().filter(|words| words.len() >= WORDS_MIN) {
        let weight = scale.weigh(words);
        for (side, rule) in [(ORDER, broken::by_order as fn(&Reading) -> _), (CLAIM, broken::by_claim)] {
            let least = most[side].as_ref().map_or(FAINT[side], |most| most.0 + 1);
            if weight[side] < least {
                continue;
            }
            let [pair, all] = scale.main_words(side);
            let is_told = [pair, all].iter().any(|words| reading.mentioned(words.0, words.1, *before));
            let is_addressed = weight[side] >= SURE[side] && !is_told;
            let strength = if is_addressed { Strength::Addressed } else { Strength::Mentioned };
            most[side] =
                Some((weight[side], Hit { rule: rule(reading), range: reading.range(all.0, all.1), strength }));
        }
    }
    for (_, hit) in most.into_iter().flatten() {
        found(hit.rule, hit.range, hit.strength);
    }
}
