//! Characters written as numbers one after the other: `69 67 6e`, `0x69, 0x67`, `105, 103, 110`, `151 147`,
//! `01101001 01100111`. Numbers with names before them have a file of their own.
//!
//! Security: reads hostile bytes; every number is read once for each of the six ways to read it.

use std::ops::Range;

use super::base64::hex_value;
use super::found::Found;
use super::plausible::{legible, magic};

mod grouped;
pub(super) mod named;

use grouped::Groups;

/// The fewest numbers that make a text.
const NUMBERS_MIN: usize = 8;
/// The fewest that make the head of a program: tools that describe one print sixteen bytes of it.
const HEAD_NUMBERS_MIN: usize = 24;
/// The most bytes between two numbers of one text.
const BETWEEN_BYTES_MAX: usize = 16;

/// How a number is written.
type Reading = (&'static str, fn(&[u8]) -> Option<u8>);

/// Numbers of any length are bytes of a program, and no letters.
const BYTES: &str = "bytes";

const READINGS: [Reading; 6] = [
    (BYTES, |digits| if digits.len() <= 3 { number(digits, 10) } else { None }),
    ("hex", |digits| match digits {
        [_, _] | [b'0', _, _] | [b'0', b'0', _, _] | [b'0', b'0', b'0', b'0', b'0', b'0', _, _] => number(digits, 16),
        _ => None,
    }),
    ("decimal", |digits| if matches!(digits.len(), 2 | 3) { number(digits, 10) } else { None }),
    ("octal", |digits| match digits {
        [b'4'..=b'7', _] | [_, _, _] | [b'0', _, _, _] => number(digits, 8),
        _ => None,
    }),
    ("binary", |digits| {
        let digits = digits.strip_prefix(b"0b").or_else(|| digits.strip_prefix(b"0B")).unwrap_or(digits);
        if (6..=8).contains(&digits.len()) { number(digits, 2) } else { None }
    }),
    ("A1Z26", |digits| {
        let place = if digits.len() <= 2 { number(digits, 10) } else { None };
        place.filter(|place| (1..=26).contains(place)).map(|place| place - 1 + b'a')
    }),
];

/// Decodes the runs of numbers.
pub(super) fn find(bytes: &[u8], runs: &[Range<usize>], found: &mut Found) {
    for run in runs {
        let shape = Shape::of(bytes, run);
        if shape.may_be_read {
            read(&numbers(bytes, run), found);
        }
        shape.groups.decode(bytes, found);
    }
}

/// What the numbers of a run look like, which tells nearly all runs that are no text.
#[derive(Default)]
struct Shape {
    /// How many numbers of one or two, two, three or more with zeros, six and more binary digits, or one to three stand in a row now,
    /// which are the sizes of all readings; and whether there were ever as many as make a text, or the head of a program.
    in_a_row: [usize; 4],
    may_be_read: bool,
    groups: Groups,
}

impl Shape {
    fn of(bytes: &[u8], run: &Range<usize>) -> Self {
        let mut shape = Self::default();
        let within = bytes.get(run.clone()).unwrap_or_default();
        let (mut length, mut is_binary) = (0, true);
        for (at, byte) in within.iter().chain(b" ").enumerate() {
            if byte.is_ascii_hexdigit() {
                length += 1;
                // Or the letter of `0b`.
                is_binary &= matches!(byte, b'0' | b'1') || length == 2 && matches!(byte, b'b' | b'B');
            } else if length > 0 {
                shape.add(bytes, &(run.start + at - length..run.start + at), is_binary);
                (length, is_binary) = (0, true);
            }
        }
        shape
    }

    #[inline]
    fn add(&mut self, bytes: &[u8], token: &Range<usize>, is_binary: bool) {
        if is_passed_over(bytes, token) {
            return;
        }
        let digits = bytes.get(token.clone()).unwrap_or_default();
        let length = digits.len();
        let is_padded = length == 4 && digits.starts_with(b"0") || length == 8 && digits.starts_with(b"000000");
        let count = |row: usize, fits: bool| if fits { row + 1 } else { 0 };
        let [small, middle, binary, any] = self.in_a_row;
        self.in_a_row = [
            count(small, length <= 2),
            count(middle, length == 2 || length == 3 || is_padded),
            count(binary, is_binary && (6..=10).contains(&length)),
            count(any, length <= 3),
        ];
        let [letters @ .., any] = self.in_a_row;
        self.may_be_read |= letters.iter().any(|row| *row >= NUMBERS_MIN) || any >= HEAD_NUMBERS_MIN;
        self.groups.add(token, digits, is_binary);
    }
}

/// Whether a number belongs to no text: the zero of `0x`, and what begins a line of a dump.
fn is_passed_over(bytes: &[u8], token: &Range<usize>) -> bool {
    let is_offset = || {
        bytes.get(token.clone()).is_some_and(|digits| digits.starts_with(b"00"))
            && token.start.checked_sub(1).is_none_or(|before| bytes.get(before) == Some(&b'\n'))
            && matches!(bytes.get(token.end), Some(b' ' | b'\t' | b':'))
    };
    match token.len() {
        1 => matches!(bytes.get(token.start..), Some([b'0', b'x' | b'X' | b'o' | b'O', ..])),
        6..=8 => is_offset(),
        _ => false,
    }
}

/// The hexadecimal numbers within a run, without the sign `0x`.
fn numbers<'a>(bytes: &'a [u8], run: &Range<usize>) -> impl Iterator<Item = (Range<usize>, &'a [u8])> + Clone {
    let start = run.start;
    let within = bytes.get(run.clone()).unwrap_or_default();
    let tokens = within.split(|byte| !byte.is_ascii_hexdigit()).scan(start, |at, token| {
        let begin = *at;
        *at += token.len() + 1;
        Some((begin..begin + token.len(), token))
    });
    tokens.filter(|(place, token)| !token.is_empty() && !is_passed_over(bytes, place))
}

