//! Tokens and turns of chat templates, and tool calls in the forms that models emit.
//!
//! Does not read sentences. The tokens are those that the published templates of the model families reserve.
//!
//! *Security*: one pass; what stands before a heading is looked at for a bounded number of bytes.
//! *Standards*: docs/content.md, "chat-template tokens"; the templates of `ChatML`, Llama 2 to 4, Mistral, Gemma, Phi, Qwen,
//! `DeepSeek`, Granite, Vicuna and Alpaca; JSON-RPC 2.0 as the Model Context Protocol uses it.

use std::ops::Range;
use std::sync::LazyLock;

use super::{apart, rules};
use crate::keyword::Mark;
use crate::rule::{Rule, Strength};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Occurs in templates and hardly anywhere else.
    Token,
    /// Counts at the beginning of a line.
    Heading,
    /// Counts at the beginning of a line, and has harmless uses.
    Tag,
    /// The heading of a template without the colon that templates put behind it: manuals have chapters of that name.
    Chapter,
    /// The turn of a model, of a person, of whoever sets it up: two of them make a dialogue.
    Model,
    Person,
    System,
    /// The beginning of a tool call or of a list of messages.
    Call,
}

const FORMS: &[(Kind, &[&str])] = &[
    (
        Kind::Token,
        &[
            "<|im_start|>",
            "<|im_end|>",
            "<|im_sep|>",
            "<|begin_of_text|>",
            "<|end_of_text|>",
            "<|start_header_id|>",
            "<|end_header_id|>",
            "<|eot_id|>",
            "<|eom_id|>",
            "<|python_tag|>",
            "<|header_start|>",
            "<|header_end|>",
            "<|eot|>",
            "<|system|>",
            "<|user|>",
            "<|assistant|>",
            "<|end|>",
            "<|endoftext|>",
            "<|endofprompt|>",
            "<|start|>",
            "<|channel|>",
            "<|message|>",
            "<|return|>",
            "<|call|>",
            "<|tool|>",
            "<|tool_call|>",
            "<|tool_response|>",
            "<|startoftext|>",
            "<|observation|>",
            "<|start_of_role|>",
            "<|end_of_role|>",
            "<|prompter|>",
            "<|bos|>",
            "<|eos|>",
            "<|sep|>",
            "<|pad|>",
            "<|turn|>",
            "<|developer|>",
            "<|human|>",
            "<|start_of_turn_token|>",
            "<|end_of_turn_token|>",
            "<|user_token|>",
            "<|chatbot_token|>",
            "<|system_token|>",
            "<|fim_prefix|>",
            "<|extra_0|>",
            "<start_of_turn>",
            "<end_of_turn>",
            "[inst]",
            "[/inst]",
            "<<sys>>",
            "<</sys>>",
            "[system_prompt]",
            "[/system_prompt]",
            "[available_tools]",
            "[tool_calls]",
            "[tool_results]",
            "[/tool_results]",
            "<｜begin▁of▁sentence｜>",
            "<｜end▁of▁sentence｜>",
            "<｜User｜>",
            "<｜Assistant｜>",
            "<｜tool▁calls▁begin｜>",
            "<｜tool▁call▁begin｜>",
            "<|tool_calls_section_begin|>",
        ],
    ),
    (
        Kind::Heading,
        &[
            "### instruction:",
            "### instructions:",
            "### response:",
            "### system:",
            "### user:",
            "### human:",
            "### assistant:",
            "<system_prompt>",
            "<system-prompt>",
            "<system_message>",
            "<system-message>",
            "<system-reminder>",
            "<developer_message>",
            "<new_instructions>",
            "<system_instructions>",
            "<system-instruction>",
            "action input:",
        ],
    ),
    (
        Kind::Tag,
        &[
            "<system>",
            "<assistant>",
            "<instructions>",
            "<developer>",
            "[system prompt]",
            "[system message]",
            "[assistant]",
            "<tool_result>",
            "<tool_response>",
            "<function_results>",
            "system prompt:",
            "system message:",
            "developer message:",
        ],
    ),
    (Kind::Chapter, &["### system prompt", "### system message"]),
    (Kind::Model, &["assistant:", "ai:", "model:", "bot:", "gpt:", "chatgpt:", "agent:"]),
    (Kind::Person, &["human:", "user:"]),
    (Kind::System, &["system:"]),
    (
        Kind::Call,
        &[
            "<function_calls>",
            "<function_call>",
            "<invoke name=",
            "<tool_use>",
            "<tool_call>",
            "<tool_calls>",
            "<tool_code>",
            "<function=",
            "<use_mcp_tool>",
            "<execute_command>",
            "```tool_code",
            "```tool_call",
            "\"tool_calls\":",
            "\"tool_use\"",
            "\"function_call\":",
            "\"tools/call\"",
            "\"sampling/createmessage\"",
            "\"role\": \"system\"",
            "\"role\":\"system\"",
            "'role': 'system'",
            "\"role\": \"developer\"",
            "\"recipient_name\":",
            "to=functions.",
        ],
    ),
];

