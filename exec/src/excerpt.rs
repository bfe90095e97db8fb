//! The excerpt of a stream for the result document: a pure function of the artifact's bytes.
//!
//! `schemas/result.schema.md`, "Stdout and Stderr", fixes it to the byte; the gate renders the same excerpt with code of
//! its own and compares. Reads the stream once, keeps at most one line and the excerpt in memory. *Security*: every byte
//! comes from a tool that may try to forge other content.

use std::fmt::Write as _;
use std::io::{self, Read};

pub use gatepost_documents::escape::is_hidden;

use crate::result_document::phrase::{counted, link};

const LINES_MAX: u64 = 200;
const TEXT_BYTES_MAX: usize = 65_536;
const LINE_CHARS_MAX: usize = 2_000;
/// The limits of the section Summary: lines of a stream, and characters of each.
const HEAD_LINES_MAX: usize = 10;
const HEAD_LINE_CHARS_MAX: usize = 200;
/// Enough bytes for one character more than a line may keep, to detect longer lines.
const LINE_BYTES_KEPT: usize = (LINE_CHARS_MAX + 1) * 4;

/// The part of a stream in the result document.
#[derive(Debug)]
pub struct Shown {
    /// The body of the stream's own section.
    pub section: String,
    /// Its first lines, for the section Summary; none for an empty stream.
    pub head: Option<Head>,
}

/// The first lines of a stream.
#[derive(Debug)]
pub struct Head {
    /// The fence around them.
    pub fence: String,
    /// Whether they are the whole stream.
    pub is_whole: bool,
}

/// The excerpt of `artifact`, a path below `artifacts/`.
pub fn show(reader: impl Read, artifact: &str) -> io::Result<Shown> {
    let mut excerpt = Excerpt::default();
    excerpt.read(reader)?;
    Ok(excerpt.finish(artifact))
}

#[derive(Default)]
struct Excerpt {
    text: String,
    line: Vec<u8>,
    lines_shown: u64,
    lines_cut: u64,
    replaced: u64,
    full: bool,
    newlines: u64,
    bytes: u64,
    ends_in_newline: bool,
}

