//! The excerpt of a stream, rendered while its bytes pass: the required content of the sections Stdout and Stderr.
//!
//! Independent of the writer of the document: this is the gate's own rendering, which it compares with the document.
//! Memory is bounded: the beginning of one line and at most 64 KiB of rendered text, whatever the length of the stream
//! or its lines.
//!
//! Security: reads the tool's raw output. Standards: `schemas/result.schema.md`, Stdout and Stderr; Unicode 16, §3.9.

use std::fmt::Write as _;

use crate::section::phrase::{counted, link};

/// The most lines of an excerpt.
const LINES_MAX: usize = 200;
/// The most bytes of an excerpt, a newline counted for each line.
const TEXT_BYTES_MAX: usize = 65_536;
/// The most characters of a line.
const LINE_CHARACTERS_MAX: usize = 2_000;
/// The most lines of a stream that the section Summary shows, and the most characters of each.
const HEAD_LINES_MAX: usize = 10;
const HEAD_LINE_CHARACTERS_MAX: usize = 200;
/// A character takes at most four bytes, so the first 2 001 of a line lie within these.
const LINE_BYTES_KEPT: usize = 4 * (LINE_CHARACTERS_MAX + 1);

/// The rendering of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// The lines shown, rendered, without line ends.
    pub lines: Vec<String>,
    /// How many of them were cut.
    pub lines_cut: u64,
    /// Lines of the stream; the last one counts even without a newline.
    pub lines_total: u64,
    /// Bytes of the stream.
    pub bytes_total: u64,
    /// Invalid sequences that were replaced with U+FFFD.
    pub sequences_invalid: u64,
    /// Whether the last byte is a newline.
    pub newline_at_end: bool,
}

impl Excerpt {
    /// The lines of a section that shows this stream, kept as `artifacts/<file>`.
    pub fn section(&self, file: &str) -> Vec<String> {
        if self.bytes_total == 0 {
            return vec!["(empty)".to_owned()];
        }
        let mut section = fenced(self.lines.clone());
        section.extend([String::new(), self.note(file)]);
        section
    }

    /// The first lines in a fence, as the section Summary shows them, and whether they are the whole stream.
    pub(crate) fn head(&self) -> (Vec<String>, bool) {
        let cut = |line: &String| {
            let end = line.char_indices().nth(HEAD_LINE_CHARACTERS_MAX).map(|(at, _)| at);
            end.and_then(|end| line.get(..end)).map(|beginning| format!("{beginning} [cut]"))
        };
        let shown = self.lines.iter().take(HEAD_LINES_MAX);
        let is_cut = self.lines_cut > 0 || shown.clone().any(|line| cut(line).is_some());
        let is_whole = !is_cut && shown.len() as u64 == self.lines_total;
        (fenced(shown.map(|line| cut(line).unwrap_or_else(|| line.clone())).collect()), is_whole)
    }

    fn note(&self, file: &str) -> String {
        let (shown, cut) = (self.lines.len() as u64, self.lines_cut);
        let (total, bytes) = (counted(self.lines_total, "line"), counted(self.bytes_total, "byte"));
        let mut note = if shown == self.lines_total && cut == 0 {
            format!("Complete: {total}, {bytes}.")
        } else {
            let path = format!("artifacts/{file}");
            format!(
                "Truncated: {shown} of {total} shown, {cut} of them cut; all {bytes} are in {}.",
                link(&path, &path)
            )
        };
        if self.sequences_invalid > 0 {
            let _ = write!(note, " Shown as U+FFFD: {}.", counted(self.sequences_invalid, "invalid UTF-8 sequence"));
        }
        if !self.newline_at_end {
            note.push_str(" No newline at the end.");
        }
        note
    }
}

/// Lines in a fence that is longer than every run of backticks in them.
fn fenced(mut lines: Vec<String>) -> Vec<String> {
    let runs = lines.iter().flat_map(|line| line.split(|character| character != '`'));
    let longest = runs.map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(3.max(longest + 1));
    lines.insert(0, format!("{fence}text"));
    lines.push(fence);
    lines
}

/// Renders a stream from pieces of any size.
#[derive(Default)]
pub struct Renderer {
    excerpt: Excerpt,
    text_bytes: usize,
    /// The beginning of the line that is being read.
    line: Vec<u8>,
    /// A limit was exceeded: from here on only lines and bytes are counted.
    full: bool,
}

