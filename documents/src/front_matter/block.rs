//! Block maps and lists: the lines of the front matter and their indentation.
//!
//! A fault costs its own line and all lines that are indented deeper; reading goes on behind them.
//! Standards: YAML 1.2.2, section 8.2.

use std::collections::HashSet;

use super::cursor::{Cursor, Fault};
use super::scalar::{self, read_quoted};
use super::several_lines::Below;
use super::{DEPTH_MAX, Entry, FAULTS_MAX, Kind, Node, ScalarKind, Value, flow};
use crate::reason::{Code, Reason};
use crate::text::quoted;

/// The longest key, in bytes.
const KEY_BYTES_MAX: usize = 128;

/// Reads the lines between the fences; the first is line 2 of the document. A value with a fault is the text of its line.
pub(super) fn read(front_matter: &str, kind: Kind) -> (Vec<Entry>, Vec<Reason>) {
    let raw: Vec<&str> = front_matter.split('\n').collect();
    let lines = raw.iter().zip(2..).filter_map(|(text, number)| Line::read(text, number)).collect();
    let mut reader = Reader { raw: &raw, kind, lines, next: 0, faults: Vec::new() };
    let entries = reader.map(0, 1);
    let all = reader.faults.len();
    if let Some(last) = reader.faults.last_mut().filter(|_| all == FAULTS_MAX) {
        last.message.push_str(" Reading stopped here; there may be more.");
    }
    (entries, reader.faults)
}

/// A line that is neither empty nor a comment, without its indentation.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: u32,
    indent: u32,
    content: &'a str,
}

impl<'a> Line<'a> {
    fn read(text: &'a str, number: u32) -> Option<Self> {
        let content = text.trim_start_matches(' ');
        let indent = u32::try_from(text.len() - content.len()).ok()?;
        let content = content.trim_end_matches(' ');
        (!content.is_empty() && !content.starts_with('#')).then_some(Self { number, indent, content })
    }

    fn cursor(&self) -> Cursor<'a> {
        Cursor { rest: self.content, line: self.number, column: self.indent + 1 }
    }

    fn is_item(&self) -> bool {
        self.content == "-" || self.content.starts_with("- ")
    }

    /// The text after the dash of an item, as a line of its own.
    fn item(&self) -> Self {
        let dashless = self.content.trim_start_matches('-');
        let content = dashless.trim_start_matches(' ');
        let offset = u32::try_from(self.content.len() - content.len()).unwrap_or(u32::MAX);
        Self { content, indent: self.indent.saturating_add(offset), ..*self }
    }
}

struct Reader<'s, 'a> {
    /// All lines as they are.
    raw: &'s [&'a str],
    kind: Kind,
    lines: Vec<Line<'a>>,
    next: usize,
    faults: Vec<Reason>,
}

