//! Text behind so much empty space that nobody scrolls to it, and blanks at the ends of lines that carry bits.
//!
//! *Security*: hostile bytes; runs are found by looking at bytes far apart, and each run is read once.

use memchr::memchr_iter;

use super::rule;
use super::talk::{Talk, talk, urges};
use crate::rule::Hit;
use crate::rule::Strength::{Addressed, Mentioned};

/// How wide a gap within a line is when it pushes text out of a window, columns; and from where on it is no table any more.
const WIDE: usize = 100;
const WIDER: usize = 160;

/// How many empty lines push text out of a window, and from where on nothing else can be meant.
const LINES: usize = 30;
const MORE_LINES: usize = 50;

/// The same of spaces and line ends that are not of ASCII, which indent a paragraph by a few; and how much is read, bytes.
const WIDE_COLUMNS: usize = 50;
const WIDE_LINES: usize = 12;
const WIDE_BYTES_MAX: usize = 2048;

/// So many turns from one kind of blank to the other at the ends of a few lines carry bits.
const TURNS_MIN: usize = 7;

/// How many words a line has that another is nested in.
const WORDS_MIN: usize = 3;

/// A tab moves on by so many columns at most.
const TAB: usize = 8;

/// Finds text that stands out of sight.
pub(super) fn far_off(bytes: &[u8], hits: &mut Vec<Hit>) {
    const STEP: usize = 12;
    let mut at = STEP;
    while let Some(byte) = bytes.get(at) {
        if is_leader(*byte) && bytes.get(at - STEP..at).is_some_and(|row| row.iter().all(|other| other == byte)) {
            let length = bytes.iter().skip(at).take_while(|other| *other == byte).count();
            if length >= WIDER - STEP {
                hits.extend(behind_leader(bytes, at - STEP, at + length));
            }
            at += length + STEP;
            continue;
        }
        if !is_blank(*byte) {
            at += STEP;
            continue;
        }
        let before = bytes.get(at.saturating_sub(STEP)..at).unwrap_or_default();
        let start = at - before.iter().rev().take_while(|byte| is_blank(**byte)).count();
        let length = bytes.iter().skip(start).take_while(|byte| is_blank(**byte)).count();
        let end = start + length;
        if length > STEP {
            hits.extend(gap(bytes, start, end));
        }
        at = end + STEP;
    }
}

/// Signs that rows are made of which lead to the end of a line.
const fn is_leader(byte: u8) -> bool {
    matches!(byte, b'-' | b'.' | b'_' | b'=' | b'*' | b'~' | b'#')
}

/// Words at the end of a row of one sign that is wider than any window, on the same line.
fn behind_leader(bytes: &[u8], start: usize, end: usize) -> Option<Hit> {
    let rest = bytes.get(end..)?;
    let text = rest.get(..rest.len().min(512))?.split(|byte| *byte == b'\n').next()?;
    let strength = match talk(text) {
        Talk::Sentence | Talk::Directive => Addressed,
        Talk::Prose => Mentioned,
        Talk::Mark | Talk::Silent => return None,
    };
    Some(Hit { rule: rule::FAR_OFF, range: start..end + text.len(), strength })
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0B | 0x0C)
}

/// Text behind spaces and line ends that are not of ASCII: `from` is where the first of them stands.
pub(super) fn behind_wide(bytes: &[u8], from: usize) -> (Option<Hit>, usize) {
    let rest = bytes.get(from..bytes.len().min(from + WIDE_BYTES_MAX)).unwrap_or_default();
    let text = rest.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let (mut columns, mut lines, mut length) = (0, 0, 0);
    for character in text.chars().take_while(|character| character.is_whitespace()) {
        match character {
            '\u{85}' | '\u{2028}' | '\u{2029}' | '\n' => lines += 1,
            '\u{3000}' | '\u{2001}' | '\u{2003}' => columns += 2,
            _ => columns += 1,
        }
        length += character.len_utf8();
    }
    let end = from + length;
    if columns < WIDE_COLUMNS && lines < WIDE_LINES {
        return (None, end);
    }
    let behind = text.get(length..).unwrap_or_default().split('\n').next().unwrap_or_default();
    let strength = match talk(behind.as_bytes()) {
        Talk::Sentence | Talk::Directive => Addressed,
        Talk::Prose if columns >= WIDE || lines >= LINES => Addressed,
        Talk::Prose | Talk::Mark => Mentioned,
        Talk::Silent => return (None, end),
    };
    (Some(Hit { rule: rule::FAR_OFF, range: from..end + behind.len(), strength }), end)
}

