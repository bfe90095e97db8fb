//! Scripts by the line that names their interpreter, and those of Windows by how they begin.
//!
//! *Security*: hostile text, of which one line is read. *Standards*: `execve(2)`, "Interpreter scripts".

use memchr::memmem;

use super::super::rule::{Hit, Strength};
use super::kind::Kind;

/// Looked for in every view.
pub(super) const WORDS: &[&str] = &["#!"];

/// The longest blank lead before a script, the longest interpreter line, and what is read of the line before one, bytes.
const LEAD_BYTES_MAX: usize = 256;
const LINE_BYTES_MAX: usize = 256;
const BEFORE_BYTES_MAX: usize = 200;

/// How soon a script that is listed among other things has to do something, bytes.
const ACTION_BYTES_MAX: usize = 300;

/// How scripts of the Windows command processor begin.
const BATCH: &[&str] = &[
    "@echo off",
    "@echo on",
    "@setlocal",
    "@if ",
    "@call ",
    "@start ",
    "@rem ",
    "@powershell",
    "@cd ",
    "@set ",
    "@cmd",
    "@for ",
];

/// A source that is a script.
pub(super) fn at_start(bytes: &[u8]) -> Option<Hit> {
    let start = lead(bytes);
    let text = bytes.get(start..)?;
    if let Some(length) = interpreter_line(text) {
        return Some(hit(Kind::InterpreterLine, start, length, Strength::Addressed));
    }
    let first = text.get(..text.len().min(16))?;
    let begins = |word: &&str| first.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()));
    BATCH.iter().find(|word| begins(word)).map(|word| hit(Kind::Batch, start, word.len(), Strength::Addressed))
}

/// An interpreter line further down: in a listing or a difference it is only shown, in a here-document, a fence or a string it is
/// on its way into a file.
pub(super) fn within(bytes: &[u8], at: usize) -> Option<Hit> {
    let length = interpreter_line(bytes.get(at..)?)?;
    let near = bytes.get(at.saturating_sub(BEFORE_BYTES_MAX)..at)?;
    let mut lines = near.rsplit(|byte| *byte == b'\n');
    let before = lines.next().unwrap_or_default();
    let previous = lines.next().unwrap_or_default().trim_ascii();
    let last = before.trim_ascii_end().last().copied();
    let acts = acts(bytes.get(at + length..)?);
    let strength = match last {
        None if acts || is_opening(previous) => Strength::Addressed,
        Some(b'"' | b'\'')
            if is_escaped_script(bytes.get(at + length..)?) || is_escaped_script(bytes.get(at..at + length)?) =>
        {
            Strength::Addressed
        }
        None | Some(b'+' | b'-' | b'>' | b'|' | b':' | b'=' | b'"' | b'\'' | b'`' | b'(' | b'*') => Strength::Mentioned,
        Some(b'0'..=b'9') if before.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace()) => {
            Strength::Mentioned
        }
        Some(_) => return None,
    };
    Some(hit(Kind::InterpreterLine, at, length, strength))
}

fn hit(kind: Kind, start: usize, length: usize, strength: Strength) -> Hit {
    Hit { rule: kind.rule(), range: start..start + length, strength }
}

/// Whether a script soon does more than compute.
fn acts(rest: &[u8]) -> bool {
    const ACTIONS: &[&[u8]] = &[
        b"curl",
        b"wget",
        b"system(",
        b"exec",
        b"eval",
        b"socket",
        b"Socket",
        b"subprocess",
        b"/tmp/",
        b"crontab",
        b"base64",
        b"rm -",
        b"urlopen",
        b"popen",
        b"$(",
        b"`",
        b"chmod",
        b"requests.",
        b"open(",
        b"http",
        b"/dev/",
        b"kill",
        b"sudo",
    ];
    let near = rest.get(..rest.len().min(ACTION_BYTES_MAX)).unwrap_or_default();
    ACTIONS.iter().any(|action| memmem::find(near, action).is_some())
}

