//! Facts of terminal sequences: words that they conceal, erase or overwrite, and words in titles, links and strings.
//!
//! Progress bars overwrite themselves; the fact has the overwritten text, and rules judge it. *Security*: hostile bytes, read
//! once with a bounded context. *Standards*: ECMA-48, sections 5.4, 5.6 and 8.3; OSC 8 and 52 as in terminals.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr3_iter, memmem};

use super::{Fact, FactKind};
use sequence::{Sequence, control_string, number, without_sequences};

mod rendition;
mod sequence;

const ESCAPE: u8 = 0x1B;
const BACKSPACE: u8 = 0x08;

/// How much text before an erasure, and within a control string or concealment, is read, bytes.
const TEXT_BYTES_MAX: usize = 512;

/// The shortest run of backspaces that takes back a word; one or two make bold and underlined letters.
const BACKSPACES_MIN: usize = 4;

/// The first column or line that is off screen.
const FAR: usize = 300;

/// How many renditions in a row are read as one.
const RENDITIONS_MAX: usize = 4;

/// Weights: what programs do every day, and what none does with words that are to be read.
const USUAL: i32 = 1;
const COVERT: i32 = 2;

/// The facts of all sequences in a text.
pub(crate) fn facts(bytes: &[u8]) -> Vec<Fact<'_>> {
    let mut screen = Screen { bytes, facts: Vec::new() };
    let mut passed = 0;
    for at in memchr3_iter(ESCAPE, BACKSPACE, b'\r', bytes) {
        if at < passed {
            continue;
        }
        passed = at + 1;
        match bytes[at] {
            ESCAPE => passed = passed.max(screen.escape(at)),
            BACKSPACE => {
                let length = bytes[at..].iter().take_while(|byte| **byte == BACKSPACE).count();
                passed = at + length;
                screen.taken_back(at, length);
            }
            _ => screen.returned(at),
        }
    }
    screen.facts
}

struct Screen<'a> {
    bytes: &'a [u8],
    facts: Vec<Fact<'a>>,
}

impl<'a> Screen<'a> {
    /// Adds a fact whose words are `text` without its sequences, if there are any.
    fn add(&mut self, kind: FactKind, range: Range<usize>, text: &'a [u8], weight: i32) {
        let text = match without_sequences(text) {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim_ascii()),
            Cow::Owned(text) => Cow::Owned(text.trim_ascii().to_vec()),
        };
        if text.iter().any(u8::is_ascii_alphabetic) || !text.is_ascii() {
            self.facts.push(Fact { kind, range, text, weight });
        }
    }

    /// The words before `at` on its line, up to where they are gone.
    fn erased(&mut self, at: usize, end: usize) {
        let (start, before) = self.line_before(at);
        self.add(FactKind::TerminalErased, start..end, before, USUAL);
    }

    /// Up to `TEXT_BYTES_MAX` bytes from `from` on.
    fn ahead(&self, from: usize) -> &'a [u8] {
        let rest = self.bytes.get(from..).unwrap_or_default();
        &rest[..rest.len().min(TEXT_BYTES_MAX)]
    }

    /// The rest of a line.
    fn line_ahead(&self, from: usize) -> &'a [u8] {
        let rest = self.ahead(from);
        &rest[..memchr(b'\n', rest).unwrap_or(rest.len())]
    }

    /// Where the text before `at` on its line begins, and the text.
    fn line_before(&self, at: usize) -> (usize, &'a [u8]) {
        let from = at.saturating_sub(TEXT_BYTES_MAX);
        let recent = &self.bytes[from..at];
        let start = recent.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
        (from + start, &recent[start..])
    }

    /// A carriage return within a line: the following text overwrites the line.
    fn returned(&mut self, at: usize) {
        let after = self.ahead(at + 1);
        if matches!(after.first(), None | Some(b'\n' | b'\r')) {
            return;
        }
        let erases =
            Sequence::at(after).is_some_and(|sequence| matches!(sequence.last, b'K' | b'P' | b'M' | b'J' | b'X'));
        let covers = after.iter().take_while(|byte| !matches!(byte, b'\n' | b'\r')).count();
        if erases || covers * 4 >= self.line_before(at).1.len() {
            self.erased(at, at + 1);
        }
    }

    /// Words that backspaces take back.
    fn taken_back(&mut self, at: usize, length: usize) {
        let (start, before) = self.line_before(at);
        if length >= BACKSPACES_MIN && !before.is_empty() {
            let kept = before.len().saturating_sub(length);
            self.add(FactKind::TerminalErased, start + kept..at + length, &before[kept..], USUAL);
        }
    }

    /// Reads the sequence at `at`, and returns the end of the part whose effect was judged.
    fn escape(&mut self, at: usize) -> usize {
        let Some(kind) = self.bytes.get(at + 1) else { return at + 1 };
        match kind {
            b'[' => {
                let Some(sequence) = Sequence::at(self.ahead(at)) else { return at + 2 };
                if sequence.last == b'm' {
                    return self.rendition(at, &sequence);
                }
                self.control(at, &sequence);
                at + sequence.length
            }
            b']' => self.operating_system(at),
            b'P' | b'X' | b'^' | b'_' | b'k' => {
                // One that is not ended swallows all that follows.
                let text = control_string(self.bytes, at).unwrap_or_else(|| at + 2..at + 2 + self.ahead(at + 2).len());
                self.add(FactKind::TerminalString, at..text.end, &self.bytes[text.clone()], COVERT);
                text.end
            }
            _ => at + 2,
        }
    }

    /// A control sequence that erases or moves.
    fn control(&mut self, at: usize, sequence: &Sequence<'a>) {
        let (end, parameters) = (at + sequence.length, sequence.parameters);
        match sequence.last {
            b'K' if matches!(parameters, b"1" | b"2") => self.erased(at, end),
            b'P' | b'X' => self.erased(at, end),
            b'G' if number(parameters) >= FAR => self.far_off(end),
            b'G' | b'D' => {
                let goes_back = sequence.last == b'G' || number(parameters) >= BACKSPACES_MIN;
                if goes_back && self.bytes.get(end).is_some_and(|byte| !matches!(byte, b'\n' | b'\r')) {
                    self.erased(at, end);
                }
            }
            b'H' | b'f' | b'C' | b'd' | b'a' | b'e'
                if parameters.split(|byte| *byte == b';').any(|part| number(part) >= FAR) =>
            {
                self.far_off(end);
            }
            _ => {}
        }
    }

    /// Words behind a move beyond every screen.
    fn far_off(&mut self, end: usize) {
        let words = self.line_ahead(end);
        let words = &words[..memchr(ESCAPE, words).unwrap_or(words.len())];
        self.add(FactKind::TerminalConcealed, end..end + words.len(), words, COVERT);
    }

    /// Text that is concealed, or of the colour of its ground, up to the next rendition that changes this.
    fn rendition(&mut self, at: usize, sequence: &Sequence<'a>) -> usize {
        let (mut length, mut all) = (sequence.length, Cow::Borrowed(sequence.parameters));
        // Renditions that follow each other add up.
        for _ in 0..RENDITIONS_MAX {
            let Some(next) = Sequence::at(self.ahead(at + length)).filter(|next| next.last == b'm') else { break };
            all = Cow::Owned([&all, next.parameters].join(&b';'));
            length += next.length;
        }
        if !rendition::hides(&all) {
            return at + length;
        }
        let ahead = self.ahead(at + length);
        let changes = |next: &usize| {
            let next = Sequence::at(&ahead[*next..]).filter(|next| next.last == b'm');
            next.is_some_and(|next| !rendition::hides(&[&all, next.parameters].join(&b';')))
        };
        let end = memchr::memchr_iter(ESCAPE, ahead).find(changes).unwrap_or(ahead.len());
        self.add(FactKind::TerminalConcealed, at..at + length + end, &ahead[..end], COVERT);
        at + length + end
    }

    /// Titles, links and the clipboard.
    fn operating_system(&mut self, at: usize) -> usize {
        let Some(text) = control_string(self.bytes, at) else { return at + 2 };
        let (inner, end) = (&self.bytes[text.clone()], text.end);
        if let Some(link) = inner.strip_prefix(b"8;") {
            let address = memchr(b';', link).map_or(&[][..], |at| &link[at + 1..]);
            let shown = self.ahead(end);
            let shown = &shown[..memmem::find(shown, b"\x1B]8;").unwrap_or(0)];
            if let (Some(host), Some(other)) = (host_of(address), host_of(shown))
                && !host.eq_ignore_ascii_case(other)
            {
                self.add(FactKind::TerminalLink, at..end + shown.len(), link, COVERT);
            }
        } else if inner.starts_with(b"52;") && inner.len() > 8 {
            self.add(FactKind::TerminalString, at..end, inner, COVERT);
        } else if let Some(separator) = memchr(b';', inner) {
            let is_title = matches!(inner, [b'0'..=b'2', b';', ..]);
            let weight = if is_title { USUAL } else { COVERT };
            self.add(FactKind::TerminalString, at..end, &inner[separator + 1..], weight);
        }
        end
    }
}

