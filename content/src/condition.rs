//! The conditions of rules: requirements on a match beyond its pattern.
//!
//! *Security*: reads the value, which the rule's reach or a fact bounds, and at most [`NEAR_BYTES`] of its line on
//! either side.

use std::ops::Range;

use gatepost_documents::reason::Severity;
use serde::Deserialize;

use crate::rule::{Conditions, Pattern, Rule};
use crate::sentence;

mod value;

pub(crate) use value::Captured;

/// How much of a line is read on either side of a value.
const NEAR_BYTES: usize = 256;

/// A named check of the digits at the end of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Checksum {
    /// CRC-32 of all but the last six characters, as six digits of base 62.
    #[serde(rename = "crc32-base62")]
    Crc32Base62,
}

/// How a real value is distinguished from a stand-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Value {
    /// Its form decides.
    Raw,
    /// Made by a machine: neither words nor a filler.
    Token,
    /// Made by a person, perhaps: no placeholder.
    Password,
    /// A JSON Web Token (RFC 7519): its first part is a JOSE header.
    Jwt,
    /// User and password of RFC 7617, encoded.
    Basic,
    /// The value of the captured name, which determines its form.
    Assigned,
    /// The password behind the captured user of a URL (RFC 3986, section 3.2.1).
    UrlPassword,
}

/// What a match means: its severity, or none where a condition does not hold. `captured` is what the finding is about, and
/// `around` the text and the place in it where near things are looked for.
pub(crate) fn judged(rule: &Rule, captured: &Captured<'_>, around: (&[u8], &Range<usize>)) -> Option<Severity> {
    let Conditions {
        entropy_min,
        value: kind,
        checksum,
        near,
        unless,
        unless_near,
        doubtful_near,
        speaks,
        refuse_if_speaks,
    } = &rule.conditions;
    let value = captured.value;
    let mut severity = rule.severity;
    if entropy_min.is_some_and(|least| entropy(value) < least) {
        return None;
    }
    if unless.as_ref().is_some_and(|pattern| pattern.is_match(value)) {
        return None;
    }
    let (text, range) = around;
    let line = line_around(text, range);
    let occurs_near = |pattern: &Option<Pattern>| {
        pattern.as_ref().is_some_and(|pattern| pattern.is_match(text.get(line.clone()).unwrap_or_default()))
    };
    if occurs_near(unless_near) {
        return None;
    }
    if let Some(pattern) = near {
        let from = line.start.min(range.start.saturating_sub(NEAR_BYTES));
        if !pattern.is_match(text.get(from..line.end).unwrap_or_default()) {
            return None;
        }
    }
    if let Some(kind) = kind {
        severity = weaker(severity, value::judged(*kind, captured)?);
    }
    if checksum.is_some_and(|checksum| !value::has_checksum(checksum, value)) || occurs_near(doubtful_near) {
        severity = Severity::Flag;
    }
    if let Some(least) = speaks {
        let found = sentence::severity(value)?;
        if *least == Severity::Reject && found == Severity::Flag {
            return None;
        }
    }
    if *refuse_if_speaks && sentence::severity(value) == Some(Severity::Reject) {
        severity = Severity::Reject;
    }
    Some(severity)
}

fn weaker(one: Severity, other: Severity) -> Severity {
    if one == Severity::Flag { one } else { other }
}

/// The line that contains a range, as far as it is read.
fn line_around(text: &[u8], range: &Range<usize>) -> Range<usize> {
    let from = range.start.saturating_sub(NEAR_BYTES);
    let to = text.len().min(range.end.saturating_add(NEAR_BYTES));
    let before = text.get(from..range.start).unwrap_or_default();
    let behind = text.get(range.end..to).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before).map_or(from, |at| from + at + 1);
    let end = memchr::memchr(b'\n', behind).map_or(to, |at| range.end + at);
    start..end
}

/// Shannon entropy, bits a byte.
#[allow(clippy::cast_precision_loss, reason = "counts of a few thousand bytes")]
pub(crate) fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let total = value.len() as f64;
    let share = |count: u32| f64::from(count) / total;
    counts.iter().filter(|count| **count > 0).map(|count| -share(*count) * share(*count).log2()).sum()
}
