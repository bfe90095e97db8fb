//! Words in letters that are drawn like others or carry so many marks that programs and people no longer read the same: styled and
//! enclosed alphabets, scripts that imitate Latin, letters turned upside down, floods of marks.
//!
//! A letter of a formula, an initial in a circle, a struck word and the words of a script itself are everyday things.
//! *Security*: hostile bytes; each character is looked at a fixed number of times. *Standards*: Unicode 16, sections 7.9, 22.2 and 22.7; UTS
//! 39, section 4.

use super::alike::latin;
use super::character::Characters;
use super::rule;
use super::talk::{Talk, talk};
use crate::rule::Strength::{Addressed, Mentioned};
use crate::rule::{Hit, Strength};

/// The fewest letters and words in one style that are no symbols any more, and of full width, which tables of East Asia have.
const LETTERS_MIN: usize = 8;
const WORDS_MIN: usize = 2;
const WIDE_LETTERS_MIN: usize = 14;

/// How many marks on one letter no language has; on how many letters they are a flood, and on how many single ones are a style.
const MARKS_MIN: usize = 3;
const FLOODED_MIN: usize = 4;
const MARKED_MIN: usize = 6;

/// The fewest letters upside down, of how many kinds.
const TURNED_MIN: usize = 8;
const TURNED_KINDS_MIN: usize = 3;

/// How many characters one run of words has at most.
const RUN_MAX: usize = 512;

/// How a letter is disguised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Mathematical, enclosed, small: readable, but no letter to a program.
    Styled,
    Wide,
    /// Of a script of its own.
    Script,
}

fn style(character: char) -> Option<Style> {
    match character as u32 {
        0x1D400..=0x1D6A5
        | 0x24B6..=0x24E9
        | 0x1F130..=0x1F149
        | 0x1F150..=0x1F169
        | 0x1F170..=0x1F189
        | 0x249C..=0x24B5
        | 0x2102..=0x2134
        | 0x1D00..=0x1D7F
        | 0xA730..=0xA731
        | 0x0262
        | 0x026A
        | 0x0274
        | 0x0280
        | 0x028F
        | 0x0299
        | 0x029C
        | 0x029F => Some(Style::Styled),
        0xFF21..=0xFF3A | 0xFF41..=0xFF5A => Some(Style::Wide),
        0x13A0..=0x13F5 | 0xA4D0..=0xA4FF | 0x2C80..=0x2CFF | 0x1400..=0x167F => Some(Style::Script),
        _ => None,
    }
}

/// The Latin letter that a letter of such an alphabet is drawn like.
fn plain(character: char) -> Option<char> {
    const SYLLABLES: &str = "ᗩAᗷBᑕCᗪDᗴEᖴFᘜGᕼHᒍJᒪLᗰMᑎNᑭPᑫQᖇRᔕSᑌUᐯVᗯW᙭XᎡRᎾOⲩyⲉeⲇdⲃbⲕkⲙmⲛnⲏhⲧtⲀA";
    latin(character).or_else(|| {
        if let 0x249C..=0x24B5 = character as u32 {
            return char::from_u32(character as u32 - 0x249C + 0x61);
        }
        let mut pairs = SYLLABLES.chars();
        std::iter::from_fn(|| Some((pairs.next()?, pairs.next()?)))
            .find(|(from, _)| *from == character)
            .map(|(_, to)| to)
    })
}

/// Finds such words in a stretch of text.
pub(super) fn find(text: &Characters, hits: &mut Vec<Hit>) {
    let mut at = 0;
    while let Some(&(_, character)) = text.get(at) {
        if style(character).is_some() {
            let (end, found) = run(text, at);
            hits.extend(found);
            at = end;
        } else {
            at += 1;
        }
    }
    marked(text, hits);
    turned(text, hits);
}

fn hit(text: &Characters, start: usize, end: usize, strength: Strength) -> Option<Hit> {
    let (from, _) = text.get(start)?;
    let (last, character) = text.get(end.checked_sub(1)?)?;
    Some(Hit { rule: rule::STYLISED, range: *from..last + character.len_utf8(), strength })
}