/// A byte order mark and blanks.
fn lead(bytes: &[u8]) -> usize {
    let mark = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let blanks = bytes
        .get(mark..)
        .unwrap_or_default()
        .iter()
        .take(LEAD_BYTES_MAX)
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    mark + blanks
}

/// The length of `#!/path/to/interpreter …`; a path follows, which sets it apart from an attribute of Rust.
fn interpreter_line(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"#!")?;
    let blanks = rest.iter().take(LINE_BYTES_MAX).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let path = rest.get(blanks..)?;
    let is_path = match path {
        [b'/', first, ..] => first.is_ascii_alphabetic() || *first == b'.',
        [drive, b':', b'\\' | b'/', ..] => drive.is_ascii_alphabetic(),
        _ => [&b"env "[..], b"python", b"bash", b"sh\n", b"perl", b"pwsh", b"powershell", b"node"]
            .iter()
            .any(|name| path.starts_with(name)),
    };
    let length = path.iter().take(LINE_BYTES_MAX).take_while(|byte| !matches!(byte, b'\n' | b'\r' | 0)).count();
    is_path.then_some(2 + blanks + length)
}

/// Whether a line opens what a script is written into: a here-document or a fence.
fn is_opening(line: &[u8]) -> bool {
    line.starts_with(b"```")
        || line.starts_with(b"~~~")
        || line.windows(2).any(|pair| pair == b"<<")
        || line.ends_with(b": |")
        || line.ends_with(b"\"\"\"")
}

/// Whether a string goes on behind an escaped line end.
fn is_escaped_script(text: &[u8]) -> bool {
    text.iter().take(LINE_BYTES_MAX).zip(text.iter().skip(1)).any(|pair| pair == (&b'\\', &b'n'))
}

#[cfg(test)]
mod tests {
    use super::{Strength, at_start, within};

    #[test]
    fn a_source_that_begins_with_an_interpreter_is_a_script() {
        for text in [
            "#!/bin/sh\nid\n",
            "#! /usr/bin/env python3\n",
            "\u{feff}#!/usr/bin/perl -w\n",
            "\n#!/usr/bin/awk -f\n",
            "@echo off\r\ndel x\r\n",
        ] {
            assert_eq!(at_start(text.as_bytes()).map(|hit| hit.strength), Some(Strength::Addressed), "{text}");
        }
    }

    #[test]
    fn an_attribute_or_a_heading_is_no_interpreter() {
        for text in ["#![allow(dead_code)]\n", "#! no interpreter here", "# !/bin/sh", "#!", "echo off"] {
            assert_eq!(at_start(text.as_bytes()), None, "{text}");
        }
    }

    fn further_down(text: &str) -> Option<Strength> {
        within(text.as_bytes(), text.find("#!").unwrap()).map(|hit| hit.strength)
    }

    #[test]
    fn a_script_on_its_way_into_a_file_is_the_thing_itself() {
        for text in ["cat > x <<EOF\n#!/bin/sh\nid\n", "```sh\n#!/bin/sh\n", "{\"script\": \"#!/bin/sh\\nid\\n\"}"] {
            assert_eq!(further_down(text), Some(Strength::Addressed), "{text}");
        }
    }

    #[test]
    fn a_script_in_a_listing_or_a_difference_is_only_shown() {
        for text in ["==> x <==\n#!/bin/sh\n", "@@ -0,0 +1 @@\n+#!/bin/sh\n", "x.sh:1:#!/bin/sh\n", "  1  #!/bin/sh\n"]
        {
            assert_eq!(further_down(text), Some(Strength::Mentioned), "{text}");
        }
        assert_eq!(further_down("==> x <==\n#!/bin/sh\ncurl -s x\n"), Some(Strength::Addressed));
        assert_eq!(further_down("It begins with #!/bin/sh as usual.\n"), None);
    }
}
