//! Characters that nobody sees, that reorder what is seen, and letters that pass for others.
//!
//! Everyday uses are known: emoji sequences, flags, joiners of Persian and Indic scripts, breaks in Thai, soft hyphens, marks of
//! direction beside right-to-left letters, isolates that translated messages put around their parts. *Security*: hostile
//! bytes; each character is looked at a fixed number of times. *Standards*: Unicode 16, sections 9, 23.2, 23.4 and 23.8; UTS 39, section 5; UTS
//! 51, section 1.4.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::ops::Range;

use super::alike::{is_double, latin as latin_of};
use super::rule;
use crate::rule::Strength::{Addressed, Mentioned};
use crate::rule::{Hit, Rule, Strength};

/// How far apart single invisible characters may stand to count as one message, characters.
const NEAR: usize = 16;

/// How many private characters in a row are more than an icon or two, and how many characters that stand for bytes spell something.
const PRIVATE_MIN: usize = 5;
const SPELT_MIN: usize = 8;

/// How many spaces of two widths in a row carry bits.
const BITS_MIN: usize = 16;

/// How many characters a class of invisible ones has at most on either side of one of them.
const LISTED_MAX: usize = 12;

/// How far apart two characters that cut words may stand, characters.
const CUT_NEAR: usize = 80;

/// How many joiners, or controls of direction that stand so near to each other, are more than a script needs.
const DENSE_MIN: usize = 6;
const DIRECTIONS_NEAR: usize = 4;

/// Words of two letters that are nothing else.
const SHORT_WORDS: [&str; 10] = ["of", "to", "no", "on", "or", "by", "be", "do", "so", "ok"];

/// Words of fewer letters are not hyphenated.
const SHORT_LETTERS: usize = 6;

/// The characters of a stretch of text, with their places in the view.
pub(super) type Characters = Vec<(usize, char)>;

/// What is found in one stretch of text that is not all ASCII; `opens` says whether it begins its source, `decoded` whether it
/// was written as something else there: an escape that stands for one such character is an example of it.
pub(super) fn stretch(text: &Characters, opens: bool, decoded: bool, hits: &mut Vec<Hit>) {
    let has_rtl = text.iter().any(|(_, character)| is_rtl(*character));
    let is_listed = |at: usize| decoded && is_listed(text, at);
    let has_lists = LazyCell::new(|| all_differ(text));
    let mut at = 0;
    let mut singles: Vec<usize> = Vec::new();
    let (mut joined, mut turned): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut mixed: Vec<Range<usize>> = Vec::new();
    while let Some(&(_, character)) = text.get(at) {
        if is_unseen(character) {
            let length = text.iter().skip(at).take_while(|(_, character)| is_unseen(*character)).count();
            match run(text, at, length, opens) {
                Run::Fine if length == 1 && is_between_letters(text, at) => joined.push(at),
                Run::Fine => {}
                Run::Single if is_listed(at) && *has_lists => {}
                Run::Single => singles.push(at),
                Run::Breaks(_, Mentioned) if decoded => {}
                Run::Breaks(rule, _) if is_listed(at) && *has_lists => {
                    hits.push(hit(text, at..at + length, rule, Mentioned));
                }
                Run::Breaks(rule, strength) => hits.push(hit(text, at..at + length, rule, strength)),
            }
            at += length;
        } else if is_control_of_direction(character) {
            turned.push(at);
            let found = direction(text, at, has_rtl).filter(|hit| hit.strength == Addressed || !decoded);
            let strength = |hit: &Hit| if is_listed(at) && *has_lists { Mentioned } else { hit.strength };
            hits.extend(found.map(|hit| Hit { strength: strength(&hit), ..hit }));
            // The same control over and over orders nothing anew.
            at += text.iter().skip(at).take_while(|(_, other)| *other == character).count();
        } else if matches!(character, '\u{fff9}'..='\u{fffb}') {
            hits.push(hit(text, at..at + 1, rule::ANNOTATION, Addressed));
            at += 1;
        } else if is_private(character) {
            let length = text.iter().skip(at).take_while(|(_, character)| is_private(*character)).count();
            let run = at..at + length;
            if spells(text.get(run.clone()).unwrap_or_default()) {
                hits.push(hit(text, run, rule::ANNOTATION, Addressed));
            } else if length >= PRIVATE_MIN {
                hits.push(hit(text, run, rule::ANNOTATION, Mentioned));
            }
            at += length;
        } else if matches!(character, '\u{2801}'..='\u{28ff}') {
            let length =
                text.iter().skip(at).take_while(|(_, other)| matches!(*other, '\u{2800}'..='\u{28ff}')).count();
            if spells(text.get(at..at + length).unwrap_or_default()) {
                hits.push(hit(text, at..at + length, rule::ANNOTATION, Addressed));
            }
            at += length;
        } else if character.is_alphabetic() {
            // Fillers are letters, too, and no part of a word.
            let is_letter = |character: char| character.is_alphabetic() && !is_unseen(character);
            let length = text.iter().skip(at).take_while(|(_, character)| is_letter(*character)).count();
            if is_mixed(text.get(at..at + length).unwrap_or_default()) {
                mixed.push(at..at + length);
            }
            at += length;
        } else {
            at += 1;
        }
    }
    dense(text, &joined, 2, rule::ZERO_WIDTH, hits);
    dense(text, &turned, DIRECTIONS_NEAR, rule::DIRECTION, hits);
    odd_spaces(text, hits);
    if !(decoded && singles.len() < 3) {
        scattered(text, &singles, hits);
    }
    mixed_words(text, &mixed, hits);
}