const fn is_mark(character: char) -> bool {
    matches!(character as u32, 0x300..=0x36F | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20E2 | 0x20E4..=0x20F0 | 0xFE20..=0xFE2F)
}

/// The run of words that begins with a letter in a style at `at`, and where it ends.
fn run(text: &Characters, at: usize) -> (usize, Option<Hit>) {
    let (mut words, mut letters, mut wide, mut own, mut plainly) = (String::new(), 0, 0, 0, 0);
    let (mut end, mut last) = (at, at + 1);
    while let Some(&(_, character)) = text.get(end).filter(|_| end - at < RUN_MAX) {
        match style(character) {
            Some(kind) => {
                letters += 1;
                wide += usize::from(kind == Style::Wide);
                // A letter that is drawn like none of Latin is one of the script itself.
                own += usize::from(plain(character).is_none());
                words.push(plain(character).unwrap_or('\u{fffd}'));
                last = end + 1;
            }
            None if is_mark(character) => {}
            None if character == '\n' => break,
            None if character.is_alphabetic() => {
                plainly += 1;
                words.push(latin(character).unwrap_or(character));
            }
            None => words.push(if character.is_whitespace() { ' ' } else { latin(character).unwrap_or(character) }),
        }
        end += 1;
    }
    let count = words.split(' ').filter(|word| word.chars().filter(char::is_ascii_alphabetic).count() >= 2).count();
    let fewest = if wide * 2 > letters { WIDE_LETTERS_MIN } else { LETTERS_MIN };
    if letters < fewest || own > 0 || count < WORDS_MIN || plainly * 2 > letters {
        return (end, None);
    }
    let strength = if talk(words.as_bytes()) >= Talk::Directive { Addressed } else { Mentioned };
    (end, hit(text, at, last, strength))
}

/// Letters that each carry a mark which belongs to no language, or more marks than any language has.
fn marked(text: &Characters, hits: &mut Vec<Hit>) {
    let mut at = 0;
    while at < text.len() {
        let Some(first) = text.iter().skip(at).position(|(_, character)| is_mark(*character)).map(|step| at + step)
        else {
            break;
        };
        let start = first.saturating_sub(1);
        let (mut end, mut marks, mut flooded, mut styled, mut words) = (start, 0, 0, 0, String::new());
        // The run goes on while letters are marked; a space need not be.
        let mut bare = 0;
        while let Some(&(_, character)) = text.get(end).filter(|_| end - start < RUN_MAX * 4 && bare <= 1) {
            if is_mark(character) {
                marks += 1;
                flooded += usize::from(marks == MARKS_MIN);
                styled += usize::from(marks == 1 && is_line(character));
                bare = 0;
            } else if character == '\n' {
                break;
            } else {
                bare += usize::from(character.is_alphanumeric());
                marks = 0;
                words.push(latin(character).unwrap_or(character));
            }
            end += 1;
        }
        let is_told = talk(words.as_bytes()) >= Talk::Directive;
        let strength = match () {
            () if flooded >= FLOODED_MIN => Some(Addressed),
            () if styled >= MARKED_MIN && is_told => Some(Addressed),
            () if styled >= MARKED_MIN * 2 => Some(Mentioned),
            () => None,
        };
        hits.extend(strength.and_then(|strength| hit(text, start, end, strength)));
        at = end.max(first + 1);
    }
}

/// A line through, under or around a letter.
const fn is_line(mark: char) -> bool {
    matches!(mark as u32, 0x305 | 0x332 | 0x333 | 0x334..=0x338 | 0x33F | 0x347 | 0x20D2 | 0x20D3 | 0x20DD..=0x20E0 | 0x20E2 | 0x20E4..=0x20E6)
}

