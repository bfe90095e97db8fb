//! Foreign text as Cedar source: string literals, patterns and attributes in printable ASCII.
//!
//! *Security*: nothing in the text ends a literal, begins a comment or a line, or is a wildcard. *Standards*: Cedar 4, "Grammar".

use std::fmt::Write as _;

/// Reserved words, which need quotation marks as attribute names.
const RESERVED: [&str; 9] = ["true", "false", "if", "then", "else", "in", "like", "has", "is"];

/// A string literal.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text, false))
}

/// A pattern for `like`: every text with this prefix and suffix.
pub(super) fn wildcard(prefix: &str, suffix: &str) -> String {
    format!("\"{}*{}\"", escaped(prefix, true), escaped(suffix, true))
}

/// The test of an attribute of a record, and the attribute.
pub(super) fn attribute(record: &str, name: &str) -> (String, String) {
    let is_word = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !RESERVED.contains(&name)
        && !name.starts_with("__");
    if is_word {
        return (format!("{record} has {name}"), format!("{record}.{name}"));
    }
    let name = quoted(name);
    (format!("{record} has {name}"), format!("{record}[{name}]"))
}

fn escaped(text: &str, is_pattern: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '*' if is_pattern => out.push_str("\\*"),
            ' '..='~' if !matches!(character, '"' | '\\') => out.push(character),
            other => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(other));
            }
        }
    }
    out
}
