//! One character of a line with the bytes that it comes from, as the careful reading goes over it.
//!
//! Here characters lose their case, their accents and their compatibility forms, and invisible ones are left out.
//!
//! Standards: UAX #15 (NFKD); Unicode 16, section 23 (characters that are not shown).

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use super::letter;

/// A character of the reading.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) character: char,
    /// The bytes that it comes from.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether it was written in another way than by case and white space.
    pub(super) changed: bool,
    /// Whether something was left out before it that belonged to the same word.
    pub(super) after_gap: bool,
    /// Whether it was written in upper case.
    pub(super) upper: bool,
}

/// Characters above this are no letters of everyday European text, so that one that reads as a Latin letter is a disguise.
const ORDINARY_MAX: char = '\u{20ff}';

/// Reads the bytes of a line, which begins at `at`, into `cells`.
pub(super) fn read(line: &[u8], mut at: usize, cells: &mut Vec<Cell>) {
    cells.clear();
    let mut reader = Reader { cells, after_gap: false, marks: 0 };
    for chunk in line.utf8_chunks() {
        for character in chunk.valid().chars() {
            let end = at + character.len_utf8();
            reader.character(character, at, end);
            at = end;
        }
        if !chunk.invalid().is_empty() {
            let end = at + chunk.invalid().len();
            reader.replacement(at, end);
            at = end;
        }
    }
}

struct Reader<'a> {
    cells: &'a mut Vec<Cell>,
    /// Whether something invisible was left out since the last character.
    after_gap: bool,
    /// The marks on the last letter.
    marks: usize,
}

impl Reader<'_> {
    fn push(&mut self, character: char, start: usize, end: usize, changed: bool) {
        let after_gap = std::mem::take(&mut self.after_gap);
        self.marks = 0;
        let upper = character.is_uppercase();
        for character in character.to_lowercase() {
            self.cells.push(Cell { character, start, end, changed, after_gap, upper });
        }
    }

    fn character(&mut self, character: char, start: usize, end: usize) {
        if character.is_ascii() {
            match character {
                '\n' | '\t' | '\r' | '\u{b}' | '\u{c}' | ' '..='~' => {
                    self.push(character, start, end, false);
                }
                _ => self.after_gap = true,
            }
        } else if letter::is_invisible(character) {
            self.after_gap = true;
        } else if character.is_whitespace() {
            self.push(' ', start, end, false);
        } else if is_combining_mark(character) {
            self.mark(character, start, end);
        } else if let Some(plain) = letter::punctuation(character) {
            self.push(plain, start, end, false);
        } else if let Some(latin) = letter::enclosed(character) {
            self.push(latin, start, end, true);
        } else {
            self.decomposed(character, start, end);
        }
    }

    /// Compatibility forms of ASCII characters become these, letters with accents lose them if they are Latin.
    fn decomposed(&mut self, character: char, start: usize, end: usize) {
        let mut parts = ['\0'; 4];
        let mut count = 0;
        decompose_compatible(character, |part| {
            if !is_combining_mark(part) {
                if let Some(place) = parts.get_mut(count) {
                    *place = part;
                }
                count += 1;
            }
        });
        match parts.get(..count) {
            Some(ascii) if count > 0 && ascii.iter().all(char::is_ascii) => {
                for part in ascii {
                    let changed = character > ORDINARY_MAX && part.is_ascii_alphanumeric();
                    self.push(*part, start, end, changed);
                }
            }
            _ => self.push(character, start, end, false),
        }
    }

    /// A mark goes with a Latin letter; one is an accent, more are a disguise, as is a stroke through the letter.
    fn mark(&mut self, character: char, start: usize, end: usize) {
        match self.cells.last_mut() {
            Some(letter) if letter.character.is_ascii() && letter.end == start => {
                letter.end = end;
                self.marks += 1;
                letter.changed |= self.marks > 1 || matches!(character, '\u{334}'..='\u{338}');
            }
            _ => self.push(character, start, end, false),
        }
    }

    /// Bytes that are no text; one character for a run of them.
    fn replacement(&mut self, start: usize, end: usize) {
        match self.cells.last_mut() {
            Some(last) if last.character == char::REPLACEMENT_CHARACTER => last.end = end,
            _ => self.push(char::REPLACEMENT_CHARACTER, start, end, false),
        }
    }
}