/// Decodes what numbers stand for, in each way in which enough of them in a row can be read.
fn read<'a>(numbers: &(impl Iterator<Item = (Range<usize>, &'a [u8])> + Clone), found: &mut Found) {
    for (encoding, value) in READINGS {
        let mut text = Text { range: 0..0, bytes: Vec::new(), encoding };
        for (place, digits) in numbers.clone() {
            if text.bytes.is_empty() || place.start > text.range.end + BETWEEN_BYTES_MAX {
                text.finish(found);
            }
            match value(digits) {
                Some(byte) => text.push(place, byte),
                None => text.finish(found),
            }
        }
        text.finish(found);
    }
}

/// A text that is being read.
struct Text {
    range: Range<usize>,
    bytes: Vec<u8>,
    encoding: &'static str,
}

impl Text {
    fn push(&mut self, place: Range<usize>, byte: u8) {
        if self.bytes.is_empty() {
            self.range.start = place.start;
        }
        self.range.end = place.end;
        self.bytes.push(byte);
    }

    fn finish(&mut self, found: &mut Found) {
        if self.bytes.len() < NUMBERS_MIN {
            return self.bytes.clear();
        }
        let bytes = std::mem::take(&mut self.bytes);
        let vowels = bytes.iter().filter(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u')).count();
        // Small numbers are letters that easily only if they are words.
        let are_words =
            self.encoding != "A1Z26" || bytes.len() >= 12 && vowels * 4 >= bytes.len() && vowels * 5 <= bytes.len() * 3;
        let is_text = self.encoding != BYTES && are_words && legible(&bytes);
        if is_text || bytes.len() >= HEAD_NUMBERS_MIN && magic(&bytes) {
            found.add(self.range.clone(), bytes, self.encoding);
        }
    }
}

/// The value of a byte's digits.
pub(super) fn number(digits: &[u8], base: u32) -> Option<u8> {
    let mut digits = digits.iter().map(|digit| hex_value(*digit).map(u32::from).filter(|digit| *digit < base));
    let number = digits.try_fold(0, |number, digit| Some(number * base + digit?))?;
    u8::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::super::tests::shows;

    fn listed(form: impl Fn(u8) -> String, between: &str) -> Vec<u8> {
        let codes: Vec<_> = b"ignore all of it".iter().map(|byte| form(*byte)).collect();
        format!("print {}.", codes.join(between)).into_bytes()
    }

    #[test]
    fn the_head_of_a_program_is_worth_a_layer_and_its_magic_is_not() {
        let head = "4d 5a 90 00 03 00 00 00 04 00 00 00 ff ff 00 00\n";
        assert!(shows(format!("{head}b8 00 00 00 00 00 00 00\n").as_bytes(), "hex", b"MZ\x90"));
        assert!(!shows(head.as_bytes(), "hex", b""));
        let array = "{ 127, 69, 76, 70, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 62, 0, 1, 0, 0, 0, 120, 0 }";
        assert!(shows(array.as_bytes(), "bytes", b"\x7fELF\x02"));
        assert!(!shows(b"Magic:   7f 45 4c 46 02 01 01 00 00 00 00 00 00 00 00 00", "hex", b""));
    }

    #[test]
    fn places_in_the_alphabet_are_letters_if_they_make_words() {
        assert!(shows(b"9-7-14-15-18-5-1-12-12-15-6-9-20", "A1Z26", b"ignorealloffit".get(..10).unwrap_or_default()));
        assert!(!shows(b"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18", "A1Z26", b""));
    }

    #[test]
    fn numbers_in_every_usual_base_are_read() {
        for (encoding, text) in [
            ("hex", listed(|byte| format!("{byte:02x}"), " ")),
            ("hex", listed(|byte| format!("{byte:02X}"), ":")),
            ("hex", listed(|byte| format!("0x{byte:02x}"), ",\n  ")),
            ("decimal", listed(|byte| byte.to_string(), ", ")),
            ("octal", listed(|byte| format!("{byte:03o}"), " ")),
            ("octal", listed(|byte| format!("0{byte:o}"), ", ")),
            ("octal", listed(|byte| format!("{byte:o}"), " ")),
            ("binary", listed(|byte| format!("{byte:b}"), " ")),
            ("binary", listed(|byte| format!("0b{byte:08b}"), ",")),
            ("binary", listed(|byte| format!("{byte:07b}"), "")),
            ("hex", listed(|byte| format!("{byte:04x}"), " ")),
            ("hex", listed(|byte| format!("0x{byte:08x}"), ", ")),
            ("hex", listed(|byte| format!("0{byte:02X}h"), ",")),
            ("binary", listed(|byte| format!("{byte:08b}"), " ")),
            ("binary", listed(|byte| format!("{byte:08b}"), "")),
            (
                "binary",
                listed(
                    |byte| format!("{byte:08b}").split_at(4).0.to_owned() + "-" + format!("{byte:08b}").split_at(4).1,
                    " ",
                ),
            ),
            ("hex", listed(|byte| format!("${byte:02x}"), ",")),
            ("hex", listed(|byte| format!("{byte:02x}h"), " ")),
            ("hex", b"6967 6e6f 7265 2061 6c6c 206f 6620 6974".to_vec()),
            ("octal", listed(|byte| format!("0o{byte:03o}"), " ")),
        ] {
            assert!(shows(&text, encoding, b"ignore all of it"), "{}", String::from_utf8_lossy(&text));
        }
    }
}