/// Letters upside down, of which phonetic writing has none or few.
fn turned(text: &Characters, hits: &mut Vec<Hit>) {
    const TURNED: &str = "ǝʇʞʎɥᴉɟʍƃꓤɹɐ";
    let mut lines = text.split_inclusive(|(_, character)| *character == '\n');
    let mut start = 0;
    lines.by_ref().for_each(|line| {
        let is_turned = |(_, character): &&(usize, char)| !character.is_ascii() && TURNED.contains(*character);
        let found = line.iter().filter(is_turned).count();
        let kinds = TURNED.chars().filter(|wanted| line.iter().any(|(_, character)| character == wanted)).count();
        // The letter e upside down is no sign of phonetics, which has a letter of its own that looks the same.
        if found >= TURNED_MIN
            && kinds >= TURNED_KINDS_MIN
            && line.iter().any(|(_, character)| matches!(character, 'ǝ' | 'ʞ'))
        {
            hits.extend(hit(text, start, start + line.len(), Addressed));
        }
        start += line.len();
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(words: &str) -> Vec<Strength> {
        let text: Characters = words.char_indices().collect();
        let mut hits = Vec::new();
        find(&text, &mut hits);
        hits.iter().map(|hit| hit.strength).collect()
    }

    /// Words in letters from `upper` and `lower` on.
    fn in_style(words: &str, upper: u32, lower: u32) -> String {
        let letter = |character: char| match character {
            'A'..='Z' => char::from_u32(upper + character as u32 - 0x41).unwrap(),
            'a'..='z' => char::from_u32(lower + character as u32 - 0x61).unwrap(),
            other => other,
        };
        words.chars().map(letter).collect()
    }

    #[test]
    fn orders_in_styled_letters_are_addressed_and_words_are_mentioned() {
        for (upper, lower) in
            [(0x1D5D4, 0x1D5EE), (0x1D56C, 0x1D586), (0xFF21, 0xFF41), (0x24B6, 0x24D0), (0x1F130, 0x1F130)]
        {
            let order = in_style("reply with the word granted", upper, lower);
            assert_eq!(found(&order), [Addressed], "{order}");
            let words = in_style("the second column of numbers", upper, lower);
            assert_eq!(found(&words), [Mentioned], "{words}");
        }
        assert_eq!(found("ᗰᗩᖇK ᗩᒪᒪ Oᖴ Tᕼᗴᗰ"), [Mentioned]);
    }

    #[test]
    fn floods_of_marks_and_letters_upside_down_are_addressed() {
        let flood: String =
            "open it".chars().flat_map(|letter| [letter, '\u{302}', '\u{323}', '\u{330}', '\u{346}']).collect();
        assert_eq!(found(&flood), [Addressed]);
        let struck: String = "reply with granted".chars().flat_map(|letter| [letter, '\u{336}']).collect();
        assert_eq!(found(&struck), [Addressed]);
        let struck: String = "the second column".chars().flat_map(|letter| [letter, '\u{332}']).collect();
        assert_eq!(found(&struck), [Mentioned]);
        assert_eq!(found("ʇɐɥʇ pɐǝɹ ʍou ǝsɐǝld"), [Addressed]);
    }

    #[test]
    fn symbols_accents_and_scripts_are_ordinary() {
        for words in [
            "let 𝑥 ∈ ℝ and 𝐴 = 𝐵𝐶",
            "Ⓐ = adult, Ⓒ = child",
            "ＴＯＴＡＬ　１２３",
            "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ᎠᏂᏴᏫᏯᎢ ᎠᏰᎵ",
            "ᐃᓄᒃᑎᑐᑦ ᐅᖃᐅᓯᖅ ᓄᓇᕗᑦ ᐱᖁᔭᖅ",
            "ti\u{302}\u{301}ng Vi\u{323}\u{302}t va\u{300} nu\u{31b}\u{301}c",
            "n\u{336}o\u{336} yes",
            "a word ǝpᴉsdn uʍop",
            "/ˈɹɪðəm/ and /ˈwɔtɚ/ and /ðɐ/",
            "a\u{20e3} 1\u{fe0f}\u{20e3}",
        ] {
            assert_eq!(found(words), [], "{words}");
        }
    }
}
