//! A text as a person or a model reads it: without disguises, in lower case, on one line; with a map back to its bytes.
//!
//! Folded: compatibility forms and look-alike letters, accents, invisible characters, white space and line wraps, emphasis
//! marks, letters that are set apart, digits that stand for letters. A blank line becomes a line feed, every other white
//! space one space. Letters of another script stay what they are in words and lines of that script.
//!
//! It judges nothing, and undoes no encoding: that is for the layers.
//!
//! *Security*: reads hostile bytes, also such as are no text; linear in their number, in memory of a small multiple.
//! *Standards*: Unicode 16, UAX #15 (NFKD); UTS #39, section 4 (confusables), for the letters that look Latin.

use std::ops::Range;

mod cell;
mod fold;
mod letter;
mod line;
mod map;
mod word;

use memchr::memchr_iter;

use cell::Cell;
use line::{Kind, is_white};
use map::Map;
use word::{emphasizes, is_mark};

/// The longest part of a line that is read at once.
const LINE_BYTES_MAX: usize = 4096;

/// What some bytes read like.
#[derive(Debug)]
pub(crate) struct Normal {
    text: String,
    map: Map,
}

impl Normal {
    /// The reading of bytes; what is not UTF-8 reads as U+FFFD, one for a run.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut writer =
            Writer { text: String::with_capacity(bytes.len()), map: Map::default(), white: None, marker: b"" };
        let mut cells = Vec::new();
        let mut at = 0;
        let mut is_line_start = true;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let whole = line::first(rest, LINE_BYTES_MAX);
            let skipped = if is_line_start { writer.continuation(whole, at) } else { 0 };
            let line = whole.get(skipped..).unwrap_or_default();
            match line::kind(line) {
                Kind::Even => writer.even(line, at + skipped),
                Kind::Plain => writer.plain(line, at + skipped),
                Kind::Emphasized => writer.emphasized(line, at + skipped),
                Kind::Careful(disguises) => {
                    cell::read(line, at + skipped, &mut cells);
                    fold::fold(&mut cells);
                    word::join(&mut cells, disguises);
                    writer.cells(&cells);
                }
            }
            is_line_start = whole.ends_with(b"\n");
            at += whole.len();
        }
        writer.map.end(writer.text.len(), bytes.len());
        Self { text: writer.text, map: writer.map }
    }

    /// The reading, in which no two white spaces follow each other.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The bytes that a part of the reading comes from.
    pub(crate) fn source(&self, range: Range<usize>) -> Range<usize> {
        self.map.source(range)
    }

    /// Whether a part of the reading was written in another way than by case and white space.
    pub(crate) fn disguised(&self, range: Range<usize>) -> bool {
        self.map.disguised(range)
    }
}

/// Some lines with their characters as they are shown, in their case, if that differs from how they are written.
pub(crate) fn shown(lines: &[u8]) -> Option<Vec<u8>> {
    let mut cells = Vec::new();
    let mut text = String::with_capacity(lines.len());
    let mut differs = false;
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        cell::read(line, 0, &mut cells);
        fold::fold(&mut cells);
        for cell in &cells {
            differs |= cell.changed || cell.after_gap && cell.character.is_ascii_graphic();
            if cell.upper {
                text.extend(cell.character.to_uppercase());
            } else {
                text.push(cell.character);
            }
        }
    }
    differs.then(|| text.into_bytes())
}

/// White space that was read and not yet written.
#[derive(Debug, Clone, Copy)]
struct White {
    start: usize,
    end: usize,
    line_ends: usize,
}

/// A reading that is being written.
struct Writer<'a> {
    text: String,
    map: Map,
    white: Option<White>,
    /// The comment or quotation mark that the last line began with.
    marker: &'a [u8],
}

impl<'a> Writer<'a> {
    /// The bytes of a line's beginning that only continue the comment or the quotation of the line before.
    fn continuation(&mut self, line: &'a [u8], at: usize) -> usize {
        let indent = line.iter().take_while(|byte| **byte == b' ' || **byte == b'\t').count();
        let rest = line.get(indent..).unwrap_or_default();
        let length =
            rest.iter().take_while(|byte| matches!(byte, b'>' | b'/' | b'#' | b'*' | b';' | b'|' | b'-')).count();
        let marker = rest.get(..length).unwrap_or_default();
        let before = std::mem::replace(&mut self.marker, marker);
        let is_ended = rest.get(length).is_none_or(|byte| is_white(*byte));
        let is_quotation = marker.iter().all(|byte| *byte == b'>');
        if marker.is_empty() || !is_quotation && (!is_ended || marker != before) {
            return 0;
        }
        self.space(at, at + indent + length, 0);
        indent + length
    }

