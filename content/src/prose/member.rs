//! A key and its value as settings and documents write them: `key: value`, `key = value`, `"key": "value"`, `[key]`.
//!
//! Does not parse any of these languages.
//!
//! *Security*: looks at one line of bounded length.

use std::ops::Range;

/// The most bytes of a value that are looked at.
const VALUE_BYTES_MAX: usize = 200;
/// The longest name of a setting, bytes.
const NAME_BYTES_MAX: usize = 64;

/// The value that follows a key on its line; an empty one for the head of a table or of a list.
pub(super) fn value<'a>(text: &'a str, key: &Range<usize>) -> Option<&'a str> {
    let before = key.start.checked_sub(1).and_then(|index| text.as_bytes().get(index));
    if before.is_some_and(|byte| is_name(*byte)) {
        return None;
    }
    let end = (key.end + VALUE_BYTES_MAX).min(text.len());
    let end = (end..=text.len()).find(|end| text.is_char_boundary(*end))?;
    let line = text.get(key.end..end)?.split('\n').next().unwrap_or_default();
    let line = line.trim_start_matches(['"', '\'', ' ', '\\']);
    if line.starts_with(']') {
        return Some("");
    }
    let value = line.strip_prefix([':', '='])?;
    Some(value.trim_start_matches([' ', '"', '\'', '\\', '>']))
}

/// The whole name that a part of it stands in.
pub(super) fn name(text: &str, part: &Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let ahead = bytes.iter().take(part.start).rev().take(NAME_BYTES_MAX).take_while(|byte| is_name(**byte)).count();
    let behind = bytes.iter().skip(part.end).take(NAME_BYTES_MAX).take_while(|byte| is_name(**byte)).count();
    part.start - ahead..part.end + behind
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}
