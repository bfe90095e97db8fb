//! The phrases of the result document: numbers with their units, foreign text in code spans, links.
//!
//! The gate makes the same phrases with code of its own. *Security*: hostile text is a code span in printable ASCII that it can
//! neither leave nor break. *Standards*: `schemas/result.schema.md`, Phrases; RFC 3986, section 2.1.

use std::fmt::Write as _;

pub use gatepost_documents::phrase::{relative_address, seconds};
use serde::Serialize;

/// The units of sizes, the largest first.
const UNITS: [(&str, u64); 4] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

/// A text in a code span: unchanged if it is plain, else as JSON. Only JSON begins with a quotation mark.
pub fn span(text: &str) -> String {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && byte != b'`';
    let is_bare = !text.is_empty() && text.trim() == text && !text.starts_with('"') && text.bytes().all(is_plain);
    if is_bare { format!("`{text}`") } else { json(&text) }
}

/// A sentence of gatepost's own in a code span, with apostrophes for backticks.
pub fn sentence(text: &str) -> String {
    span(&text.replace('`', "'"))
}

/// Texts in code spans, with commas between them; `nothing` if there is none.
pub fn list<'a>(texts: impl IntoIterator<Item = &'a String>) -> String {
    let spans: Vec<String> = texts.into_iter().map(|text| span(text)).collect();
    if spans.is_empty() { "nothing".to_owned() } else { spans.join(", ") }
}

/// A value as compact JSON in a code span.
pub fn json(value: &impl Serialize) -> String {
    let compact = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    format!("`{}`", escape_json(&compact, |character| character == '`' || !(' '..='~').contains(&character)))
}

/// JSON in which the characters that `must_escape` selects are `\uXXXX`.
pub fn escape_json(text: &str, must_escape: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if must_escape(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// A link to a file of the bundle; `shown` is its text.
pub fn link(shown: &str, path: &str) -> String {
    format!("[{}]({})", span(shown), relative_address(path.as_bytes()))
}

/// A count with its noun, singular for one.
pub fn counted(count: u64, noun: &str) -> String {
    let ending = if noun.ends_with('s') { "es" } else { "s" };
    format!("{count} {noun}{}", if count == 1 { "" } else { ending })
}

/// A size, rounded down to a tenth of its unit.
pub fn size(bytes: u64) -> String {
    let Some((unit, one)) = UNITS.into_iter().find(|(_, one)| bytes >= *one) else { return counted(bytes, "byte") };
    let (whole, tenths) = (bytes / one, bytes % one * 10 / one);
    if tenths == 0 { format!("{whole} {unit}") } else { format!("{whole}.{tenths} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stands_as_it_is_only_where_it_can_be_taken_for_nothing_else() {
        for (text, shown) in [
            ("line_count", "`line_count`"),
            ("a \"b\" \\c", "`a \"b\" \\c`"),
            ("", "`\"\"`"),
            (" a", "`\" a\"`"),
            ("\"a\"", "`\"\\\"a\\\"\"`"),
            ("a`b", "`\"a\\u0060b\"`"),
            ("a\nb", "`\"a\\nb\"`"),
            ("\u{202e}", "`\"\\u202e\"`"),
        ] {
            assert_eq!(span(text), shown);
        }
        assert_eq!(list(&[]), "nothing");
        assert_eq!(list(&["a:1".to_owned(), "b`".to_owned()]), "`a:1`, `\"b\\u0060\"`");
    }

    #[test]
    fn a_link_leads_to_the_file_whatever_it_is_called() {
        assert_eq!(link("/out/a%20b", "artifacts/out/a%20b"), "[`/out/a%20b`](artifacts/out/a%2520b)");
        assert_eq!(link("x", "a)](b c"), "[`x`](a%29%5D%28b%20c)");
    }

    #[test]
    fn numbers_have_units() {
        assert_eq!(
            [counted(1, "process"), counted(2, "process"), counted(0, "file")],
            ["1 process", "2 processes", "0 files"]
        );
        assert_eq!(
            [1, 1023, 1 << 10, 1_500_000, 512 << 20, (8 << 30) - 1, u64::MAX].map(size),
            ["1 byte", "1023 bytes", "1 KiB", "1.4 MiB", "512 MiB", "7.9 GiB", "16777215.9 TiB"]
        );
    }
}
