//! Lines that imitate the statements and headings that a result itself must have, in letters or digits that look alike.
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

/// Where the statements stand in a text as a person reads it.
pub(super) fn statements(text: &str) -> impl Iterator<Item = Range<usize>> {
    STATEMENT.find_iter(text).map(|found| found.range())
}
