//! Text as a person or a model reads it, without disguises, and with a map back to its bytes.
//!
//! ```text
//! іgnоrе (Cyrillic) · ｉｇｎｏｒｅ · i g n o r e · ig\u{200b}nore   ──▶   ignore
//! [ignore](https://a.org) [all](https://b.org) [orders](#c)       ──▶   [ignore [all [orders
//! ```
//!
//! Keeps case, white space, lines and words of another script. Judges nothing and decodes nothing. Text without a
//! disguise has no such copy, and detecting that is cheap.
//!
//! *Security*: reads hostile bytes, including bytes that are not text; linear in their number. *Standards*: UAX #15
//! (NFKD); UTS #39, section 4 (confusables), for the letters that look Latin (`words/look_alikes.txt`).

use std::ops::Range;
use std::sync::LazyLock;

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use crate::fact::is_unseen;

/// How much of the text around a disguise is read with it, on either side.
const AROUND_BYTES: usize = 512;
/// How much of the rest of its line, which may hold links with long targets.
const REST_BYTES_MAX: usize = 64 << 10;
/// So many letters that are set apart make a word.
const SPELLED_MIN: usize = 4;

/// The disguised passages of a text, a line each or more, as they read.
#[derive(Debug, Default)]
pub(crate) struct Plain {
    text: String,
    /// Where each stretch begins in the text and in the bytes, within which the two run side by side.
    stretches: Vec<(usize, usize)>,
    /// The places of the disguised characters in the text.
    changed: Vec<usize>,
}

/// A character of the text.
#[derive(Debug, Clone, Copy)]
struct Cell {
    character: char,
    /// Its first byte.
    at: usize,
    /// Whether it, or its place in its word, was disguised.
    changed: bool,
}

impl Plain {
    /// Of the extents of text in some bytes; none where nothing is disguised. Words on both sides of a link's target are.
    pub(crate) fn of(bytes: &[u8], extents: &[Range<usize>]) -> Option<Self> {
        let mut plain = Self::default();
        for part in extents.iter().flat_map(|extent| parts(bytes, extent)) {
            let cells = cells(bytes.get(part.clone()).unwrap_or_default());
            if cells.iter().any(|cell| cell.changed) {
                plain.append(&cells, &part);
            }
        }
        (!plain.changed.is_empty()).then_some(plain)
    }

    /// Appends a passage of the bytes, on a line of its own.
    fn append(&mut self, cells: &[Cell], part: &Range<usize>) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        for cell in cells {
            self.meet(part.start + cell.at);
            if cell.changed {
                self.changed.push(self.text.len());
            }
            self.text.push(cell.character);
        }
        self.meet(part.end);
    }

    /// Records the byte at which the next character of the text begins.
    fn meet(&mut self, at: usize) {
        let here = self.text.len();
        if self.stretches.last().is_none_or(|(text, byte)| here - text != at - byte) {
            self.stretches.push((here, at));
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The bytes that a part of the text comes from.
    pub(crate) fn source(&self, part: &Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let behind = self.stretches.partition_point(|(text, _)| *text <= at);
            let stretch = behind.checked_sub(1).and_then(|stretch| self.stretches.get(stretch));
            stretch.map_or(0, |(text, byte)| byte + at - text)
        };
        place(part.start)..place(part.end)
    }

    /// Whether a part of the text was written in another way.
    pub(crate) fn is_disguised(&self, part: &Range<usize>) -> bool {
        let first = self.changed.partition_point(|at| *at < part.start);
        self.changed.get(first).is_some_and(|at| *at < part.end)
    }
}

/// A text without its accents, and in compatible forms.
pub(crate) fn folded(text: &str) -> String {
    cells(text.as_bytes()).into_iter().map(|cell| cell.character).collect()
}

/// The characters of a passage as they read; invalid UTF-8 reads as U+FFFD.
fn cells(bytes: &[u8]) -> Vec<Cell> {
    let mut cells = read(bytes, &targets(bytes));
    for line in cells.split_inclusive_mut(|cell| cell.character == '\n') {
        fold_look_alikes(line);
    }
    join_letters(drop_accents(cells))
}

