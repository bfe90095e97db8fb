//! The second opinion: the body's structure according to a CommonMark parser, compared with the line scan.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag};

use super::Layout;
use super::scan::{Scan, undecorated};
use crate::section::phrase::is_link_target;
use gatepost_documents::reason::REASONS_MAX;
use gatepost_documents::reason::{Code, Reason};

/// The maximum number of markup characters in a body: the parser creates at most two nodes for one, 48 bytes each. The
/// excerpts of both streams have 131 072 at most, and the rest of a result has few.
const MARKS_MAX: usize = 250_000;
/// The maximum number of steps in which the parser may compare each line with every open quote and list.
const STEPS_MAX: usize = 100_000_000;

/// Every markup that is not allowed in a result, and every heading or fence that the line scan sees differently.
pub(crate) fn faults(body: &str, first_line: u32, scan: &Scan<'_>) -> Vec<Reason> {
    if is_too_dear(body) {
        let message = "The body has more or deeper markup than the gate reads.";
        let hint = "Write prose as paragraphs; show foreign text as JSON in a code span.";
        return vec![Reason::new(Code::MarkupForbidden, message, hint).at(first_line, 1)];
    }
    let (places, layout) = (Places::find(body, first_line), scan.layout);
    let mut reader = Reader { places, body, layout, headings: vec![], fences: vec![], faults: vec![] };
    let parser = Parser::new_ext(body, Options::empty());
    let definitions: Vec<_> = parser.reference_definitions().iter().map(|(_, found)| found.span.start).collect();
    for start in definitions {
        reader.forbid(
            Code::MarkupForbidden,
            start,
            "The document contains a link definition, which readers do not see",
        );
    }
    for (event, range) in parser.into_offset_iter() {
        reader.event(&event, range.start, range.end);
    }
    reader.compare(scan);
    reader.faults
}

/// Whether the parser could need much memory, or quadratic time. No line opens more quotes and lists than it has
/// characters before its text.
fn is_too_dear(body: &str) -> bool {
    let marks = body.bytes().filter(|byte| b"\n*_&\\[]<!`>-+.)".contains(byte)).count();
    let lines = body.split('\n').count();
    let depth = body.split('\n').map(|line| line.len() - undecorated(line).len()).max().unwrap_or_default();
    marks > MARKS_MAX || depth.saturating_mul(lines) > STEPS_MAX
}

struct Reader<'a> {
    places: Places,
    body: &'a str,
    layout: Layout,
    headings: Vec<(u32, String)>,
    fences: Vec<(u32, u32)>,
    faults: Vec<Reason>,
}

impl Reader<'_> {
    fn event(&mut self, event: &Event<'_>, start: usize, end: usize) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let source = self.body.get(start..end).unwrap_or_default().trim_end_matches('\n');
                let title = source.strip_prefix("## ").filter(|_| *level == HeadingLevel::H2).unwrap_or_default();
                self.headings.push((self.places.line(start), title.to_owned()));
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) => {
                self.fences.push((self.places.line(start), self.places.line(end.saturating_sub(1).max(start))));
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                self.forbid(Code::MarkupForbidden, start, "The document contains an indented code block");
            }
            Event::Start(Tag::Item) if self.layout == Layout::Sealed && !self.begins_line(start, "- ") => {
                self.forbid(
                    Code::MarkupForbidden,
                    start,
                    "A list item does not begin with a dash at the beginning of its line",
                );
            }
            Event::Start(Tag::HtmlBlock) | Event::Html(_) | Event::InlineHtml(_) => {
                self.forbid(Code::HtmlForbidden, start, "The document contains HTML");
            }
            Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, title, .. })
                if self.layout == Layout::Sealed && title.is_empty() && is_link_target(dest_url) => {}
            Event::Start(Tag::List(Some(_))) if self.layout == Layout::Free => {}
            Event::Start(Tag::Paragraph | Tag::List(None) | Tag::Item | Tag::Emphasis | Tag::Strong)
            | Event::End(_)
            | Event::Text(_)
            | Event::Code(_)
            | Event::SoftBreak
            | Event::HardBreak => {}
            _ => self.forbid(
                Code::MarkupForbidden,
                start,
                "The document contains markup other than paragraphs, lists and code spans",
            ),
        }
    }

    fn begins_line(&self, start: usize, beginning: &str) -> bool {
        self.places.is_first(start) && self.body.get(start..).is_some_and(|rest| rest.starts_with(beginning))
    }

    /// At most one reason per line.
    fn forbid(&mut self, code: Code, start: usize, what: &str) {
        let line = self.places.line(start);
        let mut on_line = self.faults.iter().rev().take_while(|fault| fault.line == Some(line));
        if on_line.any(|fault| fault.code == code) || self.faults.len() > REASONS_MAX {
            return;
        }
        let column = self.places.column(self.body, start);
        let hint = "Write prose as paragraphs; show foreign text as JSON in a code span.";
        self.faults.push(Reason::new(code, format!("{what}."), hint).at(line, column));
    }

    fn compare(&mut self, scan: &Scan<'_>) {
        let scanned = scan.headings.iter().map(|heading| (heading.line, heading.title.to_owned()));
        let headings = first_difference(self.headings.iter().cloned(), scanned).map(|(line, _)| (line, "heading"));
        let fences = first_difference(self.fences.iter().copied(), scan.fences.iter().copied());
        for (line, what) in headings.into_iter().chain(fences.map(|(line, _)| (line, "fence"))) {
            let message = format!("The line scan and CommonMark see a different {what} here.");
            let hint = "Write headings and fences only as the result format shows them.";
            self.faults.push(Reason::new(Code::ParsersDisagree, message, hint).at(line, 1));
        }
    }
}

/// The first item of either list without an equal partner in the other.
fn first_difference<T: PartialEq>(mut left: impl Iterator<Item = T>, mut right: impl Iterator<Item = T>) -> Option<T> {
    loop {
        match (left.next(), right.next()) {
            (None, None) => return None,
            (Some(left), Some(right)) if left == right => {}
            (Some(item), _) | (None, Some(item)) => return Some(item),
        }
    }
}

/// The offsets of the lines, to convert an offset to a line without reading the text again.
struct Places {
    starts: Vec<usize>,
    first_line: u32,
}

impl Places {
    fn find(body: &str, first_line: u32) -> Self {
        let ends = body.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { starts: std::iter::once(0).chain(ends.map(|(end, _)| end + 1)).collect(), first_line }
    }

    fn index(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    fn is_first(&self, offset: usize) -> bool {
        self.starts.binary_search(&offset).is_ok()
    }

    fn line(&self, offset: usize) -> u32 {
        self.first_line.saturating_add(u32::try_from(self.index(offset)).unwrap_or(u32::MAX))
    }

    fn column(&self, body: &str, offset: usize) -> u32 {
        let start = self.starts.get(self.index(offset)).copied().unwrap_or_default();
        let before = body.get(start..offset).unwrap_or_default();
        u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX)
    }
}
