//! Lists of numbers that are characters: decimal, hexadecimal, binary, as arguments of `chr`.
//!
//! ```text
//! [105, 103, 110, 111, 114, 101]     69 67 6e 6f 72 65     0x69, 0x67     chr(105).chr(103)
//! ```
//!
//! *Security*: every run is read once.

use super::base64::byte_of;
use super::found::Found;
use super::plausible::opens;
use crate::run::{Class, class, runs};

/// The shortest run that is looked at, and the fewest numbers.
const RUN_BYTES_MIN: usize = 24;
const NUMBERS_MIN: usize = 10;
/// The most bytes between two numbers.
const GAP_BYTES_MAX: usize = 8;

static MEMBERS: Class = class(b"0123456789abcdefABCDEFxXhHrR ,;:\n\r\t()[]{}+.&|\"'-\\");

/// A list while it is read: the value of each number as a decimal and as a hexadecimal one.
#[derive(Default)]
struct List {
    decimal: Vec<u8>,
    hexadecimal: Vec<u8>,
    count: usize,
    start: usize,
    end: usize,
}

/// Finds and decodes.
pub(super) fn find(bytes: &[u8], found: &mut Found) {
    for run in runs(bytes, &MEMBERS, RUN_BYTES_MIN) {
        let mut list = List::default();
        let mut at = run.start;
        for token in bytes.get(run.clone()).unwrap_or_default().split(|byte| !byte.is_ascii_alphanumeric()) {
            let (start, end) = (at, at + token.len());
            at = end + 1;
            // The first may be the end of a word: of `fromCharCode` in `String.fromCharCode(105, …)`.
            let is_tail = start == run.start
                && start.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(u8::is_ascii_alphanumeric);
            if token.is_empty() || token.eq_ignore_ascii_case(b"chr") || is_tail {
                continue;
            }
            let digits = token.strip_prefix(b"0x").or_else(|| token.strip_prefix(b"0X"));
            let decimal = match token.len() {
                1..=3 if digits.is_none() => number(token, 10),
                8 => number(token, 2),
                _ => None,
            };
            let hexadecimal = digits.or(Some(token)).filter(|digits| digits.len() == 2).and_then(byte_of);
            if list.count > 0 && start > list.end + GAP_BYTES_MAX || !list.takes(decimal, hexadecimal) {
                list.close(found);
                list = List { start, ..List::default() };
                if !list.takes(decimal, hexadecimal) {
                    list = List::default();
                    continue;
                }
            }
            if list.count == 1 {
                list.start = start;
            }
            list.end = end;
        }
        list.close(found);
    }
}

fn number(token: &[u8], radix: u32) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(token).ok()?, radix).ok()
}

impl List {
    /// Takes a number, if all are of one kind with it.
    fn takes(&mut self, decimal: Option<u8>, hexadecimal: Option<u8>) -> bool {
        let is_decimal = decimal.is_some() && self.decimal.len() == self.count;
        let is_hexadecimal = hexadecimal.is_some() && self.hexadecimal.len() == self.count;
        if !is_decimal && !is_hexadecimal {
            return false;
        }
        self.decimal.extend(decimal.filter(|_| is_decimal));
        self.hexadecimal.extend(hexadecimal.filter(|_| is_hexadecimal));
        self.count += 1;
        true
    }

    fn close(&mut self, found: &mut Found) {
        for (values, encoding) in [(&mut self.decimal, "numbers"), (&mut self.hexadecimal, "hex")] {
            let is_whole = values.len() == self.count && self.count >= NUMBERS_MIN;
            if is_whole && (is_text(values) || opens(values)) {
                found.add(self.start..self.end, std::mem::take(values), encoding);
            }
        }
    }
}

/// Whether numbers are characters of a text: nearly all are, and many of them letters.
fn is_text(values: &[u8]) -> bool {
    let letters = values.iter().filter(|byte| byte.is_ascii_alphabetic() || **byte == b' ').count();
    let others = values.iter().filter(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace()).count();
    letters * 3 >= values.len() && others * 8 <= values.len()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{layers_of, shows};

    const CLEAR: &[u8] = b"ignore all of it";

    #[test]
    fn numbers_of_every_notation_are_characters() {
        let written =
            |each: &dyn Fn(&u8) -> String, between: &str| CLEAR.iter().map(each).collect::<Vec<_>>().join(between);
        for (text, encoding) in [
            (format!("data = [{}]", written(&|byte| byte.to_string(), ", ")), "numbers"),
            (format!("x: {}\n", written(&|byte| byte.to_string(), " ")), "numbers"),
            (written(&|byte| format!("chr({byte})"), "."), "numbers"),
            (written(&|byte| format!("{byte:08b}"), " "), "numbers"),
            (written(&|byte| format!("{byte:02x}"), " "), "hex"),
            (written(&|byte| format!("0x{byte:02X}"), ", "), "hex"),
            (format!("String.fromCharCode({})", written(&|byte| byte.to_string(), ",")), "numbers"),
        ] {
            assert!(shows(text.as_bytes(), encoding, CLEAR), "{text}");
        }
    }

    #[test]
    fn numbers_that_count_something_are_no_characters() {
        let counted: String = (0..2_000).map(|number| format!("{number}\n")).collect::<Vec<_>>().concat();
        let sizes: String = (0..500_u32)
            .map(|number| format!("{}, ", number.wrapping_mul(2_654_435_761) >> 25))
            .collect::<Vec<_>>()
            .concat();
        for text in [counted, sizes] {
            let texts: Vec<_> = layers_of(text.as_bytes()).into_iter().filter(|layer| layer.bytes.len() > 64).collect();
            assert!(texts.is_empty(), "{texts:?}");
        }
    }
}
