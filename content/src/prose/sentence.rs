//! Where sentences begin and end in text of any kind: prose, logs, tables, JSON, comments.
//!
//! Does not read them. A line end ends a sentence unless both lines look like running text; fields of tables, tags and JSON
//! strings are sentences of their own.
//!
//! *Security*: looks at each byte a bounded number of times.

use crate::survey::{BLOCK_BYTES, Class, Survey};

/// The most white space and comment marks between two lines of one sentence.
const INDENT_MAX: usize = 24;

/// Where the sentences of a text end, which is a part of what was surveyed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sentences<'a> {
    pub(super) text: &'a str,
    pub(super) survey: &'a Survey,
    /// The place of its first byte in the survey.
    pub(super) at: usize,
}

impl Sentences<'_> {
    /// The end of the sentence that byte `from` stands in.
    pub(super) fn end(&self, from: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut index = from;
        while let Some(place) = self.survey.next(self.at + index, self.at + bytes.len(), |block| self.candidates(block))
        {
            index = place - self.at + 1;
            if ends_at(bytes, index - 1) {
                return index;
            }
        }
        bytes.len()
    }

    /// The bytes of a block that a sentence may end with: also the letter of an escape.
    fn candidates(&self, block: usize) -> u64 {
        let escaped = |block: usize| self.survey.block(block, Class::Backslash);
        let carried = block.checked_sub(1).map_or(0, |before| escaped(before) >> (BLOCK_BYTES - 1));
        self.survey.block(block, Class::Ending) | escaped(block) << 1 | carried
    }
}

/// Whether a sentence ends with the byte at `index`.
fn ends_at(bytes: &[u8], index: usize) -> bool {
    let at = |offset: usize| bytes.get(index + offset).copied().unwrap_or(b'\n');
    let before = index.checked_sub(1).and_then(|index| bytes.get(index)).copied().unwrap_or(b'\n');
    match at(0) {
        b'|' | b'\t' | b'<' | b'>' | b'{' | b'}' | 0 => true,
        b'.' | b'!' | b'?' | b';' => {
            matches!(at(1), b' ' | b'\n' | b'\r' | b'"' | b')' | b'\'' | b'*' | b'\\' | b'<')
                && !is_initial(bytes, index)
        }
        b'"' => matches!(at(1), b',' | b':' | b'}' | b']' | b'\n') || matches!(before, b',' | b':' | b'{' | b'['),
        b'\n' => !continues(bytes, index),
        // The last byte of the full stop of Chinese and Japanese, and of its relatives.
        0x82 => before == 0x80 && index.checked_sub(2).and_then(|index| bytes.get(index)) == Some(&0xe3),
        b'n' | b'r' | b't' => before == b'\\',
        _ => false,
    }
}

/// Whether the full stop belongs to a single letter, as in "e.g. this".
fn is_initial(bytes: &[u8], index: usize) -> bool {
    let letter = index.checked_sub(1).and_then(|index| bytes.get(index)).is_some_and(u8::is_ascii_alphabetic);
    let two = index.checked_sub(2).and_then(|index| bytes.get(index)).is_some_and(|byte| *byte == b'.');
    bytes.get(index) == Some(&b'.') && letter && two
}

/// Whether a sentence goes on behind the line end at `index`.
fn continues(bytes: &[u8], index: usize) -> bool {
    let last = bytes.iter().take(index).rev().take(3).find(|byte| !matches!(byte, b' ' | b'\r'));
    let goes_on =
        last.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b',' | b'-' | b'\\') || *byte >= 0x80);
    let next = bytes.iter().skip(index + 1).take(INDENT_MAX);
    let mut next = next.skip_while(|byte| matches!(byte, b' ' | b'#' | b'/' | b'*' | b'>' | b';' | b'%'));
    goes_on && next.next().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80)
}