/// Every form, with its kind.
fn forms() -> impl Iterator<Item = (Kind, &'static str)> {
    FORMS.iter().flat_map(|(kind, forms)| forms.iter().map(move |form| (*kind, *form)))
}

static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| forms().map(|(kind, _)| kind).collect());

/// What is looked for in the shared pass.
pub(super) fn keywords() -> Vec<&'static str> {
    forms().map(|(_, form)| form).collect()
}

/// How far apart two turns of a dialogue may stand, bytes.
const DIALOGUE_BYTES_MAX: usize = 1000;
/// Who speaks in dialogues and hardly has a setting: others need words to speak.
const KEPT: [&str; 4] = ["assistant:", "human:", "ai:", "chatgpt:"];
/// From how many words on what stands behind a colon is said, and no value.
const WORDS_MIN: usize = 4;
/// How much of a turn is looked at for what it says.
const TURN_BYTES_MAX: usize = 80;
/// What words are put into, without changing what they say.
const OPENING: &[u8] = b"\"'`*_([{";
const CLOSING: &[u8] = b")]}";
/// How much before a heading is looked at.
const MARKS_MAX: usize = 24;

/// Reports every token and call, and each turn that answers another.
pub(super) fn find(
    text: &str,
    marks: impl Iterator<Item = Mark>,
    found: &mut impl FnMut(&'static Rule, Range<usize>, Strength),
) {
    let mut turn: Option<(Kind, usize, bool)> = None;
    for mark in apart(marks) {
        let Some(kind) = KINDS.get(mark.keyword) else { continue };
        let range = mark.start..mark.end;
        match kind {
            Kind::Token if is_section(text, &range) => found(rules::TEMPLATE, range, Strength::Mentioned),
            Kind::Token => found(rules::TEMPLATE, range.clone(), strength(text, &range)),
            Kind::Call if is_compared(text, range.end) || is_empty(text, range.end) => {
                found(rules::TOOL_CALL, range, Strength::Mentioned);
            }
            Kind::Call => found(rules::TOOL_CALL, range.clone(), strength(text, &range)),
            _ if !begins_line(text, range.start) => {}
            Kind::Heading => found(rules::TEMPLATE, range, Strength::Addressed),
            Kind::Tag => found(rules::TEMPLATE, range, Strength::Mentioned),
            Kind::Chapter => {
                let rest = text.as_bytes().get(range.end..).unwrap_or_default();
                let is_turn = rest.first() == Some(&b':');
                found(rules::TEMPLATE, range, if is_turn { Strength::Addressed } else { Strength::Mentioned });
            }
            Kind::Model | Kind::Person | Kind::System => {
                let says = KEPT.iter().any(|name| names(text, &range, name)) || says(text, range.end);
                let last = turn.filter(|(last, at, _)| last != kind && range.start - at < DIALOGUE_BYTES_MAX);
                let last = last.filter(|(last, ..)| (*last == Kind::Model) != (*kind == Kind::Model));
                if let Some((last, start, said)) = last {
                    let sure = (last == Kind::Person || *kind == Kind::Person) && (says || said);
                    let strength = if sure { Strength::Addressed } else { Strength::Mentioned };
                    found(rules::TEMPLATE, start..range.end, strength);
                }
                turn = Some((*kind, range.start, says));
            }
        }
    }
}

/// A form that is quoted is mentioned.
fn strength(text: &str, range: &Range<usize>) -> Strength {
    let bytes = text.as_bytes();
    let before = range.start.checked_sub(1).and_then(|index| bytes.get(index));
    let is_quoted = before.is_some() && before == bytes.get(range.end) && matches!(before, Some(b'`' | b'"' | b'\''));
    if is_quoted { Strength::Mentioned } else { Strength::Addressed }
}

/// Whether words stand behind the colon of a turn, on its line or the next: a value alone, a number or a member of its own makes a
/// setting of it (`user: root`).
fn says(text: &str, end: usize) -> bool {
    let rest = text.as_bytes().get(end..text.len().min(end + TURN_BYTES_MAX)).unwrap_or_default();
    let lines = rest.trim_ascii_start();
    let line = lines.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default().trim_ascii_end();
    let said = unopened(line);
    // What is quoted and ends in a comma is a value in a list of others.
    if said.len() < line.len() && line.ends_with(b",") {
        return false;
    }
    let words = said.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let is_word = |word: &&[u8]| word.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    let begins_word = |word: &[u8]| word.first().is_some_and(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    let begins = words.clone().next().is_some_and(|first| begins_word(first) && !first.ends_with(b":"));
    let is_mark = |byte: &&u8| matches!(byte, b'.' | b'?' | b'!');
    let is_sentence = said.iter().rev().find(|byte| !OPENING.contains(byte) && !CLOSING.contains(byte)).filter(is_mark);
    let least = if is_sentence.is_some() { 2 } else { WORDS_MIN };
    begins && (words.filter(is_word).count() >= least || !said.is_ascii())
}

/// What is said, without the quotation marks, brackets and tags before it.
fn unopened(line: &[u8]) -> &[u8] {
    let mut said = line;
    loop {
        said = match said {
            [b'<', tag @ ..] => match tag.iter().position(|byte| *byte == b'>') {
                Some(end) => tag.get(end + 1..).unwrap_or_default(),
                None => return said,
            },
            [first, rest @ ..] if OPENING.contains(first) || first.is_ascii_whitespace() => rest,
            _ => return said,
        };
    }
}

/// Whether the form at `place` is this one.
fn names(text: &str, place: &Range<usize>, form: &str) -> bool {
    text.get(place.clone()).is_some_and(|written| written.eq_ignore_ascii_case(form))
}

/// Whether a token in brackets is a line of its own and not written in capitals, as templates have it: so begin sections of settings.
fn is_section(text: &str, token: &Range<usize>) -> bool {
    let rest = text.as_bytes().get(token.end..).unwrap_or_default();
    let is_line = begins_line(text, token.start)
        && rest.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')).is_none_or(|next| *next == b'\n');
    let token = text.as_bytes().get(token.clone()).unwrap_or_default();
    is_line && token.starts_with(b"[") && !token.starts_with(b"[/") && token.iter().any(u8::is_ascii_lowercase)
}

/// Whether the colon of `"tool_calls":` ends a statement of a program and gives no value: a name follows, or a comment.
fn is_compared(text: &str, end: usize) -> bool {
    let bytes = text.as_bytes();
    let is_member = end.checked_sub(2).and_then(|at| bytes.get(at..end)) == Some(b"\":");
    let rest = bytes.get(end..text.len().min(end + MARKS_MAX)).unwrap_or_default();
    let ends_line = rest.trim_ascii_start().len() < rest.len() && matches!(rest.first(), Some(b'\n' | b'\r'));
    let next = rest.trim_ascii_start().first();
    is_member && ends_line && next.is_none_or(|next| next.is_ascii_alphabetic() || *next == b'#')
}

/// Whether the value behind the colon of `"tool_calls":` is none.
fn is_empty(text: &str, end: usize) -> bool {
    let bytes = text.as_bytes();
    let is_member = end.checked_sub(2).and_then(|at| bytes.get(at..end)) == Some(b"\":");
    let rest = bytes.get(end..).unwrap_or_default().trim_ascii_start();
    let rest = rest.strip_prefix(b"null").or_else(|| rest.strip_prefix(b"None")).map(<[u8]>::trim_ascii_start);
    is_member && rest.is_some_and(is_end)
}

/// Whether a member ends there, and no other value takes its place: `null, "a": …`, `null}`.
fn is_end(rest: &[u8]) -> bool {
    let line = |rest: &'_ [u8]| rest.iter().find(|byte| !matches!(byte, b' ' | b'\t')).copied();
    match rest {
        [] => true,
        [b',' | b'}', rest @ ..] => line(rest) != Some(b'{'),
        _ => false,
    }
}

/// Whether only white space, comment marks or a quotation mark stand before it on its line.
fn begins_line(text: &str, start: usize) -> bool {
    let ahead = text.as_bytes().iter().take(start).rev().take(MARKS_MAX);
    let mut ahead = ahead.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'#' | b'>' | b'*' | b'/' | b'-'));
    ahead.next().is_none_or(|byte| matches!(byte, b'\n' | b'"' | b'`' | b'\''))
}
