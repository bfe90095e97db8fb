//! Letters of other scripts that stand for Latin ones.
//!
//! Folded where a word mixes them with Latin letters, or where a word and its whole line have no letter that could only be
//! of the other script. Real Russian, Greek or Armenian stays as it is.

use unicode_normalization::char::is_combining_mark;

use super::cell::Cell;
use super::letter::{is_of_kin_script, latin};

/// Folds the words of a line.
pub(super) fn fold(cells: &mut Vec<Cell>) {
    if cells.iter().all(|cell| cell.character.is_ascii()) {
        return;
    }
    let is_foreign_line = cells.iter().any(|cell| is_only_foreign(cell.character));
    for word in cells.chunk_by_mut(|left, right| is_of_word(left.character) == is_of_word(right.character)) {
        let has = |test: fn(char) -> bool| word.iter().any(|cell| test(cell.character));
        let has_latin = has(|character| character.is_ascii_alphabetic());
        if has(|character| latin(character).is_some()) && !has(is_only_foreign) && (has_latin || !is_foreign_line) {
            for cell in word {
                if let Some(letter) = latin(cell.character) {
                    // An accent that Latin words have does not hide them.
                    cell.changed |= is_of_kin_script(cell.character) || !is_european(cell.character);
                    cell.character = letter;
                }
            }
        }
    }
    // A mark on what is now a Latin letter goes, as accents do.
    let mut after_latin = false;
    cells.retain(|cell| {
        let is_accent = after_latin && is_combining_mark(cell.character);
        after_latin = cell.character.is_ascii_alphabetic() || is_accent;
        !is_accent
    });
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || is_combining_mark(character)
}

/// Whether a letter shows that its word is of another script.
fn is_only_foreign(character: char) -> bool {
    is_of_kin_script(character) && character.is_alphabetic() && (latin(character).is_none() || is_far(character))
}

/// Whether a letter resembles a Latin one only in a context where everything else is Latin.
const fn is_far(character: char) -> bool {
    matches!(character, 'п' | 'г' | 'ц' | 'ъ' | 'ё' | 'ў' | 'σ' | 'μ' | 'ζ' | 'ή' | 'ώ' | 'έ')
}

/// Letters with strokes that are ordinary in some language.
const fn is_european(character: char) -> bool {
    matches!(character, 'ø' | 'ł' | 'đ' | 'ħ' | 'ŧ' | 'ŋ' | 'ı')
}
