//! Text that a program reads and a person does not see (`hidden_text`).
//!
//! ```text
//! keywords ──▶ comment · label · element (tag, style) · typeset · pushed · statement
//! non-ASCII stretches ──▶ character · stylised · statement               runs of blanks ──▶ blank
//! ESC, BS, CR, DEL ──▶ terminal      orders and claims ──▶ aside         what the words are for ──▶ talk
//! ```
//!
//! Words that are out of sight and talk to a reader are addressed; words that only stand out of sight are mentioned where pages
//! and sources have them every day, and addressed where hiding them takes an effort. *Security*: hostile bytes; linear in them and in
//! the number of keywords. *Standards*: docs/content.md, `hidden_text`.

use std::ops::Range;
use std::sync::LazyLock;

use super::keyword::Detector;
use super::legible::is_among_text;
use super::rule::Strength::{Addressed, Mentioned};
use super::rule::{Hit, Rule};
use super::view::View;
use gatepost_documents::reason::Code;

pub(crate) mod alike;
mod argument;
mod aside;
mod blank;
mod called;
mod character;
mod colour;
mod comment;
mod drawn;
mod element;
mod label;
mod palette;
mod pushed;
mod rule;
mod statement;
mod style;
mod stylised;
mod tag;
mod talk;
mod terminal;
mod typeset;
mod veil;

const MARKUP: &str = "<!";
const DEFINITION: &str = "]:";
const TARGET: &str = "](";
const SHEET: &str = "<style";

/// Stretches are found by blocks of so many bytes, and joined where fewer ASCII blocks stand between them.
const BLOCK: usize = 64;
const JOINED_BLOCKS: usize = 2;

static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let others = comment::OTHERS.iter().map(|(opening, ..)| *opening);
    let commands = typeset::COMMANDS.iter().map(|(opening, _)| *opening);
    let elements = element::HIDING.into_iter().chain(element::INERT).chain(element::WORDED).chain(element::INSERTED);
    [MARKUP, DEFINITION, TARGET, SHEET, terminal::SPELT]
        .into_iter()
        .chain(others)
        .chain(commands)
        .chain(elements)
        .chain(statement::KEYWORDS)
        .chain(called::NAMES)
        .chain(called::COMMON)
        .chain(called::FIELDS)
        .chain(typeset::FAR)
        .chain(typeset::LINES)
        .chain(label::WORDS)
        .chain(pushed::STEPS)
        .chain(drawn::DRAWING)
        .collect()
});

/// What is looked for in the shared pass.
pub(crate) fn keywords() -> Vec<&'static str> {
    WORDS.clone()
}

/// Every rule.
pub(crate) fn rules() -> &'static [Rule] {
    rule::ALL
}

/// Finds all text that is hidden.
pub(crate) fn find(view: &View<'_>, hits: &mut Vec<Hit>) {
    if view.at_start {
        comment::first(view.bytes, hits);
    }
    aside::find(view.bytes, hits);
    by_keyword(view, hits);
    terminal::find(view.bytes, hits);
    terminal::deleted(view.bytes, hits);
    blank::far_off(view.bytes, hits);
    blank::trailing(view.bytes, hits);
    for range in stretches(view.bytes) {
        by_character(view, range, hits);
    }
    told(hits);
}

/// Words that were hidden by a place or a style of their own and were noticed for what they ask or claim are addressed, however faint
/// each of the two signs is.
fn told(hits: &mut [Hit]) {
    let mut said: Vec<Range<usize>> = hits
        .iter()
        .filter(|hit| matches!(hit.rule.code, Code::Instruction | Code::PolicyClaim))
        .map(|hit| hit.range.clone())
        .collect();
    if said.is_empty() {
        return;
    }
    said.sort_unstable_by_key(|range| range.start);
    // Where the sentences so far end, at most: what begins before a place may reach into it.
    let ends: Vec<usize> = said
        .iter()
        .scan(0, |end, range| {
            *end = range.end.max(*end);
            Some(*end)
        })
        .collect();
    for hit in hits.iter_mut().filter(|hit| hit.strength == Mentioned && rule::COVERED.contains(&hit.rule)) {
        let before = said.partition_point(|range| range.start < hit.range.end);
        if before.checked_sub(1).and_then(|last| ends.get(last)).is_some_and(|end| *end > hit.range.start) {
            hit.strength = Addressed;
        }
    }
}

