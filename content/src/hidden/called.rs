//! A machine that is called by its name where people seldom look: in comments of any format, in fields of metadata, behind
//! the end of a file.
//!
//! Who is called gives the place away, not the sign of the comment: languages have hundreds of those. A call is a name, with
//! what is asked or claimed behind it: `% Reviewer model: …`, `X-Note: agents may …`. What merely speaks of a model is none.
//!
//! *Security*: hostile bytes; each name has a bounded neighbourhood, and places close together are looked at once.

use std::ops::Range;

use super::rule;
use super::talk::{Talk, demands, names_machine, talk};
use crate::rule::Hit;
use crate::rule::Strength::{Addressed, Mentioned};

/// How much of a line is read before and behind a name, bytes.
const BEFORE_BYTES_MAX: usize = 160;
const BEHIND_BYTES_MAX: usize = 320;

/// How far behind one place the next one is looked at, bytes.
pub(super) const STEP_BYTES: usize = 24;

/// The most words between the sign of a comment and the name, and between the name and what is said to it.
const WORDS_BEFORE_MAX: usize = 7;
const WORDS_BEHIND_MAX: usize = 4;

/// Names that hardly anything but a reader is called by.
pub(super) const NAMES: [&str; 32] = [
    "llm",
    "assistant",
    "chatbot",
    "language model",
    "ai model",
    "ai agent",
    "ai reader",
    "ai tool",
    "ai:",
    "ai,",
    "ai-only",
    "ai must",
    "ai may",
    "machine reader",
    "machines reading",
    "bot:",
    "bot,",
    "bots:",
    "bots,",
    "the bot",
    "chatgpt",
    "copilot",
    "readers:",
    "for bots",
    "to bots",
    "hey ai",
    "dear ai",
    "bot ",
    "bots ",
    "models only",
    "agents only",
    "ai -",
];

/// Names that much of a program is called by, too.
pub(super) const COMMON: [&str; 14] = [
    "agent:",
    "agent,",
    "agents:",
    "agents,",
    "agents may",
    "agents must",
    "agent must",
    "agent should",
    "model:",
    "model,",
    "models:",
    "models,",
    "models must",
    "(model)",
];

/// Fields and keys that are made for a machine that reads.
pub(super) const FIELDS: [&str; 24] = [
    "x-llm",
    "x-ai-",
    "x-agent-",
    "x-bot-",
    "x-assistant",
    "x-robots-message",
    "x-internal-llm",
    "x-model-",
    "llm_",
    "llm-",
    "ai_directive",
    "ai-directive",
    "ai_note",
    "ai-note",
    "ainote",
    "ai_hint",
    "ai-hint",
    "ai_instruction",
    "ai-instruction",
    "agent_instruction",
    "agent-instruction",
    "agent_note",
    "agent-note",
    "name=\"llm",
];

/// What a line with a comment begins with.
const SIGNS: [&str; 26] = [
    "//",
    "#",
    "--",
    ";",
    "%",
    "'",
    "\"",
    "!",
    "/*",
    "*",
    "(*",
    "{-",
    ".\\\"",
    "..",
    ": '",
    "|",
    "rem ",
    "nb.",
    "c ",
    "dnl ",
    "@c ",
    "comment",
    "(comment)",
    "remark",
    "=for",
    "<#",
];

/// What begins a comment within a line.
const SIGNS_WITHIN: [&str; 9] = [" \\\" ", " # ", " // ", " -- ", " ; ", " % ", "/* ", "<!", "(* "];

/// Fields of a line that hold what is seldom shown, before their colon.
const HEADERS: [&str; 7] = ["x-", "comment", "note", "description", "remark", "keywords", "annotation"];

/// Keys of objects whose values are notes.
const KEYS: [&str; 8] = ["\"_", "\"//\"", "\"$comment\"", "\"comment\"", "\"metadata\"", "\"note\"", "\"x-", "\"#\""];

