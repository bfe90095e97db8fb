//! What looks like a document of this system without being one: the front matter of a request.
//!
//! Does not parse: two keys near each other are enough, in YAML, TOML or JSON. A result that names requests by their id has none.
//!
//! *Security*: one pass for the keys. *Standards*: docs/content.md, "a tool-request look-alike (a second TR- front matter)".

use std::ops::Range;

use super::{apart, member, rules};
use crate::keyword::Mark;
use crate::rule::{Rule, Strength};

/// How far apart the keys of one document may stand, bytes.
const REACH: usize = 600;

/// Keys that say what a document is.
const KINDS: &[&str] = &["request_type", "packet_type", "document_type", "message_type", "record_type"];

/// Keys that requests have besides.
const PARTS: &[&str] = &[
    "request_id",
    "packet_id",
    "created_utc",
    "requested_by",
    "schema_version",
    "backend",
    "purpose",
    "expected_outputs",
];

/// What is looked for in the shared pass.
pub(super) fn keywords() -> Vec<&'static str> {
    [KINDS, PARTS].concat()
}

/// Reports every pair of keys that makes a request.
pub(super) fn find(
    text: &str,
    marks: impl Iterator<Item = Mark>,
    found: &mut impl FnMut(&'static Rule, Range<usize>, Strength),
) {
    let (mut kind, mut part): (Option<usize>, Option<usize>) = (None, None);
    for mark in apart(marks) {
        let Some(value) = member::value(text, &(mark.start..mark.end)) else { continue };
        let near = |place: Option<usize>| place.filter(|place| mark.start - place < REACH);
        let is_kind = mark.keyword < KINDS.len();
        let asks =
            ["tool", "research", "request", "approval"].iter().any(|word| value.to_ascii_lowercase().contains(word));
        let other = if is_kind && asks {
            kind = Some(mark.start);
            near(part)
        } else if is_kind {
            None
        } else {
            let other = near(kind);
            part = Some(mark.start);
            other
        };
        if let Some(other) = other {
            found(rules::LOOK_ALIKE, other..mark.end, Strength::Addressed);
            (kind, part) = (None, None);
        }
    }
}
