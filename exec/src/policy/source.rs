//! One file of policies: Cedar text to policies, each with its id and its place.
//!
//! The id is that of `@id("…")`, or `<file>:<line>`. Templates are refused, because gatepost does not fill them in.

use cedar_policy::{Effect, Policy, PolicyId, PolicySet};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::{self, quoted};
use miette::Diagnostic;
use schemars::JsonSchema;
use serde::Serialize;

/// A policy as people are told of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Listed {
    /// Its file, below the site.
    pub file: String,
    /// The line on which it begins, annotations included; from 1.
    pub line: u32,
    /// Its id.
    pub id: String,
    /// `permit` or `forbid`.
    pub effect: &'static str,
}

impl std::fmt::Display for Listed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { file, line, id, .. } = self;
        if *id == own_id(file, *line) { f.write_str(id) } else { write!(f, "{id} ({file}, line {line})") }
    }
}

/// The characters that [`is_plain`] accepts.
const PLAIN: &str = "Use up to 64 of A to Z, a to z, 0 to 9, hyphen, underscore and dot; begin with a letter or digit.";

/// Results show ids and files in their own sentences, so a sentence in an id would look like gatepost's text.
fn is_plain(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// The id of a policy without an explicit one.
fn own_id(file: &str, line: u32) -> String {
    format!("{file}:{line}")
}

/// Reads a file; returns every fault with its place. Codes: `policy_invalid`, and those of hostile bytes.
pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Vec<(Policy, Listed)>, Vec<Reason>> {
    if !file.strip_prefix("policies/").is_some_and(is_plain) {
        let message = "Results name the file, and their form does not allow this name.";
        return Err(vec![invalid(message, PLAIN).in_file(quoted(file))]);
    }
    let text = text::check(bytes, file)?;
    let set: PolicySet = text.parse().map_err(|errors: cedar_policy::ParseErrors| {
        errors.iter().map(|error| fault(error, "Syntax error", file, text)).collect::<Vec<_>>()
    })?;
    if let Some(template) = set.templates().next() {
        let message = "This is a template (?principal or ?resource), and gatepost does not fill in templates.";
        let at = text.find(&template.to_cedar()).unwrap_or_default();
        return Err(vec![invalid(message, "Name the principal and the resource.").in_file(file).at_byte(text, at)]);
    }
    let mut policies: Vec<&Policy> = set.policies().collect();
    // Cedar numbers them in the order of the file.
    policies.sort_by_key(|policy| policy.id().to_string().trim_start_matches("policy").parse::<usize>().unwrap_or(0));
    let mut from = 0;
    let mut reasons = Vec::new();
    let located: Vec<_> = policies
        .into_iter()
        .map(|policy| {
            let own = policy.to_cedar().unwrap_or_default();
            let at = text.len() - without_comments(text.get(from..).unwrap_or_default()).len();
            from = at + own.len();
            let line = invalid("", "").at_byte(text, at).line.unwrap_or(1);
            let id = policy.annotation("id").map_or_else(|| own_id(file, line), str::to_owned);
            if policy.annotation("id").is_some_and(|id| !is_plain(id)) {
                let message = format!("The @id is {}, which the form of results does not allow.", quoted(&id));
                reasons.push(invalid(&message, PLAIN).in_file(file).at(line, 1));
            }
            let effect = if policy.effect() == Effect::Permit { "permit" } else { "forbid" };
            (policy.new_id(PolicyId::new(&id)), Listed { file: file.to_owned(), line, id, effect })
        })
        .collect();
    if reasons.is_empty() { Ok(located) } else { Err(reasons) }
}

/// The text from the next policy on, without the blanks and comments before it.
fn without_comments(text: &str) -> &str {
    let mut text = text.trim_start();
    while text.starts_with("//") {
        text = text.split_once('\n').map_or("", |(_, rest)| rest.trim_start());
    }
    text
}

/// Cedar's error for a text, with its place.
pub(super) fn fault(error: &(impl Diagnostic + ?Sized), what: &str, file: &str, text: &str) -> Reason {
    let error_text = error.to_string();
    let tool = unknown_tool(&error_text);
    let listed = if tool.is_some() { "known tools:" } else { "there are:" };
    let help = error.help().map(|help| help.to_string().replacen("valid entity eids:", listed, 1));
    let help = help.map_or_else(|| "Correct it at this place.".to_owned(), |help| sentence(&help));
    let message = match tool {
        Some(tool) => format!("The policy names an unknown tool: {tool}."),
        None => format!("{what}: {}.", plainly(&error_text)),
    };
    let message = message.replace('\n', " ");
    let reason = invalid(&message, &help).in_file(file);
    let at = error.labels().and_then(|mut labels| labels.next()).map(|label| label.offset());
    at.map_or(reason.clone(), |at| reason.at_byte(text, at))
}

/// The name of a tool that its type does not list, in quotation marks as Cedar prints it.
fn unknown_tool(error: &str) -> Option<&str> {
    unlisted(error)?.strip_prefix("`Gatepost::Tool::")?.strip_suffix('`')
}

/// An entity that its type does not list.
fn unlisted(error: &str) -> Option<&str> {
    Some(error.split_once(": entity ")?.1.split_once(" is of an enumerated entity type")?.0)
}

/// An entity that its type does not list, without Cedar's terms.
fn plainly(error: &str) -> String {
    unlisted(error).map_or_else(|| error.to_owned(), |entity| format!("there is no {entity}"))
}

/// With a capital letter and an end.
fn sentence(text: &str) -> String {
    let text = text.replace('\n', " ");
    let mut characters = text.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{end}", characters.as_str())
}

/// A fault of a policy, without a place.
pub(super) fn invalid(message: &str, hint: &str) -> Reason {
    Reason::new(Code::PolicyInvalid, message, hint)
}