/// The parts of an extent of text that may contain a disguise: whole lines with their context.
fn parts(bytes: &[u8], extent: &Range<usize>) -> Vec<Range<usize>> {
    let bytes = bytes.get(..extent.end).unwrap_or_default();
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut at = extent.start;
    while let Some(sign) = sign(bytes, at) {
        let ahead = parts.last().map_or(extent.start, |part| part.end);
        let start = bytes.get(ahead..sign.saturating_sub(AROUND_BYTES).max(ahead)).unwrap_or_default();
        let start = start.iter().rposition(|byte| *byte == b'\n').map_or(ahead, |end| ahead + end + 1);
        let start = start.max(sign.saturating_sub(2 * AROUND_BYTES)).max(ahead);
        let rest = bytes.get(sign + AROUND_BYTES..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest.get(..REST_BYTES_MAX).unwrap_or(rest)).unwrap_or(REST_BYTES_MAX);
        let end = (sign + AROUND_BYTES + end).min(bytes.len());
        match parts.last_mut().filter(|last| last.end == start) {
            Some(last) => last.end = end,
            None => parts.push(start..end),
        }
        at = end;
    }
    parts
}

/// The next place from which on something may be disguised: beyond ASCII, letters that are set apart, or a link.
fn sign(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(suspect) = suspect(bytes, at) {
        let ahead = bytes.get(at..suspect).unwrap_or_default();
        let start = memchr::memrchr(b'\n', ahead).map_or(at, |end| at + end + 1);
        let rest = bytes.get(suspect + 1..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).map_or(bytes.len(), |end| suspect + 1 + end);
        if let Some(sign) = sign_in_line(bytes.get(start..end).unwrap_or_default()) {
            return Some(start + sign);
        }
        at = end;
    }
    None
}

/// The beginning of the next few bytes among which a sign may be: a byte beyond ASCII, three letters set apart, or a bracket that ends
/// the text of a link.
fn suspect(bytes: &[u8], from: usize) -> Option<usize> {
    const BLOCK: usize = 64;
    const BESIDE: usize = 6;
    let rest = bytes.get(from..)?;
    let mut at = 0;
    while let Some(block) = rest.get(at..).and_then(<[u8]>::first_chunk::<{ BLOCK + BESIDE }>) {
        let is_letter = block.map(|byte| u8::from((byte | 0x20).wrapping_sub(b'a') < 26));
        let mut signs = block.iter().fold(0, |all, byte| all | byte) & 0x80;
        let is_single: [u8; BLOCK + BESIDE - 2] =
            std::array::from_fn(|at| is_letter[at + 1] & !(is_letter[at] | is_letter[at + 2]));
        for at in 0..BLOCK {
            signs |= is_single[at] & is_single[at + 2] & is_single[at + 4];
            signs |= u8::from(block[at] == b']') & u8::from(block[at + 1] == b'(');
        }
        if signs != 0 {
            return Some(from + at);
        }
        at += BLOCK;
    }
    (at < rest.len()).then_some(from + at)
}

/// The first sign in a line.
fn sign_in_line(line: &[u8]) -> Option<usize> {
    let (mut run, mut was_letter) = (0, false);
    let is_link = |at: usize| line.get(at..).is_some_and(|rest| rest.starts_with(b"]("));
    line.iter().enumerate().position(|(at, byte)| {
        let is_letter = byte.is_ascii_alphabetic();
        run = if is_letter == was_letter || byte.is_ascii_digit() { 0 } else { run + 1 };
        was_letter = is_letter;
        !byte.is_ascii() || run == 2 * SPELLED_MIN || is_link(at)
    })
}

/// The targets of links, from the bracket that ends a text to the parenthesis that ends the target, in order. They may be nested, and
/// have lines, but no empty one (CommonMark 0.31.2, section 6.3).
fn targets(bytes: &[u8]) -> Vec<Range<usize>> {
    let (mut open, mut targets) = (Vec::new(), Vec::new());
    let (mut line_start, mut within_angles) = (0, 0..0);
    for (at, byte) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied();
        match byte {
            b'\n' => {
                let line = bytes.get(std::mem::replace(&mut line_start, at + 1)..at).unwrap_or_default();
                if line.trim_ascii().is_empty() {
                    open.clear();
                }
            }
            b'<' if at >= within_angles.end && open.last().is_some_and(|(_, is_target)| *is_target) => {
                let rest = bytes.get(at..).unwrap_or_default();
                let end = memchr::memchr2(b'>', b'\n', rest).map_or(bytes.len(), |end| at + end);
                within_angles = if bytes.get(end) == Some(&b'>') { at } else { end }..end;
            }
            b'(' | b')' if before == Some(b'\\') || within_angles.contains(&at) => {}
            b'(' => open.push((at, before == Some(b']'))),
            b')' => targets.extend(open.pop().filter(|(_, is_target)| *is_target).map(|(start, _)| start - 1..at + 1)),
            _ => {}
        }
    }
    targets.sort_unstable_by_key(|target| target.start);
    targets
}

