//! Facts of characters: invisible ones, ones that reorder visible text, words in letters of two scripts or in symbols
//! that only look like letters.
//!
//! Common uses are no facts: emoji sequences and flags, joiners of Persian and Indic scripts, breaks in Thai, soft
//! hyphens, direction marks beside right-to-left letters, isolates around the parts of translated messages. *Security*:
//! hostile bytes, read once with a bounded lookahead; ASCII is skipped at the speed of memory. *Standards*: Unicode 16,
//! sections 9, 23.2, 23.4 and 23.8; UTS 39, section 5; UTS 51, section 1.4.

use std::ops::Range;

use super::{Fact, FactKind};
pub(crate) use script::is_unseen;
use script::{is_joining, is_rtl, is_selector, is_turning, is_unspaced};
use spelled::spelled;

mod script;
mod spelled;
mod word;

/// Stretches that are not all ASCII are found by blocks of so many bytes.
const BLOCK_BYTES: usize = 64;

/// The maximum distance of single invisible characters that count together, and of those within one word, characters.
const NEAR: usize = 16;
const NEXT: usize = 2;

/// How far reordered text is read, characters, and the maximum distance of right-to-left text from a direction mark.
const TURNED_MAX: usize = 128;
const BESIDE_MAX: usize = 40;

/// Weights of characters that carry a text; all others weigh as many as they are.
const TEXT: i32 = 100;

/// A character with its place in the view.
type Placed = (usize, char);

/// The facts of the characters of a text.
pub(crate) fn facts(bytes: &[u8]) -> Vec<Fact<'_>> {
    let mut found = Vec::new();
    for range in stretches(bytes) {
        let mut text: Vec<Placed> = Vec::with_capacity(range.len());
        let mut start = range.start;
        for chunk in bytes[range].utf8_chunks() {
            text.extend(chunk.valid().char_indices().map(|(at, character)| (start + at, character)));
            start += chunk.valid().len() + chunk.invalid().len();
        }
        Stretch { text: &text, singles: Vec::new() }.read(&mut found);
        word::facts(&text, &mut found);
    }
    found
}

/// The ranges of text that is not all ASCII, with a block on either side.
fn stretches(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (index, block) in bytes.chunks(BLOCK_BYTES).enumerate() {
        if block.is_ascii() {
            continue;
        }
        let start = (index * BLOCK_BYTES).saturating_sub(BLOCK_BYTES);
        let end = (index * BLOCK_BYTES + 2 * BLOCK_BYTES).min(bytes.len());
        match found.last_mut() {
            Some(last) if start <= last.end => last.end = end,
            _ => found.push(start..end),
        }
    }
    found
}

/// One stretch of text while it is read.
struct Stretch<'t> {
    text: &'t [Placed],
    /// Isolated characters where they are not needed.
    singles: Vec<usize>,
}

/// The kind of a run of invisible characters.
enum Run {
    Fine,
    Single,
    /// Its weight, and its text.
    Odd(i32, Vec<u8>),
}