impl Renderer {
    /// Takes the next bytes of the stream.
    pub fn feed(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        self.excerpt.bytes_total += bytes.len() as u64;
        self.excerpt.newline_at_end = last == b'\n';
        let mut rest = bytes;
        while !self.full {
            let Some(end) = rest.iter().position(|&byte| byte == b'\n') else {
                return self.keep(rest);
            };
            let (head, tail) = rest.split_at(end);
            self.keep(head);
            self.end_line();
            rest = tail.get(1..).unwrap_or_default();
        }
        self.excerpt.lines_total += count_newlines(rest);
    }

    /// The excerpt of all the pieces.
    pub fn finish(mut self) -> Excerpt {
        if self.excerpt.bytes_total > 0 && !self.excerpt.newline_at_end {
            if self.full {
                self.excerpt.lines_total += 1;
            } else {
                self.end_line();
            }
        }
        self.excerpt
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = LINE_BYTES_KEPT.saturating_sub(self.line.len());
        self.line.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    fn end_line(&mut self) {
        self.excerpt.lines_total += 1;
        let line = render_line(&self.line);
        self.line.clear();
        let text_bytes = self.text_bytes + line.text.len() + 1;
        if self.excerpt.lines.len() == LINES_MAX || text_bytes > TEXT_BYTES_MAX {
            self.full = true;
            return;
        }
        self.text_bytes = text_bytes;
        self.excerpt.lines_cut += u64::from(line.cut);
        self.excerpt.sequences_invalid += line.sequences_invalid;
        self.excerpt.lines.push(line.text);
    }
}

/// Counts in bytes, 255 at a time so that they cannot overflow; the compiler vectorises this.
fn count_newlines(bytes: &[u8]) -> u64 {
    bytes.chunks(255).map(|chunk| u64::from(chunk.iter().map(|&byte| u8::from(byte == b'\n')).sum::<u8>())).sum()
}

struct Line {
    text: String,
    cut: bool,
    sequences_invalid: u64,
}

fn render_line(bytes: &[u8]) -> Line {
    let mut line = Line { text: String::with_capacity(bytes.len()), cut: false, sequences_invalid: 0 };
    let mut characters = 0;
    for chunk in bytes.utf8_chunks() {
        let invalid = (!chunk.invalid().is_empty()).then_some(None);
        for character in chunk.valid().chars().map(Some).chain(invalid) {
            if characters == LINE_CHARACTERS_MAX {
                line.text.push_str(" [cut]");
                return Line { cut: true, ..line };
            }
            characters += 1;
            line.sequences_invalid += u64::from(character.is_none());
            render(character.unwrap_or(char::REPLACEMENT_CHARACTER), &mut line.text);
        }
    }
    line
}

fn render(character: char, out: &mut String) {
    match character {
        '\t' => out.push('\t'),
        '\0'..='\u{1f}' => out.push(char::from_u32(0x2400 + u32::from(character)).unwrap_or('␀')),
        '\u{7f}' => out.push('␡'),
        _ if is_replaced(character) => {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        }
        _ => out.push(character),
    }
}

/// Whether the rendering replaces a character.
pub(crate) fn is_replaced(character: char) -> bool {
    let noncharacter = matches!(character, '\u{fdd0}'..='\u{fdef}') || u32::from(character) & 0xfffe == 0xfffe;
    noncharacter
        || matches!(character,
            '\0'..='\u{8}' | '\u{a}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}'
            | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(bytes: &[u8]) -> Excerpt {
        let mut renderer = Renderer::default();
        renderer.feed(bytes);
        renderer.finish()
    }

    #[test]
    fn hostile_characters_are_made_visible() {
        for (bytes, line) in [
            (&b"\x1b[31mred\x00\r\x7f\t|"[..], "␛[31mred␀␍␡\t|"),
            ("\u{85}\u{ad}\u{202e}\u{e0041}\u{feff}".as_bytes(), "\\u{85}\\u{ad}\\u{202e}\\u{e0041}\\u{feff}"),
            ("\u{ffff}\u{10fffe}\u{fdd0}é漢".as_bytes(), "\\u{ffff}\\u{10fffe}\\u{fdd0}é漢"),
            // The longest valid prefix of a sequence is one invalid part; every other byte is its own.
            (b"\xe2\x82x\xff\xfe\xf0\x9f\x98", "\u{fffd}x\u{fffd}\u{fffd}\u{fffd}"),
        ] {
            assert_eq!(rendered(bytes).lines, [line]);
        }
        assert_eq!(rendered(b"\xe2\x82x\xff\xfe\xf0\x9f\x98").sequences_invalid, 4);
        assert_eq!(rendered("\u{fffd}".as_bytes()).sequences_invalid, 0);
    }

    #[test]
    fn notes_state_what_is_not_shown() {
        let long = [b"x".repeat(2001), b"\n".to_vec(), b"\xff".repeat(2001)].concat();
        let many = b"a\n".repeat(201);
        let wide = [b"y".repeat(1999), b"\n".to_vec()].concat().repeat(34);
        for (bytes, note) in [
            (&b"one\ntwo\n"[..], "Complete: 2 lines, 8 bytes."),
            (b"one", "Complete: 1 line, 3 bytes. No newline at the end."),
            (
                &long,
                "Truncated: 2 of 2 lines shown, 2 of them cut; all 4003 bytes are in [`artifacts/stdout.txt`](artifacts/stdout.txt). \
                 Shown as U+FFFD: 2000 invalid UTF-8 sequences. No newline at the end.",
            ),
            (
                &many,
                "Truncated: 200 of 201 lines shown, 0 of them cut; all 402 bytes are in [`artifacts/stdout.txt`](artifacts/stdout.txt).",
            ),
            (
                &wide,
                "Truncated: 32 of 34 lines shown, 0 of them cut; all 68000 bytes are in [`artifacts/stdout.txt`](artifacts/stdout.txt).",
            ),
        ] {
            assert_eq!(rendered(bytes).section("stdout.txt").last().map(String::as_str), Some(note));
        }
        assert_eq!(rendered(b"").section("stdout.txt"), ["(empty)"]);
    }

    #[test]
    fn a_fence_is_longer_than_every_run_of_backticks() {
        for (bytes, fence) in [(&b"``"[..], "```"), (b"a```b\n````", "`````"), (b"\n", "```")] {
            let section = rendered(bytes).section("stderr.txt");
            assert_eq!(section.first().map(String::as_str), Some(format!("{fence}text").as_str()));
        }
    }

    #[test]
    fn a_head_has_at_most_ten_lines_of_two_hundred_characters() {
        let x = |count| "x".repeat(count);
        for (stream, first, is_whole) in [
            ("a\nb".to_owned(), "a".to_owned(), true),
            ("x\n".repeat(10), x(1), true),
            ("x\n".repeat(11), x(1), false),
            (x(200), x(200), true),
            (x(201), x(200) + " [cut]", false),
        ] {
            let (lines, whole) = rendered(stream.as_bytes()).head();
            assert_eq!((lines[1].as_str(), whole), (first.as_str(), is_whole));
            assert!(lines.len() <= 12);
        }
        assert_eq!(rendered(b"````\n# x\n").head().0, ["`````text", "````", "# x", "`````"]);
    }

    #[test]
    fn every_newline_counts_however_many_follow_each_other() {
        for newlines in [254_u64, 255, 256, 1_000] {
            let bytes = [b"x".repeat(7), b"\n".repeat(usize::try_from(newlines).unwrap()), b"x".repeat(300)].concat();
            assert_eq!(count_newlines(&bytes), newlines);
        }
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut renderer = Renderer::default();
        for _ in 0..1_000 {
            renderer.feed(&[b'z'; 10_000]);
            assert!(renderer.line.capacity() < 4 * LINE_BYTES_KEPT);
        }
        let excerpt = renderer.finish();
        assert_eq!((excerpt.bytes_total, excerpt.lines_total, excerpt.lines_cut), (10_000_000, 1, 1));
    }

    proptest::proptest! {
        #[test]
        fn pieces_of_any_size_render_alike(bytes: Vec<u8>, piece in 1_usize..9) {
            let mut renderer = Renderer::default();
            bytes.chunks(piece).for_each(|piece| renderer.feed(piece));
            proptest::prop_assert_eq!(renderer.finish(), rendered(&bytes));
        }

        #[test]
        fn a_rendered_line_holds_nothing_that_is_replaced(bytes: Vec<u8>) {
            for line in rendered(&bytes).lines {
                proptest::prop_assert!(!line.contains(is_replaced));
            }
        }
    }
}