fn by_keyword(view: &View<'_>, hits: &mut Vec<Hit>) {
    let bytes = view.bytes;
    let words = &*WORDS;
    // Up to where a comment, an element, a sheet or a line was judged as a whole.
    let (mut comment_end, mut element_end, mut sheet_end, mut line_end) = (0, 0, 0, 0);
    let (mut call_end, mut note_end, mut push_end) = (0, 0, 0);
    let mut selectors = element::SELECTORS_MAX;
    for mark in view.marks(Detector::Hidden) {
        let Some(&word) = words.get(mark.keyword) else { continue };
        let place = mark.start..mark.end;
        let hit = match word {
            MARKUP if mark.start >= comment_end => {
                let (hit, end) = comment::markup(bytes, mark.start);
                comment_end = end;
                hit
            }
            SHEET if mark.start >= sheet_end => {
                let (found, end) = element::sheet(bytes, mark.start, &mut selectors);
                sheet_end = end;
                hits.extend(found);
                None
            }
            MARKUP | SHEET => None,
            DEFINITION => comment::definition(bytes, place),
            TARGET => comment::title(bytes, place),
            terminal::SPELT => terminal::spelt(bytes, place),
            _ if element::HIDING.contains(&word) && mark.start >= element_end => {
                let (hit, end) = element::hidden(bytes, mark.start);
                element_end = end;
                hit
            }
            _ if element::HIDING.contains(&word) => None,
            _ if element::INERT.contains(&word) => element::inert(bytes, mark.start),
            _ if element::WORDED.contains(&word) => element::attribute(bytes, place),
            _ if element::INSERTED.contains(&word) => element::inserted(bytes, place),
            _ if statement::KEYWORDS.contains(&word) => {
                let hit = (mark.start >= line_end).then(|| statement::around(bytes, mark.start)).flatten();
                if mark.start >= line_end {
                    line_end = hit.as_ref().map_or(mark.start + statement::LINE_BYTES_MAX / 2, |hit| hit.range.end);
                }
                hit
            }
            _ if called::NAMES.contains(&word) || called::COMMON.contains(&word) => {
                let hit = (mark.start >= call_end).then(|| called::call(bytes, place, word)).flatten();
                if mark.start >= call_end {
                    call_end = hit.as_ref().map_or_else(|| called::next(bytes, mark.start), |hit| hit.range.end);
                }
                hit
            }
            _ if called::FIELDS.contains(&word) => called::field(bytes, place),
            _ if typeset::FAR.contains(&word) => typeset::far(bytes, place),
            _ if typeset::LINES.contains(&word) && mark.start >= note_end => {
                note_end = mark.start + called::STEP_BYTES;
                typeset::line(bytes, place)
            }
            _ if typeset::LINES.contains(&word) => None,
            _ if label::WORDS.contains(&word) => label::labelled(bytes, place),
            _ if pushed::STEPS.contains(&word) && mark.start >= push_end => {
                let (hit, end) = pushed::behind(bytes, place, word);
                push_end = end;
                hit
            }
            _ if pushed::STEPS.contains(&word) => None,
            _ if drawn::DRAWING.contains(&word) => drawn::drawn(bytes, place),
            _ => by_opening(bytes, place, word),
        };
        hits.extend(hit);
    }
}

fn by_opening(bytes: &[u8], place: Range<usize>, word: &str) -> Option<Hit> {
    if let Some(kind) = comment::OTHERS.iter().find(|(opening, ..)| *opening == word) {
        return comment::other(bytes, place, *kind);
    }
    let (_, closing) = typeset::COMMANDS.iter().find(|(opening, _)| *opening == word)?;
    typeset::hidden(bytes, place, closing)
}

/// Where text that is not all ASCII stands, with a little of what is around it.
fn stretches(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (index, block) in bytes.chunks(BLOCK).enumerate() {
        if block.is_ascii() {
            continue;
        }
        let start = (index * BLOCK).saturating_sub(BLOCK);
        let end = (index * BLOCK + 2 * BLOCK).min(bytes.len());
        match found.last_mut() {
            Some(last) if start <= last.end + (JOINED_BLOCKS - 1) * BLOCK => last.end = end,
            _ => found.push(start..end),
        }
    }
    found
}

fn by_character(view: &View<'_>, range: Range<usize>, hits: &mut Vec<Hit>) {
    let bytes = view.bytes.get(range.clone()).unwrap_or_default();
    let mut text = character::Characters::new();
    let mut start = range.start;
    for chunk in bytes.utf8_chunks() {
        text.extend(chunk.valid().char_indices().map(|(at, character)| (start + at, character)));
        start += chunk.valid().len() + chunk.invalid().len();
    }
    character::stretch(&text, range.start == 0 && view.at_start, view.depth > 0, hits);
    stylised::find(&text, hits);
    let (mut line_end, mut blank_end, mut control_end) = (0, 0, 0);
    for (at, character) in text {
        if at >= blank_end && !character.is_ascii() && character.is_whitespace() {
            let (hit, end) = blank::behind_wide(view.bytes, at);
            blank_end = end;
            hits.extend(hit);
        }
        if at >= control_end && matches!(character, '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}'..='\u{9f}') {
            let found = hits.len();
            terminal::single(view.bytes, at, hits);
            control_end = hits.get(found..).and_then(|new| new.last()).map_or(at + BLOCK, |hit| hit.range.end);
        }
        if !character.is_ascii() && at >= line_end && is_among_text(view.bytes, &(at..at + character.len_utf8())) {
            let hit = statement::around(view.bytes, at);
            let line = view
                .bytes
                .get(at..)
                .map_or(0, |rest| rest.iter().take(BLOCK * 4).take_while(|byte| **byte != b'\n').count());
            line_end = hit.as_ref().map_or(at + line, |hit| hit.range.end);
            hits.extend(hit);
        }
    }
}

#[cfg(test)]
mod tests;
