//! Words that mix Latin letters with similar ones of another script, and words in mathematical or ornamental letters.
//!
//! Among words of the other script a mixed word is a common typing error of people who write both. *Security*: hostile
//! text, read once with a bounded context. *Standards*: UTS 39, sections 4 and 5.

use std::ops::Range;

use super::{Placed, bytes_of};
use crate::fact::{Fact, FactKind};
use crate::plain::look_alike;

/// Where the letters of Latin and its marks end: Greek begins.
const FIRST_OTHER: char = '\u{370}';

/// The fewest letters of a word in two scripts, and how far words around it are looked at, characters.
const WORD_LETTERS_MIN: usize = 2;
const AROUND_MAX: usize = 60;

/// The fewest letters in one style that are no symbols any more, and of full width, which tables of East Asia have.
const STYLED_LETTERS_MIN: usize = 8;
const WIDE_LETTERS_MIN: usize = 12;

/// The Latin letter that a letter of another script looks like.
fn double(character: char) -> Option<char> {
    let (latin, is_far) = look_alike(character).filter(|_| character >= FIRST_OTHER)?;
    (!is_far).then_some(latin.to_ascii_lowercase())
}

/// The plain letter of one that is set in a style.
fn plain(character: char) -> Option<char> {
    let letter = |index: u32| char::from_u32(if index < 26 { index + 0x41 } else { index + 0x47 });
    match u32::from(character) {
        code @ (0xFF21..=0xFF3A | 0xFF41..=0xFF5A) => char::from_u32(code - 0xFEE0),
        code @ 0x1D400..=0x1D6A3 => letter((code - 0x1D400) % 52),
        code @ 0x24B6..=0x24E9 => letter(code - 0x24B6),
        code @ 0x249C..=0x24B5 => letter(code - 0x249C + 26),
        code @ 0x1F130..=0x1F149 => letter(code - 0x1F130),
        code @ 0x1F150..=0x1F169 => letter(code - 0x1F150),
        code @ 0x1F170..=0x1F189 => letter(code - 0x1F170),
        _ => None,
    }
}

/// A class of letters, and two counts of them.
type Odd = (fn(char) -> bool, usize, usize);

/// Characters of which a few are ornaments, icons or accents and many spell something: which they are, how far apart they may stand to
/// count together, and how many are many.
const ODD: [Odd; 4] = [
    // Private ones, and patterns of Braille.
    (|it| matches!(u32::from(it), 0xE000..=0xF8FF | 0xF0000..=0x0010_FFFD | 0x2801..=0x28FF), 1, 5),
    // Spaces of other widths, and ends of lines that are not of ASCII.
    (|it| matches!(u32::from(it), 0x2000..=0x200A | 0x205F | 0x85 | 0x2028 | 0x2029), 2, 4),
    // Letters upside down.
    (|it| matches!(it, 'ǝ' | 'ʇ' | 'ʞ' | 'ʎ' | 'ɥ' | 'ᴉ' | 'ɟ' | 'ʍ' | 'ƃ' | 'ɹ' | 'ɐ' | 'ɯ'), 8, 6),
    // Marks over, under and through letters.
    (|it| matches!(u32::from(it), 0x300..=0x36F | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20F0), 2, 8),
];

/// Adds the facts of the words of a stretch of text.
pub(super) fn facts(text: &[Placed], found: &mut Vec<Fact<'_>>) {
    for (is_odd, near, least) in ODD {
        let places: Vec<usize> = (0..text.len()).filter(|at| is_odd(text[*at].1)).collect();
        for group in places.chunk_by(|one, next| next - one <= near).filter(|group| group.len() >= least) {
            let places = group[0]..group[group.len() - 1] + 1;
            let read: String = text[places.clone()].iter().map(|(_, it)| *it).collect();
            let range = bytes_of(text, &places);
            found.push(Fact { kind: FactKind::Stylised, range, text: read.into_bytes().into(), weight: 1 });
        }
    }
    let mut at = 0;
    while let Some(&(_, character)) = text.get(at) {
        let mut end = at + 1;
        if plain(character).is_some() {
            end = styled(text, at, found);
        } else if character.is_alphabetic() {
            end = at + text[at..].iter().take_while(|(_, it)| it.is_alphabetic() && plain(*it).is_none()).count();
            found.extend(mixed(text, at..end));
        }
        at = end;
    }
}

/// A word of Latin letters and of others that look so, and of nothing else.
fn mixed<'b>(text: &[Placed], places: Range<usize>) -> Option<Fact<'b>> {
    let word = &text[places.clone()];
    let latin = word.iter().filter(|(_, it)| it.is_ascii()).count();
    if word.len() < WORD_LETTERS_MIN || latin == 0 || latin == word.len() {
        return None;
    }
    let read: String = word.iter().filter_map(|(_, it)| if it.is_ascii() { Some(*it) } else { double(*it) }).collect();
    let around = &text[places.start.saturating_sub(AROUND_MAX)..(places.end + AROUND_MAX).min(text.len())];
    let is_foreign = |it: char| it > '\u{24f}' && it.is_alphabetic() && double(it).is_none();
    let is_whole = read.chars().count() == word.len() && !around.iter().any(|(_, it)| is_foreign(*it));
    let range = bytes_of(text, &places);
    is_whole.then(|| Fact { kind: FactKind::MixedScript, range, text: read.into_bytes().into(), weight: 1 })
}

/// Adds the fact of the words in styled letters at `at`, if there are enough, and returns their end.
fn styled(text: &[Placed], at: usize, found: &mut Vec<Fact<'_>>) -> usize {
    let continues = |it: char| plain(it).is_some() || !it.is_alphanumeric() && it != '\n';
    let length = text[at..].iter().take(AROUND_MAX * 4).take_while(|(_, it)| continues(*it)).count().max(1);
    let run = &text[at..at + length];
    let letters = run.iter().filter(|(_, it)| plain(*it).is_some()).count();
    let is_wide = matches!(text[at].1, '\u{ff21}'..='\u{ff5a}');
    if letters >= if is_wide { WIDE_LETTERS_MIN } else { STYLED_LETTERS_MIN } {
        let read: String = run.iter().map(|(_, it)| plain(*it).unwrap_or(*it)).collect();
        let range = bytes_of(text, &(at..at + length));
        found.push(Fact { kind: FactKind::Stylised, range, text: read.trim().as_bytes().to_vec().into(), weight: 1 });
    }
    at + length
}
