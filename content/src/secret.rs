//! Detector of secrets: keys, tokens, passwords, private keys.
//!
//! Most rules are data (`secret/rules/*.toml`): a pattern that is run only around its keywords. Two are code, for what no
//! single pattern recognises: a value that is assigned to a telling name, and a password within a URL.
//!
//! Does not undo encodings, keeps none of what it finds, and knows no comment or file name that turns a rule off.
//! *Security*: hostile bytes, in time linear in them and in the keywords among them. *Standards*: ThreeGate, tool result,
//! "Forbidden Content"; RFC 7519, RFC 7617, RFC 7468, RFC 3986.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::keyword::{Detector, Mark, Marks};
use super::rule::{Hit, Rule};
use super::view::View;

mod assignment;
mod authority;
mod disguise;
mod dotted;
mod example_key;
mod joint;
mod name;
mod pattern;
mod token;
mod value;
mod word;

pub(crate) fn keywords() -> Vec<&'static str> {
    pattern::KEYWORDS.iter().map(|(word, _)| *word).collect()
}

pub(crate) fn rules() -> &'static [Rule] {
    pattern::RULES
}

pub(crate) fn find(view: &View<'_>, hits: &mut Vec<Hit>) {
    let mut found = found_in(view.bytes, view.marks(Detector::Secret));
    if let Some(plain) = disguise::undone(view.bytes) {
        let marks = Marks::of(&plain.text);
        let beneath = found_in(&plain.text, marks.of_detector(Detector::Secret)).into_iter();
        found.extend(beneath.filter_map(|found| {
            Some(pattern::Found { range: plain.covered(&found.range)?, is_joined: true, ..found })
        }));
    }
    let found = told_once(found);
    let hit = |found: pattern::Found| {
        Some(Hit { rule: pattern::RULES.get(found.rule)?, range: found.range, strength: found.strength })
    };
    hits.extend(found.into_iter().filter_map(hit));
}

/// Everything that the rules find in a text, of which these are the keywords.
fn found_in(bytes: &[u8], marks: &[Mark]) -> Vec<pattern::Found> {
    let mut found = Vec::new();
    pattern::find(bytes, marks, &mut found);
    for (rule, pattern) in pattern::PATTERNS.iter().enumerate() {
        let places = || pattern::marks_of(rule, marks);
        match pattern.detector {
            pattern::Detector::Pattern => {}
            pattern::Detector::Assignment => assignment::find(bytes, places(), rule, &mut found),
            pattern::Detector::Authority => authority::find(bytes, places(), rule, &mut found),
            pattern::Detector::Dotted => dotted::find(bytes, rule, &mut found),
        }
    }
    found
}

/// Of findings that overlap, the most telling: a pattern tells more than a name does, and what works more than what is mentioned.
fn told_once(mut found: Vec<pattern::Found>) -> Vec<pattern::Found> {
    let is_coded = |found: &pattern::Found| {
        pattern::PATTERNS.get(found.rule).is_some_and(|pattern| pattern.detector != pattern::Detector::Pattern)
    };
    found.sort_by_key(|found| {
        (found.strength, is_coded(found), found.is_joined, Reverse(found.range.len()), found.rule)
    });
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    let mut kept = Vec::new();
    for found in found {
        let before = taken.range(..found.range.end).next_back();
        if before.is_none_or(|(_, end)| *end <= found.range.start) {
            taken.insert(found.range.start, found.range.end);
            kept.push(found);
        }
    }
    kept.sort_by_key(|found| found.range.start);
    kept
}

#[cfg(test)]
mod tests;
