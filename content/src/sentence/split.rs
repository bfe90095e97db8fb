//! Where sentences begin and end in text of any kind (prose, logs, tables, JSON, comments), and which are worth reading.
//!
//! A line end ends a sentence unless both lines look like running text; fields of tables, tags and JSON strings are sentences of
//! their own. A sentence is worth reading if its words, or a line or some words in a row of it, weigh enough at a glance, each word for itself:
//! most sentences of most documents end here. Does not look at pairs, phrases or marks.
//!
//! *Security*: looks at each byte a bounded number of times.

use super::features::{short_symbol, stem, stem_bytes, symbol};
use super::weights::{WEIGHTED, Weights};
use super::words::{WORDS_AGAIN, WORDS_MAX, WORDS_ROW, is_ideographic, is_letter};

/// The most white space and comment marks between two lines of one sentence.
const INDENT_MAX: usize = 24;
/// The longest word in ASCII that is looked at, bytes.
const WORD_BYTES_MAX: usize = 32;

/// A class of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Between,
    /// Letters and digits of ASCII.
    Word,
    /// Everything beyond ASCII.
    Foreign,
    /// Characters that may end a sentence.
    Ending,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Between; 256];
    let mut byte = u8::MIN;
    loop {
        classes[byte as usize] = match byte {
            b'|' | b'\t' | b'<' | b'>' | b'{' | b'}' | 0 | b'.' | b'!' | b'?' | b';' | b'"' | b'\n' => Class::Ending,
            0x80.. => Class::Foreign,
            letter if letter.is_ascii_alphanumeric() => Class::Word,
            _ => Class::Between,
        };
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    classes
};

#[inline]
fn class(byte: u8) -> Class {
    CLASSES[byte as usize]
}

/// A sentence, or so many words of a long one, from where it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) end: usize,
    /// The start of the next one: before the end of this, if the sentence continues.
    pub(super) next: usize,
    pub(super) is_worth_reading: bool,
}

/// The quick weights of the words of a piece.
pub(super) struct Glance {
    weights: &'static Weights,
    /// All words; those of this line, from where one began that might be put below another; those of this half of a row of words,
    /// and of the half before it; and the most that any line or row weighed.
    sum: i32,
    line: i32,
    row: [i32; 2],
    most: i32,
    count: usize,
    /// Whether a line ended since the last word.
    is_next_line: bool,
    /// Where the next piece would begin.
    again: usize,
    /// A word that is not in ASCII, in lower case.
    word: String,
}

impl Default for Glance {
    fn default() -> Self {
        let (row, word) = ([0; 2], String::new());
        Self { weights: &WEIGHTED, sum: 0, line: 0, row, most: 0, count: 0, is_next_line: false, again: 0, word }
    }
}

impl Glance {
    /// The piece that begins at a byte of a text.
    pub(super) fn piece(&mut self, text: &str, from: usize) -> Piece {
        (self.sum, self.line, self.row, self.most, self.count) = (0, 0, [0; 2], i32::MIN, 0);
        self.is_next_line = false;
        let bytes = text.as_bytes();
        let mut at = from;
        while let Some(byte) = bytes.get(at) {
            match class(*byte) {
                Class::Between => at += 1,
                Class::Ending => {
                    at += 1;
                    if ends_at(bytes, at - 1) {
                        return self.piece_to(at, at);
                    }
                    self.is_next_line |= *byte == b'\n';
                }
                Class::Word | Class::Foreign => {
                    if matches!(byte, b'n' | b'r' | b't') && at > from && bytes.get(at - 1) == Some(&b'\\') {
                        return self.piece_to(at + 1, at + 1);
                    }
                    let rest = bytes.get(at..).unwrap_or_default();
                    let length = rest.iter().position(|byte| class(*byte) != Class::Word).unwrap_or(rest.len());
                    if rest.get(length).is_some_and(|byte| class(*byte) == Class::Foreign) {
                        let (end, is_end) = self.foreign(text, at);
                        at = end;
                        if is_end {
                            return self.piece_to(at, at);
                        }
                    } else {
                        if length <= WORD_BYTES_MAX {
                            self.add(at, byte.is_ascii_uppercase(), symbol_of(rest, length));
                        }
                        at += length;
                    }
                    if self.count >= WORDS_MAX {
                        return self.piece_to(at, self.again);
                    }
                }
            }
        }
        self.piece_to(at, at)
    }

    fn piece_to(&self, end: usize, next: usize) -> Piece {
        let most = self.most.max(self.line).max(self.row[0] + self.row[1]).max(self.sum);
        Piece { end, next, is_worth_reading: most + self.weights.glance_bias > 0 }
    }

