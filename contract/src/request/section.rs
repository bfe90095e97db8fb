//! The sections of a request's body: level-2 headings in a fixed order, found by a strict line scan.
//!
//! ```text
//! ## Command
//!
//! python -c "print(1)"
//! ```
//!
//! A heading inside a fence is text. Text that a CommonMark reader could read otherwise (HTML, indented or underlined headings, open
//! fences) is refused, so a person who approves a rendered request sees the text that will run.
//! Standards: CommonMark 0.31, sections 4.2, 4.3, 4.5 and 4.6.

use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

use super::field::Faults;

/// Characters allowed before the content of a list item or quote.
const CONTAINER_MARKS: [char; 18] =
    [' ', '\t', '-', '*', '+', '>', '.', ')', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];

/// A line of a section, with its number in the document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) number: u32,
    pub(super) text: &'a str,
    /// A fence's own line, or a line inside one.
    pub(super) fenced: bool,
}

/// One section.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub(super) title: &'a str,
    pub(super) line: u32,
    pub(super) lines: Vec<Line<'a>>,
}

/// A section that a document has, and whether it must.
pub(super) struct Expected {
    pub(super) title: &'static str,
    pub(super) required: bool,
}

/// Reads the sections; text before the first heading belongs to none.
pub(super) fn read<'a>(body: &'a str, body_line: u32, expected: &[Expected], faults: &mut Faults) -> Vec<Section<'a>> {
    let mut sections: Vec<Section<'a>> = Vec::new();
    for line in lines(body, body_line, faults) {
        let title = line.text.strip_prefix("## ").filter(|_| !line.fenced);
        match (title, sections.last_mut()) {
            (Some(title), _) => sections.push(Section { title, line: line.number, lines: Vec::new() }),
            (None, Some(section)) => section.lines.push(line),
            (None, None) => {}
        }
    }
    check_titles(&sections, body_line, expected, faults);
    sections
}

/// Marks fences and refuses what a CommonMark reader would see as other structure.
fn lines<'a>(body: &'a str, body_line: u32, faults: &mut Faults) -> Vec<Line<'a>> {
    let mut lines: Vec<Line<'a>> = Vec::new();
    let mut open: Option<(&str, u32)> = None;
    for (text, number) in body.split('\n').zip(body_line..) {
        // Only a fence at the start of its line opens; a closing one may be indented.
        let fence = fence(text).filter(|_| open.is_some() || !text.starts_with(' '));
        let fenced = open.is_some() || fence.is_some();
        match (open, fence) {
            (None, Some(opening)) => open = Some((opening, number)),
            (Some((opening, _)), Some(closing)) if closing.starts_with(opening) && is_closing(text) => open = None,
            _ => {}
        }
        if !fenced && let Some(reason) = foreign_structure(text, lines.last()) {
            faults.add((number, 1), reason);
        }
        lines.push(Line { number, text, fenced });
    }
    if let Some((_, number)) = open {
        let message = "A fenced block is not closed.";
        faults.add((number, 1), Reason::new(Code::FenceBroken, message, "End it with a line of the same fence."));
    }
    lines
}

/// The run of backticks or tildes that makes a line a fence.
fn fence(text: &str) -> Option<&str> {
    let inner = text.trim_start_matches(' ');
    let mark = inner.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let run = inner.len() - inner.trim_start_matches(mark).len();
    let (run, info) = inner.split_at(run);
    (run.len() >= 3 && text.len() - inner.len() <= 3 && !(mark == '`' && info.contains('`'))).then_some(run)
}

fn is_closing(text: &str) -> bool {
    text.trim_matches(' ').chars().all(|character| matches!(character, '`' | '~'))
}

