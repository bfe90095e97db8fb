//! One sentence as it is weighed: its words in order with their possible senses, the starts of clauses, and quotations.
//!
//! ```text
//! Ignore all, Dr. Müller!  ──▶  "ignore all dr müller "     the plain form, in which phrases are sought
//! ```
//!
//! Does not decide where sentences end (`split.rs`) or what a combination means (`weights.rs`).
//!
//! *Security*: a sentence has at most [`WORDS_MAX`] words, so every query on it takes a bounded time.

use std::ops::Range;

use super::features::{stem, symbol};
use super::lexicon::{LEXICON, Lexicon, Senses};
use super::quotation;

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
    /// Its bytes in the text, and in the plain form.
    pub(super) range: Range<usize>,
    plain: Range<usize>,
    /// The number of its stem.
    pub(super) stem: u64,
    /// The senses of it, or of a phrase that begins with it.
    pub(super) senses: Senses,
    /// Whether a clause, a quotation, a line or a field begins with it.
    pub(super) opens: bool,
    /// Whether a line begins with it, in a capital letter: it may have been put below one that happens not to end a sentence.
    begins: bool,
    /// Whether it is in quotation marks or backticks.
    quoted: bool,
}

/// A sentence, or a piece of a long one; its memory serves one after the other.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) words: Vec<Word>,
    plain: String,
    /// The characters before the next word: whether one opens a clause, and the end of the quotation that one began.
    open: bool,
    quote: Option<char>,
}

impl Reading {
    /// Reads the words in a part of a text in place of what was read before; returns where the next piece begins, if the part
    /// has more words than one reading takes.
    pub(super) fn read(&mut self, text: &str, part: Range<usize>) -> Option<usize> {
        self.words.clear();
        self.plain.clear();
        (self.open, self.quote) = (true, None);
        let more = self.split(text, part);
        push_space(&mut self.plain);
        let lexicon = &*LEXICON;
        for word in &mut self.words {
            word.stem = symbol(stem(self.plain.get(word.plain.clone()).unwrap_or_default()).as_bytes());
            word.senses |= lexicon.senses(self.plain.as_bytes().get(word.plain.start..).unwrap_or_default());
        }
        more
    }

    fn split(&mut self, text: &str, part: Range<usize>) -> Option<usize> {
        let (mut is_within, mut at) = (false, part.start);
        let text_ahead = text.get(..part.end)?;
        while let Some(rest) = text_ahead.get(at..).filter(|rest| !rest.is_empty()) {
            let run = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(rest.len());
            let character = rest.chars().next().unwrap_or(' ');
            let is_alone = is_ideographic(character);
            let is_part = is_alone || is_letter(character);
            if is_part && (is_alone || !is_within) {
                if self.words.len() == WORDS_MAX {
                    return self.words.get(WORDS_MAX - WORDS_AGAIN).map(|word| word.range.start);
                }
                self.begin(text, part.start, at);
            }
            let end = at + if run > 0 { run } else { character.len_utf8() };
            if run > 0 {
                let start = self.plain.len();
                self.plain.push_str(rest.get(..run).unwrap_or_default());
                self.plain.get_mut(start..).unwrap_or_default().make_ascii_lowercase();
            } else {
                push_plain(&mut self.plain, character);
            }
            if is_part {
                if let Some(word) = self.words.last_mut() {
                    word.range.end = end;
                    word.plain.end = self.plain.len() - usize::from(is_alone);
                }
            } else if character == '@' {
                self.mark_mailbox(text.as_bytes(), end);
            } else {
                self.mark(character, text_ahead.get(end..).and_then(|rest| rest.chars().next()).unwrap_or(' '));
            }
            is_within = is_part && !is_alone;
            at = end;
        }
        None
    }

    /// Begins a word at a byte of the text.
    fn begin(&mut self, text: &str, from: usize, at: usize) {
        let before = self.words.last().map_or(from, |word| word.range.end);
        let is_next_line = text.get(before..at).is_some_and(|gap| gap.contains('\n'));
        let begins = is_next_line && text.get(at..).is_some_and(|rest| rest.starts_with(char::is_uppercase));
        let opens = std::mem::take(&mut self.open) || begins;
        let quoted = self.quote.is_some();
        push_space(&mut self.plain);
        let plain = self.plain.len()..self.plain.len();
        self.words.push(Word { range: at..at, plain, stem: 0, senses: 0, opens, begins, quoted });
    }

    /// Marks the word before an at sign as an address, if a host follows at `at`.
    fn mark_mailbox(&mut self, bytes: &[u8], at: usize) {
        let host = bytes.iter().skip(at).take(HOST_BYTES_MAX);
        let mut host = host.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'));
        if host.any(|byte| *byte == b'.')
            && let Some(word) = self.words.last_mut().filter(|word| word.range.end + 1 == at)
        {
            word.senses |= LEXICON.sense("ADDRESS");
        }
    }

