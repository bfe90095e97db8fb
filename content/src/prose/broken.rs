//! The rule that a sentence breaks: what it tells its reader to do, and as whom, or what it says has become of a rule, a limit, an
//! approval or a standing.
//!
//! Does not find such sentences (`weight.rs`).
//!
//! *Standards*: docs/content.md, `instruction` and `policy_claim`. Known weakness: an order in ordinary words is told from a manual
//! only by what it asks for, and a change log of the reader's own site reads like a claim.

use super::reading::Reading;
use super::rules;
use super::sense::{
    ANSWER, ASKING, CANON, DICTATED, DIVERT, FADED, FORGED, FREED, GIVEN, LOOSEN, MEMORY, MODE, MODEL, OVERRIDE, PAST,
    POLITE, PRESSURE, PRIOR, PROMPT, REVEAL, ROLE, SECRECY, SEND, STANDING, Senses, TIMING, TRUSTED, TURNED, UNDONE,
    VOIDED, WISH, YOU,
};
use crate::rule::Rule;

/// The rule that an order breaks by the first of these of which it has both.
const ORDERS: &[(Senses, Senses, &Rule)] = &[
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
    (OVERRIDE, YOU | PRIOR, rules::OVERRIDE),
];

/// The rule that a claim breaks by the first of these of which it has both.
const CLAIMS: &[(Senses, Senses, &Rule)] = &[
    (WISH | ASKING, UNDONE | TURNED | LOOSEN, rules::WISHED),
    (UNDONE, PAST, rules::LOOSENED),
    (UNDONE, Senses::MAX, rules::DROPPED),
    (STANDING, Senses::MAX, rules::STANDING),
    (TURNED | FADED | LOOSEN, Senses::MAX, rules::LOOSENED),
    (GIVEN, Senses::MAX, rules::APPROVED),
    (FREED, Senses::MAX, rules::ALLOWED),
    (TRUSTED, Senses::MAX, rules::TRUSTED),
];

/// Which rule an order breaks, by what speaks for it.
pub(super) fn by_order(reading: &Reading) -> &'static Rule {
    first(ORDERS, reading).unwrap_or(rules::OUTWARD)
}

/// Which rule a claim breaks, by what speaks for it.
pub(super) fn by_claim(reading: &Reading) -> &'static Rule {
    first(CLAIMS, reading).unwrap_or(rules::DROPPED)
}

fn first(names: &[(Senses, Senses, &'static Rule)], reading: &Reading) -> Option<&'static Rule> {
    let known = names.iter().find(|(one, other, _)| reading.any(*one) && reading.any(*other));
    known.map(|(_, _, rule)| *rule)
}