fn gap(bytes: &[u8], start: usize, end: usize) -> Option<Hit> {
    let blanks = bytes.get(start..end)?;
    let lines = memchr_iter(b'\n', blanks).count() + blanks.iter().filter(|byte| matches!(byte, 0x0B | 0x0C)).count();
    let last = blanks.rsplit(|byte| *byte == b'\n').next()?;
    let columns: usize = last.iter().map(|byte| if *byte == b'\t' { TAB } else { 1 }).sum();
    let (is_far, is_farther) = (columns >= WIDE || lines >= LINES, columns >= WIDER || lines >= MORE_LINES);
    if !is_far {
        return None;
    }
    let rest = bytes.get(end..)?;
    let text = rest.get(..rest.len().min(512))?.split(|byte| *byte == b'\n').next()?;
    // The sign of a comment or of a cell says nothing about what follows it.
    let signs = text.iter().take_while(|byte| matches!(byte, b'#' | b'/' | b'|' | b';' | b'%' | b'-' | b' ')).count();
    let is_nested = (1..LINES).contains(&lines) && is_nested(bytes, start, last) && !urges(text);
    // A wide table stands on the screen as it is meant to.
    let is_cell = text.starts_with(b"|") && !urges(text);
    let strength = match talk(text.get(signs..)?) {
        Talk::Sentence | Talk::Directive if is_nested => Mentioned,
        _ if is_nested => return None,
        Talk::Sentence | Talk::Directive if !is_cell => Addressed,
        Talk::Prose if is_farther && !is_cell => Addressed,
        Talk::Sentence | Talk::Directive | Talk::Prose => Mentioned,
        Talk::Mark if is_farther => Mentioned,
        _ => return None,
    };
    // The step of a tab downwards is no text to whoever asks whether this stands among some.
    let start = if blanks.contains(&0x0B) { end } else { start };
    Some(Hit { rule: rule::FAR_OFF, range: start..end + text.len(), strength })
}

/// Whether `indentation`, the last line of blanks behind `end`, is a step deeper at most than the line before it, and that line is one
/// that something is nested in: it has words, or a sign of code or data.
fn is_nested(bytes: &[u8], end: usize, indentation: &[u8]) -> bool {
    let before = bytes.get(end.saturating_sub(WIDE_BYTES_MAX)..end).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let own = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let step = if indentation.contains(&b'\t') { 1 } else { TAB };
    let words = line.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).count();
    let is_sign =
        |byte: &u8| matches!(byte, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'"' | b'=' | b';');
    own > 0 && own + step >= indentation.len() && (words >= WORDS_MIN || line.iter().any(is_sign))
}

/// Finds lines whose ends are blanks of both kinds, in a number that no editor leaves behind.
pub(super) fn trailing(bytes: &[u8], hits: &mut Vec<Hit>) {
    let (mut mixed, mut all, mut first, mut last) = (0_usize, 0, None, 0);
    for end in memchr_iter(b'\n', bytes).chain(std::iter::once(bytes.len())) {
        let Some(byte) = end.checked_sub(1).and_then(|at| bytes.get(at)) else { continue };
        if !matches!(byte, b' ' | b'\t') {
            continue;
        }
        let from = end.saturating_sub(256);
        let before = bytes.get(from..end).unwrap_or_default();
        let length = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let blanks = bytes.get(end - length..end).unwrap_or_default();
        let turns = blanks.windows(2).filter(|pair| matches!(pair, [one, next] if one != next)).count();
        if turns >= 2 {
            (mixed, all) = (mixed + 1, all + turns);
            first.get_or_insert(end - length);
            last = end;
        }
    }
    // Some lines of a few turns each, or a few of many.
    if let Some(first) = first.filter(|_| mixed >= 4 || all >= TURNS_MIN) {
        hits.push(Hit { rule: rule::TRAILING, range: first..last, strength: Addressed });
    }
}