impl Stretch<'_> {
    fn read(mut self, found: &mut Vec<Fact<'_>>) {
        let text = self.text;
        let mut at = 0;
        while let Some(&(_, character)) = text.get(at) {
            let mut length = 1;
            if is_unseen(character) {
                length = text[at..].iter().take_while(|(_, character)| is_unseen(*character)).count();
                match self.run(at, length) {
                    Run::Fine => {}
                    Run::Single => self.singles.push(at),
                    Run::Odd(weight, text) => found.push(self.fact(FactKind::Invisible, at..at + length, text, weight)),
                }
            } else if is_turning(character) {
                found.extend(self.turned(at));
                // The same control over and over orders nothing anew.
                length = text[at..].iter().take_while(|(_, other)| *other == character).count();
            }
            at += length;
        }
        self.grouped(found);
    }

    fn character(&self, at: Option<usize>) -> Option<char> {
        at.and_then(|at| self.text.get(at)).map(|(_, character)| *character)
    }

    fn fact<'b>(&self, kind: FactKind, places: Range<usize>, text: Vec<u8>, weight: i32) -> Fact<'b> {
        Fact { kind, range: bytes_of(self.text, &places), text: text.into(), weight }
    }

    /// The kind of the run of invisible characters at `at`.
    fn run(&self, at: usize, length: usize) -> Run {
        let (before, after) = (self.character(at.checked_sub(1)), self.character(Some(at + length)));
        let run: Vec<char> = self.text[at..at + length].iter().map(|(_, character)| *character).collect();
        let first = run[0];
        let all = |wanted: fn(char) -> bool| run.iter().all(|character| wanted(*character));
        let weight = i32::try_from(length).unwrap_or(i32::MAX).min(TEXT - 1);
        if run.iter().any(|character| matches!(character, '\u{e0000}'..='\u{e0fff}')) {
            // A flag of a region: the black flag, its code, and the end.
            let is_flag = before == Some('\u{1f3f4}') && run.last() == Some(&'\u{e007f}') && length <= 8;
            let selects = length == 1 && first >= '\u{e0100}' && before.is_some_and(|before| before >= '\u{2e80}');
            return if is_flag || selects { Run::Fine } else { odd(&run, weight) };
        }
        if all(is_selector) {
            let selects = before.is_some_and(|it| !it.is_ascii() || it.is_ascii_digit() || matches!(it, '#' | '*'));
            return match length {
                1 if selects => Run::Fine,
                1 => Run::Single,
                _ => odd(&run, weight),
            };
        }
        if self.is_fine(at, length, before, after) {
            return Run::Fine;
        }
        match length {
            1 => Run::Single,
            _ => odd(&run, weight),
        }
    }

    /// Whether a run of characters without width is one that a script or an emoji needs.
    fn is_fine(&self, at: usize, length: usize, before: Option<char>, after: Option<char>) -> bool {
        let is = |character: Option<char>, wanted: fn(char) -> bool| character.is_some_and(wanted);
        let first = self.character(Some(at)).unwrap_or_default();
        let is_symbol = |character| character >= '\u{2190}';
        let of_emoji = length <= 2
            && self.text[at..at + length].iter().all(|(_, it)| is_selector(*it) || *it == '\u{200d}')
            && is(before, is_symbol)
            && is(after, is_symbol);
        let of_script = is(before, is_joining) || is(after, is_joining);
        let of_start = first == '\u{feff}' && at == 0 && self.text[0].0 == 0;
        let of_break = first == '\u{200b}' && (is(before, is_unspaced) || is(after, is_unspaced));
        let of_direction = || {
            let near = &self.text[at.saturating_sub(BESIDE_MAX)..(at + BESIDE_MAX).min(self.text.len())];
            matches!(first, '\u{200e}' | '\u{200f}' | '\u{61c}') && near.iter().any(|(_, it)| is_rtl(*it))
        };
        of_emoji || length == 1 && (of_script || of_start || of_break || of_direction())
    }

    /// Single characters, grouped with their neighbours; soft hyphens separate the syllables of a word.
    fn grouped(&self, found: &mut Vec<Fact<'_>>) {
        for group in self.singles.chunk_by(|one, next| next - one <= NEAR) {
            let range = group[0]..group[group.len() - 1] + 1;
            let is_soft = group.iter().all(|at| self.character(Some(*at)) == Some('\u{ad}'));
            let is_dense = range.len() <= group.len() * NEXT + 1 && group.len() >= 4;
            let weight = i32::try_from(group.len()).unwrap_or(i32::MAX).min(TEXT - 1);
            if !is_soft || is_dense {
                let text = self.text[range.clone()].iter().map(|(_, it)| *it).filter(|it| !is_unseen(*it));
                found.push(self.fact(FactKind::Invisible, range, text.collect::<String>().into_bytes(), weight));
            }
        }
    }

    /// Text that the control of direction at `at` reorders: it weighs two if it is read in another order than it is shown in for certain.
    fn turned<'b>(&self, at: usize) -> Option<Fact<'b>> {
        let (_, opener) = self.text[at];
        let line = self.text[at + 1..].iter().take(TURNED_MAX).map(|(_, character)| *character);
        let line = line.take_while(|character| *character != '\n');
        let inner: Vec<char> = line.clone().take_while(|it| !matches!(it, '\u{202c}' | '\u{2069}')).collect();
        let is_closed = line.count() > inner.len();
        let has_rtl = self.text[at.saturating_sub(TURNED_MAX)..(at + TURNED_MAX).min(self.text.len())]
            .iter()
            .any(|(_, it)| is_rtl(*it));
        let reorders = inner.iter().filter(|character| character.is_alphanumeric()).count() >= 2;
        let has_letters = inner.iter().any(char::is_ascii_alphabetic);
        let weight = match opener {
            '\u{202d}' | '\u{202e}' if reorders => 2,
            '\u{202b}' | '\u{2067}' if reorders && !inner.iter().any(|character| is_rtl(*character)) => 2,
            '\u{202a}' | '\u{2066}' | '\u{2068}' if !is_closed && !has_rtl && has_letters => 2,
            '\u{202d}' | '\u{202e}' => 1,
            '\u{202a}' | '\u{2066}' if !has_rtl => 1,
            _ => return None,
        };
        let is_reversed = matches!(opener, '\u{202e}' | '\u{202b}' | '\u{2067}');
        let text: String = if is_reversed { inner.iter().rev().collect() } else { inner.iter().collect() };
        Some(self.fact(FactKind::Reordered, at..at + 1 + inner.len(), text.into_bytes(), weight))
    }
}

