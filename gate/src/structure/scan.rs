//! The strict line scan: recognises headings, fences and empty lines, and rejects lines that only resemble one.

use super::{Layout, Section, Sections, Title};
use gatepost_documents::reason::REASONS_MAX;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

/// The longest info string of a fence in the free layout.
const WORD_BYTES_MAX: usize = 32;

/// A heading, as a line of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Heading<'a> {
    /// Line in the document, from 1.
    pub(crate) line: u32,
    pub(crate) title: &'a str,
    index: usize,
}

/// The lines of a body, with their kinds.
pub(crate) struct Scan<'a> {
    lines: Vec<&'a str>,
    first_line: u32,
    pub(crate) layout: Layout,
    pub(crate) headings: Vec<Heading<'a>>,
    /// First and last line of each fenced block.
    pub(crate) fences: Vec<(u32, u32)>,
    faults: Vec<Reason>,
}

impl<'a> Scan<'a> {
    /// Scans a body whose first line has the number `first_line` in the document.
    pub(crate) fn read(body: &'a str, first_line: u32, layout: Layout) -> Self {
        let whole = body.strip_suffix('\n');
        let lines = whole.unwrap_or(body).split('\n').collect();
        let mut scan = Self { lines, first_line, layout, headings: Vec::new(), fences: Vec::new(), faults: Vec::new() };
        scan.walk();
        if whole.is_none() {
            let last = scan.lines.len() - 1;
            scan.fault(Code::MarkupForbidden, last, "The document does not end in a newline.".to_owned());
        }
        scan.check_order();
        scan
    }

    pub(crate) fn faults(&self) -> Vec<Reason> {
        self.faults.clone()
    }

