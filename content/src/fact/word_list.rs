//! Word lists and patterns for the code of facts: `words/*.txt`.
//!
//! Reads no file at run time: the lists are part of the program.

use regex_automata::meta::Regex;
use regex_automata::util::syntax;

/// The lines of a list that are no remarks.
pub(crate) fn lines(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The lines of a list whose lines each have a word for their kind: kind and rest.
pub(super) fn kinds(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    lines(list).filter_map(|line| line.split_once(' '))
}

/// The lines of one kind.
pub(super) fn of_kind(list: &'static str, kind: &'static str) -> Vec<&'static str> {
    kinds(list).filter(|(other, _)| *other == kind).map(|(_, rest)| rest).collect()
}

/// A built-in pattern over bytes; the tests compile them all.
pub(super) fn regex(pattern: &str) -> Regex {
    let syntax = syntax::Config::new().unicode(false).utf8(false);
    let config = Regex::config().utf8_empty(false);
    Regex::builder().syntax(syntax).configure(config).build(pattern).expect("built-in patterns compile")
}