impl<'a> Reader<'_, 'a> {
    fn peek(&self) -> Option<Line<'a>> {
        self.lines.get(self.next).filter(|_| self.faults.len() < FAULTS_MAX).copied()
    }

    /// Records a fault at the next line and passes over it and all that belongs to it.
    fn recover(&mut self, fault: Reason, indent: u32) {
        self.faults.push(fault);
        self.next += 1;
        while self.peek().is_some_and(|line| line.indent > indent || is_closing_bracket(line.content)) {
            self.next += 1;
        }
    }

    fn map(&mut self, indent: u32, depth: usize) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen = HashSet::new();
        while let Some(line) = self.peek()
            && line.indent >= indent
        {
            if line.indent > indent {
                let after_scalar = matches!(entries.last().map(|entry| &entry.node.value), Some(Value::Scalar { .. }));
                self.recover(*stray(line, after_scalar), indent);
                continue;
            }
            match self.entry(line, depth) {
                Ok(entry) if seen.insert(entry.key.clone()) => entries.push(entry),
                Ok(entry) => self.faults.push(*duplicate_key(&entry)),
                Err(fault) => self.recover(*fault, indent),
            }
        }
        entries
    }

    fn entry(&mut self, line: Line<'a>, depth: usize) -> Result<Entry, Fault> {
        let mut cursor = line.cursor();
        refuse_line(line)?;
        let key = read_key(&mut cursor)?.ok_or_else(|| not_an_entry(line))?;
        cursor.skip_spaces();
        let node = match self.value(cursor, line.indent, depth) {
            Ok(Some(node)) => node,
            Ok(None) => self.nested(cursor, line.indent, depth, true)?,
            Err(fault) => {
                self.recover(*fault, line.indent);
                Node { value: Value::text(cursor.rest.to_owned()), line: cursor.line, column: cursor.column }
            }
        };
        Ok(Entry { key, line: line.number, column: line.indent + 1, node })
    }

    /// The value of a key or dash with nothing on its line: the lines below it, or nothing.
    fn nested(&mut self, cursor: Cursor<'a>, indent: u32, depth: usize, list_may_align: bool) -> Result<Node, Fault> {
        let below = self
            .lines
            .get(self.next + 1)
            .copied()
            .filter(|below| below.indent > indent || (list_may_align && below.indent == indent && below.is_item()));
        if below.is_some() && depth >= DEPTH_MAX {
            return Err(depth_fault(cursor));
        }
        self.next += 1;
        if let Some(below) = below.filter(|below| self.kind == Kind::Request && is_scalar(*below)) {
            return self.value(below.cursor(), indent, depth)?.ok_or_else(|| not_an_entry(below));
        }
        let (value, cursor) = match below {
            None => (Value::Null, cursor),
            Some(below) => (self.block(below, depth + 1), below.cursor()),
        };
        Ok(Node { value, line: cursor.line, column: cursor.column })
    }

    fn block(&mut self, first: Line<'a>, depth: usize) -> Value {
        if first.is_item() {
            Value::List(self.list(first.indent, depth))
        } else {
            Value::Map(self.map(first.indent, depth))
        }
    }

    fn list(&mut self, indent: u32, depth: usize) -> Vec<Node> {
        let mut nodes: Vec<Node> = Vec::new();
        while let Some(line) = self.peek()
            && (line.indent > indent || line.indent == indent && line.is_item())
        {
            if line.indent > indent {
                let after_scalar = matches!(nodes.last().map(|node| &node.value), Some(Value::Scalar { .. }));
                self.recover(*stray(line, after_scalar), indent);
                continue;
            }
            match self.item(line, depth) {
                Ok(node) => nodes.push(node),
                Err(fault) => self.recover(*fault, indent),
            }
        }
        nodes
    }

    fn item(&mut self, line: Line<'a>, depth: usize) -> Result<Node, Fault> {
        let inner = line.item();
        let cursor = inner.cursor();
        if cursor.at_end() {
            return self.nested(cursor, line.indent, depth, false);
        }
        let is_entry = !is_flow(cursor.rest) && read_key(&mut cursor.clone())?.is_some();
        if inner.is_item() || is_entry {
            if depth >= DEPTH_MAX {
                return Err(depth_fault(cursor));
            }
            if let Some(slot) = self.lines.get_mut(self.next) {
                *slot = inner;
            }
            return Ok(Node { value: self.block(inner, depth + 1), line: cursor.line, column: cursor.column });
        }
        self.value(cursor, line.indent, depth)?.ok_or_else(|| not_an_entry(inner))
    }

    /// The value on the rest of a line, and on the lines below it that belong to it; `None` when there is none. Passes over it.
    fn value(&mut self, cursor: Cursor<'a>, indent: u32, depth: usize) -> Result<Option<Node>, Fault> {
        let Some((node, last)) = value(cursor, depth, Below::new(self.raw, indent, self.kind))? else {
            return Ok(None);
        };
        while self.lines.get(self.next).is_some_and(|line| line.number <= last) {
            self.next += 1;
        }
        Ok(Some(node))
    }
}

/// Whether a text can be no key: a list or map in brackets, or a quoted value that goes on below.
fn is_flow(text: &str) -> bool {
    text.starts_with(['[', '{']) || text.starts_with(['"', '\'']) && !scalar::closes_on_its_line(text)
}

/// Whether a line below a key or dash is a value, and no list or map in block form.
fn is_scalar(line: Line<'_>) -> bool {
    !line.is_item() && (is_flow(line.content) || matches!(read_key(&mut line.cursor()), Ok(None)))
}

/// The value on the rest of a line and below it, and its last line; `None` when there is none.
fn value<'a>(mut cursor: Cursor<'a>, depth: usize, below: Below<'_, 'a>) -> Result<Option<(Node, u32)>, Fault> {
    let start = cursor;
    let (line, column) = (start.line, start.column);
    let ended = |(value, last)| Ok(Some((Node { value, line, column }, last)));
    let value = match cursor.peek() {
        None | Some('#') => return Ok(None),
        Some('"' | '\'') => Value::text(read_quoted(&mut cursor, below)?),
        Some('[' | '{') => flow::read(&mut cursor, depth + 1)?.value,
        Some('|' | '>') if below.is_any() => return ended(below.block(start)?),
        Some(_) => {
            let text = cursor.take_until(|rest| rest.starts_with(" #")).trim_end_matches(' ');
            return ended(below.plain(text, start, !cursor.rest.is_empty())?);
        }
    };
    let spaced = cursor.rest.is_empty() || cursor.eat(' ');
    cursor.skip_spaces();
    if !(spaced && cursor.at_end()) {
        let message = "Something follows the end of the value.";
        return Err(cursor.fault(Code::YamlInvalid, message, "Quote the whole value, or remove what follows it."));
    }
    ended((value, cursor.line))
}