    /// The sections, if the headings are exactly the required ones.
    pub(crate) fn sections(&self) -> Option<Sections<'a>> {
        let mut sections = Vec::with_capacity(Title::ALL.len());
        for (position, title) in Title::ALL.iter().enumerate() {
            let heading = self.headings.get(position).filter(|heading| heading.title == title.as_str())?;
            let next = self.headings.get(position + 1);
            let (first, end) = match self.layout {
                // One empty line precedes the next heading; none ends the document.
                Layout::Sealed => (heading.index + 2, next.map_or(self.lines.len(), |next| next.index - 1)),
                Layout::Free => self.within(heading.index + 1, next.map_or(self.lines.len(), |next| next.index)),
            };
            sections.push(Section { line: self.number(first), lines: self.lines.get(first..end)?.to_vec() });
        }
        let exact = self.headings.len() == Title::ALL.len();
        sections.try_into().ok().filter(|_| exact).map(Sections)
    }

    /// The range of these lines without the empty ones around them.
    fn within(&self, first: usize, end: usize) -> (usize, usize) {
        let lines = self.lines.get(first..end).unwrap_or_default();
        let is_nonempty = |line: &&str| !line.trim().is_empty();
        let Some(before) = lines.iter().position(is_nonempty) else { return (first, first) };
        let last = lines.iter().rposition(is_nonempty).unwrap_or(before);
        (first + before, first + last + 1)
    }

    fn number(&self, index: usize) -> u32 {
        self.first_line.saturating_add(u32::try_from(index).unwrap_or(u32::MAX))
    }

    fn fault(&mut self, code: Code, index: usize, message: String) {
        if self.faults.len() > REASONS_MAX {
            return;
        }
        let hint = match code {
            Code::FenceBroken if self.layout == Layout::Free => {
                "Open a fence with three backticks or more, first in their line, and close it with as many."
            }
            Code::FenceBroken => "Open a fence with backticks and text or json, and close it with as many backticks.",
            Code::MarkupForbidden => {
                "End every line with LF, and begin and end a code span with one backtick on one line."
            }
            Code::HeadingStyle if self.layout == Layout::Free => {
                "A heading is \"## \" and its title at the beginning of a line."
            }
            Code::HeadingStyle => "A heading is \"## \" and its title at the beginning of a line, between empty lines.",
            _ => "Write the sections of the result format: each once, in their order, and no other.",
        };
        let reason = Reason::new(code, message, hint).at(self.number(index), 1);
        self.faults.push(reason);
    }

    fn walk(&mut self) {
        let mut fence: Option<(usize, usize)> = None;
        for index in 0..self.lines.len() {
            let line = self.line(index);
            match fence {
                Some((opened, backticks)) => {
                    if self.closes(index, line, backticks) {
                        self.fences.push((self.number(opened), self.number(index)));
                        fence = None;
                    }
                }
                None if is_fence_like(line) => {
                    fence = opening_backticks(line, self.layout).map(|backticks| (index, backticks));
                    if fence.is_none() {
                        self.fault(
                            Code::FenceBroken,
                            index,
                            format!("The line {} is not a valid fence.", quoted(line)),
                        );
                    }
                }
                None => {
                    self.heading(index, line);
                    self.code_spans(index, line);
                }
            }
        }
        if let Some((opened, _)) = fence {
            self.fault(Code::FenceBroken, opened, "The fence that opens here has no closing line.".to_owned());
        }
    }

    fn line(&self, index: usize) -> &'a str {
        self.lines.get(index).copied().unwrap_or_default()
    }

    /// Whether a line inside a fence closes it. A line that some reader could take for the end, but is not, is a fault.
    fn closes(&mut self, index: usize, line: &str, backticks: usize) -> bool {
        let core = line.trim();
        if core.len() < backticks || core.bytes().any(|byte| byte != b'`') {
            return false;
        }
        let exact = core.len() == line.len() && core.len() == backticks;
        if !exact {
            self.fault(Code::FenceBroken, index, "A line inside the fence looks like its end.".to_owned());
        }
        exact
    }

    fn heading(&mut self, index: usize, line: &'a str) {
        let core = undecorated(line).trim_end();
        if !core.starts_with('#') {
            if !line.trim().is_empty() && core.bytes().all(|byte| byte == b'=') {
                let message =
                    format!("The line {} turns the line before it into a heading, or is a rule.", quoted(line));
                self.fault(Code::HeadingStyle, index, message);
            }
            return;
        }
        let title = line.strip_prefix("## ").unwrap_or_default();
        let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = (1..=6).contains(&hashes) && line.as_bytes().get(hashes) == Some(&b' ');
        if Title::parse(title).is_some() {
            self.headings.push(Heading { line: self.number(index), title, index });
            let empty = |at: Option<usize>| at.is_some_and(|at| self.lines.get(at) == Some(&""));
            let doubled = empty(index.checked_sub(2)) || empty(index.checked_add(2));
            let is_free = self.layout == Layout::Free;
            if !is_free && (!empty(index.checked_sub(1)) || !empty(Some(index + 1)) || doubled) {
                let message = format!("The heading {} does not have one empty line before and after it.", quoted(line));
                self.fault(Code::HeadingStyle, index, message);
            }
        } else if is_heading && Title::parse(core.trim_matches(['#', ' '])).is_none() {
            self.fault(Code::SectionUnknown, index, format!("A result has no heading {}.", quoted(line)));
        } else {
            let kind = if is_heading && hashes != 2 { Code::SectionUnknown } else { Code::HeadingStyle };
            self.fault(kind, index, format!("The line {} resembles a heading.", quoted(line)));
        }
    }

    /// CommonMark readers differ on how runs of backticks of several lengths pair up; they agree on single ones in one line.
    fn code_spans(&mut self, index: usize, line: &str) {
        let ticks = line.bytes().filter(|byte| *byte == b'`').count();
        if !ticks.is_multiple_of(2) || line.contains("``") {
            self.fault(
                Code::MarkupForbidden,
                index,
                format!("The backticks of the line {} are not in pairs.", quoted(line)),
            );
        }
    }

    /// Checks that each section occurs once, and only then their order.
    fn check_order(&mut self) {
        let found: Vec<_> = self.headings.iter().filter_map(|heading| Title::parse(heading.title)).collect();
        let mut once_each = true;
        for title in Title::ALL {
            let name = title.as_str();
            let times = found.iter().filter(|other| **other == title).count();
            if times == 0 {
                self.fault(Code::SectionMissing, 0, format!("The section {name} is missing."));
            } else if times > 1 {
                once_each = false;
                let last =
                    self.headings.iter().rfind(|heading| heading.title == name).map_or(0, |heading| heading.index);
                self.fault(Code::SectionDuplicate, last, format!("The section {name} appears {times} times."));
            }
        }
        if once_each && let Some(at) = found.windows(2).position(|pair| !pair.is_sorted()) {
            let index = self.headings.get(at + 1).map_or(0, |heading| heading.index);
            self.fault(Code::SectionOrder, index, "This section comes after one that it should precede.".to_owned());
        }
    }
}

/// A line without what Markdown allows before a heading or fence: spaces, quote marks, list marks.
pub(super) fn undecorated(line: &str) -> &str {
    line.trim_start_matches(|character: char| " \t>-*+.)".contains(character) || character.is_ascii_digit())
}

fn is_fence_like(line: &str) -> bool {
    let core = undecorated(line);
    core.starts_with("```") || core.starts_with("~~~")
}

fn opening_backticks(line: &str, layout: Layout) -> Option<usize> {
    let info = line.trim_start_matches('`');
    let backticks = line.len() - info.len();
    let is_info = match layout {
        Layout::Sealed => matches!(info, "text" | "json"),
        Layout::Free => {
            info.len() <= WORD_BYTES_MAX
                && info.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+.-".contains(&byte))
        }
    };
    (backticks >= 3 && is_info).then_some(backticks)
}
