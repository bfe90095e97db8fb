//! Words that are written in an unusual way: with emphasis marks within them, letter by letter, with digits for letters.

use super::cell::Cell;
use super::line::Disguises;

/// The fewest letters that are joined where nothing beside them was.
const SPELLED_MIN: usize = 4;

/// Puts the words of a line together. What stands between foreign characters was not seen beforehand.
pub(super) fn join(cells: &mut Vec<Cell>, disguises: Disguises) {
    if disguises.spelled || disguises.foreign {
        spelled(cells);
    }
    emphasis(cells);
    if disguises.leet || disguises.spelled || disguises.foreign {
        leet(cells);
    }
}

/// Leaves out every cell that `drop` names. What follows one within a word is marked.
fn leave_out(cells: &mut Vec<Cell>, drop: &[bool]) {
    let mut at = 0;
    let (mut gap, mut in_word) = (false, false);
    cells.retain_mut(|cell| {
        let dropped = drop.get(at).is_some_and(|drop| *drop);
        at += 1;
        if dropped {
            gap = true;
        } else {
            let alphanumeric = cell.character.is_alphanumeric();
            cell.after_gap |= gap && in_word && alphanumeric;
            (gap, in_word) = (false, alphanumeric);
        }
        !dropped
    });
}

/// Joins letters between which the same character stands again and again: `i g n o r e`, `i-g-n-o-r-e- -i-t`.
fn spelled(cells: &mut Vec<Cell>) {
    let mut drop = Vec::new();
    let mut joined_to = 0;
    let mut at = 0;
    while let (Some(first), Some(second)) = (cells.get(at), cells.get(at + 1)) {
        let separator = second.character;
        let starts_word = at == 0 || cells.get(at - 1).is_some_and(|before| !before.character.is_alphanumeric());
        if !first.character.is_alphanumeric() || separator.is_alphanumeric() || separator == '\n' || !starts_word {
            at += 1;
            continue;
        }
        let pairs = cells.get(at..).unwrap_or_default().chunks_exact(2);
        let count = pairs.take_while(|pair| matches!(pair, [_, after] if after.character == separator)).count();
        // The last letter has no separator behind it, unless it begins a word that is written as usual.
        let last = at + 2 * count;
        let is_alone = |at: usize| cells.get(at + 1).is_none_or(|after| !after.character.is_alphanumeric());
        let end = if cells.get(last).is_some_and(|cell| cell.character.is_alphanumeric()) && is_alone(last) {
            last + 1
        } else {
            last - 1
        };
        let tokens = cells.get(at..end).unwrap_or_default().iter().step_by(2);
        let letters = tokens.filter(|cell| cell.character.is_alphabetic()).count();
        let is_beside = joined_to > 0 && at - joined_to <= 3;
        if letters >= if is_beside { 2 } else { SPELLED_MIN } {
            drop.resize(cells.len(), false);
            for (offset, cell) in drop.get_mut(at..end).unwrap_or_default().iter_mut().enumerate() {
                *cell = offset % 2 == 1;
            }
            joined_to = end;
        }
        at = end.max(at + 1);
    }
    if !drop.is_empty() {
        leave_out(cells, &drop);
    }
}

/// Whether a character is a mark of emphasis.
pub(super) const fn is_mark(character: char) -> bool {
    matches!(character, '*' | '`' | '~' | '_')
}

/// Whether marks between two characters emphasize; a single low line joins the parts of a name.
pub(super) fn emphasizes(before: Option<char>, marks: &[u8], after: Option<char>) -> bool {
    let is_letter = |character: Option<char>| character.is_some_and(char::is_alphabetic);
    (is_letter(before) || is_letter(after)) && !(marks == b"_" && is_letter(before) && is_letter(after))
}

/// Leaves out marks of emphasis at and within words.
fn emphasis(cells: &mut Vec<Cell>) {
    let mut drop = Vec::new();
    let mut at = 0;
    let character = |at: usize| cells.get(at).map(|cell| cell.character);
    while at < cells.len() {
        let marks = cells
            .get(at..)
            .unwrap_or_default()
            .iter()
            .map_while(|cell| is_mark(cell.character).then_some(cell.character));
        // Marks are ASCII.
        let marks: Vec<u8> = marks.filter_map(|mark| u8::try_from(mark).ok()).collect();
        let end = at + marks.len();
        if end > at && emphasizes(at.checked_sub(1).and_then(character), &marks, character(end)) {
            drop.resize(cells.len(), false);
            drop.get_mut(at..end).unwrap_or_default().fill(true);
        }
        at = end.max(at + 1);
    }
    if !drop.is_empty() {
        leave_out(cells, &drop);
    }
}

/// Reads digits for letters in words that are letters then, if digits stand between letters; and in the words beside them.
fn leet(cells: &mut [Cell]) {
    if !cells.iter().any(|cell| cell.character.is_ascii_digit()) {
        return;
    }
    let is_of_word = |cell: &Cell| cell.character.is_alphanumeric() || cell.character == '@';
    let words = || cells.chunk_by(|left, right| is_of_word(left) == is_of_word(right));
    let (mut strong, mut all) = (0, 0);
    for word in words().filter(|word| word.first().is_some_and(is_of_word)) {
        all += 1;
        strong += usize::from(is_strong(word));
    }
    if strong == 0 {
        return;
    }
    let takes_weak = strong > 1 || all <= 8;
    for word in cells.chunk_by_mut(|left, right| is_of_word(left) == is_of_word(right)) {
        if is_strong(word) || takes_weak && is_leet(word) {
            for cell in word {
                if let Some(letter) = letter_of(cell.character) {
                    cell.character = letter;
                    cell.changed = true;
                }
            }
        }
    }
}

/// Whether a word has letters, and only such digits as stand for letters.
fn is_leet(word: &[Cell]) -> bool {
    let digits = word.iter().filter(|cell| cell.character.is_ascii_digit()).count();
    let stand_ins = word.iter().filter(|cell| letter_of(cell.character).is_some()).count();
    let letters = word.iter().filter(|cell| cell.character.is_alphabetic()).count();
    digits > 0 && letters > 0 && stand_ins + letters == word.len() && word.len() <= 24
}

/// Whether it also has one of these digits between two letters.
fn is_strong(word: &[Cell]) -> bool {
    let is_letter = |cell: &Cell| cell.character.is_alphabetic();
    let Some(first) = word.iter().position(is_letter) else { return false };
    let Some(last) = word.iter().rposition(is_letter) else { return false };
    let within = word.get(first..last).unwrap_or_default();
    // An at sign alone makes an address.
    is_leet(word) && within.iter().any(|cell| cell.character.is_ascii_digit())
}

const fn letter_of(digit: char) -> Option<char> {
    Some(match digit {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' => 's',
        '7' => 't',
        _ => return None,
    })
}