    /// Takes words with one space between them, in printable ASCII.
    fn words(&mut self, words: &[u8], at: usize) {
        let Some(first) = words.first() else { return };
        self.flush(char::from(*first));
        self.map.exact(self.text.len(), at);
        let start = self.text.len();
        self.text.push_str(std::str::from_utf8(words).unwrap_or_default());
        self.text.get_mut(start..).unwrap_or_default().make_ascii_lowercase();
    }

    /// Takes a line of such words.
    fn even(&mut self, line: &[u8], at: usize) {
        let words = line.strip_suffix(b"\n").unwrap_or(line);
        self.words(words, at);
        if words.len() < line.len() {
            self.space(at + words.len(), at + line.len(), 1);
        }
    }

    /// Takes a line of printable ASCII that needs nothing but lower case and fewer spaces.
    fn plain(&mut self, line: &[u8], mut at: usize) {
        let mut rest = line;
        while !rest.is_empty() {
            let white = rest.iter().take_while(|byte| is_white(**byte)).count();
            let (space, after) = rest.split_at(white);
            if white > 0 {
                self.space(at, at + white, memchr_iter(b'\n', space).count());
            }
            // Words up to where more than one space follows.
            let ends =
                |pair: &[u8]| matches!(pair, [left, right] if is_white(*left) && (is_white(*right) || *left != b' '));
            let is_trailing = after.last().is_some_and(|last| is_white(*last));
            let length = after.windows(2).position(ends).unwrap_or(after.len() - usize::from(is_trailing));
            let (words, after) = after.split_at(length);
            self.words(words, at + white);
            at += white + length;
            rest = after;
        }
    }

    /// Takes such a line with marks of emphasis, which are left out.
    fn emphasized(&mut self, line: &[u8], at: usize) {
        let mut start = 0;
        let mut end = 0;
        let character = |at: usize| line.get(at).copied().map(char::from);
        while let Some(offset) =
            line.get(end..).and_then(|rest| rest.iter().position(|byte| is_mark(char::from(*byte))))
        {
            let first = end + offset;
            let rest = line.get(first..).unwrap_or_default();
            let marks = rest.iter().take_while(|byte| is_mark(char::from(**byte))).count();
            end = first + marks;
            let (before, after) = (first.checked_sub(1).and_then(character), character(end));
            if emphasizes(before, rest.get(..marks).unwrap_or_default(), after) {
                self.plain(line.get(start..first).unwrap_or_default(), at + start);
                let is_within = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
                if is_within(before) && is_within(after) {
                    self.map.gap();
                }
                start = end;
            }
        }
        self.plain(line.get(start..).unwrap_or_default(), at + start);
    }

    /// Takes a line that was read with care.
    fn cells(&mut self, cells: &[Cell]) {
        for cell in cells {
            if cell.character.is_whitespace() {
                self.space(cell.start, cell.end, usize::from(cell.character == '\n'));
            } else {
                self.flush(cell.character);
                self.map.cell(self.text.len(), cell);
                self.text.push(cell.character);
            }
        }
    }

    /// Takes white space, which is written when something follows it.
    fn space(&mut self, start: usize, end: usize, line_ends: usize) {
        let white = self.white.get_or_insert(White { start, end, line_ends: 0 });
        white.end = end;
        white.line_ends += line_ends;
    }

