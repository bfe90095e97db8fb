//! Scalars over several lines, as writers of YAML fold them: quoted, plain, and block scalars. Requests alone may hold them.
//!
//! ```text
//! purpose: Count the lines of a text that is so long that PyYAML
//!   wraps it
//! note: "a\
//!   \ b"                     # and 'a b' over two lines; an empty line stands for a line break
//! args:
//!   program: |-              # or >-, |, >
//!     line one
//!     line two
//! ```
//!
//! Refused, because readers of YAML differ on them or people misread them: deeper lines in `>`, lines of only spaces, spaces at
//! the end of a quoted line, empty lines and `- ` within a plain value. Standards: YAML 1.2.2, sections 7.3 and 8.1.

use super::cursor::{Cursor, Fault};
use super::scalar::read_plain;
use super::{Kind, Value};
use crate::reason::Code;
use crate::text;

const ON_ONE_LINE: &str = "Write the text in double quotes on one line, with \\n for a line break.";

/// The lines below a value that may belong to it: those that are indented deeper than its key or dash.
#[derive(Debug, Clone, Copy)]
pub(super) struct Below<'s, 'a> {
    /// All lines of the front matter, the first of which is line 2 of the document.
    lines: &'s [&'a str],
    indent: usize,
}

impl<'s, 'a> Below<'s, 'a> {
    /// None: the value ends on its line.
    pub(super) const NONE: Self = Self { lines: &[], indent: 0 };

