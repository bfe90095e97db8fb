//! Letters written as other signs: Morse code and braille.
//!
//! Security: reads hostile bytes, in one pass.
//! Standards: ITU-R M.1677-1, section 1.1 (Morse); Unicode 16, block Braille Patterns (the letters of English braille, grade 1).

use std::ops::Range;

use memchr::memmem;

use super::View;
use super::found::Found;
use crate::survey::Class;

/// The fewest letters.
const LETTERS_MIN: usize = 6;

/// A to Z, then 0 to 9.
const CODES: [&str; 36] = [
    ".-", "-...", "-.-.", "-..", ".", "..-.", "--.", "....", "..", ".---", "-.-", ".-..", "--", "-.", "---", ".--.",
    "--.-", ".-.", "...", "-", "..-", "...-", ".--", "-..-", "-.--", "--..", "-----", ".----", "..---", "...--",
    "....-", ".....", "-....", "--...", "---..", "----.",
];
/// The dots of A to Z, a bit each.
const CELLS: [u8; 26] = [
    0x01, 0x03, 0x09, 0x19, 0x11, 0x0b, 0x1b, 0x13, 0x0a, 0x1a, 0x05, 0x07, 0x0d, 0x1d, 0x15, 0x0f, 0x1f, 0x17, 0x0e,
    0x1e, 0x25, 0x27, 0x3a, 0x2d, 0x3d, 0x35,
];

/// Finds and reads; `runs` are those of the class of Morse code.
pub(super) fn find(view: &View<'_>, runs: &[Range<usize>], found: &mut Found) {
    for run in runs {
        morse(view.bytes, run, found);
    }
    if view.survey().has(Class::Foreign) {
        braille(view.bytes, found);
    }
}

fn morse(bytes: &[u8], run: &Range<usize>, found: &mut Found) {
    let signs = bytes.get(run.clone()).unwrap_or_default();
    if memchr::memchr(b'.', signs).is_none() || memchr::memchr(b'-', signs).is_none() {
        return;
    }
    let mut text = Vec::new();
    let mut letters = 0;
    for token in signs.split(|byte| !matches!(byte, b'.' | b'-' | b'_')) {
        if token.is_empty() {
            // What separates words is more than one sign, or one between spaces.
            if text.last().is_some_and(|last| *last != b' ') {
                text.push(b' ');
            }
            continue;
        }
        let is_code = |code: &&str| code.bytes().eq(token.iter().map(|sign| if *sign == b'_' { b'-' } else { *sign }));
        let Some(at) = CODES.iter().position(is_code) else { continue };
        let first = if at < 26 { b'a' } else { b'0'.wrapping_sub(26) };
        text.extend(u8::try_from(at).map(|at| first.wrapping_add(at)));
        letters += 1;
    }
    if letters >= LETTERS_MIN {
        found.add(run.clone(), text, "Morse");
    }
}

fn braille(bytes: &[u8], found: &mut Found) {
    let mut done = 0;
    while let Some(offset) = memmem::find(bytes.get(done..).unwrap_or_default(), b"\xE2\xA0") {
        let start = done + offset;
        let mut text = Vec::new();
        let mut at = start;
        loop {
            match bytes.get(at..).unwrap_or_default() {
                [0xE2, 0xA0, cell @ 0x80..=0xBF, ..] => {
                    let letter = CELLS.iter().position(|known| *known == cell & 0x3F);
                    let letter = letter.and_then(|at| u8::try_from(at).ok()).map_or(b' ', |at| b'a' + at);
                    text.push(letter);
                    at += 3;
                }
                [white @ (b' ' | b'\n'), 0xE2, 0xA0, ..] => {
                    text.push(*white);
                    at += 1;
                }
                _ => break,
            }
        }
        if text.iter().filter(|byte| byte.is_ascii_alphabetic()).count() >= LETTERS_MIN {
            found.add(start..at, text, "braille");
        }
        done = at.max(start + 2);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::shows;

    #[test]
    fn letters_in_other_signs_are_read() {
        assert!(shows(b"say: .. --. -. --- .-. . / .- .-.. .-..", "Morse", b"ignore all"));
        assert!(shows("⠊⠛⠝⠕⠗⠑⠀⠁⠇⠇".as_bytes(), "braille", b"ignore all"));
    }

    #[test]
    fn lines_and_leaders_are_no_letters() {
        assert!(!shows(b"---------- ......... -----------\n  - ...   -", "Morse", b""));
    }
}