impl Excerpt {
    fn read(&mut self, mut reader: impl Read) -> io::Result<()> {
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => self.take(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.ends_in_newline = bytes.last() == Some(&b'\n');
        let mut rest = bytes;
        while !self.full && !rest.is_empty() {
            let (part, ends) = match rest.iter().position(|byte| *byte == b'\n') {
                Some(end) => (&rest[..end], true),
                None => (rest, false),
            };
            let room = LINE_BYTES_KEPT - self.line.len();
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            if ends {
                self.newlines += 1;
                self.end_line();
            }
            rest = &rest[part.len() + usize::from(ends)..];
        }
        self.newlines += memchr::memchr_iter(b'\n', rest).count() as u64;
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let (rendered, cut, replaced) = render(&line);
        if self.lines_shown == LINES_MAX || self.text.len() + rendered.len() + 1 > TEXT_BYTES_MAX {
            self.full = true;
            return;
        }
        self.text.push_str(&rendered);
        self.text.push('\n');
        self.lines_shown += 1;
        self.lines_cut += u64::from(cut);
        self.replaced += replaced;
        self.line = line;
        self.line.clear();
    }

    fn finish(mut self, artifact: &str) -> Shown {
        if self.bytes == 0 {
            return Shown { section: "(empty)\n".to_owned(), head: None };
        }
        let lines = self.newlines + u64::from(!self.ends_in_newline);
        if !self.ends_in_newline && !self.full {
            self.end_line();
        }
        let path = format!("artifacts/{artifact}");
        let mut section = fenced(&self.text);
        section.push('\n');
        let _ = if self.lines_shown == lines && self.lines_cut == 0 {
            write!(section, "Complete: {}, {}.", counted(lines, "line"), counted(self.bytes, "byte"))
        } else {
            write!(
                section,
                "Truncated: {} of {} shown, {} of them cut; all {} are in {}.",
                self.lines_shown,
                counted(lines, "line"),
                self.lines_cut,
                counted(self.bytes, "byte"),
                link(&path, &path)
            )
        };
        if self.replaced > 0 {
            let _ = write!(section, " Shown as U+FFFD: {}.", counted(self.replaced, "invalid UTF-8 sequence"));
        }
        if !self.ends_in_newline {
            section.push_str(" No newline at the end.");
        }
        section.push('\n');
        Shown { section, head: Some(self.head(lines)) }
    }

    /// The first lines of a stream with this many lines.
    fn head(&self, lines: u64) -> Head {
        let (mut text, mut shown, mut is_cut) = (String::new(), 0, self.lines_cut > 0);
        for line in self.text.lines().take(HEAD_LINES_MAX) {
            let end = line.char_indices().nth(HEAD_LINE_CHARS_MAX).map(|(at, _)| at);
            text.push_str(&line[..end.unwrap_or(line.len())]);
            text.push_str(if end.is_some() { " [cut]\n" } else { "\n" });
            is_cut |= end.is_some();
            shown += 1;
        }
        Head { fence: fenced(&text), is_whole: shown == lines && !is_cut }
    }
}

/// Lines in a fence that they cannot close.
fn fenced(text: &str) -> String {
    let fence = fence_for(text);
    format!("{fence}text\n{text}{fence}\n")
}

/// A line as text, whether it was cut, and how many replacement characters decoding put into it.
fn render(line: &[u8]) -> (String, bool, u64) {
    let (mut text, mut chars, mut replaced) = (String::with_capacity(line.len()), 0, 0);
    for chunk in line.utf8_chunks() {
        let invalid = if chunk.invalid().is_empty() { None } else { Some(char::REPLACEMENT_CHARACTER) };
        for (character, decoded) in chunk.valid().chars().map(|c| (c, true)).chain(invalid.map(|c| (c, false))) {
            if chars == LINE_CHARS_MAX {
                text.push_str(" [cut]");
                return (text, true, replaced);
            }
            chars += 1;
            replaced += u64::from(!decoded);
            push_visible(&mut text, character);
        }
    }
    (text, false, replaced)
}

/// A line with control and invisible characters escaped, and whether it was cut.
pub fn visible_line(line: &[u8]) -> (String, bool) {
    let (text, is_cut, _) = render(line);
    (text, is_cut)
}

/// Adds a character, escaped if it is a control or invisible character.
pub fn push_visible(text: &mut String, character: char) {
    let code = u32::from(character);
    match character {
        '\t' => text.push('\t'),
        '\0'..='\x1f' => text.extend(char::from_u32(0x2400 + code)),
        '\x7f' => text.push('\u{2421}'),
        _ if is_hidden(character) => {
            let _ = write!(text, "\\u{{{code:x}}}");
        }
        _ => text.push(character),
    }
}

/// A fence that `text` cannot close: three backticks, or one more than the longest run in it.
pub fn fence_for(text: &str) -> String {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    "`".repeat(if longest < 3 { 3 } else { longest + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section_of(bytes: &[u8]) -> String {
        show(bytes, "stdout.txt").unwrap().section
    }

    #[test]
    fn plain_output_is_shown_whole() {
        assert_eq!(section_of(b""), "(empty)\n");
        assert_eq!(section_of(b"a\nb\n"), "```text\na\nb\n```\n\nComplete: 2 lines, 4 bytes.\n");
        assert_eq!(section_of(b"a"), "```text\na\n```\n\nComplete: 1 line, 1 byte. No newline at the end.\n");
    }

    #[test]
    fn hostile_output_is_made_visible_and_cannot_close_its_fence() {
        let hostile = b"\x1b[31mred\0\r\n````\n\xff\xfe \xf0\x9f\x92\n\xe2\x80\xae\xf3\xa0\x81\x81\n";
        let expected = "`````text\n␛[31mred␀␍\n````\n\u{fffd}\u{fffd} \u{fffd}\n\\u{202e}\\u{e0041}\n`````\n\n\
                        Complete: 4 lines, 32 bytes. Shown as U+FFFD: 3 invalid UTF-8 sequences.\n";
        assert_eq!(section_of(hostile), expected.replace("32 bytes", &format!("{} bytes", hostile.len())));
    }

    #[test]
    fn long_output_ends_at_its_limits_and_says_so() {
        let many = section_of(&b"x\n".repeat(201));
        assert!(many.ends_with(
            "Truncated: 200 of 201 lines shown, 0 of them cut; all 402 bytes are in [`artifacts/stdout.txt`](artifacts/stdout.txt).\n"
        ));
        let wide = section_of(&[b"y".repeat(2_001), b"\n".to_vec()].concat());
        assert!(wide.contains(&format!("{} [cut]\n", "y".repeat(2_000))));
        assert!(wide.contains("Truncated: 1 of 1 line shown, 1 of them cut;"));
        let heavy = section_of(&[b"z".repeat(1_999), b"\n".to_vec()].concat().repeat(100));
        assert!(heavy.contains("Truncated: 32 of 100 lines shown"), "{}", &heavy[heavy.len() - 120..]);
    }

    #[test]
    fn where_the_reads_fall_changes_nothing() {
        struct OneByOne<'a>(&'a [u8]);
        impl Read for OneByOne<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let count = self.0.len().min(1);
                buffer[..count].copy_from_slice(&self.0[..count]);
                self.0 = &self.0[count..];
                Ok(count)
            }
        }
        let bytes = "grün\u{200b}\n".repeat(300);
        let [pieces, whole] = [show(OneByOne(bytes.as_bytes()), "a"), show(bytes.as_bytes(), "a")].map(Result::unwrap);
        assert_eq!((pieces.section, pieces.head.unwrap().fence), (whole.section, whole.head.unwrap().fence));
    }

    #[test]
    fn the_head_has_ten_lines_of_two_hundred_characters() {
        let head = |bytes: &[u8]| show(bytes, "a").unwrap().head.map(|head| (head.fence, head.is_whole));
        assert_eq!(head(b""), None);
        assert_eq!(head(b"a\nb"), Some(("```text\na\nb\n```\n".to_owned(), true)));
        assert_eq!(head(&b"x\n".repeat(10)), Some((format!("```text\n{}```\n", "x\n".repeat(10)), true)));
        assert_eq!(head(&b"x\n".repeat(11)), Some((format!("```text\n{}```\n", "x\n".repeat(10)), false)));
        assert_eq!(head("ü".repeat(200).as_bytes()), Some((format!("```text\n{}\n```\n", "ü".repeat(200)), true)));
        let cut = format!("```text\n{} [cut]\n```\n", "ü".repeat(200));
        assert_eq!(head("ü".repeat(201).as_bytes()), Some((cut, false)));
        assert_eq!(head(b"````\n\n# x\n"), Some(("`````text\n````\n\n# x\n`````\n".to_owned(), true)));
    }
}