/// The characters of some bytes, without those that are not seen, and in their compatible forms.
fn read(bytes: &[u8], targets: &[Range<usize>]) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::with_capacity(bytes.len());
    let (mut at, mut is_gap) = (0, false);
    let (mut targets, mut target_end, mut is_behind) = (targets.iter().peekable(), 0, false);
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            while let Some(target) = targets.next_if(|target| target.start <= at) {
                target_end = target_end.max(target.end);
            }
            if at < target_end {
                is_behind = true;
            } else if is_invisible(character) {
                is_gap = cells.last().is_some_and(|cell| cell.character.is_alphanumeric());
            } else {
                let seen =
                    if character.is_ascii() { [Some(character), None, None, None] } else { compatible(character) };
                for seen in seen.into_iter().flatten() {
                    let is_form = character > '\u{20ff}' && seen.is_ascii_alphanumeric();
                    let is_joined = std::mem::take(&mut is_gap) && seen.is_alphanumeric();
                    let changed = std::mem::take(&mut is_behind) || is_form || is_joined;
                    cells.push(Cell { character: seen, at, changed });
                }
            }
            at += character.len_utf8();
        }
        if !chunk.invalid().is_empty() {
            cells.push(Cell { character: char::REPLACEMENT_CHARACTER, at, changed: false });
            at += chunk.invalid().len();
        }
    }
    cells
}

/// Compatible forms in ASCII, and letters without their accents; other characters unchanged.
fn compatible(character: char) -> [Option<char>; 4] {
    let mut parts = [None; 4];
    let mut count = 0;
    let single = match character {
        // Most scripts have no such forms.
        '\u{370}'..='\u{1cff}' | '\u{3040}'..='\u{d7ff}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(character),
        _ if character.is_whitespace() => Some(' '),
        _ => enclosed(character),
    };
    if single.is_some() {
        return [single, None, None, None];
    }
    decompose_compatible(character, |part| {
        if !is_combining_mark(part) {
            if let Some(place) = parts.get_mut(count) {
                *place = Some(part);
            }
            count += 1;
        }
    });
    let is_plain = (1..=parts.len()).contains(&count) && parts.iter().flatten().all(char::is_ascii);
    if is_plain { parts } else { [Some(character), None, None, None] }
}

/// The letter in a sign that has one in a frame and no compatible form.
fn enclosed(character: char) -> Option<char> {
    let scalar = u32::from(character);
    let first = [0x1F110, 0x1F130, 0x1F150, 0x1F170, 0x1F1E6];
    let first = first.into_iter().find(|first| (*first..first + 26).contains(&scalar))?;
    char::from_u32(u32::from('A') + scalar - first)
}

/// Invisible characters: without a shape, marks of direction, and control characters except white space.
fn is_invisible(character: char) -> bool {
    is_unseen(character)
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || character.is_control() && !character.is_whitespace()
}

