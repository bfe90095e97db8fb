//! UTF-7: characters as UTF-16 in digits of base64, between a plus sign and a minus sign: `+AGkAZw-nore`.
//!
//! The text around them comes out with them. Letters of ASCII are what is looked for.
//!
//! Security: reads hostile bytes; every byte is decoded once.
//! Standards: RFC 2152; RFC 3501, section 5.1.3 (with `&` for the plus sign, as names of mailboxes have it).

use std::ops::Range;

use super::base64::base64;
use super::found::Found;
use crate::survey::Class;

/// Looked for in every view: what letters and usual signs begin with.
pub(super) const KEYWORDS: [&str; 12] =
    ["+aca", "+ae", "+af", "+ag", "+ah", "+adw", "&aca", "&ae", "&af", "&ag", "&ah", "&adw"];

/// How far the text around digits is taken with them, and the most digits.
const AROUND_BYTES: usize = 256;
const DIGITS_MAX: usize = 512;

/// Finds and decodes; `marks` are the places of keywords.
pub(super) fn find(bytes: &[u8], marks: impl Iterator<Item = Range<usize>>, found: &mut Found) {
    let mut text: Option<(Range<usize>, Vec<u8>)> = None;
    // Behind the last digits.
    let mut done = 0;
    for mark in marks {
        if mark.start < done {
            continue;
        }
        let Some((end, decoded)) = shifted(bytes, mark.start) else { continue };
        if mark.start > done + AROUND_BYTES {
            finish(bytes, done, text.take(), found);
        }
        let begin = done.max(mark.start.saturating_sub(AROUND_BYTES));
        let (_, shown) = text.get_or_insert_with(|| (begin..begin, Vec::new()));
        shown.extend_from_slice(bytes.get(begin..mark.start).unwrap_or_default());
        shown.extend(decoded);
        done = end;
    }
    finish(bytes, done, text, found);
}

/// Adds a text whose last digits end at `done`, and what follows them.
fn finish(bytes: &[u8], done: usize, text: Option<(Range<usize>, Vec<u8>)>, found: &mut Found) {
    let Some((range, mut shown)) = text else { return };
    let end = bytes.len().min(done + AROUND_BYTES);
    shown.extend_from_slice(bytes.get(done..end).unwrap_or_default());
    found.add(range.start..end, shown, "UTF-7");
}

/// What the digits behind the sign at `start` stand for, and where they end.
fn shifted(bytes: &[u8], start: usize) -> Option<(usize, Vec<u8>)> {
    let rest = bytes.get(start + 1..)?;
    let is_digit = |byte: &&u8| Class::Base64.has(**byte) && !matches!(byte, b'-' | b'_');
    let count = rest.iter().take(DIGITS_MAX).take_while(is_digit).count();
    let digits = rest.get(..count)?;
    // The last unit may be followed by up to four bits.
    let units = base64(digits);
    let units: Vec<u16> =
        units.chunks_exact(2).filter_map(|unit| Some(u16::from_be_bytes(*unit.first_chunk()?))).collect();
    let is_whole = count > 2 && count == (units.len() * 16).div_ceil(6);
    // The keywords stand for letters in one case of their own only.
    let is_usual = units.first().is_some_and(|unit| (0x20..0x7F).contains(unit));
    let text =
        String::from_utf16(&units).ok().filter(|text| is_whole && is_usual && !text.contains(char::is_control))?;
    let minus = usize::from(rest.get(count) == Some(&b'-'));
    Some((start + 1 + count + minus, text.into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::shows;

    #[test]
    fn characters_are_read_with_the_text_around_them() {
        for (text, clear) in [
            ("say +AGkAZwBuAG8AcgBl- it", "say ignore it"),
            ("+AGk-gn+AG8-re+ACA-it", "ignore it"),
            ("+ADw-script+AD4-", "<script"),
            ("a+b +AGkAZw nore", "a+b ig nore"),
            ("&AGkAZw-nore", "ignore"),
        ] {
            assert!(shows(text.as_bytes(), "UTF-7", clear.as_bytes()), "{text}");
        }
    }

    #[test]
    fn sums_and_references_are_no_characters() {
        for text in ["a +age +after x+ag", "&agrave; &AElig; &afr;", "+AGk1 +AGkAZwB", "+aca +adw"] {
            assert!(!shows(text.as_bytes(), "UTF-7", b""), "{text}");
        }
    }

    #[test]
    fn distant_characters_are_layers_of_their_own() {
        let text = format!("+AGk-{}+AGc-", " ".repeat(600));
        assert!(shows(text.as_bytes(), "UTF-7", b"i ") && shows(text.as_bytes(), "UTF-7", b" g"));
        assert!(!shows(text.as_bytes(), "UTF-7", format!("i{}", " ".repeat(600)).as_bytes()));
    }
}