/// Whether the lowest bytes of characters that have no meaning of their own are words of ASCII.
fn spells(run: &[(usize, char)]) -> bool {
    let bytes = run.iter().map(|(_, character)| (*character as u32).to_le_bytes()[0]);
    let letters = bytes.clone().filter(|byte| byte.is_ascii_lowercase() || *byte == b' ').count();
    let kinds = bytes.clone().fold(0_u128, |kinds, byte| kinds | 1_u128.checked_shl(byte.into()).unwrap_or(0));
    run.len() >= SPELT_MIN
        && bytes.clone().all(|byte| byte.is_ascii_graphic() || byte == b' ')
        && letters * 5 >= run.len() * 4
        && kinds.count_ones() >= 4
}

fn hit(text: &Characters, places: Range<usize>, rule: &'static Rule, strength: Strength) -> Hit {
    let start = text.get(places.start).map_or(0, |(place, _)| *place);
    let last = places.end.checked_sub(1).and_then(|last| text.get(last));
    let end = last.map_or(start, |(place, character)| place + character.len_utf8());
    Hit { rule, range: start..end, strength }
}

/// Whether the character at `at` is of an entry of a table or of a class of characters (`"\u{200b}"`, `[\u{200b}-\u{200d}]`), with
/// nothing else between quotation marks or brackets than its like and the sign of a range. Tag characters are letters.
fn is_listed(text: &Characters, at: usize) -> bool {
    let is_of_class = |entry: &&(usize, char)| {
        let is_tag = matches!(entry.1, '\u{e0000}'..='\u{e007f}');
        entry.1 == '-' || !is_tag && (is_unseen(entry.1) || is_control_of_direction(entry.1))
    };
    let (before, after) = text.split_at(at.min(text.len()));
    let back = before.iter().rev().take(LISTED_MAX).take_while(is_of_class).count();
    let ahead = after.iter().take(LISTED_MAX).take_while(is_of_class).count();
    let opens =
        before.iter().rev().nth(back).is_some_and(|(_, sign)| matches!(sign, '"' | '\'' | '`' | '[' | '(' | '{'));
    let closes = after.get(ahead).is_some_and(|(_, sign)| matches!(sign, '"' | '\'' | '`' | ']' | ')' | '}'));
    ahead > 0 && opens && closes
}

/// Whether no invisible character and no control of direction is in a text twice, as in a table of them; what carries bits repeats them.
fn all_differ(text: &Characters) -> bool {
    let mut seen = HashSet::new();
    let characters = text.iter().map(|(_, character)| *character);
    characters.filter(|it| is_unseen(*it) || is_control_of_direction(*it)).all(|it| seen.insert(it))
}

