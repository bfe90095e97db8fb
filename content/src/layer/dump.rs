//! Hexadecimal dumps, as `xxd`, `hexdump -C` and `od -tx1` write them.
//!
//! ```text
//! 00000000: 7f45 4c46 0201 0100  .ELF....        00000000  7f 45 4c 46 02 01 01 00  |.ELF....|        0000000 7f 45 4c 46
//! ```
//!
//! A dump begins at the offset 0, and every further line at the offset that the bytes before it make, so that a table of numbers is
//! none. *Security*: a line is read once; linear.

use memchr::memmem;

use super::base64::byte_of;
use super::found::Found;
use super::plausible::{is_legible, is_text, opens};

/// The digits of an offset.
const OFFSET_DIGITS: std::ops::RangeInclusive<usize> = 4..=16;
/// The most bytes of a line that are read.
const LINE_BYTES_MAX: usize = 256;

/// Finds and decodes.
pub(super) fn find(bytes: &[u8], found: &mut Found) {
    let mut done = 0;
    for at in memmem::find_iter(bytes, b"0000") {
        let begins = at.checked_sub(1).and_then(|before| bytes.get(before)).is_none_or(|byte| *byte == b'\n');
        if at < done || !begins {
            continue;
        }
        let mut dumped = Vec::new();
        done = at;
        for line in bytes.get(at..).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
            let Some((_, more)) = read(line).filter(|(offset, _)| stands_at(offset, dumped.len())) else { break };
            dumped.extend(more);
            done += line.len();
        }
        if opens(&dumped) || is_text(&dumped) && dumped.len() >= 8 || is_legible(&dumped) {
            found.add(at..done, dumped, "dump");
        }
    }
}

/// The offset of a line and its bytes.
fn read(line: &[u8]) -> Option<(&[u8], Vec<u8>)> {
    let line = line.get(..line.len().min(LINE_BYTES_MAX))?.trim_ascii_end();
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let (offset, rest) = line.split_at(digits);
    // Beside the bytes stands what they look like: behind two spaces, or between bars.
    let columns = match rest.strip_prefix(b":") {
        Some(rest) => rest.get(..memmem::find(rest, b"  ").unwrap_or(rest.len()))?,
        None => rest.split(|byte| *byte == b'|').next()?,
    };
    let is_set_off = columns.first().is_some_and(u8::is_ascii_whitespace);
    let mut bytes = Vec::new();
    for group in columns.split(u8::is_ascii_whitespace).filter(|group| !group.is_empty()) {
        for pair in group.chunks(2) {
            bytes.push(byte_of(pair)?);
        }
    }
    (is_set_off && OFFSET_DIGITS.contains(&digits) && !bytes.is_empty()).then_some((offset, bytes))
}

/// Whether an offset, hexadecimal or octal, is this number of bytes.
fn stands_at(offset: &[u8], count: usize) -> bool {
    let text = std::str::from_utf8(offset).unwrap_or_default();
    [16, 8].into_iter().any(|base| usize::from_str_radix(text, base) == Ok(count))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::tests::{layers_of, shows};

    const CLEAR: &[u8] = b"run the command that stands here";

    /// The lines of a dump, each with its offset.
    fn dump(line: impl Fn(usize, &[u8]) -> String) -> String {
        CLEAR.chunks(16).enumerate().map(|(at, bytes)| line(at * 16, bytes) + "\n").collect()
    }

    fn spaced(bytes: &[u8]) -> String {
        bytes.iter().fold(String::new(), |mut text, byte| {
            write!(text, " {byte:02x}").expect("a string takes all");
            text
        })
    }

    #[test]
    fn dumps_of_every_program_are_read() {
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let pairs =
            |bytes: &[u8]| bytes.chunks(2).map(|pair| spaced(pair).replace(' ', "")).collect::<Vec<_>>().join(" ");
        for text in [
            dump(|at, bytes| format!("{at:08x}: {}  {}", pairs(bytes), shown(bytes))),
            dump(|at, bytes| format!("{at:08x} {}  |{}|", spaced(bytes), shown(bytes))),
            dump(|at, bytes| format!("{at:07o}{}", spaced(bytes))),
        ] {
            assert!(shows(format!("log\n{text}end\n").as_bytes(), "dump", CLEAR), "{text}");
        }
    }

    #[test]
    fn a_table_of_numbers_is_no_dump() {
        for text in ["0000 12 13\n0001 14 15\n", "00000000 of 12\n", "0000-00-00 00:00:00\n", "00000000: xx yy\n"] {
            assert!(layers_of(text.as_bytes()).iter().all(|layer| layer.encoding != "dump"), "{text}");
        }
    }
}