/// A key and its colon; `None`, and the cursor anywhere, when the line has none.
fn read_key(cursor: &mut Cursor<'_>) -> Result<Option<String>, Fault> {
    let start = *cursor;
    let in_quotes = matches!(cursor.peek(), Some('"' | '\''));
    let key = if in_quotes {
        read_quoted(cursor, Below::NONE)?
    } else {
        cursor.take_until(|rest| rest.starts_with(": ") || rest == ":" || rest.starts_with(" #")).to_owned()
    };
    if !(cursor.eat(':') && (cursor.rest.is_empty() || cursor.peek() == Some(' '))) {
        return Ok(None);
    }
    check_key(&key, in_quotes, start)?;
    Ok(Some(key))
}

/// Refuses a key that is not ASCII, or that some readers do not treat as text.
pub(super) fn check_key(key: &str, in_quotes: bool, at: Cursor<'_>) -> Result<(), Fault> {
    let invalid = |message: String, hint: &str| Err(at.fault(Code::YamlInvalid, message, hint));
    if key == "<<" {
        let message = "A merge key is refused.";
        return Err(at.fault(Code::YamlForbiddenFeature, message, "Write the entries out."));
    }
    if !in_quotes {
        refuse_complex_key(key, at)?;
        scalar::refuse_indicator(key, at)?;
    }
    if key.is_empty() || key.len() > KEY_BYTES_MAX || !key.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        let message = format!("The key {} is not 1 to {KEY_BYTES_MAX} printable ASCII characters.", quoted(key));
        return invalid(message, "Use the keys that the document's description names.");
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_text = in_quotes || (key.bytes().all(plain) && scalar::kind(key) == Some(ScalarKind::Text));
    if !is_text {
        return invalid(
            format!("The key {} is not text to every YAML reader.", quoted(key)),
            "Put the key in double quotes.",
        );
    }
    Ok(())
}

fn refuse_complex_key(key: &str, at: Cursor<'_>) -> Result<(), Fault> {
    if key.starts_with(['[', '{']) || key == "?" || key.starts_with("? ") {
        return Err(at.fault(Code::YamlForbiddenFeature, "A complex key is refused.", "Use a plain word as key."));
    }
    Ok(())
}

/// Refuses lines that are no part of a map or list: document markers, directives, tabs.
fn refuse_line(line: Line<'_>) -> Result<(), Fault> {
    let marker = |marker: &str| {
        line.content.strip_prefix(marker).is_some_and(|rest| matches!(rest.chars().next(), None | Some(' ' | '\t')))
    };
    let forbidden = |message: &str, hint: &str| Err(line.cursor().fault(Code::YamlForbiddenFeature, message, hint));
    match line.content.chars().next() {
        Some('\t') => {
            Err(line.cursor().fault(Code::YamlInvalid, "A line is indented with a tab.", "Indent with spaces."))
        }
        Some('%') => forbidden("A directive is refused.", "Remove the line."),
        Some('?') => refuse_complex_key(line.content, line.cursor()),
        _ if line.indent == 0 && (marker("---") || marker("...")) => {
            forbidden("A second YAML document is refused.", "End the front matter with a line of exactly three dashes.")
        }
        _ => Ok(()),
    }
}

fn not_an_entry(line: Line<'_>) -> Fault {
    let at = line.cursor();
    if let Err(fault) = scalar::refuse_indicator(line.content, at)
        && fault.code == Code::YamlForbiddenFeature
    {
        return fault;
    }
    let message = format!("The line {} is no entry of a map.", quoted(line.content));
    at.fault(Code::YamlInvalid, message, "Write `key: value`, with a space after the colon and none before it.")
}

fn stray(line: Line<'_>, after_scalar: bool) -> Fault {
    let at = line.cursor();
    if after_scalar {
        let message = "The line continues the value above it.";
        return at.fault(
            Code::YamlForbiddenFeature,
            message,
            "Write the value on one line, or align this line with its siblings.",
        );
    }
    at.fault(Code::YamlInvalid, "The line's indentation fits no line above it.", "Align it with its siblings.")
}

/// A key that is already in its map.
pub(super) fn duplicate_key(entry: &Entry) -> Fault {
    let message = format!("The key {} stands twice in one map.", quoted(&entry.key));
    Box::new(Reason::new(Code::YamlDuplicateKey, message, "Keep one of them.").at(entry.line, entry.column))
}

/// Nesting beyond [`DEPTH_MAX`].
pub(super) fn depth_fault(at: Cursor<'_>) -> Fault {
    let message = format!("Values are nested deeper than {DEPTH_MAX} levels.");
    at.fault(Code::FrontMatterTooLarge, message, "Use fewer levels.")
}

fn is_closing_bracket(content: &str) -> bool {
    content.starts_with([']', '}'])
}
