//! Foreign text in full, in printable ASCII that cannot harm its reader. Quotations in messages are `text::quoted`.
//!
//! Standards: RFC 8259 (the escapes of a JSON string).

use std::fmt::Write as _;

use serde::Serialize;

/// Compact JSON in which every character outside printable ASCII, and the backtick, is a `\uXXXX` escape (UTF-16,
/// lower-case). It contains no line end and cannot end a code span.
pub fn ascii_json(value: &impl Serialize) -> String {
    // A value of ours always serializes: its maps have text keys.
    let json = serde_json::to_string(value).unwrap_or_default();
    escape(&json, |character| !matches!(character, ' '..='~') || character == '`')
}

/// Every character that `is_escaped` selects becomes one or two `\uXXXX` escapes (UTF-16, lower-case hexadecimal).
pub fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_escaped(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    out
}

/// The form of [`path`]'s texts as a regular expression.
pub const PATH_PATTERN: &str = r"^([!-\[\]-~]|\\\\|\\x[0-9a-f]{2})+$";

/// A file name or path of any bytes in printable ASCII, with one spelling per name: `\xNN` for other bytes, `\\` for a
/// backslash.
pub fn path(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'!'..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out
}

/// A character of JSON text, escaped if it could do more than be seen.
pub fn visible(character: char) -> impl Iterator<Item = char> {
    let hidden = character.is_control() || is_hidden(character);
    let escaped: Vec<char> = if hidden { character.escape_unicode().collect() } else { vec![character] };
    escaped.into_iter()
}

/// Whether a character is there but not seen, or changes how others are seen; C0 controls and DEL apart.
pub fn is_hidden(character: char) -> bool {
    matches!(u32::from(character),
        0x80..=0x9f | 0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180f | 0x200b..=0x200f
        | 0x2028..=0x202e | 0x2060..=0x206f | 0x3164 | 0xfdd0..=0xfdef | 0xfe00..=0xfe0f | 0xfeff | 0xffa0
        | 0xfff0..=0xfffb | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a | 0xe0000..=0xe0fff)
        || u32::from(character) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_printable_ascii_leaves() {
        assert_eq!(ascii_json(&"a\n\u{7f}`é\u{e0041}\u{1b}"), r#""a\n\u007f\u0060\u00e9\udb40\udc41\u001b""#);
        assert_eq!(path(b"a b\\\xff\n`"), r"a\x20b\\\xff\x0a`");
    }
}
