//! The rule that an order breaks: what whoever reads it is told to do, and as whom.
//!
//! Does not find orders (`weight.rs`).
//!
//! *Standards*: docs/content.md, `instruction`. Known weakness: an order in ordinary words is told from a manual only by what
//! it asks for.

use super::reading::Reading;
use super::rules;
use super::sense::{
    ANSWER, ASKING, CANON, DICTATED, DIVERT, FORGED, MEMORY, MODE, MODEL, OBEY, OVERRIDE, POLITE, PRESSURE, PROMPT,
    REVEAL, ROLE, SECRECY, SEND, SENSITIVE, Senses, TIMING, VOIDED, YOU,
};
use crate::content::rule::Rule;

/// The rule by the first of these of which a sentence has both.
const NAMES: &[(Senses, Senses, &Rule)] = &[
    (OVERRIDE, CANON | PROMPT, rules::OVERRIDE),
    (DIVERT | VOIDED, Senses::MAX, rules::OVERRIDE),
    (REVEAL | SEND, PROMPT, rules::REVEAL),
    (SECRECY, Senses::MAX, rules::SECRECY),
    (FORGED, Senses::MAX, rules::FORGED),
    (ROLE | MODE, Senses::MAX, rules::ROLE),
    (DICTATED | ANSWER | TIMING, Senses::MAX, rules::DICTATED),
    (MODEL, Senses::MAX, rules::MODEL_ORDERED),
    (MEMORY, Senses::MAX, rules::LASTING),
    (PRESSURE, Senses::MAX, rules::PRESSED),
    (ASKING | POLITE, Senses::MAX, rules::ASKED),
    (OVERRIDE, YOU, rules::OVERRIDE),
];

/// What shows that a model is meant, and no person in front of a program or at the end of a letter.
const MEANT: &[(Senses, Senses)] = &[
    (
        MODEL | ROLE | MODE | FORGED | SECRECY | DICTATED | ANSWER | DIVERT | PROMPT | OBEY | MEMORY | VOIDED,
        Senses::MAX,
    ),
    (OVERRIDE, CANON),
    (SEND | REVEAL, SENSITIVE),
    (YOU, CANON),
];

/// Whether anything shows that a model is meant.
pub(super) fn is_meant(reading: &Reading) -> bool {
    MEANT.iter().any(|(one, other)| reading.any(*one) && reading.any(*other))
}

/// Which rule it is, by what speaks for it.
pub(super) fn rule(reading: &Reading) -> &'static Rule {
    let named = NAMES.iter().find(|(one, other, _)| reading.any(*one) && reading.any(*other));
    named.map_or(rules::OUTWARD, |(_, _, rule)| rule)
}