fn odd(run: &[char], weight: i32) -> Run {
    spelled(run).map_or(Run::Odd(weight, Vec::new()), |text| Run::Odd(TEXT, text))
}

/// The bytes of the view that characters take.
fn bytes_of(text: &[Placed], places: &Range<usize>) -> Range<usize> {
    let start = text.get(places.start).map_or(0, |(place, _)| *place);
    let last = places.end.checked_sub(1).and_then(|last| text.get(last));
    start..last.map_or(start, |(place, character)| place + character.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts_in(text: &str) -> Vec<(FactKind, i32, String)> {
        let found = facts(text.as_bytes()).into_iter();
        found.map(|fact| (fact.kind, fact.weight, String::from_utf8_lossy(&fact.text).into_owned())).collect()
    }

    #[test]
    fn text_in_invisible_characters_is_read() {
        let tags: String = "skip it".chars().filter_map(|it| char::from_u32(0xe0000 + u32::from(it))).collect();
        let selectors: String =
            "skip it".bytes().filter_map(|it| char::from_u32(0xe0100 + u32::from(it) - 16)).collect();
        let bits: String = "skip"
            .bytes()
            .flat_map(|byte| (0..8).rev().map(move |at| if byte >> at & 1 == 1 { '\u{200c}' } else { '\u{200b}' }))
            .collect();
        for (hidden, text) in [(tags, "skip it"), (selectors, "skip it"), (bits, "skip")] {
            assert_eq!(facts_in(&format!("All is{hidden} well.")), [(FactKind::Invisible, TEXT, text.to_owned())]);
        }
    }

    #[test]
    fn invisible_characters_between_letters_weigh_as_many_as_they_are() {
        assert_eq!(
            facts_in("t\u{200d}h\u{200d}e \u{200d}w\u{200d}o\u{200d}rd"),
            [(FactKind::Invisible, 5, "he wo".to_owned())]
        );
        assert_eq!(facts_in("Untru\u{200b}sted")[0].1, 1);
    }

    #[test]
    fn reordered_text_is_found_in_the_visible_order() {
        assert_eq!(facts_in("3.2\u{202e}ti piks\u{202c} s"), [(FactKind::Reordered, 2, "skip it".to_owned())]);
    }

    #[test]
    fn everyday_text_of_the_world_has_no_facts() {
        for text in [
            "नमस्ते क्\u{200d}ष",
            "می\u{200c}خواهم",
            "👩\u{200d}💻 👍🏽 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "\u{feff}a",
            "ภาษา\u{200b}ไทย",
            "中文，很好。",
            "שלום \u{200e}abc\u{200f}",
            "\u{2068}name\u{2069} joined",
            "co\u{ad}oper\u{ad}ation",
            "Москва and Moscow",
            "naïve café",
            "α-helix μm",
            "한국어",
            "\u{2067}שלום\u{2069}",
        ] {
            assert_eq!(facts_in(text), [], "{text}");
        }
    }
}
