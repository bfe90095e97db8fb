//! Lines whose letters are not what they look like, made plain: full-width and mathematical letters, look-alikes of other
//! scripts, invisible characters in between, letters set apart by spaces.
//!
//! Case is kept, other than in `normal`: it belongs to a token. Encodings are undone elsewhere. *Security*: two passes over the
//! bytes at most, and memory of a small multiple of the lines concerned. *Standards*: UAX #15 (compatibility forms).

use unicode_normalization::char::decompose_compatible;

use super::joint::Joined;

/// Letters of other scripts, each with the ASCII letter that it looks like.
const ALIKE: (&str, &[u8]) =
    ("асеорхуіјѕԁһАВСЕНКМОРТХЅІЈΑΒΕΖΗΙΚΜΝΟΡΤΥΧονι", b"aceopxyijsdhABCEHKMOPTXSIJABEZHIKMNOPTYXovi");

/// The fewest letters that are set apart.
const APART_MIN: usize = 12;
const LINE_BYTES: usize = 4096;

/// Every line that could be made plainer, one after the other; none if there is no such line.
pub(super) fn undone(bytes: &[u8]) -> Option<Joined> {
    if bytes.is_ascii() && !(0..bytes.len()).step_by(APART_MIN).any(|at| is_apart(bytes, at)) {
        return None;
    }
    let mut plain = Joined::default();
    let mut start = 0;
    while let Some(rest) = bytes.get(start..).filter(|rest| !rest.is_empty()) {
        let within = rest.get(..LINE_BYTES).unwrap_or(rest);
        let length = memchr::memchr(b'\n', within).map_or(within.len(), |at| at + 1);
        let line = within.get(..length).unwrap_or_default();
        if !line.is_ascii() {
            letters(line, start, &mut plain);
        } else if (0..line.len()).step_by(APART_MIN).any(|at| is_apart(line, at)) {
            apart(line, start, &mut plain);
        }
        start += length;
    }
    Some(plain).filter(|plain| !plain.text.is_empty())
}

/// Whether every other byte here is a space, and none of the rest is.
fn is_apart(bytes: &[u8], at: usize) -> bool {
    let Some(here) = bytes.get(at..at.saturating_add(8)) else { return false };
    let pair = |pair: &[u8], first: bool| pair.iter().position(|byte| *byte == b' ') == Some(usize::from(!first));
    [true, false].iter().any(|first| here.chunks_exact(2).all(|two| pair(two, *first) && two != b"  "))
}

/// A line without its invisible characters, and with ASCII where something looks like it; nothing if that changes nothing.
fn letters(line: &[u8], start: usize, plain: &mut Joined) {
    let before = plain.text.len();
    let mut at = start;
    let mut is_changed = false;
    for chunk in line.utf8_chunks() {
        for character in chunk.valid().chars() {
            let shown = shown(character);
            is_changed |= shown != Some(character);
            let mut buffer = [0; 4];
            for byte in shown.map_or("", |shown| shown.encode_utf8(&mut buffer)).bytes() {
                plain.add(byte, at..at + character.len_utf8());
            }
            at += character.len_utf8();
        }
        at += chunk.invalid().len();
    }
    if !is_changed {
        plain.truncate(before);
    }
}

/// What a character looks like; none if it cannot be seen.
fn shown(character: char) -> Option<char> {
    let is_unseen = matches!(character,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{E0000}'..='\u{E01EF}');
    if is_unseen || character.is_ascii() {
        return Some(character).filter(|_| !is_unseen);
    }
    if let Some(at) = ALIKE.0.chars().position(|alike| alike == character) {
        return ALIKE.1.get(at).map(|byte| char::from(*byte));
    }
    let mut forms = [None; 2];
    let mut count = 0;
    decompose_compatible(character, |form| {
        if let Some(place) = forms.get_mut(count) {
            *place = Some(form);
        }
        count += 1;
    });
    Some(forms[0].filter(|form: &char| count == 1 && form.is_ascii()).unwrap_or(character))
}

/// A line without the spaces between single letters.
fn apart(line: &[u8], start: usize, plain: &mut Joined) {
    let is_single = |at: usize| {
        let is_space = |at: Option<usize>| at.and_then(|at| line.get(at)).is_none_or(u8::is_ascii_whitespace);
        line.get(at).is_some_and(|byte| !byte.is_ascii_whitespace())
            && is_space(at.checked_sub(1))
            && is_space(Some(at + 1))
    };
    for (at, byte) in line.iter().enumerate() {
        let is_between = *byte == b' ' && at.checked_sub(1).is_some_and(is_single) && is_single(at + 1);
        if !is_between {
            plain.add(*byte, start + at..start + at + 1);
        }
    }
}
