//! The rule that a claim breaks: what is said to have become of a rule, a limit, an approval or a standing.
//!
//! Does not find claims (`weight.rs`).
//!
//! *Standards*: docs/content.md, `policy_claim`. Known weakness: a change log of the reader's own site reads the same.

use super::reading::Reading;
use super::rules;
use super::sense::{ASKING, FADED, FREED, GIVEN, LOOSEN, PAST, STANDING, Senses, TRUSTED, TURNED, UNDONE, WISH};
use crate::content::rule::Rule;

/// The rule by the first of these of which a sentence has both.
const NAMES: &[(Senses, Senses, &Rule)] = &[
    (WISH | ASKING, UNDONE | TURNED | LOOSEN, rules::WISHED),
    (STANDING, Senses::MAX, rules::STANDING),
    (UNDONE, PAST, rules::LOOSENED),
    (UNDONE, Senses::MAX, rules::DROPPED),
    (TURNED | FADED | LOOSEN, Senses::MAX, rules::LOOSENED),
    (GIVEN, Senses::MAX, rules::APPROVED),
    (FREED, Senses::MAX, rules::ALLOWED),
    (TRUSTED, Senses::MAX, rules::TRUSTED),
];

/// Which rule it is, by what speaks for it.
pub(super) fn rule(reading: &Reading) -> &'static Rule {
    let named = NAMES.iter().find(|(one, other, _)| reading.any(*one) && reading.any(*other));
    named.map_or(rules::DROPPED, |(_, _, rule)| rule)
}