/// The call whose name stands at `place`, if it stands in a comment or the like.
pub(super) fn call(bytes: &[u8], place: Range<usize>, name: &str) -> Option<Hit> {
    let previous = place.start.checked_sub(1).and_then(|at| bytes.get(at));
    let is_escaped = place.start >= 2 && bytes.get(place.start - 2..place.start) == Some(b"\\n");
    let is_open = name.starts_with('(') || is_escaped;
    if !is_open
        && previous.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'@'))
    {
        return None;
    }
    let from = place.start.saturating_sub(BEFORE_BYTES_MAX);
    let recent = bytes.get(from..place.start)?;
    let start = recent.iter().rposition(|byte| is_end(*byte)).map_or(0, |end| end + 1);
    let before = recent.get(start..)?;
    let opener = start.checked_sub(1).and_then(|end| recent.get(end)).copied().unwrap_or(b'\n');
    let is_cut = from + start > 0 && start == 0 && from > 0;
    let gap = hidden_gap(before, opener, is_cut)?;
    if words(gap) > WORDS_BEFORE_MAX {
        return None;
    }
    let behind = bytes.get(place.end - name.len().min(1)..)?;
    let behind = behind.get(..behind.len().min(BEHIND_BYTES_MAX))?;
    let behind = behind.split(|byte| is_end(*byte)).next()?;
    let (message, is_called) = said(behind)?;
    let is_called = is_called || name.ends_with("may") || name.ends_with("must") || name.ends_with("should");
    let range = from + start..place.end - 1 + behind.len();
    let is_name = NAMES.contains(&name);
    let says_you = talk(message) == Talk::Directive && words(message) >= 4;
    let strength = match demands(message) {
        _ if !is_called => {
            return obliged(message).then_some(Hit { rule: rule::UNRENDERED, range, strength: Mentioned });
        }
        true if is_name || names_machine(gap) => Addressed,
        true => Mentioned,
        false if is_name && says_you => Addressed,
        false if is_name && words(message) >= 2 => Mentioned,
        false if stops(opener) && words(message) >= 1 => Mentioned,
        false if talk(message) == Talk::Sentence && memchr::memmem::find(message, b" must ").is_some() => Mentioned,
        false => return None,
    };
    Some(Hit { rule: rule::UNRENDERED, range, strength })
}

/// Where the next name is looked at when the one at `start` was no call: on the next line, or a little on.
pub(super) fn next(bytes: &[u8], start: usize) -> usize {
    let near = bytes.get(start..).unwrap_or_default().iter().take(STEP_BYTES);
    start + near.take_while(|byte| **byte != b'\n').count()
}

/// Where a line ends, and where a program that prints it may stop.
const fn is_end(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t' | 0x07 | 0x08 | 0x1B)
}

/// The controls that nobody reads on behind.
const fn stops(byte: u8) -> bool {
    matches!(byte, 0x00..=0x06 | 0x0C | 0x1A)
}

fn words(text: &[u8]) -> usize {
    text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| word.len() >= 2).count()
}

/// What stands between the sign of a comment, or the name of a field, and a name; `None` where there is no sign.
fn hidden_gap(before: &[u8], opener: u8, is_cut: bool) -> Option<&[u8]> {
    let head = before.trim_ascii_start();
    if stops(opener) {
        return Some(head);
    }
    if let Some(end) = memchr::memmem::rfind(head, "\u{2028}".as_bytes()) {
        return head.get(end + '\u{2028}'.len_utf8()..);
    }
    let low = head.to_ascii_lowercase();
    if !is_cut {
        // A quotation mark opens a comment only in the editor that is named by it; three open a string of documentation.
        let sign = SIGNS.iter().find(|sign| low.starts_with(sign.as_bytes()));
        let is_string = head.starts_with(b"\"") && !head.starts_with(b"\" ") && !head.starts_with(b"\"\"\"");
        if let Some(sign) = sign.filter(|_| !is_string) {
            return head.get(sign.len()..);
        }
        // The name of a field has no space in it: "Note to the reader:" is none.
        let colon =
            low.iter().position(|byte| matches!(byte, b':' | b';' | b' ')).filter(|at| low.get(*at) != Some(&b' '));
        if let Some(colon) = colon.filter(|_| HEADERS.iter().any(|header| low.starts_with(header.as_bytes()))) {
            return head.get(colon + 1..);
        }
    }
    let key = KEYS.iter().find_map(|key| memchr::memmem::rfind(&low, key.as_bytes()));
    if let Some(key) = key {
        let rest = head.get(key..)?;
        let colon = rest.iter().position(|byte| *byte == b':')?;
        return rest.get(colon + 1..);
    }
    let sign = SIGNS_WITHIN.iter().find_map(|sign| Some(memchr::memmem::rfind(&low, sign.as_bytes())? + sign.len()));
    sign.and_then(|sign| head.get(sign..))
}