    pub(super) fn new(lines: &'s [&'a str], indent: u32, kind: Kind) -> Self {
        match kind {
            Kind::Request => Self { lines, indent: indent as usize },
            Kind::Result => Self::NONE,
        }
    }

    /// Whether there may be any.
    pub(super) const fn is_any(&self) -> bool {
        !self.lines.is_empty()
    }

    /// A line of the document, without its end.
    fn line(&self, number: u32) -> Option<&'a str> {
        self.lines.get((number as usize).checked_sub(2)?).copied()
    }

    /// The next nonempty line, and the number of empty ones before it; `None` if it is not indented deeper.
    fn next(&self, after: u32) -> Option<(usize, Cursor<'a>)> {
        let numbers = (after + 1..).map_while(|number| Some((number, self.line(number)?)));
        let mut filled = numbers.skip_while(|(_, text)| text.trim_matches(' ').is_empty());
        let (number, text) = filled.next()?;
        let rest = text.trim_start_matches(' ');
        let indent = text.len() - rest.len();
        let column = u32::try_from(indent).ok()? + 1;
        let cursor = Cursor { rest: rest.trim_end_matches(' '), line: number, column };
        (indent > self.indent).then_some(((number - after - 1) as usize, cursor))
    }

    /// Continues a quoted value on the next line; returns the value of the line break. `is_escaped`: a backslash precedes it.
    pub(super) fn fold(&self, cursor: &mut Cursor<'a>, is_escaped: bool) -> Result<Option<String>, Fault> {
        let Some((empty, next)) = self.next(cursor.line) else { return Ok(None) };
        let is_spaced = |number| self.line(number).is_some_and(|line| line.ends_with([' ', '\t']));
        if (cursor.line..next.line).any(is_spaced) || next.rest.starts_with('\t') || is_escaped && empty > 0 {
            let message =
                "A line break within a quoted value has white space beside it, or an empty line behind its backslash.";
            return Err(cursor.fault(Code::YamlInvalid, message, ON_ONE_LINE));
        }
        *cursor = next;
        Ok(Some(match (is_escaped, empty) {
            (true, _) => String::new(),
            (false, 0) => " ".to_owned(),
            (false, empty) => "\n".repeat(empty),
        }))
    }

    /// A plain value, whose beginning `text` is on the line of `at`; and its last line.
    pub(super) fn plain(&self, text: &str, at: Cursor<'a>, is_whole: bool) -> Result<(Value, u32), Fault> {
        let (mut whole, mut last) = (text.to_owned(), at.line);
        let mut is_whole = is_whole;
        while !is_whole
            && let Some((0, mut next)) = self.next(last)
            && !next.at_end()
        {
            if next.rest == "-" || next.rest.starts_with("- ") {
                let message = "A line that continues a value begins like a member of a list.";
                return Err(next.fault(Code::YamlInvalid, message, "Put the whole value in double quotes."));
            }
            last = next.line;
            whole.push(' ');
            whole.push_str(next.take_until(|rest| rest.starts_with(" #")).trim_end_matches(' '));
            is_whole = !next.rest.is_empty();
        }
        Ok((read_plain(&whole, at)?, last))
    }

    /// A block scalar, at its `|` or `>`; and its last line.
    pub(super) fn block(&self, mut cursor: Cursor<'a>) -> Result<(Value, u32), Fault> {
        let start = cursor;
        let is_literal = cursor.take() == Some('|');
        let signs =
            cursor.take_until(|rest| !rest.starts_with(['-', '+', '1', '2', '3', '4', '5', '6', '7', '8', '9']));
        let end = signs.trim_matches(|sign: char| sign.is_ascii_digit());
        let digits = signs.trim_matches(['-', '+']);
        if signs.len() > 2 || end.len() > 1 || digits.len() > 1 {
            let hint = "Write at most one of - and +, and one digit.";
            return Err(start.fault(Code::YamlInvalid, "A block scalar has too many signs.", hint));
        }
        let spaced = cursor.rest.is_empty() || cursor.eat(' ');
        cursor.skip_spaces();
        if !(spaced && cursor.at_end()) {
            let hint = "Write the text on the lines below, indented deeper.";
            return Err(cursor.fault(Code::YamlInvalid, "Something follows the sign of a block scalar.", hint));
        }
        let indent = digits.parse().ok().map(|digit: usize| self.indent + digit);
        let (lines, last) = self.block_lines(start, is_literal, indent)?;
        let mut content = if is_literal { lines.join("\n") } else { folded(&lines) };
        if end != "-" && !lines.is_empty() {
            content.push('\n');
        }
        if end == "+" {
            content.extend(self.empty(last).map(|_| '\n'));
        }
        match text::fault(&content) {
            None => Ok((Value::text(content), last)),
            Some((_, code)) => {
                let message = format!("A value holds {}.", text::description(code));
                Err(start.fault(code, message, text::hint(code)))
            }
        }
    }

    /// The lines of a block scalar without their indentation, up to the last nonempty one; and its number.
    fn block_lines(
        &self,
        start: Cursor<'a>,
        is_literal: bool,
        mut indent: Option<usize>,
    ) -> Result<(Vec<&'a str>, u32), Fault> {
        let (mut lines, mut last) = (Vec::new(), start.line);
        let odd = |at: Cursor<'_>| {
            let message = "A line of a block scalar is not indented as its first, or holds spaces alone.";
            at.fault(Code::YamlInvalid, message, ON_ONE_LINE)
        };
        while let Some((empty, next)) = self.next(last) {
            let own = (next.column - 1) as usize;
            let indent = *indent.get_or_insert(own);
            let is_odd = own < indent || next.rest.starts_with('\t') || !is_literal && own > indent;
            if is_odd || self.empty(last).any(|line| line.len() > indent) {
                return Err(odd(next));
            }
            lines.extend(std::iter::repeat_n("", empty));
            lines.push(self.line(next.line).and_then(|line| line.get(indent..)).unwrap_or_default());
            last = next.line;
        }
        if self.empty(last).any(|line| line.len() > indent.unwrap_or(0)) {
            return Err(odd(start));
        }
        Ok((lines, last))
    }

    /// The number of lines after a line that have only spaces.
    fn empty(&self, after: u32) -> impl Iterator<Item = &'a str> {
        // Behind the last line end there is no line.
        let lines = self.lines.split_last().map_or(&[][..], |(_, lines)| lines);
        let from = lines.get((after - 1) as usize..).unwrap_or_default();
        from.iter().copied().take_while(|line| line.trim_matches(' ').is_empty())
    }
}

/// Lines of a folded block scalar: a line break is a space, and an empty line a line break.
fn folded(lines: &[&str]) -> String {
    let mut text = String::new();
    let mut is_after_text = false;
    for line in lines {
        match (line.is_empty(), is_after_text) {
            (true, _) => text.push('\n'),
            (false, true) => text.push(' '),
            (false, false) => {}
        }
        text.push_str(line);
        is_after_text = !line.is_empty();
    }
    text
}
