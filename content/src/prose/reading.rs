//! One sentence as the rules see it: its words in order, each with what it can mean, where a clause begins and what is quoted.
//!
//! Does not decide where sentences end (`sentence.rs`) nor what a combination means (`weight.rs`).
//!
//! *Security*: a sentence has at most [`WORDS_MAX`] words, so that every question about it takes a bounded time.

use std::ops::Range;

use super::feature::{stem, symbol};
use super::lexicon;
use super::sense::{ABOUT, ADDRESS, QUOTING, REPORTING, Senses, TOLD};

/// The most words that are read together; a longer sentence is read in pieces that overlap.
pub(super) const WORDS_MAX: usize = 40;
/// How many words of one piece are read again with the next.
pub(super) const WORDS_AGAIN: usize = 16;

/// So many words in a row are weighed apart, where there are half as many again or more.
pub(super) const WORDS_ROW: usize = 16;

/// How much of a host is looked at for a full stop.
const HOST_BYTES_MAX: usize = 64;

/// One word.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// Its bytes in the text.
    pub(super) range: Range<usize>,
    /// The number of its stem.
    pub(super) stem: u64,
    /// What it, or a phrase that begins with it, can mean.
    pub(super) senses: Senses,
    /// Whether a clause, a quotation, a line or a field begins with it.
    pub(super) opens: bool,
    /// Whether a line begins with it, in a capital letter: it may have been put below one that happens not to end a sentence.
    pub(super) begins: bool,
    /// Whether it stands in quotation marks or back-ticks.
    pub(super) quoted: bool,
}

/// A sentence, or a piece of a long one; its memory serves one after the other.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) words: Vec<Word>,
    /// Everything that stands in it.
    pub(super) all: Senses,
    /// Its plain form, and where each word stands in that.
    plain: String,
    places: Vec<Range<usize>>,
}

impl Reading {
    /// Reads the words in a part of a text in place of what was read before; returns where the next piece begins, if the part
    /// has more words than one reading takes.
    pub(super) fn read(&mut self, text: &str, part: Range<usize>) -> Option<usize> {
        self.all = 0;
        self.words.clear();
        self.places.clear();
        self.plain.clear();
        self.plain.push(' ');
        let more = self.split(text, part);
        self.plain.push(' ');
        for (index, (word, place)) in self.words.iter_mut().zip(&self.places).enumerate() {
            word.stem = symbol(stem(self.plain.get(place.clone()).unwrap_or_default()).as_bytes());
            word.senses |= lexicon::senses_of(&self.plain, place, self.places.get(index + 1));
            self.all |= word.senses;
        }
        more
    }

    /// Splits the words, and brings them into a plain form.
    fn split(&mut self, text: &str, part: Range<usize>) -> Option<usize> {
        let bytes = text.as_bytes();
        let (mut open, mut quote, mut is_within) = (true, None, false);
        let mut at = part.start;
        while at < part.end {
            let rest = bytes.get(at..part.end).unwrap_or_default();
            let letters = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            if letters == 0 && rest.first() == Some(&b' ') {
                lexicon::push_space(&mut self.plain);
                is_within = false;
                at += 1;
                continue;
            }
            let character = if letters > 0 { 'a' } else { text.get(at..)?.chars().next()? };
            let is_alone = lexicon::is_ideographic(character);
            let is_part = letters > 0 || is_alone || lexicon::is_letter(character);
            if is_part && (is_alone || !is_within) {
                if self.words.len() == WORDS_MAX {
                    return self.words.get(WORDS_MAX - WORDS_AGAIN).map(|word| word.range.start);
                }
                let before = self.words.last().map_or(part.start, |word| word.range.end);
                let begins = begins(text, before..at);
                self.words.push(Word {
                    range: at..at,
                    stem: 0,
                    senses: 0,
                    opens: open || begins,
                    begins,
                    quoted: quote.is_some(),
                });
                if is_alone {
                    lexicon::push_space(&mut self.plain);
                }
                self.places.push(self.plain.len()..self.plain.len());
                open = false;
            }
            if letters > 0 {
                lexicon::push_letters(&mut self.plain, text.get(at..at + letters).unwrap_or_default());
                at += letters;
            } else {
                lexicon::push_plain(&mut self.plain, character);
                at += character.len_utf8();
            }
            is_within = is_part && !is_alone;
            if is_part {
                if let (Some(word), Some(place)) = (self.words.last_mut(), self.places.last_mut()) {
                    word.range.end = at;
                    place.end = self.plain.len() - usize::from(is_alone);
                }
            } else if character == '@' {
                self.mark_mailbox(bytes, at);
            } else {
                let next = bytes.get(at..part.end).and_then(<[u8]>::first).map_or(' ', |next| char::from(*next));
                mark(character, next, &mut open, &mut quote);
            }
        }
        None
    }

