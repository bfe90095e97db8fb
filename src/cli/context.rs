//! The source lines around the place of a reason, for a person.
//!
//! ```text
//!    11 | ## Summary
//!    12 | Run this\u{202e} now.
//!       |         ^
//!    13 |
//! ```
//!
//! *Security*: the text may be hostile. It is shown in printable ASCII, in a window around the place. The caller
//! excludes lines with a secret, because text beside one often contains more of it.

use std::fmt::Write as _;
use std::io::{BufRead, Read};

/// Lines shown before and after the place.
const LINES_AROUND: u32 = 1;
/// Characters of the line shown before the place, and from it on.
const CHARACTERS_AROUND: usize = 60;
/// The most bytes of a line that are read; a place beyond them is not shown.
const LINE_BYTES_MAX: u64 = 64 * 1024;

/// The lines around a place, with a caret under it; line and column count from 1, in characters. None if the text has
/// no such place, or bytes there that are not UTF-8.
pub(super) fn around(mut reader: impl BufRead, line: u32, column: u32) -> Option<String> {
    let (first, last) = (line.saturating_sub(LINES_AROUND).max(1), line.saturating_add(LINES_AROUND));
    let column = usize::try_from(column.checked_sub(1)?).ok()?;
    let width = last.to_string().len();
    let (mut text, mut found) = (String::new(), false);
    for number in 1..=last {
        let Some(bytes) = next_line(&mut reader) else { break };
        if number < first {
            continue;
        }
        if number == line && bytes.contains(&0) {
            return None;
        }
        let (shown, before) = window(&bytes, if number == line { column } else { 0 });
        let _ = writeln!(text, "{}", format!("{number:width$} | {shown}").trim_end());
        if number == line {
            found = true;
            let _ = writeln!(text, "{:width$} | {}^", "", " ".repeat(before));
        }
    }
    found.then_some(text)
}

/// The next line without its end, cut to the limit; none at the end of the file.
fn next_line(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    if reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line).ok()? == 0 {
        return None;
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else {
        reader.skip_until(b'\n').ok()?;
    }
    Some(line)
}

/// The part of a line around a column (from 0), escaped, and its number of characters before that column.
fn window(line: &[u8], column: usize) -> (String, usize) {
    let line = String::from_utf8_lossy(line);
    let from = column.saturating_sub(CHARACTERS_AROUND);
    let (mut shown, mut before) = (String::new(), 0);
    if from > 0 {
        shown.push_str("... ");
    }
    for (at, character) in line.chars().enumerate().skip(from).take(2 * CHARACTERS_AROUND) {
        if at == column {
            before = shown.len();
        }
        match character {
            ' '..='~' => shown.push(character),
            '\t' => shown.push(' '),
            _ => shown.extend(character.escape_unicode()),
        }
    }
    if column >= line.chars().count() {
        before = shown.len();
    }
    (shown, before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_shown_with_its_neighbours_and_a_caret_under_it() {
        let text = "one\ntwo\u{202e}x three\nfour\nfive\n";
        assert_eq!(
            around(text.as_bytes(), 2, 5).unwrap(),
            "1 | one\n2 | two\\u{202e}x three\n  |            ^\n3 | four\n"
        );
        assert_eq!(around(text.as_bytes(), 1, 1).unwrap(), "1 | one\n  | ^\n2 | two\\u{202e}x three\n");
        assert_eq!(around(text.as_bytes(), 9, 1), None);
        assert_eq!(around(text.as_bytes(), 1, 0), None);
    }

    #[test]
    fn a_long_line_is_cut_around_the_place_and_never_read_whole() {
        let text = format!("{}!{}\nnext\n", "a".repeat(1_000), "b".repeat(1_000_000));
        let shown = around(text.as_bytes(), 1, 1_001).unwrap();
        assert!(shown.lines().all(|line| line.len() < 140), "{shown}");
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1].find('^'), lines[0].find('!'), "{shown}");
        assert_eq!(lines[2], "2 | next");
    }
}