/// What a run of invisible characters is.
enum Run {
    Fine,
    /// One that stands alone where it need not be; several of them make a message.
    Single,
    Breaks(&'static Rule, Strength),
}

fn run(text: &Characters, at: usize, length: usize, opens: bool) -> Run {
    let before = at.checked_sub(1).and_then(|at| text.get(at)).map(|(_, character)| *character);
    let after = text.get(at + length).map(|(_, character)| *character);
    let run: Vec<char> = text.iter().skip(at).take(length).map(|(_, character)| *character).collect();
    let first = run.first().copied().unwrap_or_default();
    let any = |wanted: fn(char) -> bool| run.iter().any(|character| wanted(*character));
    if any(|character| matches!(character, '\u{e0000}'..='\u{e007f}')) {
        // A flag of a region: the black flag, its code, and the end.
        let is_flag = before == Some('\u{1f3f4}') && run.last() == Some(&'\u{e007f}') && (4..=8).contains(&length);
        return match length {
            _ if is_flag => Run::Fine,
            // One alone spells nothing: it is an example, or a slip.
            1 => Run::Breaks(rule::TAGS, Mentioned),
            _ => Run::Breaks(rule::TAGS, Addressed),
        };
    }
    if any(|character| matches!(character, '\u{e0080}'..='\u{e0fff}')) {
        let selects = length == 1 && before.is_some_and(|before| before >= '\u{2e80}');
        return if selects { Run::Fine } else { Run::Breaks(rule::SELECTORS, Addressed) };
    }
    if run.iter().all(|character| is_selector(*character)) {
        return match before {
            _ if length > 1 => Run::Breaks(rule::SELECTORS, Addressed),
            Some(before) if !before.is_ascii() || before.is_ascii_digit() || matches!(before, '#' | '*') => Run::Fine,
            _ => Run::Single,
        };
    }
    let is_hieroglyph = |character: char| matches!(character, '\u{13000}'..='\u{1342f}' | '\u{13460}'..='\u{143ff}');
    if matches!(first, '\u{13430}'..='\u{13455}')
        && (before.is_some_and(is_hieroglyph) || after.is_some_and(is_hieroglyph))
    {
        return Run::Fine;
    }
    let is_braille =
        |character: Option<char>| character.is_some_and(|character| matches!(character, '\u{2801}'..='\u{28ff}'));
    if run.iter().all(|character| *character == '\u{2800}') && (is_braille(before) || is_braille(after)) {
        return Run::Fine;
    }
    if any(|character| matches!(character, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')) {
        let is_hangul = |character: Option<char>| {
            character.is_some_and(|character| matches!(character, '\u{1100}'..='\u{11ff}' | '\u{3131}'..='\u{318e}' | '\u{ac00}'..='\u{d7ff}'))
        };
        let fine = is_hangul(before) || is_hangul(after);
        return if fine { Run::Fine } else { Run::Breaks(rule::FILLER, Addressed) };
    }
    let of_emoji = run.iter().all(|character| is_selector(*character) || *character == '\u{200d}')
        && length <= 2
        && before.is_some_and(|before| before >= '\u{2190}')
        && after.is_some_and(|after| after >= '\u{2190}');
    let of_script = length == 1 && (before.is_some_and(is_joining) || after.is_some_and(is_joining));
    let of_start = length == 1 && first == '\u{feff}' && at == 0 && opens;
    let of_break =
        length == 1 && first == '\u{200b}' && (before.is_some_and(is_unspaced) || after.is_some_and(is_unspaced));
    let of_direction = length == 1 && matches!(first, '\u{200e}' | '\u{200f}' | '\u{61c}');
    if of_emoji || of_script || of_start || of_break {
        return Run::Fine;
    }
    if of_direction {
        let near = text.get(at.saturating_sub(40)..(at + 40).min(text.len())).unwrap_or_default();
        let beside_rtl = near.iter().any(|(_, character)| is_rtl(*character) || matches!(character, '\u{20aa}'));
        return if beside_rtl { Run::Fine } else { Run::Single };
    }
    match length {
        1 => Run::Single,
        2 if run.iter().all(|character| *character == first) => Run::Breaks(rule::ZERO_WIDTH, Mentioned),
        _ => Run::Breaks(rule::ZERO_WIDTH, Addressed),
    }
}

/// Whether a character stands between two that are letters, or marks of letters.
fn is_between_letters(text: &Characters, at: usize) -> bool {
    let is_letter = |at: Option<usize>| {
        let character = at.and_then(|at| text.get(at)).map(|(_, character)| *character);
        character
            .is_some_and(|character| character.is_alphanumeric() || matches!(character, ' ' | '\u{900}'..='\u{dff}'))
    };
    is_letter(at.checked_sub(1)) && is_letter(Some(at + 1))
}

/// Characters that a script may need, but not again and again: rows of them at most `near` apart.
fn dense(text: &Characters, places: &[usize], near: usize, rule: &'static Rule, hits: &mut Vec<Hit>) {
    for row in places.chunk_by(|one, next| next - one <= near).filter(|row| row.len() >= DENSE_MIN) {
        if let [first, .., last] = *row {
            hits.push(hit(text, first..last + 1, rule, Addressed));
        }
    }
}

/// Single invisible characters: three of them close together are a message or cut words apart; fewer may be left from a copied page.
fn scattered(text: &Characters, singles: &[usize], hits: &mut Vec<Hit>) {
    let is_soft = |at: &usize| text.get(*at).is_some_and(|(_, character)| *character == '\u{ad}');
    // One within a word of letters that need none is a slip; several are none.
    let is_letter = |at: Option<usize>| {
        at.and_then(|at| text.get(at)).is_some_and(|(_, character)| character.is_ascii_alphabetic())
    };
    let cuts = |at: &&usize| !is_soft(at) && is_letter(at.checked_sub(1)) && is_letter(Some(**at + 1));
    let cut: Vec<usize> = singles.iter().filter(cuts).copied().collect();
    // No hyphenation cuts words that are so short.
    let near = |at: usize| text.get(at).is_some_and(|(_, character)| character.is_alphabetic());
    let is_short = |at: &&usize| {
        let before = (1..SHORT_LETTERS).take_while(|step| at.checked_sub(*step).is_some_and(near)).count();
        let after = (1..SHORT_LETTERS).take_while(|step| near(**at + step)).count();
        is_soft(at) && before > 0 && after > 0 && before + after < SHORT_LETTERS
    };
    let short: Vec<usize> = singles.iter().filter(is_short).copied().collect();
    if let [first, .., last] = *short {
        hits.push(hit(text, first..last + 1, rule::ZERO_WIDTH, Addressed));
    }
    if let [first, second, ..] = *cut
        && second - first <= CUT_NEAR
    {
        hits.push(hit(text, first..second + 1, rule::ZERO_WIDTH, Addressed));
    }
    let mut rest = singles;
    while let Some(first) = rest.first() {
        let joined = rest.windows(2).take_while(|pair| matches!(pair, [one, next] if next - one <= NEAR)).count() + 1;
        let (group, others) = rest.split_at(joined.min(rest.len()));
        let (start, end) = (*first, group.last().copied().unwrap_or(*first) + 1);
        // Soft hyphens part the syllables of a word: two letters at least, and seldom more than five in a word.
        let soft = group.iter().all(is_soft);
        let dense = end - start <= group.len() * 2 + 1;
        match group.len() {
            _ if soft && !(dense && group.len() >= 4) => {}
            3.. => hits.push(hit(text, start..end, rule::ZERO_WIDTH, Addressed)),
            _ => hits.push(hit(text, start..end, rule::ZERO_WIDTH, Mentioned)),
        }
        rest = others;
    }
}

/// Spaces of several widths, or ends of lines that are not of ASCII, between single letters: nobody sets words so.
fn odd_spaces(text: &Characters, hits: &mut Vec<Hit>) {
    let is_end = |character: char| matches!(character, '\u{85}' | '\u{2028}' | '\u{2029}');
    let is_odd = |character: char| matches!(character, '\u{2000}'..='\u{200a}' | '\u{205f}') || is_end(character);
    let odd: Vec<(usize, char)> = text
        .iter()
        .enumerate()
        .filter(|(_, (_, character))| is_odd(*character))
        .map(|(at, (_, it))| (at, *it))
        .collect();
    // Many of two kinds in a row are the bits of something.
    for row in odd.chunk_by(|one, next| next.0 - one.0 == 1).filter(|row| row.len() >= BITS_MIN) {
        let turns = row.windows(2).filter(|pair| matches!(pair, [one, next] if one.1 != next.1)).count();
        if let ([(first, _), .., (last, _)], true) = (row, turns >= BITS_MIN / 4) {
            hits.push(hit(text, *first..last + 1, rule::ZERO_WIDTH, Addressed));
        }
    }
    let mut rest = odd.as_slice();
    while let Some((first, _)) = rest.first() {
        let joined = rest.windows(2).take_while(|pair| matches!(pair, [one, next] if next.0 - one.0 == 2)).count() + 1;
        let (group, others) = rest.split_at(joined.min(rest.len()));
        let mut kinds: Vec<char> = group.iter().map(|(_, character)| *character).collect();
        let ends = kinds.iter().filter(|character| is_end(**character)).count();
        kinds.sort_unstable();
        kinds.dedup();
        if group.len() >= 4 && (kinds.len() >= 3 || ends >= 3) {
            let last = group.last().map_or(*first, |(last, _)| *last);
            hits.push(hit(text, *first..last + 1, rule::ZERO_WIDTH, Addressed));
        }
        rest = others;
    }
}

fn direction(text: &Characters, at: usize, has_rtl: bool) -> Option<Hit> {
    let opener = text.get(at)?.1;
    let line =
        text.iter().skip(at + 1).take(128).map(|(_, character)| *character).take_while(|character| *character != '\n');
    let inner: Vec<char> = line.clone().take_while(|character| !matches!(character, '\u{202c}' | '\u{2069}')).collect();
    let is_closed = line.count() > inner.len();
    let inner_rtl = inner.iter().any(|character| is_rtl(*character));
    let has_letters = inner.iter().any(char::is_ascii_alphabetic);
    let reorders = inner.iter().filter(|character| character.is_alphanumeric()).count() >= 2;
    let strength = match opener {
        '\u{202d}' | '\u{202e}' if reorders => Addressed,
        '\u{202b}' | '\u{2067}' if !inner_rtl && reorders => Addressed,
        '\u{202a}' | '\u{2066}' | '\u{2068}' if !is_closed && !has_rtl && has_letters => Addressed,
        '\u{202d}' | '\u{202e}' => Mentioned,
        '\u{202a}' | '\u{2066}' if !has_rtl => Mentioned,
        _ => return None,
    };
    Some(hit(text, at..at + 1 + inner.len(), rule::DIRECTION, strength))
}

/// Latin letters, and besides them only letters of another script that look Latin.
fn is_mixed(word: &[(usize, char)]) -> bool {
    let count = |wanted: fn(char) -> bool| word.iter().filter(|(_, character)| wanted(*character)).count();
    let latin = count(|character| character.is_ascii());
    let doubles = count(is_double);
    let reads = || word.iter().map(|(_, character)| latin_of(*character).unwrap_or(*character)).collect::<String>();
    let is_word = word.len() >= 3 || SHORT_WORDS.contains(&reads().to_lowercase().as_str());
    latin > 0 && doubles > 0 && latin + doubles == word.len() && is_word
}

fn mixed_words(text: &Characters, mixed: &[Range<usize>], hits: &mut Vec<Hit>) {
    for word in mixed {
        let around = text.get(word.start.saturating_sub(60)..(word.end + 60).min(text.len())).unwrap_or_default();
        let is_foreign = |other: char| !other.is_ascii() && other > '\u{24f}' && !is_double(other);
        let mut words = around
            .split(|(_, other)| !other.is_alphabetic())
            .filter(|word| !word.iter().any(|(_, other)| other.is_ascii()));
        let foreign = words.any(|word| word.iter().any(|(_, other)| is_foreign(*other)));
        // Among words of the other script it is a slip of the keyboard, which those who write both make every day.
        if !foreign {
            hits.push(hit(text, word.clone(), rule::MIXED, Addressed));
        }
    }
}

/// Characters without a shape and width, but for those that set the direction.
pub(super) const fn is_unseen(character: char) -> bool {
    matches!(
        character as u32,
        0x00AD | 0x034F | 0x061C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F | 0x2060..=0x2065
            | 0x206A..=0x206F | 0x2800 | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFF8 | 0x13430..=0x13455 | 0x16FE4 | 0x1D159 | 0x1D173..=0x1D17A | 0x1BCA0..=0x1BCA3
            | 0xE0000..=0xE0FFF
    )
}

const fn is_selector(character: char) -> bool {
    matches!(character as u32, 0xFE00..=0xFE0F | 0x180B..=0x180D | 0x180F)
}

const fn is_control_of_direction(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202b}' | '\u{202d}'..='\u{202e}' | '\u{2066}'..='\u{2068}')
}

const fn is_rtl(character: char) -> bool {
    matches!(character as u32, 0x0590..=0x061B | 0x061D..=0x08FF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFC | 0x10800..=0x10FFF | 0x1E800..=0x1EFFF)
}

const fn is_private(character: char) -> bool {
    matches!(character as u32, 0xE000..=0xF8FF | 0xF0000..=0x10_FFFD)
}

/// Scripts whose letters change their form beside a joiner.
const fn is_joining(character: char) -> bool {
    matches!(character as u32, 0x0590..=0x0E00 | 0x0F00..=0x109F | 0x1780..=0x18AF | 0x1B00..=0x1CFF | 0xA800..=0xABFF | 0xFB50..=0xFDFF | 0x10A00..=0x11FFF)
}

/// Scripts that are written without spaces.
const fn is_unspaced(character: char) -> bool {
    matches!(character as u32, 0x0E00..=0x0FFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x1980..=0x1AAF | 0x2E80..=0xA4CF | 0xAC00..=0xD7FF | 0xF900..=0xFAFF | 0xFF00..=0xFFEF)
}