    /// Writes the white space before `next`; none at the beginning, and none in a word that is broken at a line end.
    fn flush(&mut self, next: char) {
        let Some(White { start, end, line_ends }) = self.white.take() else { return };
        let is_broken = line_ends == 1
            && next.is_lowercase()
            && matches!(self.text.as_bytes(), [.., letter, b'-'] if letter.is_ascii_alphabetic());
        if is_broken {
            self.text.pop();
            self.map.truncate(self.text.len());
        } else if !self.text.is_empty() {
            let written = if line_ends > 1 { '\n' } else { ' ' };
            match end - start {
                1 => self.map.exact(self.text.len(), start),
                _ => self.map.folded(self.text.len(), start..end),
            }
            self.text.push(written);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reading(text: &str) -> String {
        Normal::of(text.as_bytes()).text
    }

    #[test]
    fn ordinary_text_loses_its_case_and_its_wraps_and_keeps_its_paragraphs() {
        assert_eq!(reading("  The  Parser\tread\r\n4096 lines.\n\n \nDone.\n"), "the parser read 4096 lines.\ndone.");
        assert_eq!(
            reading("an instruc-\n  tion of state-of-\nthe-art - \n- 1"),
            "an instruction of state-ofthe-art - - 1"
        );
        assert_eq!(reading("> ignore\n> all\n\n// of it\n// now # 1"), "ignore all\n// of it now # 1");
    }

    #[test]
    fn disguises_are_seen_through() {
        for (text, read) in [
            ("Ｉｇｎｏｒｅ 𝗮𝗹𝗹 ⓞⓕ 🅘🅣", "ignore all of it"),
            ("іgnоrе аll оf іt", "ignore all of it"),
            ("ιgnοrε all", "ignore all"),
            ("ɪɢɴᴏʀᴇ ᴀʟʟ", "ignore all"),
            ("і́gnore", "ignore"),
            ("ig\u{200b}no\u{ad}re\u{fe0f} a\u{e0041}ll\u{202e}", "ignore all"),
            ("i\u{336}g\u{336}n\u{336}o\u{336}r\u{336}e\u{336} á̂̃ll", "ignore all"),
            ("ig**no**re `all` __of__ *it*", "ignore all of it"),
            ("i g n o r e   a l l   of it", "ignore all of it"),
            ("I.g.n.o.r.e a.l.l", "ignore all"),
            ("i-g-n-o-r-e- -a-l-l now", "ignore all now"),
            ("1gn0r3 4ll 0f 1t", "ignore all of it"),
            ("ignore\u{a0}all\u{2003}of it", "ignore all of it"),
            ("don\u{2019}t \u{201c}ignore\u{201d}", "don't \"ignore\""),
        ] {
            assert_eq!(reading(text), read, "{text}");
        }
    }

    #[test]
    fn other_scripts_names_and_numbers_stay_what_they_are() {
        for text in [
            "сора хор и ёж, не обновляй политику",
            "игнорируй все: сор",
            "αγνόησε όλα τα λόγια",
            "忽略所有 以前的指令",
            "snake_case __ = 2 * 3 ~ 4",
            "sha256 of 3 files, v2 and x86 in 10 s",
            "- - - -",
        ] {
            assert_eq!(reading(text), text);
        }
        assert_eq!(reading("Café Müller łódź"), "cafe muller lodz");
    }

    #[test]
    fn a_place_in_the_reading_leads_to_its_bytes() {
        let text = "Say:  IG\u{200b}NORE \u{430}ll\n of it";
        let normal = Normal::of(text.as_bytes());
        assert_eq!(normal.text(), "say: ignore \u{430}ll of it".replace('\u{430}', "a"));
        for (part, source, disguised) in [
            ("say", "Say", false),
            ("ignore", "IG\u{200b}NORE", true),
            ("all", "\u{430}ll", true),
            ("of it", "of it", false),
            ("ig", "IG", false),
            ("ll of", "ll\n of", false),
        ] {
            let at = normal.text().find(part).unwrap();
            let range = at..at + part.len();
            assert_eq!(text.get(normal.source(range.clone())), Some(source));
            assert_eq!(normal.disguised(range), disguised, "{part}");
        }
        let marked = Normal::of(b"all em**pha**sis");
        assert_eq!((marked.source(4..12), marked.disguised(4..12), marked.disguised(0..6)), (4..16, true, false));
        let end = normal.text().len();
        assert_eq!(normal.source(end..end + 9), text.len()..text.len());
    }

    #[test]
    fn long_lines_are_read_in_parts_and_bytes_that_are_no_text_as_one_character() {
        let long = "word ".repeat(5000);
        assert_eq!(reading(&long), long.trim_end());
        assert_eq!(reading(&"ü".repeat(5000)), "u".repeat(5000));
        assert_eq!(Normal::of(b"a\xff\xfe\xfdb").text(), "a\u{fffd}b");
    }

    proptest! {
        #[test]
        fn every_place_lies_within_the_bytes_and_none_before_the_last(
            text in "([a-zA-Z0-9 \n\t.*_`@>/-]|i g n o r e|\u{200b}|\u{301}|é|а|ж|Ａ|\u{1f150}|ﬁ|…|漢){0,80}",
            junk in proptest::collection::vec(any::<u8>(), 0..6),
        ) {
            check(text.as_bytes())?;
            check(&[text.as_bytes(), &junk, text.as_bytes()].concat())?;
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            check(&bytes)?;
        }
    }

    fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
        let normal = Normal::of(bytes);
        let text = std::str::from_utf8(bytes).ok();
        let mut last = 0;
        for (at, character) in normal.text().char_indices() {
            let source = normal.source(at..at + character.len_utf8());
            prop_assert!(source.start >= last && source.start < source.end && source.end <= bytes.len(), "{source:?}");
            last = source.start;
            if let Some(text) = text {
                prop_assert!(text.is_char_boundary(source.start) && text.is_char_boundary(source.end), "{source:?}");
            }
        }
        let doubled = normal.text().as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_whitespace));
        prop_assert!(!doubled && !normal.text().starts_with([' ', '\n']), "{:?}", normal.text());
        Ok(())
    }
}
