//! Characters written as numbers one after the other: `69 67 6e`, `0x69, 0x67`, `105, 103, 110`, `151 147`,
//! `01101001 01100111`. Numbers with names before them have a file of their own.
//!
//! Security: reads hostile bytes; every number is read once for each of the five ways to read it.

use std::ops::Range;

use super::base64::hex_value;
use super::found::Found;
use super::plausible::legible;

pub(super) mod named;

/// The fewest numbers that make a text.
const NUMBERS_MIN: usize = 8;
/// The most bytes between two numbers of one text.
const BETWEEN_BYTES_MAX: usize = 12;

/// How a number is written.
type Reading = (&'static str, fn(&[u8]) -> Option<u8>);

const READINGS: [Reading; 5] = [
    ("hex", |digits| if digits.len() == 2 { number(digits, 16) } else { None }),
    ("decimal", |digits| if matches!(digits.len(), 2 | 3) { number(digits, 10) } else { None }),
    ("octal", |digits| if digits.len() == 3 { number(digits, 8) } else { None }),
    ("binary", |digits| if matches!(digits.len(), 7 | 8) { number(digits, 2) } else { None }),
    ("A1Z26", |digits| {
        let place = if digits.len() <= 2 { number(digits, 10) } else { None };
        place.filter(|place| (1..=26).contains(place)).map(|place| place - 1 + b'a')
    }),
];

/// Decodes the runs of numbers; what stands in `dumps` was read before.
pub(super) fn find(bytes: &[u8], runs: &[Range<usize>], dumps: &[Range<usize>], found: &mut Found) {
    let mut dumps = dumps.iter().peekable();
    for run in runs {
        while dumps.next_if(|dump| dump.end <= run.start).is_some() {}
        let shape = Shape::of(bytes, run);
        if shape.may_be_read && dumps.peek().is_none_or(|dump| dump.start >= run.end) {
            read(&numbers(bytes, run), found);
        }
        grouped(bytes, run, &shape, found);
    }
}

/// What the numbers of a run look like, which tells nearly all runs that are no text.
struct Shape {
    digits: usize,
    longest: usize,
    are_binary: bool,
    are_even: bool,
    /// How many numbers of one or two, two or three, seven or eight digits stand in a row now, which are the sizes of all
    /// readings; and whether there were ever as many as make a text.
    in_a_row: [usize; 3],
    may_be_read: bool,
    /// From the first number to the last.
    range: Range<usize>,
}

impl Shape {
    fn of(bytes: &[u8], run: &Range<usize>) -> Self {
        let nothing = run.start..run.start;
        let mut shape = Self {
            digits: 0,
            longest: 0,
            are_binary: true,
            are_even: true,
            in_a_row: [0; 3],
            may_be_read: false,
            range: nothing,
        };
        let within = bytes.get(run.clone()).unwrap_or_default();
        let (mut length, mut is_binary) = (0, true);
        for (at, byte) in within.iter().chain(b" ").enumerate() {
            if byte.is_ascii_hexdigit() {
                length += 1;
                is_binary &= matches!(byte, b'0' | b'1');
            } else if length > 0 {
                if length > 1 || within.get(at - 1) != Some(&b'0') {
                    shape.add(run.start + at - length..run.start + at, is_binary);
                }
                (length, is_binary) = (0, true);
            }
        }
        shape
    }

    fn add(&mut self, token: Range<usize>, is_binary: bool) {
        let length = token.len();
        self.range = if self.digits == 0 { token } else { self.range.start..token.end };
        self.digits += length;
        self.longest = self.longest.max(length);
        self.are_binary &= is_binary;
        self.are_even &= length.is_multiple_of(2);
        let sizes = [1..=2, 2..=3, 7..=8];
        for (row, sizes) in self.in_a_row.iter_mut().zip(sizes) {
            *row = if sizes.contains(&length) { *row + 1 } else { 0 };
            self.may_be_read |= *row >= NUMBERS_MIN;
        }
    }
}

/// Decodes hexadecimal digits in even groups of more than two, and binary digits in groups of any length.
fn grouped(bytes: &[u8], run: &Range<usize>, shape: &Shape, found: &mut Found) {
    let (base, size, encoding) = match (shape.are_binary, shape.are_even) {
        (true, _) if shape.longest != 8 || shape.digits == 8 * NUMBERS_MIN => (2, 8, "binary"),
        (false, true) if shape.longest > 2 => (16, 2, "hex"),
        _ => return,
    };
    if shape.digits < size * NUMBERS_MIN {
        return;
    }
    let digits: Vec<u8> = numbers(bytes, run).flat_map(|(_, token)| token).copied().collect();
    let decoded: Vec<u8> = digits.chunks_exact(size).filter_map(|digits| number(digits, base)).collect();
    if decoded.len() >= NUMBERS_MIN && legible(&decoded) {
        found.add(shape.range.clone(), decoded, encoding);
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
    tokens.filter(|(_, token)| !matches!(*token, [] | b"0"))
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
        if are_words && legible(&bytes) {
            found.add(self.range.clone(), bytes, self.encoding);
        }
    }
}

fn number(digits: &[u8], base: u32) -> Option<u8> {
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