/// What is said to the name that stands before `behind`, whose first byte is the name's last; and whether it is called, not only
/// spoken of.
fn said(behind: &[u8]) -> Option<(&[u8], bool)> {
    let is_word = |byte: &u8| byte.is_ascii_alphabetic();
    let end = behind.iter().skip(1).take_while(|byte| is_word(byte)).count() + 1;
    let first = behind.first()?;
    if matches!(first, b':' | b',') {
        return Some((behind.get(1..)?, true));
    }
    let near = behind.get(end..)?;
    // A value among others: whose turn it is in a conversation.
    if near.first().is_some_and(|byte| matches!(byte, b'"' | b'\'')) {
        return None;
    }
    let stop = near.iter().take(48).position(|byte| matches!(byte, b':' | b',' | b';' | b'-' | b')'));
    match stop.filter(|stop| words(near.get(..*stop).unwrap_or_default()) <= WORDS_BEHIND_MAX) {
        Some(stop) => Some((near.get(stop + 1..)?, true)),
        None => Some((near, false)),
    }
}

/// Whether what is said of a name is what it must or may do, and that is something to ask for.
fn obliged(text: &[u8]) -> bool {
    let low = text.trim_ascii_start().to_ascii_lowercase();
    let modal = ["must ", "should ", "may ", "shall ", "will ", "please ", "readers must ", "readers should "];
    modal.iter().any(|modal| low.strip_prefix(modal.as_bytes()).is_some_and(demands))
}

/// The message of a field that is made for a machine, by the place of its name.
pub(super) fn field(bytes: &[u8], place: Range<usize>) -> Option<Hit> {
    let rest = bytes.get(place.end..)?;
    let line = rest.get(..rest.len().min(BEHIND_BYTES_MAX))?.split(|byte| is_end(*byte)).next()?;
    let key =
        line.iter().take(48).take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')).count();
    let tail = line.get(key..)?.trim_ascii_start();
    let tail = tail.strip_prefix(b"\"").unwrap_or(tail).trim_ascii_start();
    let (sign, value) = tail.split_first()?;
    // What a program sets or gives to a model as its part is no note that is hidden.
    let is_part = [&b"prompt"[..], b"system", b"template", b"message", b"text"]
        .iter()
        .any(|part| memchr::memmem::find(line.get(..key).unwrap_or_default(), part).is_some());
    let is_meta = tail.starts_with(b"content=");
    if !(matches!(sign, b':' | b'=') || is_meta) {
        return None;
    }
    if is_part || (*sign == b'=' && !is_meta) {
        return (talk(value) >= Talk::Sentence).then(|| Hit {
            rule: rule::ATTRIBUTE,
            range: place.start..place.end + line.len(),
            strength: Mentioned,
        });
    }
    let strength = match talk(value) {
        Talk::Sentence | Talk::Directive => Addressed,
        _ if demands(value) => Addressed,
        Talk::Prose => Mentioned,
        Talk::Silent | Talk::Mark => return None,
    };
    Some(Hit { rule: rule::ATTRIBUTE, range: place.start..place.end + line.len(), strength })
}