    /// Records what a character between words means for the next one.
    fn mark(&mut self, character: char, next: char) {
        if self.quote == Some(character) {
            self.quote = None;
        } else if self.quote.is_none() {
            self.quote = quotation::closing(character);
        }
        let separates = character.is_ascii_punctuation()
            && !matches!(character, '\'' | '/' | '_' | '.' | '@' | '&' | '%')
            || matches!(character, '…' | '—' | '–' | '、' | '，' | '：' | '「' | '“' | '«' | '•' | '‣' | '。');
        let inner = matches!(character, ':' | '-' | ',' | '=') && !matches!(next, ' ' | '\n' | '"' | '\'' | '`');
        self.open |= separates && !inner;
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

    /// Everything that its words can mean.
    pub(super) fn all(&self) -> Senses {
        self.words.iter().fold(0, |all, word| all | word.senses)
    }

    /// Whether some words are quoted or reported as somebody's text or attempt; `before` has the senses of the sentence
    /// before.
    pub(super) fn is_reported(&self, words: &Range<usize>, before: Senses, senses: ReportSenses) -> bool {
        let ReportSenses { about, reported, quoting, reporting } = senses;
        let of = |words: &[Word]| words.iter().fold(0, |all, word| all | word.senses);
        let ahead = of(self.words.get(..words.start).unwrap_or_default());
        let inside = self.words.get(words.clone()).unwrap_or_default();
        let opens = inside.first().is_some_and(|word| word.opens);
        if ahead & reported != 0 || ahead & about != 0 && !opens {
            return true;
        }
        let outside = self.words.iter().filter(|word| !word.quoted).fold(0, |all, word| all | word.senses);
        if inside.iter().any(|word| word.quoted)
            && (outside & (about | quoting | reporting) != 0 || before & about != 0)
        {
            return true;
        }
        let all = self.all();
        let signs = [all & about, ahead & quoting, all & reporting, before & about];
        signs.iter().filter(|sign| **sign != 0).count() >= 2
    }

    /// Of some words those from the first quoted one to the last; all of them where none is.
    pub(super) fn quoted(&self, words: &Range<usize>) -> Range<usize> {
        let is_quoted = |word: &usize| self.words.get(*word).is_some_and(|word| word.quoted);
        let (first, last) = (words.clone().find(is_quoted), words.clone().rev().find(is_quoted));
        first.zip(last).map_or(words.clone(), |(first, last)| first..last + 1)
    }

    /// The words before some words and those behind them, without the quoted ones beside them.
    pub(super) fn around(&self, words: &Range<usize>) -> [Range<usize>; 2] {
        let is_quoted = |word: &usize| self.words.get(*word).is_some_and(|word| word.quoted);
        let start = (0..words.start).rev().find(|word| !is_quoted(word)).map_or(0, |word| word + 1);
        let end = (words.end..self.words.len()).find(|word| !is_quoted(word)).unwrap_or(self.words.len());
        [0..start, end..self.words.len()]
    }

    /// The bytes of some words.
    pub(super) fn range(&self, words: &Range<usize>) -> Range<usize> {
        let inside = self.words.get(words.clone()).unwrap_or_default();
        let bytes = inside.first().zip(inside.last()).map(|(first, last)| first.range.start..last.range.end);
        bytes.unwrap_or(0..0)
    }
}

/// The senses by which a report is known: text about attacks, what somebody is said to have said, what introduces a quotation,
/// and figures or repairs.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReportSenses {
    about: Senses,
    reported: Senses,
    quoting: Senses,
    reporting: Senses,
}

impl ReportSenses {
    pub(super) fn of(lexicon: &Lexicon) -> Self {
        let [about, reported, quoting, reporting] =
            ["ABOUT", "TOLD", "QUOTING", "REPORTING"].map(|name| lexicon.sense(name));
        Self { about, reported, quoting, reporting }
    }
}

/// Adds a character to a plain form: letters in lower case, one space for whatever is none, and every character of a script
/// without spaces a word of its own.
pub(super) fn push_plain(plain: &mut String, character: char) {
    if is_ideographic(character) {
        push_space(plain);
        plain.extend([character, ' ']);
    } else if is_letter(character) {
        if character.is_ascii() {
            plain.push(character.to_ascii_lowercase());
        } else {
            plain.extend(character.to_lowercase());
        }
    } else {
        push_space(plain);
    }
}

fn push_space(plain: &mut String) {
    if !plain.is_empty() && !plain.ends_with(' ') {
        plain.push(' ');
    }
}

/// Letters, digits and the marks that Indic and Arabic words are written with.
#[inline]
pub(super) fn is_letter(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric();
    }
    character.is_alphanumeric()
        || matches!(character, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{dff}' | '\u{64b}'..='\u{65f}')
}

/// Scripts that put no spaces between words.
#[inline]
pub(super) fn is_ideographic(character: char) -> bool {
    character >= '\u{e00}'
        && matches!(character, '\u{2e80}'..='\u{2fff}' | '\u{3005}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{e00}'..='\u{e7f}' | '\u{f900}'..='\u{faff}')
        && !matches!(character, '\u{3008}'..='\u{3020}' | '\u{30fb}')
}