    /// Takes the words of a run in which there are characters beyond ASCII; returns its end and whether a sentence ends there.
    fn foreign(&mut self, text: &str, from: usize) -> (usize, bool) {
        let mut word = std::mem::take(&mut self.word);
        word.clear();
        let (mut start, mut end, mut is_end) = (from, from, false);
        for character in text.get(from..).unwrap_or_default().chars() {
            if character.is_ascii() && !character.is_ascii_alphanumeric() || self.count >= WORDS_MAX {
                break;
            }
            if is_letter(character) && !is_ideographic(character) {
                start = if word.is_empty() { end } else { start };
                if word.len() < 2 * WORD_BYTES_MAX {
                    word.extend(character.to_lowercase());
                }
            } else {
                self.add_word(start, &mut word);
                if is_ideographic(character) {
                    word.push(character);
                    self.add_word(end, &mut word);
                }
            }
            end += character.len_utf8();
            is_end = character == '。';
            if is_end {
                break;
            }
        }
        self.add_word(start, &mut word);
        self.word = word;
        (end, is_end)
    }

    fn add_word(&mut self, at: usize, word: &mut String) {
        if !word.is_empty() {
            self.add(at, false, symbol(stem(word).as_bytes()));
            word.clear();
        }
    }

    #[inline]
    fn add(&mut self, at: usize, is_capital: bool, stem: u64) {
        if self.count == WORDS_MAX - WORDS_AGAIN {
            self.again = at;
        }
        self.count += 1;
        if std::mem::take(&mut self.is_next_line) && is_capital {
            self.most = self.most.max(std::mem::take(&mut self.line));
        }
        let weight = self.weights.glance(stem);
        self.sum += weight;
        self.line += weight;
        self.row[0] += weight;
        if self.count.is_multiple_of(WORDS_ROW / 2) {
            self.most = self.most.max(self.row[0] + self.row[1]);
            self.row = [0, self.row[0]];
        }
    }
}

/// The number of the stem of a word of ASCII with which `rest` begins.
#[inline]
fn symbol_of(rest: &[u8], length: usize) -> u64 {
    // Letters in lower case have this bit, and so do digits.
    const LOWER: u64 = u64::from_le_bytes([b' '; 8]);
    let word = rest.get(..length).unwrap_or_default();
    let stem = match *word {
        [b'0'..=b'9', ..] if word.iter().all(u8::is_ascii_digit) => return short_symbol(u64::from(b'0')),
        // Only these endings are left out.
        [.., b's' | b'S' | b'g' | b'G' | b'd' | b'D' | b'e' | b'E' | b'y' | b'Y' | b'i' | b'I'] => {
            let mut lower = [0; WORD_BYTES_MAX];
            lower.iter_mut().zip(word).for_each(|(lower, byte)| *lower = byte | b' ');
            stem_bytes(lower.get(..length).unwrap_or_default())
        }
        _ => length.min(8),
    };
    let first = match rest.first_chunk() {
        Some(first) => u64::from_le_bytes(*first),
        None => u64::from_le_bytes(std::array::from_fn(|at| rest.get(at).copied().unwrap_or(0))),
    };
    short_symbol((first | LOWER) & u64::MAX >> (64 - 8 * stem.clamp(1, 8)))
}

/// Whether a sentence ends with the byte at `index`.
fn ends_at(bytes: &[u8], index: usize) -> bool {
    let at = |offset: usize| bytes.get(index + offset).copied().unwrap_or(b'\n');
    match at(0) {
        b'.' | b'!' | b'?' | b';' => {
            matches!(at(1), b' ' | b'\n' | b'\r' | b'"' | b')' | b'\'' | b'*' | b'\\' | b'<')
                && !is_initial(bytes, index)
        }
        b'"' => {
            let before = index.checked_sub(1).and_then(|index| bytes.get(index)).copied().unwrap_or(b'\n');
            matches!(at(1), b',' | b':' | b'}' | b']' | b'\n') || matches!(before, b',' | b':' | b'{' | b'[')
        }
        b'\n' => !continues(bytes, index),
        _ => true,
    }
}

/// Whether the full stop belongs to a single letter, as in "e.g. this".
fn is_initial(bytes: &[u8], index: usize) -> bool {
    matches!(bytes.get(index.saturating_sub(2)..=index), Some([b'.', letter, b'.']) if letter.is_ascii_alphabetic())
}

/// Whether a sentence continues after the line end at `index`.
fn continues(bytes: &[u8], index: usize) -> bool {
    let last = bytes.iter().take(index).rev().take(3).find(|byte| !matches!(byte, b' ' | b'\r'));
    let goes_on =
        last.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b',' | b'-' | b'\\') || *byte >= 0x80);
    let next = bytes.iter().skip(index + 1).take(INDENT_MAX);
    let mut next = next.skip_while(|byte| matches!(byte, b' ' | b'#' | b'/' | b'*' | b'>' | b';' | b'%'));
    goes_on && next.next().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80)
}