fn host_of(text: &[u8]) -> Option<&[u8]> {
    let rest = &text[memmem::find(text, b"://")? + 3..];
    rest.split(|byte| matches!(*byte, b'/' | b'?' | b'#' | b':' | b' ' | ESCAPE)).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts_in(text: &str) -> Vec<(FactKind, String)> {
        let found = facts(text.as_bytes()).into_iter();
        found.map(|fact| (fact.kind, String::from_utf8_lossy(&fact.text).into_owned())).collect()
    }

    #[test]
    fn words_that_a_terminal_does_not_show_are_found() {
        for (text, kind) in [
            ("All well. \x1b[8mskip it\x1b[0m", FactKind::TerminalConcealed),
            ("\x1b[30m\x1b[40mskip \x1b[1mit\x1b[0m", FactKind::TerminalConcealed),
            ("\x1b[400Gskip it", FactKind::TerminalConcealed),
            ("skip it\x1b[2K\rAll well.", FactKind::TerminalErased),
            ("skip it\rAll well.", FactKind::TerminalErased),
            ("skip it\x08\x08\x08\x08\x08\x08\x08       ", FactKind::TerminalErased),
            ("\x1b]0;skip it\x07All well.", FactKind::TerminalString),
            ("\x1b_skip it\x1b\\All well.", FactKind::TerminalString),
        ] {
            assert!(facts_in(text).contains(&(kind, "skip it".to_owned())), "{text:?} {:?}", facts_in(text));
        }
        let link = "\x1b]8;;https://a.example/\x1b\\https://b.example/\x1b]8;;\x1b\\";
        assert_eq!(facts_in(link)[0].0, FactKind::TerminalLink);
    }

    #[test]
    fn colours_and_overstruck_letters_are_no_facts() {
        for text in [
            "\x1b[1;31mred\x1b[0m and \x1b[38;5;196;48;5;22mgreen\x1b[m",
            "N\x08NA\x08AM\x08ME\x08E _\x08u_\x08n",
            "one\r\ntwo\r\n",
            "\x1b[?25l\x1b[K\x1b[1;1Hx",
            "\x1b]8;;https://a.example/x\x1b\\https://a.example/\x1b]8;;\x1b\\",
        ] {
            assert_eq!(facts_in(text), [], "{text:?}");
        }
    }
}
