//! Flow lists and maps: `[a, "b"]` and `{name: a, size: 1}`, each on one line.
//!
//! Standards: YAML 1.2.2, section 7.4; single pairs, empty values and a comma before the end are left out.

use std::collections::HashSet;

use super::block::{check_key, depth_fault, duplicate_key};
use super::cursor::{Cursor, Fault};
use super::scalar::{read_plain, read_quoted};
use super::several_lines::Below;
use super::{DEPTH_MAX, Entry, Node, Value};
use crate::reason::Code;

/// A list or map, at its bracket; stops after its last. `depth` is its own level.
pub(super) fn read(cursor: &mut Cursor<'_>, depth: usize) -> Result<Node, Fault> {
    let start = *cursor;
    if depth > DEPTH_MAX {
        return Err(depth_fault(start));
    }
    let value = if cursor.take() == Some('[') {
        Value::List(sequence(cursor, start, ']', |cursor| item(cursor, depth))?)
    } else {
        let mut seen = HashSet::new();
        Value::Map(sequence(cursor, start, '}', |cursor| {
            let entry = entry(cursor, depth)?;
            if seen.insert(entry.key.clone()) { Ok(entry) } else { Err(duplicate_key(&entry)) }
        })?)
    };
    Ok(Node { value, line: start.line, column: start.column })
}

fn sequence<'a, T>(
    cursor: &mut Cursor<'a>,
    start: Cursor<'_>,
    end: char,
    mut read_one: impl FnMut(&mut Cursor<'a>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let mut members = Vec::new();
    cursor.skip_spaces();
    if cursor.eat(end) {
        return Ok(members);
    }
    loop {
        cursor.skip_spaces();
        if cursor.peek().is_none() {
            return Err(unclosed(start, end));
        }
        members.push(read_one(cursor)?);
        cursor.skip_spaces();
        if cursor.eat(end) {
            return Ok(members);
        }
        if cursor.at_end() {
            return Err(unclosed(start, end));
        }
        if !cursor.eat(',') {
            let message = format!("Expected a comma or {end}.");
            return Err(cursor.fault(Code::YamlInvalid, message, "Separate members by commas."));
        }
    }
}

fn unclosed(start: Cursor<'_>, end: char) -> Fault {
    let message = format!("A list or map in brackets has no {end} on its line.");
    start.fault(Code::YamlInvalid, message, "Close it on the same line, or write one member a line with `- `.")
}

fn item(cursor: &mut Cursor<'_>, depth: usize) -> Result<Node, Fault> {
    let (line, column) = (cursor.line, cursor.column);
    let value = match cursor.peek() {
        Some('[' | '{') => return read(cursor, depth + 1),
        Some('"' | '\'') => Value::text(read_quoted(cursor, Below::NONE)?),
        _ => plain(cursor)?,
    };
    Ok(Node { value, line, column })
}

fn plain(cursor: &mut Cursor<'_>) -> Result<Value, Fault> {
    let start = *cursor;
    let text =
        cursor.take_until(|rest| rest.starts_with([',', ']', '}']) || rest.starts_with(" #")).trim_end_matches(' ');
    if text.is_empty() {
        return Err(start.fault(
            Code::YamlInvalid,
            "A value is missing here.",
            "Remove the comma, or write the value.",
        ));
    }
    let value = read_plain(text, start)?;
    if text.contains(['[', '{', '?']) {
        let message = "A plain value inside brackets holds a character that means something to YAML.";
        return Err(start.fault(Code::YamlInvalid, message, "Put the value in double quotes."));
    }
    Ok(value)
}

fn entry(cursor: &mut Cursor<'_>, depth: usize) -> Result<Entry, Fault> {
    let start = *cursor;
    let in_quotes = matches!(cursor.peek(), Some('"' | '\''));
    let key = if in_quotes {
        read_quoted(cursor, Below::NONE)?
    } else {
        cursor.take_until(|rest| rest.starts_with([':', ',', '}', ' '])).to_owned()
    };
    check_key(&key, in_quotes, start)?;
    if !cursor.eat(':') || !(in_quotes || cursor.peek() == Some(' ')) {
        let message = "A key inside braces is not followed by a colon and a space.";
        return Err(cursor.fault(Code::YamlInvalid, message, "Write {key: value, other: value}."));
    }
    cursor.skip_spaces();
    Ok(Entry { key, line: start.line, column: start.column, node: item(cursor, depth)? })
}