    /// Marks the word before an at sign as an address, if a host follows at `at`.
    fn mark_mailbox(&mut self, bytes: &[u8], at: usize) {
        let host = bytes.iter().skip(at).take(HOST_BYTES_MAX);
        let mut host = host.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
        if host.any(|byte| *byte == b'.')
            && let Some(word) = self.words.last_mut().filter(|word| word.range.end + 1 == at)
        {
            word.senses |= ADDRESS;
        }
    }

    /// The words that are weighed together: all of them, those of each line apart, where more than one begins, and of many words
    /// some in a row, so that no number of others waters them down.
    pub(super) fn parts(&self) -> impl Iterator<Item = Range<usize>> {
        let count = self.words.len();
        let inner = (1..count).filter(|word| self.words.get(*word).is_some_and(|word| word.begins));
        let mut start = 0;
        let lines = inner.chain([count]).map(move |end| std::mem::replace(&mut start, end)..end);
        let ends = (WORDS_ROW..count).step_by(WORDS_ROW / 2).chain([count]);
        let rows = ends.filter(move |_| count > WORDS_ROW * 3 / 2).map(|end| end - WORDS_ROW..end);
        std::iter::once(0..count).chain(lines.filter(move |line| line.len() < count)).chain(rows)
    }

    /// Whether any of these stands somewhere in it.
    pub(super) fn any(&self, senses: Senses) -> bool {
        self.all & senses != 0
    }

    /// What stands from one word to another, both included.
    pub(super) fn between(&self, first: usize, last: usize) -> Senses {
        let count = (last + 1).saturating_sub(first);
        self.words.iter().skip(first).take(count).fold(0, |all, word| all | word.senses)
    }

    /// Whether the words are quoted or told as something that somebody wrote or tried; `before` is all of the sentence before.
    pub(super) fn mentioned(&self, first: usize, last: usize, before: Senses) -> bool {
        let ahead = self.between(0, first.saturating_sub(1)) * Senses::from(first > 0);
        let opens = self.words.get(first).is_some_and(|word| word.opens);
        if ahead & TOLD != 0 || ahead & ABOUT != 0 && !opens {
            return true;
        }
        let quoted = self.words.iter().skip(first).take((last + 1).saturating_sub(first)).any(|word| word.quoted);
        let outside = self.words.iter().filter(|word| !word.quoted).fold(0, |all, word| all | word.senses);
        if quoted && (outside & (ABOUT | QUOTING | REPORTING) != 0 || before & ABOUT != 0) {
            return true;
        }
        let about = u32::from(self.any(ABOUT))
            + u32::from(ahead & QUOTING != 0)
            + u32::from(self.any(REPORTING))
            + u32::from(before & ABOUT != 0);
        about >= 2
    }

    /// The bytes from one word to another.
    pub(super) fn range(&self, first: usize, last: usize) -> Range<usize> {
        let start = self.words.get(first).map_or(0, |word| word.range.start);
        let end = self.words.get(last.max(first)).or(self.words.last()).map_or(start, |word| word.range.end);
        start..end.max(start)
    }
}

/// Whether a line begins with a capital letter behind what stands between two words.
pub(super) fn begins(text: &str, between: Range<usize>) -> bool {
    let is_next_line = text.get(between.clone()).is_some_and(|gap| gap.contains('\n'));
    is_next_line && text.get(between.end..).is_some_and(|rest| rest.starts_with(char::is_uppercase))
}

/// What a character between words says about the next.
fn mark(character: char, next: char, open: &mut bool, quote: &mut Option<char>) {
    let closing = match character {
        '"' | '`' => Some(character),
        '“' => Some('”'),
        '«' => Some('»'),
        '„' => Some('“'),
        '「' => Some('」'),
        _ => None,
    };
    if *quote == Some(character) {
        *quote = None;
    } else if quote.is_none() {
        *quote = closing;
    }
    let separates = character.is_ascii_punctuation() && !matches!(character, '\'' | '/' | '_' | '.' | '@' | '&' | '%')
        || matches!(character, '…' | '—' | '–' | '、' | '，' | '：' | '「' | '“' | '«' | '•' | '‣' | '。');
    let inner = matches!(character, ':' | '-' | ',' | '=') && !matches!(next, ' ' | '\n' | '"' | '\'' | '`');
    *open |= separates && !inner;
}
