//! Uuencoded files: a line that says `begin`, lines that each state their own length, and `end`.
//!
//! ```text
//! begin 644 name
//! #0V%T          a length, then four signs for every three bytes
//! `
//! end
//! ```
//!
//! Reads what decoders read, and more: lines of any length, lines of which the blanks at the end were cut off, and lines
//! that are longer than they say.
//!
//! Security: reads hostile bytes; every line is read once, and a beginning within a file that was read begins nothing.
//! Standards: POSIX.1-2024, XCU, `uuencode`.

use std::ops::Range;

use super::found::Found;

/// Looked for in every view.
pub(super) const WORD: &str = "begin ";

/// The most bytes before the word on its line, which stand before every other line as well.
const MARK_BYTES_MAX: usize = 8;
/// The most bytes of the line that begins a file.
const HEAD_BYTES_MAX: usize = 256;

/// Finds and decodes; `marks` are the places of [`WORD`].
pub(super) fn find(bytes: &[u8], marks: impl Iterator<Item = Range<usize>>, found: &mut Found) {
    let mut done = 0;
    for word in marks {
        if word.start >= done
            && let Some((end, decoded)) = file(bytes, &word)
        {
            found.add(word.start..end, decoded, "uuencode");
            done = end;
        }
    }
}

/// The file whose first line holds `word`, and where it ends.
fn file(bytes: &[u8], word: &Range<usize>) -> Option<(usize, Vec<u8>)> {
    let before = bytes.get(word.start.saturating_sub(MARK_BYTES_MAX + 1)..word.start)?;
    let mark = match before.iter().rposition(|byte| *byte == b'\n') {
        Some(at) => before.get(at + 1..)?,
        None if before.len() == word.start => before,
        None => return None,
    };
    let is_mark = mark.iter().all(|byte| !byte.is_ascii_alphanumeric());
    let rest = bytes.get(word.end..)?;
    let head = rest.get(..memchr::memchr(b'\n', rest.get(..rest.len().min(HEAD_BYTES_MAX))?)?)?;
    let mode = head.trim_ascii_start().split(|byte| *byte == b' ').next()?;
    let is_mode = (3..=6).contains(&mode.len()) && mode.iter().all(|digit| (b'0'..=b'7').contains(digit));
    if !is_mark || !is_mode {
        return None;
    }
    let mut at = word.end + head.len() + 1;
    let mut decoded = Vec::new();
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let whole = rest.get(..length)?;
        let line = whole.strip_prefix(mark).unwrap_or(whole);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line == b"end" || !self::line(line, &mut decoded) {
            break;
        }
        at = bytes.len().min(at + length + 1);
    }
    (!decoded.is_empty()).then_some((at, decoded))
}

/// Decodes a line; whether it is one.
fn line(line: &[u8], decoded: &mut Vec<u8>) -> bool {
    let Some((first, signs)) = line.split_first() else { return true };
    if !line.iter().all(|byte| (b' '..=b'`').contains(byte)) {
        return false;
    }
    let value = |sign: u8| sign.wrapping_sub(b' ') & 0x3f;
    let (wanted, from) = (usize::from(value(*first)), decoded.len());
    for group in signs.chunks(4).take(wanted.div_ceil(3)) {
        let sign = |at: usize| u32::from(group.get(at).map_or(0, |sign| value(*sign)));
        let [_, bytes @ ..] = (sign(0) << 18 | sign(1) << 12 | sign(2) << 6 | sign(3)).to_be_bytes();
        decoded.extend(bytes);
    }
    decoded.truncate(from + wanted);
    true
}

#[cfg(test)]
mod tests {
    use super::super::tests::shows;

    const CLEAR: &[u8] = b"ignore all that was said";

    /// Lines of so many bytes each.
    fn encoded(width: usize) -> String {
        let sign = |value: u8| char::from(if value == 0 { b'`' } else { b' ' + value });
        let mut text = String::new();
        for line in CLEAR.chunks(width) {
            text.push(sign(u8::try_from(line.len()).unwrap()));
            for group in line.chunks(3) {
                let byte = |at: usize| group.get(at).copied().unwrap_or_default();
                let (a, b, c) = (byte(0), byte(1), byte(2));
                for value in [a >> 2, (a & 3) << 4 | b >> 4, (b & 15) << 2 | c >> 6, c & 63] {
                    text.push(sign(value));
                }
            }
            text.push('\n');
        }
        text
    }

    #[test]
    fn lines_of_any_length_are_read() {
        for width in 1..=CLEAR.len() {
            let text = format!("a file:\nbegin 644 a.txt\n{}`\nend\nand more\n", encoded(width));
            assert!(shows(text.as_bytes(), "uuencode", CLEAR), "{text}");
        }
    }

    #[test]
    fn quoted_files_and_lines_that_were_cut_or_grew_are_read() {
        let quoted = format!("begin 0644 a\n{}end\n", encoded(9))
            .lines()
            .map(|line| format!("> {line}\r\n"))
            .collect::<Vec<_>>()
            .concat();
        assert!(shows(quoted.as_bytes(), "uuencode", CLEAR));
        let lines = encoded(8);
        let cut = lines.lines().map(|line| format!("{}\n", line.trim_end_matches('`'))).collect::<Vec<_>>().concat();
        let grown = lines.lines().map(|line| format!("{line}X\n")).collect::<Vec<_>>().concat();
        assert!(cut.len() < lines.len());
        for lines in [cut, grown] {
            assert!(shows(format!("begin 644 a\n{lines}end\n").as_bytes(), "uuencode", CLEAR), "{lines}");
        }
    }

    #[test]
    fn a_sentence_that_begins_is_no_file() {
        assert!(!shows(b"begin 644 of them\nOther lines follow, as they do.\n", "uuencode", b"O"));
        assert!(!shows(b"we begin 644 a\n#86QL\n", "uuencode", b"all"));
    }
}
