//! Lines that imitate the required statements and headings of a result in look-alike letters or digits.
//!
//! The same words in plain letters are no imitation: a tool may print a result of ours. *Security*: hostile text, read once.
//! *Standards*: `schemas/result.schema.md`, Sections.

use std::ops::Range;
use std::sync::LazyLock;

use regex_automata::meta::Regex;

use super::word_list::{lines, regex};

static STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
    let statements: Vec<&str> = lines(include_str!("../../words/statements.txt")).collect();
    regex(&format!("(?i)(?:{})", statements.join("|")))
});

/// The places of the statements in a text as a person reads it.
pub(super) fn statements(text: &str) -> impl Iterator<Item = Range<usize>> {
    STATEMENT.find_iter(text).map(|found| found.range())
}
