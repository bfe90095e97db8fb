//! Numbers whose digits belong together: hexadecimal digits in even groups of more than two, binary digits in groups of any
//! length.
//!
//! ```text
//! 6967 6e6f 7265     0x69676e6f, 0x72652061     0110 1001 0110 0111
//! ```
//!
//! Groups of four and more may be words as a little-endian machine keeps them, the last byte first: both are read.
//!
//! Security: reads hostile bytes; every digit is decoded at most twice.

use std::ops::Range;

use super::super::found::Found;
use super::super::plausible::legible;
use super::{NUMBERS_MIN, number, numbers};

/// The fewest digits beside numbers that cannot belong to them.
const BESIDE_DIGITS_MIN: usize = 24;

/// The groups of a run, found number by number.
#[derive(Default)]
pub(super) struct Groups {
    /// Those that the last number belongs to, by their base.
    even: Group,
    binary: Group,
    /// Those that ended.
    even_before: Vec<Group>,
    binary_before: Vec<Group>,
    /// Whether any number of the run belongs to no hexadecimal one.
    has_odd: bool,
}

/// Numbers in a row; of no digits if there are none.
#[derive(Default)]
struct Group {
    range: Range<usize>,
    digits: usize,
    longest: usize,
    shortest: usize,
}

impl Groups {
    #[inline]
    pub(super) fn add(&mut self, token: &Range<usize>, digits: &[u8], is_binary: bool) {
        if is_binary {
            self.binary.add(token);
        } else {
            if self.binary.may_be_binary() {
                self.binary_before.push(std::mem::take(&mut self.binary));
            }
            self.binary.digits = 0;
        }
        // The first byte is none of the control characters but white space.
        let begins_text = match digits {
            [b'0', second, ..] => matches!(second, b'9' | b'a' | b'A' | b'd' | b'D'),
            [first, ..] => *first != b'1',
            [] => false,
        };
        if begins_text && digits.len().is_multiple_of(2) {
            self.even.add(token);
        } else {
            self.has_odd = true;
            if self.even.may_be_hex() {
                self.even_before.push(std::mem::take(&mut self.even));
            }
            self.even.digits = 0;
        }
    }

    /// Decodes what gives text.
    pub(super) fn decode(mut self, bytes: &[u8], found: &mut Found) {
        if self.even.may_be_hex() || !self.has_odd && self.even.may_be_all() {
            self.even_before.push(self.even);
        }
        if self.binary.may_be_binary() {
            self.binary_before.push(self.binary);
        }
        for group in self.even_before {
            group.hex(bytes, found);
        }
        for group in self.binary_before {
            group.binary(bytes, found);
        }
    }
}

impl Group {
    #[inline]
    fn add(&mut self, token: &Range<usize>) {
        let length = token.len();
        if self.digits == 0 {
            *self = Self { range: token.start..token.start, digits: 0, longest: length, shortest: length };
        }
        self.range.end = token.end;
        self.digits += length;
        self.longest = self.longest.max(length);
        self.shortest = self.shortest.min(length);
    }

    fn may_be_hex(&self) -> bool {
        self.digits >= BESIDE_DIGITS_MIN && self.longest > 2
    }

    fn may_be_all(&self) -> bool {
        self.digits >= 2 * NUMBERS_MIN && self.longest > 2
    }

    /// Numbers of one byte each are read one by one.
    fn may_be_binary(&self) -> bool {
        self.digits >= 7 * NUMBERS_MIN && (self.shortest < 6 || self.longest > 8)
    }

    fn hex(self, bytes: &[u8], found: &mut Found) {
        let pairs = |digits: &[u8]| digits.chunks_exact(2).filter_map(|pair| number(pair, 16)).collect::<Vec<u8>>();
        let in_order: Vec<u8> = numbers(bytes, &self.range).flat_map(|(_, digits)| pairs(digits)).collect();
        if !legible(&in_order) {
            return;
        }
        if matches!(self.longest, 4 | 8 | 16) {
            let words = numbers(bytes, &self.range).map(|(_, digits)| pairs(digits));
            let reversed = words.flat_map(|word| word.into_iter().rev()).collect();
            found.add(self.range.clone(), reversed, "hex");
        }
        found.add(self.range, in_order, "hex");
    }

    fn binary(self, bytes: &[u8], found: &mut Found) {
        let digits = numbers(bytes, &self.range).flat_map(|(_, token)| token).filter(|digit| digit.is_ascii_digit());
        let digits: Vec<u8> = digits.copied().collect();
        let each = |size| digits.chunks_exact(size).filter_map(|digits| number(digits, 2)).collect::<Vec<u8>>();
        if let Some(decoded) = [8, 7].into_iter().map(each).find(|decoded| is_text(decoded)) {
            found.add(self.range, decoded, "binary");
        }
    }
}

/// Whether decoded bytes are enough, and text.
fn is_text(decoded: &[u8]) -> bool {
    decoded.len() >= NUMBERS_MIN && legible(decoded)
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::shows;

    const CLEAR: &[u8] = b"ignore all of it";

    /// Hexadecimal words of so many bytes.
    fn words(size: usize, is_reversed: bool) -> Vec<String> {
        let hex =
            |bytes: &mut dyn Iterator<Item = &u8>| bytes.map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        let word = |word: &[u8]| if is_reversed { hex(&mut word.iter().rev()) } else { hex(&mut word.iter()) };
        CLEAR.chunks(size).map(word).collect()
    }

    #[test]
    fn words_are_read_in_both_orders_whatever_stands_beside_them() {
        for size in [2, 4, 8] {
            for is_reversed in [false, true] {
                let words = words(size, is_reversed);
                for text in [
                    words.join(" "),
                    format!("data: {}, 12, 3", words.join(", ")),
                    format!("a, 0x{}", words.join(", 0x")),
                    format!("0000000    {}\n0000020    6e 1\n", words.join("    ")),
                ] {
                    assert!(shows(text.as_bytes(), "hex", CLEAR), "{text}");
                }
            }
        }
    }

    #[test]
    fn binary_digits_are_read_in_groups_of_any_length_beside_other_numbers() {
        for size in [8, 7] {
            let digits = CLEAR.iter().map(|byte| format!("{byte:0size$b}")).collect::<Vec<_>>().concat();
            for width in [4, 5, 7, 12, 40, 200] {
                let groups: Vec<_> = digits.as_bytes().chunks(width).map(String::from_utf8_lossy).collect();
                let text = format!("data: 12 a {} b 34", groups.join(" "));
                assert!(shows(text.as_bytes(), "binary", CLEAR), "{text}");
            }
        }
    }

    #[test]
    fn tables_of_numbers_are_no_text() {
        for text in
            ["2026 1024 3131 4000 1999 1213 1516 8080 1901 1902 12", "1010 1100 1001 0101 1111 0000 1010 1110 0011"]
        {
            assert!(!shows(text.as_bytes(), "hex", b"") && !shows(text.as_bytes(), "binary", b""), "{text}");
        }
    }
}
