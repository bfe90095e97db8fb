//! The lane of a request: a manifest's tool, one command line, a program in the Python subset, or pages of the web.

use std::collections::BTreeMap;

use gatepost_documents::evidence::INTERACTIONS_MAX;
use gatepost_documents::front_matter::{ScalarKind, Value};
use gatepost_documents::reason::{Code, Reason};
#[cfg(doc)]
use gatepost_documents::sources::URLS_MAX;

use super::field::{self, Faults, Fields};
use super::key::{CLAD_KEYS, FETCH_KEYS};
use super::section::{self, Expected, Section};
use super::{Form, Parts, Version, command, json, pages, risk};
use crate::argument_value::ArgumentValue;

/// How a request is executed, with all that this needs.
#[derive(Debug, Clone, PartialEq)]
pub enum Lane {
    /// A typed call of a manifest.
    Clad(CladCall),
    /// One command line in the heavy sandbox.
    Era(EraCommand),
    /// A program in the Python subset, in process.
    Monty(MontyProgram),
    /// Pages of the web.
    Fetch(Pages),
}

impl Lane {
    /// The text form, as in `backend`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Clad(_) => "clad",
            Self::Era(_) => "ERA",
            Self::Monty(_) => "monty",
            Self::Fetch(_) => "fetch",
        }
    }
}

/// A tool and its arguments, not yet compared with its manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct CladCall {
    /// The manifest's name: `[a-z][a-z0-9_-]{0,63}`.
    pub tool: String,
    /// Arguments by name.
    pub args: BTreeMap<String, ArgumentValue>,
    /// The interactions of a session, in order.
    pub interactions: Vec<InteractionCall>,
}

/// A command of a session and its arguments, not yet compared with the manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct InteractionCall {
    /// Its name: `[a-z][a-z0-9_]{0,63}`.
    pub command: String,
    /// Arguments by name.
    pub args: BTreeMap<String, ArgumentValue>,
}

/// One program call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EraCommand {
    /// The program and its arguments, at least the program.
    pub argv: Vec<String>,
    /// The language that the request declares.
    pub language: Option<Language>,
}

impl EraCommand {
    /// The name of its program, without a path; empty where it is no plain one.
    pub fn name(&self) -> &str {
        let program = self.argv.first().map_or("", String::as_str);
        let name = program.rsplit('/').next().unwrap_or_default();
        if is_program_name(name) { name } else { "" }
    }
}

/// Whether a text is a plain name of a program: 1 to 64 of letters, digits, `.`, `_`, `+` and `-`; no path, no option.
pub fn is_program_name(text: &str) -> bool {
    let tail = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
    text.len() <= 64 && text.starts_with(|first: char| first.is_ascii_alphanumeric()) && text.bytes().all(tail)
}

/// A program and its inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct MontyProgram {
    /// The program's text, not empty.
    pub code: String,
    /// Its inputs, an object.
    pub inputs: Option<serde_json::Value>,
}

/// Pages of the web.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pages {
    /// Their URLs, 1 to [`URLS_MAX`], each once, as [`pages::url`] reads one.
    pub urls: Vec<String>,
    /// Kilobytes of one page, at most; above 0.
    pub size_limit_kb: Option<u64>,
}

/// The language of a command or program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Python.
    Python,
    /// JavaScript on Node.
    Node,
    /// TypeScript.
    Ts,
    /// Go.
    Go,
    /// Ruby.
    Ruby,
}

impl Language {
    /// Every language.
    pub const ALL: [Self; 5] = [Self::Python, Self::Node, Self::Ts, Self::Go, Self::Ruby];

    /// The text form, as in `language`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::Node => "node",
            Self::Ts => "ts",
            Self::Go => "go",
            Self::Ruby => "ruby",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == text)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Backend {
    Clad,
    Era,
    Monty,
    Fetch,
}

const ERA_SECTIONS: &[Expected] = &[
    Expected { title: "Command", required: true },
    Expected { title: "Input Files", required: true },
    Expected { title: "Output Expectations", required: true },
    Expected { title: "Risk Assessment", required: true },
];
const MONTY_SECTIONS: &[Expected] = &[
    Expected { title: "Code", required: true },
    Expected { title: "Inputs (JSON)", required: false },
    Expected { title: "Output Expectations", required: true },
    Expected { title: "Risk Assessment", required: true },
];

/// Reads the lane; `None` when something about it was refused.
pub(super) fn read(
    fields: &Fields<'_>,
    version: Version,
    parts: Parts<'_>,
    has_network: bool,
    faults: &mut Faults,
) -> Option<Lane> {
    let backend = backend(fields, version, faults)?;
    let language = fields.text("language", faults, Language::parse);
    if version == Version::V2 {
        for (own, owner, keys) in [(Backend::Clad, "clad", &CLAD_KEYS[..]), (Backend::Fetch, "fetch", &FETCH_KEYS)] {
            if backend != own {
                refuse_keys(fields, owner, keys, faults);
            }
        }
    }
    if backend == Backend::Clad {
        return clad(fields, faults).map(Lane::Clad);
    }
    if backend == Backend::Fetch {
        return pages::read(fields, faults).map(Lane::Fetch);
    }
    if parts.form == Form::Json {
        let message = "This backend needs sections, which the JSON form does not have.";
        let reason = Reason::new(Code::ValueInvalid, message, "Write the request as a markdown file.");
        fields.refuse("backend", reason, faults);
        return None;
    }
    let expected = if backend == Backend::Era { ERA_SECTIONS } else { MONTY_SECTIONS };
    let sections = section::read(parts.body, parts.body_line, expected, faults);
    let find = |title: &str| sections.iter().find(|section| section.title == title);
    if let Some(section) = find("Risk Assessment") {
        risk::check(section, has_network, faults);
    }
    if backend == Backend::Era {
        let argv = command::read(find("Command")?, faults)?;
        return Some(Lane::Era(EraCommand { argv, language }));
    }
    refuse_files(fields, has_network, faults);
    if language.is_some_and(|language| language != Language::Python) {
        let message = "A monty request must be written in Python.";
        fields.refuse("language", Reason::new(Code::ValueInvalid, message, "Write `language: python`."), faults);
    }
    let inputs = find("Inputs (JSON)").map(|section| inputs(section, faults));
    let code = code(find("Code")?, faults)?;
    Some(Lane::Monty(MontyProgram { code, inputs: inputs.flatten() }))
}

