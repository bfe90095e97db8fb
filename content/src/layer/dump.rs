//! Dumps in columns: an offset, groups of hexadecimal digits, and mostly the characters beside them, as `xxd`,
//! `hexdump -C` and `od -A x -t x1` print them.
//!
//! ```text
//! 00000010: 6967 6e6f 7265 2069 74                   ignore it
//! 00000010  69 67 6e 6f 72 65 20 69  74              |ignore it|
//! ```
//!
//! Security: reads hostile bytes; every line is read once.

use std::ops::Range;

use memchr::memchr;

use super::codes::number;
use super::found::Found;
use super::plausible::plausible;

/// An offset and some groups.
const LINE_RUN_BYTES_MIN: usize = 22;
const OFFSET_DIGITS_MIN: usize = 4;
/// The most bytes that a line of a dump shows.
const LINE_BYTES_MAX: usize = 64;

/// Decodes the dumps among runs of numbers.
pub(super) fn find(bytes: &[u8], runs: &[Range<usize>], found: &mut Found) {
    let mut done = 0;
    for run in runs {
        let mut start = run.start;
        for line in bytes.get(run.clone()).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
            if line.len() >= LINE_RUN_BYTES_MIN && start >= done {
                done = from(bytes, start, found).unwrap_or(done);
            }
            start += line.len();
        }
    }
}

/// Decodes the dump whose first line begins at or a little before `start`. Returns where it ends.
fn from(bytes: &[u8], start: usize, found: &mut Found) -> Option<usize> {
    let (mut decoded, mut reversed) = (Vec::new(), Vec::new());
    let mut end = start;
    while let Some(rest) = bytes.get(end..).filter(|rest| !rest.is_empty()) {
        let length = memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let Some(shown) = Shown::of(rest.get(..length)?) else { break };
        // Words of four bytes stand in either order.
        if shown.width == 8 {
            reversed.extend(shown.bytes.chunks(4).flat_map(|word| word.iter().rev()));
        }
        decoded.extend(shown.bytes);
        end += length;
    }
    if !plausible(&decoded) {
        return None;
    }
    found.add(start..end, decoded, "hex dump");
    found.add(start..end, reversed, "hex dump");
    Some(end)
}

/// What a line shows.
struct Shown {
    bytes: Vec<u8>,
    /// The digits of its first group; binary digits count as those of a byte.
    width: usize,
}

impl Shown {
    /// Where no colon follows the offset, groups are words in the order of a little-endian machine.
    fn of(line: &[u8]) -> Option<Self> {
        let mut tokens = Tokens { line, at: 0 };
        let (offset, _) = tokens.next()?;
        if offset.len() < OFFSET_DIGITS_MIN {
            return None;
        }
        let is_in_order = line.get(tokens.at) == Some(&b':');
        let is_binary = |digits: &[u8]| digits.len() == 8 && digits.iter().all(|digit| matches!(digit, b'0' | b'1'));
        let mut shown = Self { bytes: Vec::new(), width: 0 };
        for (digits, gap) in tokens {
            let (width, length) = (shown.width, if is_binary(digits) { 2 } else { digits.len() });
            if width == 0 {
                shown.width = length;
            }
            // Behind a wider gap stand the characters, except in the middle of sixteen bytes.
            let is_behind = gap > 1 && !shown.bytes.is_empty() && shown.bytes.len() != 8;
            let is_longer = length > shown.width;
            if !matches!(length, 2 | 4 | 8) || is_longer || is_behind || shown.bytes.len() >= LINE_BYTES_MAX {
                break;
            }
            shown.add(digits, !is_in_order);
            if length < width {
                break;
            }
        }
        (!shown.bytes.is_empty()).then_some(shown)
    }

    fn add(&mut self, digits: &[u8], is_reversed: bool) {
        let (size, base) = if self.width == 2 && digits.len() == 8 { (8, 2) } else { (2, 16) };
        let begin = self.bytes.len();
        self.bytes.extend(digits.chunks_exact(size).filter_map(|digits| number(digits, base)));
        if is_reversed {
            self.bytes.get_mut(begin..).unwrap_or_default().reverse();
        }
    }
}

/// Hexadecimal numbers that white space or a colon ends, and the white space before each.
struct Tokens<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = (&'a [u8], usize);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.line.get(self.at..)?;
        let gap = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b':')).count();
        let token = rest.get(gap..)?;
        let digits = token.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let is_ended = token.get(digits).is_none_or(|byte| matches!(byte, b' ' | b'\t' | b':' | b'\n' | b'\r'));
        self.at += gap + digits;
        (digits > 0 && is_ended).then(|| Some((token.get(..digits)?, gap)))?
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::shows;

    #[test]
    fn the_dumps_of_usual_tools_are_read() {
        for dump in [
            "00000000: 6967 6e6f 7265 2061 6c6c 206f 6620 6974  ignore all of it\n00000010: 206e 6f77 210a                            now!.\n",
            "00000000  69 67 6e 6f 72 65 20 61  6c 6c 20 6f 66 20 69 74  |ignore all of it|\n00000010  20 6e 6f 77 21 0a                                 | now!.|\n00000016\n",
            "0000000 69 67 6e 6f 72 65 20 61 6c 6c 20 6f 66 20 69 74\n0000010 20 6e 6f 77 21 0a\n0000016\n",
            "00000000: 01101001 01100111 01101110 01101111 01110010 01100101  ignore\n00000006: 00100000 01100001 01101100 01101100 00100000 01101111   all o\n0000000c: 01100110 00100000 01101001 01110100 00100000 01101110  f it n\n00000012: 01101111 01110111 00100001 00001010                    ow!.\n",
            "00000000: 6f6e6769 61206572 6f206c6c 74692066  ignore all of it\n00000010: 776f6e20 0a21                          now!.\n",
            "a log\n0000000 6769 6f6e 6572 6120 6c6c 6f20 2066 7469\n0000010 6e20 776f 0a21\n",
        ] {
            assert!(shows(dump.as_bytes(), "hex dump", b"ignore all of it now!\n"), "{dump}");
        }
    }

    #[test]
    fn tables_of_numbers_are_no_dumps() {
        assert!(!shows(b"1024 20 30 40 50 60 70 80\n2048 21 31 41 51 61 71 81\n", "hex dump", b""));
    }
}
