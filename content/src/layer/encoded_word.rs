//! Words of a mail's head that are encoded each for itself: `=?utf-8?B?aWdub3Jl?= =?utf-8?Q?_all?=` is "ignore all".
//!
//! White space between two of them is none. What stands between others comes out with them, as it is.
//! Does not know of character sets: the bytes come out as they are.
//!
//! Security: reads hostile bytes; what stands around a word is bounded, and each word is read once.
//! Standards: RFC 2047, sections 2 to 6; RFC 2231, section 5 (a language behind the character set).

use std::ops::Range;

use super::base64::base64;
use super::found::Found;

/// Looked for in every view.
pub(super) const KEYWORDS: [&str; 2] = ["?b?", "?q?"];

/// The longest name of a character set and a language; the longest word, which a mail would not fold.
const CHARSET_BYTES_MAX: usize = 48;
const WORD_BYTES_MAX: usize = 4096;
/// The most bytes between two words of one text, and of the text around them.
const BETWEEN_BYTES_MAX: usize = 256;

/// Finds and decodes; `marks` are the places of keywords.
pub(super) fn find(bytes: &[u8], marks: impl Iterator<Item = Range<usize>>, found: &mut Found) {
    let mut text: Option<(Range<usize>, Vec<u8>)> = None;
    let mut done = 0;
    for mark in marks {
        let Some((word, decoded)) = word(bytes, &mark, done) else { continue };
        done = word.end;
        let last = text.take_if(|(range, _)| word.start > range.end + BETWEEN_BYTES_MAX);
        if let Some((range, decoded)) = last {
            found.add(range, decoded, "encoded word");
        }
        let (range, shown) = text.get_or_insert_with(|| (word.start..word.start, Vec::new()));
        let between = bytes.get(range.end..word.start).unwrap_or_default();
        if !between.iter().all(u8::is_ascii_whitespace) {
            shown.extend_from_slice(between);
        }
        shown.extend(decoded);
        range.end = word.end;
    }
    if let Some((range, decoded)) = text {
        found.add(range, decoded, "encoded word");
    }
}

/// The word whose encoding is named at `mark`, from `done` on.
fn word(bytes: &[u8], mark: &Range<usize>, done: usize) -> Option<(Range<usize>, Vec<u8>)> {
    let from = done.max(mark.start.saturating_sub(CHARSET_BYTES_MAX));
    let before = bytes.get(from..mark.start)?;
    let name = memchr::memmem::rfind(before, b"=?")?;
    let is_name = |byte: &u8| byte.is_ascii_graphic() && *byte != b'?';
    before.get(name + 2..)?.iter().all(is_name).then_some(())?;
    let rest = bytes.get(mark.end..bytes.len().min(mark.end + WORD_BYTES_MAX))?;
    let encoded = rest.get(..memchr::memchr(b'?', rest)?)?;
    if rest.get(encoded.len() + 1) != Some(&b'=') {
        return None;
    }
    let is_base64 = bytes.get(mark.start + 1).is_some_and(|letter| letter.eq_ignore_ascii_case(&b'b'));
    let decoded = if is_base64 { base64(encoded) } else { quoted(encoded) };
    Some((from + name..mark.end + encoded.len() + 2, decoded))
}

/// The `Q` encoding: quoted-printable in which a low line is a space.
fn quoted(mut encoded: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(encoded.len());
    while let Some((&first, rest)) = encoded.split_first() {
        encoded = rest;
        let value = |digit: &u8| super::base64::hex_value(*digit);
        match rest {
            [high, low, behind @ ..]
                if first == b'='
                    && let (Some(high), Some(low)) = (value(high), value(low)) =>
            {
                decoded.push(high << 4 | low);
                encoded = behind;
            }
            _ => decoded.push(if first == b'_' { b' ' } else { first }),
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::super::tests::shows;

    #[test]
    fn words_are_read_in_both_encodings_and_joined() {
        for (text, clear) in [
            ("Subject: =?utf-8?B?aWdub3JlIGFsbA==?=", "ignore all"),
            ("Subject: =?UTF-8?b?aWdub3Jl?= =?UTF-8?B?IGFsbA?=", "ignore all"),
            ("=?iso-8859-1?Q?ignore=20all_of_it=21?=", "ignore all of it!"),
            ("=?us-ascii*en?q?ig=6eo?=\r\n =?x?Q?re_all?=", "ignore all"),
            ("=?utf-8?Q?ignore?= everything =?utf-8?B?b2YgaXQ?=", "ignore everything of it"),
            ("=?utf-8?Q?=C3=BCber_alles?=", "über alles"),
            ("a =? b =?utf-8?Q?a=zz=4?=", "a=zz=4"),
        ] {
            assert!(shows(text.as_bytes(), "encoded word", clear.as_bytes()), "{text}");
        }
    }

    #[test]
    fn other_question_marks_begin_no_word() {
        for text in ["a ?b? c", "=?utf-8?b? c", "=?a?x?q?b?=", "x=?a b?q?c?=", "=?utf-8?q?never ended"] {
            assert!(!shows(text.as_bytes(), "encoded word", b""), "{text}");
        }
    }

    #[test]
    fn distant_words_are_layers_of_their_own() {
        let word = "=?a?q?far?=";
        let text = format!("{word}{}{word}", ". ".repeat(200));
        assert!(shows(text.as_bytes(), "encoded word", b"far") && !shows(text.as_bytes(), "encoded word", b"far."));
    }
}