/// A version 1 document without a backend means ERA, and has no clad fields.
fn backend(fields: &Fields<'_>, version: Version, faults: &mut Faults) -> Option<Backend> {
    if version == Version::V1 && !fields.has("backend") {
        return Some(Backend::Era);
    }
    fields.text("backend", faults, |text| match text {
        "clad" if version == Version::V2 => Some(Backend::Clad),
        "ERA" => Some(Backend::Era),
        "monty" => Some(Backend::Monty),
        "fetch" if version == Version::V2 => Some(Backend::Fetch),
        _ => None,
    })
}

fn clad(fields: &Fields<'_>, faults: &mut Faults) -> Option<CladCall> {
    if !fields.has("tool") {
        fields.missing("tool", "a clad request", faults);
    }
    let tool = fields.text("tool", faults, |text| name(text, b"_-"));
    let args = fields.map("args", "text, a number, true or false", faults, argument).into_iter().collect();
    let interactions = fields.list("interactions", faults, interaction);
    let is_empty = fields.has("interactions") && !fields.has_members("interactions");
    if is_empty || interactions.len() > INTERACTIONS_MAX {
        let message = format!("The request has {} interactions, expected 1 to {INTERACTIONS_MAX}.", interactions.len());
        let hint = "List what is to be done in the session; spread more over several requests.";
        fields.refuse("interactions", Reason::new(Code::ValueInvalid, message, hint), faults);
    }
    Some(CladCall { tool: tool?, args, interactions })
}

/// A lower-case letter, then lower-case letters, digits and these; at most 64 in all.
fn name(text: &str, others: &[u8]) -> Option<String> {
    let tail = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || others.contains(&byte);
    let first = |first: char| first.is_ascii_lowercase();
    (text.len() <= 64 && text.starts_with(first) && text.bytes().all(tail)).then(|| text.to_owned())
}

impl InteractionCall {
    /// Reads `{"command": "NAME", "args": {…}}`, as the list in a request has it.
    pub fn from_json(text: &str) -> Option<Self> {
        interaction(&Value::Map(json::read_entries(text).ok()?))
    }
}

fn interaction(value: &Value) -> Option<InteractionCall> {
    let Value::Map(entries) = value else { return None };
    let member = |name: &str| entries.iter().find(|entry| entry.key == name).map(|entry| &entry.node.value);
    let args = match member("args") {
        None => BTreeMap::new(),
        Some(Value::Map(args)) => {
            args.iter().map(|entry| Some((entry.key.clone(), argument(&entry.node.value)?))).collect::<Option<_>>()?
        }
        Some(_) => return None,
    };
    let is_known = entries.iter().all(|entry| matches!(entry.key.as_str(), "command" | "args"));
    is_known.then_some(InteractionCall { command: name(field::text(member("command")?)?, b"_")?, args })
}

fn argument(value: &Value) -> Option<ArgumentValue> {
    let Value::Scalar { text, kind } = value else { return None };
    Some(match kind {
        ScalarKind::Text => ArgumentValue::Text(text.clone()),
        ScalarKind::Integer(number) => ArgumentValue::Integer(*number),
        ScalarKind::Float(number) => ArgumentValue::Float(*number),
        ScalarKind::Boolean(boolean) => ArgumentValue::Boolean(*boolean),
    })
}

fn refuse_keys(fields: &Fields<'_>, owner: &str, keys: &[&str], faults: &mut Faults) {
    for name in keys.iter().filter(|name| fields.has(name)) {
        let message = format!("The key {name} is only valid with the backend {owner}.");
        let reason = Reason::new(Code::KeyUnknown, message, format!("Remove it, or write `backend: {owner}`."));
        fields.refuse(name, reason, faults);
    }
}

/// monty has no files and no network.
fn refuse_files(fields: &Fields<'_>, has_network: bool, faults: &mut Faults) {
    for name in ["inputs", "outputs_expected"].into_iter().filter(|name| fields.has_members(name)) {
        let message = format!("The list {name} of a monty request must be empty.");
        let reason = Reason::new(Code::ValueInvalid, message, "Use the backend ERA for files.");
        fields.refuse(name, reason, faults);
    }
    if has_network {
        let message = "A monty request cannot ask for a network.";
        fields.refuse("network", Reason::new(Code::ValueInvalid, message, "Write `network: none`."), faults);
    }
}

fn code(section: &Section<'_>, faults: &mut Faults) -> Option<String> {
    let (code, _) = section.content(faults);
    if code.trim().is_empty() {
        let message = "The section Code is empty.";
        let reason = Reason::new(Code::ValueInvalid, message, "Write the program inside a fence.");
        faults.add((section.line, 1), reason);
        return None;
    }
    Some(code)
}

fn inputs(section: &Section<'_>, faults: &mut Faults) -> Option<serde_json::Value> {
    let (source, first_line) = section.content(faults);
    if let Err(reason) = json::read_entries(&source) {
        let place = (reason.line.unwrap_or(1) - 1 + first_line, reason.column.unwrap_or(1));
        faults.add(place, *reason);
        return None;
    }
    serde_json::from_str(&source).ok()
}