fn foreign_structure(text: &str, above: Option<&Line<'_>>) -> Option<Reason> {
    let inner = text.trim_start_matches([' ', '\t']);
    let contained = text.trim_start_matches(CONTAINER_MARKS);
    if contained.len() < text.len() && contained.starts_with("## ") {
        let message = "A heading is indented, or is inside a list or quote.";
        let hint = "Begin the heading at the start of its line, or put the text into a fence.";
        return Some(Reason::new(Code::HeadingStyle, message, hint));
    }
    if contained.len() < text.len() && fence(contained).is_some() {
        let message = "A fence is indented, or is inside a list or quote.";
        return Some(Reason::new(Code::FenceBroken, message, "Begin the fence at the start of its line."));
    }
    let is_underline = |mark: char| !inner.is_empty() && inner.trim_end_matches(' ').chars().all(|found| found == mark);
    if (is_underline('-') || is_underline('='))
        && above.is_some_and(|line| !line.fenced && !line.text.trim().is_empty() && !line.text.starts_with('#'))
    {
        let hint = "Write headings as `## Title`; put an empty line before a rule.";
        return Some(Reason::new(
            Code::HeadingStyle,
            "A line underlines the one above it, which makes it a heading.",
            hint,
        ));
    }
    if inner
        .strip_prefix('<')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || "!?/".contains(c)))
    {
        return Some(Reason::new(
            Code::HtmlForbidden,
            "The line begins with HTML.",
            "Remove it, or put it into a fence.",
        ));
    }
    None
}

fn check_titles(sections: &[Section<'_>], body_line: u32, expected: &[Expected], faults: &mut Faults) {
    let titles = || expected.iter().map(|section| section.title).collect::<Vec<_>>().join(", ");
    let mut latest = 0;
    let mut seen = vec![false; expected.len()];
    for section in sections {
        let place = (section.line, 1);
        let Some(index) = expected.iter().position(|expected| expected.title == section.title) else {
            let message = format!("The section {} does not belong in this request.", quoted(section.title));
            faults.add(place, Reason::new(Code::SectionUnknown, message, format!("The sections are {}.", titles())));
            continue;
        };
        if std::mem::replace(&mut seen[index], true) {
            let message = format!("The section {} occurs twice.", section.title);
            faults.add(place, Reason::new(Code::SectionDuplicate, message, "Keep one of them."));
        } else if index < latest {
            let message = format!("The section {} is out of order.", section.title);
            faults.add(place, Reason::new(Code::SectionOrder, message, format!("The order is {}.", titles())));
        }
        latest = latest.max(index);
    }
    for (expected, _) in expected.iter().zip(seen).filter(|(expected, seen)| expected.required && !seen) {
        let message = format!("The section {} is missing.", expected.title);
        let hint = format!("Add a line `## {}` and its text; the order is {}.", expected.title, titles());
        faults.add((body_line, 1), Reason::new(Code::SectionMissing, message, hint));
    }
}

impl<'a> Section<'a> {
    /// The content of the section's single fence, or its plain text when it has none; with the line it begins on.
    pub(super) fn content(&self, faults: &mut Faults) -> (String, u32) {
        let mut lines: &[Line<'a>] = &self.lines;
        while let [first, rest @ ..] = lines
            && first.text.trim().is_empty()
        {
            lines = rest;
        }
        while let [rest @ .., last] = lines
            && last.text.trim().is_empty()
        {
            lines = rest;
        }
        let content = match lines {
            [first, inner @ .., _] if lines.iter().all(|line| line.fenced) => {
                let opening = fence(first.text).unwrap_or_default();
                if inner.iter().any(|line| fence(line.text).is_some_and(|run| run.starts_with(opening))) {
                    self.refuse_mixture(faults);
                }
                inner
            }
            lines => {
                if lines.iter().any(|line| line.fenced) {
                    self.refuse_mixture(faults);
                }
                lines
            }
        };
        let text = content.iter().flat_map(|line| [line.text, "\n"]).collect();
        (text, content.first().map_or(self.line, |line| line.number))
    }

    fn refuse_mixture(&self, faults: &mut Faults) {
        let message = format!("The section {} has more than one fenced block.", self.title);
        let reason = Reason::new(Code::FenceBroken, message, "Keep one fence with all of it.");
        faults.add((self.line, 1), reason);
    }
}