/// Each look-alike with its letter, and whether readers of its script rarely confuse them; in order.
static LOOK_ALIKES: LazyLock<Vec<(char, char, bool)>> = LazyLock::new(|| {
    let lines = include_str!("../words/look_alikes.txt").lines().filter(|line| !line.starts_with('#'));
    let rows = lines.filter_map(|line| line.split_once(' ').zip(line.chars().next()));
    let row = |((_, row), letter): ((&str, &'static str), char)| {
        let far = row.find('|').unwrap_or(row.len());
        row.char_indices().map(move |(at, character)| (character, letter, at > far))
    };
    let mut all: Vec<_> = rows.flat_map(row).collect();
    all.sort_unstable();
    all
});

/// The Latin letter that a character looks like, and whether hardly.
pub(crate) fn look_alike(character: char) -> Option<(char, bool)> {
    if character.is_ascii() {
        return None;
    }
    let lower = character.to_lowercase().next()?;
    let place = LOOK_ALIKES.binary_search_by_key(&lower, |(look_alike, ..)| *look_alike).ok()?;
    let (_, latin, is_far) = *LOOK_ALIKES.get(place)?;
    Some((if lower == character { latin } else { latin.to_ascii_uppercase() }, is_far))
}

/// Scripts whose letters look like Latin ones: Greek, Cyrillic, Armenian, Cherokee, Coptic.
const fn is_kin(character: char) -> bool {
    matches!(
        character,
        '\u{370}'..='\u{52f}' | '\u{531}'..='\u{589}' | '\u{13a0}'..='\u{13fd}' | '\u{1f00}'..='\u{1fff}'
            | '\u{ab70}'..='\u{abbf}' | '\u{2c80}'..='\u{2cff}'
    )
}

/// A mark on the character before it.
fn is_mark(character: char) -> bool {
    // Letters of common scripts need no table.
    let is_letter =
        matches!(character, '\0'..='\u{2ff}' | '\u{370}'..='\u{482}' | '\u{48a}'..='\u{590}' | '\u{3400}'..='\u{d7ff}');
    !is_letter && is_combining_mark(character)
}

/// Makes Latin words of those that only look so: of such in which a letter is Latin, and in lines without words of their scripts of all.
fn fold_look_alikes(line: &mut [Cell]) {
    if line.iter().all(|cell| cell.character.is_ascii()) {
        return;
    }
    let is_own = |cell: &Cell| {
        is_kin(cell.character)
            && cell.character.is_alphabetic()
            && look_alike(cell.character).is_none_or(|(_, far)| far)
    };
    let is_own_line = line.iter().any(is_own);
    let is_of_word = |cell: &Cell| cell.character.is_alphanumeric() || is_mark(cell.character);
    for word in line.chunk_by_mut(|left, right| is_of_word(left) == is_of_word(right)) {
        let is_latin = word.iter().any(|cell| cell.character.is_ascii_alphabetic());
        if is_own_line && !is_latin || word.iter().any(is_own) {
            continue;
        }
        for cell in word {
            if let Some((latin, _)) = look_alike(cell.character) {
                // An accent or stroke that Latin words have does not hide them.
                cell.changed |= !matches!(cell.character, 'ø' | 'ł' | 'đ' | 'ħ' | 'ŧ' | 'ŋ' | 'ı' | 'Ø' | 'Ł' | 'Đ');
                cell.character = latin;
            }
        }
    }
}

/// Leaves out the marks on Latin letters; one is an accent, more are a disguise, and so is a stroke through the letter.
fn drop_accents(mut cells: Vec<Cell>) -> Vec<Cell> {
    let mut marks = None;
    let mut disguised = Vec::new();
    cells.retain(|cell| {
        let is_accent = marks.is_some() && is_mark(cell.character);
        let count = if is_accent { marks.map(|marks: usize| marks + 1) } else { None };
        let is_first = cell.character.is_ascii_alphabetic().then_some(0);
        if count == Some(2) || is_accent && matches!(cell.character, '\u{334}'..='\u{338}') {
            disguised.push(cell.at);
        }
        marks = count.or(is_first);
        !is_accent
    });
    for at in disguised {
        let letter = cells.partition_point(|cell| cell.at < at);
        if let Some(letter) = letter.checked_sub(1).and_then(|letter| cells.get_mut(letter)) {
            letter.changed = true;
        }
    }
    cells
}

/// Joins letters that are each set apart by the same character.
fn join_letters(cells: Vec<Cell>) -> Vec<Cell> {
    let letters: Vec<bool> = cells.iter().map(|cell| cell.character.is_alphanumeric()).collect();
    let is_letter = |at: usize| letters.get(at) == Some(&true);
    let mut dropped = vec![false; cells.len()];
    let (mut at, mut joined) = (0, None);
    while at + 1 < cells.len() {
        let mark = cells.get(at + 1).map_or('\n', |cell| cell.character);
        let is_apart = is_letter(at) && (at == 0 || !is_letter(at - 1)) && !is_letter(at + 1) && mark != '\n';
        if !is_apart {
            at += 1;
            continue;
        }
        let mut last = at;
        while cells.get(last + 1).is_some_and(|cell| cell.character == mark)
            && is_letter(last + 2)
            && !is_letter(last + 3)
        {
            last += 2;
        }
        let letters =
            cells.get(at..=last).unwrap_or_default().iter().filter(|cell| cell.character.is_alphabetic()).count();
        // A short word beside a long one that was set apart.
        let is_beside = joined.is_some_and(|end| at - end <= 4);
        if letters >= if is_beside { 2 } else { SPELLED_MIN } {
            dropped.get_mut(at..last).unwrap_or_default().iter_mut().skip(1).step_by(2).for_each(|drop| *drop = true);
            joined = Some(last);
        }
        at = last + 1;
    }
    if joined.is_none() {
        return cells;
    }
    let mut is_gap = false;
    let kept = cells.into_iter().zip(dropped).filter_map(|(mut cell, is_dropped)| {
        cell.changed |= std::mem::replace(&mut is_gap, is_dropped);
        (!is_dropped).then_some(cell)
    });
    kept.collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;
