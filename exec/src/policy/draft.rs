//! Cedar policies for observed calls that no policy permits, as drafts.
//!
//! A person must review a draft. It permits the observed calls and no others, as long as they are few; for many different ones it
//! bounds each argument by itself. Pure. *Security*: names and values are a requester's. Each becomes a Cedar literal of printable ASCII
//! (`literal.rs`) and never anything else; comments hold request ids, whose form is plain, and numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use gatepost_contract::argument_value::ArgumentValue;
use gatepost_contract::manifest::Manifest;
use gatepost_documents::digest::Digest;
use gatepost_documents::id::RequestId;
use serde_json::Value;

use super::literal::{attribute, quoted, wildcard};
use super::schema::{Form, MONTY, Names, REQUESTER};

/// With more calls, arguments are bounded one by one.
const CALLS_MAX: usize = 20;
/// The most values that are listed for one argument.
const VALUES_MAX: usize = 50;
/// The most ids in a comment.
const IDS_MAX: usize = 20;

/// One call that no policy permits.
#[derive(Debug, Clone)]
pub struct Observed {
    /// The request that asked for it.
    pub request_id: RequestId,
    /// The requester.
    pub requester: String,
    /// Whether a signature proved the requester.
    pub requester_proved: bool,
    /// The tool, or the interpreter of a command line or program.
    pub tool: String,
    /// The command of a session or browser, of an interaction.
    pub command: Option<String>,
    /// The arguments in the form of evidence.
    pub arguments: BTreeMap<String, String>,
    /// The number of its approvals.
    pub approvals: usize,
    /// Whether it ran without a network.
    pub is_offline: bool,
}

/// A drafted policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drafted {
    /// Its id, which its content determines.
    pub id: String,
    /// Its principal, action and resource.
    pub entities: [String; 3],
    /// The requests from which it was derived.
    pub requests: Vec<RequestId>,
    /// Its text with comments.
    pub text: String,
}

/// The drafts, and the requests for which there is none, each with the reason as a sentence.
pub type Drafts = (Vec<Drafted>, Vec<(RequestId, &'static str)>);

/// A call in Cedar's terms: its arguments as literals.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone)]
struct Call(BTreeMap<String, Cell>);

/// One value.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone)]
enum Cell {
    Long(i64),
    Text(String),
    /// A literal of another type.
    Other(String),
}

impl Cell {
    fn literal(&self) -> String {
        match self {
            Self::Long(number) => number.to_string(),
            Self::Text(text) => quoted(text),
            Self::Other(literal) => literal.clone(),
        }
    }
}

/// The common part of the calls of one policy.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Head {
    entities: [String; 3],
    /// The tool's name; none of an interpreter, which has no arguments.
    tool: Option<String>,
    is_proved: bool,
    is_offline: bool,
    approvals: usize,
}

/// Drafts policies for calls, by the manifests and interpreters that the site has now.
pub fn draft(observed: &[Observed], tools: &[&Manifest], interpreters: &[&str]) -> Drafts {
    let mut left_out = Vec::new();
    let mut groups: BTreeMap<Head, BTreeMap<Call, BTreeSet<RequestId>>> = BTreeMap::new();
    for one in observed {
        match group(one, tools, interpreters) {
            Ok((head, call)) => {
                groups.entry(head).or_default().entry(call).or_default().insert(one.request_id.clone());
            }
            Err(why) => left_out.push((one.request_id.clone(), why)),
        }
    }
    let mut drafted = Vec::new();
    for (head, calls) in groups {
        let requests: BTreeSet<RequestId> = calls.values().flatten().cloned().collect();
        match policy(&head, &calls, &requests) {
            Ok(policy) => drafted.push(policy),
            Err(why) => left_out.extend(requests.into_iter().map(|id| (id, why))),
        }
    }
    left_out.sort();
    left_out.dedup();
    (drafted, left_out)
}

fn group(one: &Observed, tools: &[&Manifest], interpreters: &[&str]) -> Result<(Head, Call), &'static str> {
    if !is_plain(&one.requester) {
        return Err("The requester's name has other characters than printable ASCII, which a policy should not name.");
    }
    let head = |names: &Names<'_>, tool: Option<&str>| Head {
        entities: [
            format!("{REQUESTER}::{}", quoted(&one.requester)),
            format!("{}::{}", names.action_type(), quoted(names.action)),
            format!("{}::{}", names.resource_type(), quoted(tool.unwrap_or(&one.tool))),
        ],
        tool: tool.map(str::to_owned),
        is_proved: one.requester_proved,
        is_offline: one.is_offline,
        approvals: one.approvals,
    };
    let found = tools.iter().find(|tool| tool.name() == one.tool);
    let Some(manifest) = found else {
        let is_interpreter = one.tool == MONTY || interpreters.contains(&one.tool.as_str());
        let is_known = is_interpreter && one.arguments.is_empty() && one.command.is_none();
        let head = is_known.then(|| (head(&Names::INTERPRETER, None), Call(BTreeMap::new())));
        return head.ok_or("The site has no such tool or interpreter now.");
    };
    let own = match &one.command {
        None => manifest,
        Some(command) => manifest.commands().get(command).ok_or("The tool has no such command now.")?,
    };
    let cells = one.arguments.iter().map(|(name, text)| Ok((name.clone(), cell(own, name, text)?)));
    let cells: Result<BTreeMap<String, Option<Cell>>, &'static str> = cells.collect();
    let shown = cells?.into_iter().filter_map(|(name, cell)| Some((name, cell?))).collect();
    Ok((head(&Names::of(own.cedar()), Some(own.name())), Call(shown)))
}

/// Cedar's validator warns of other characters, and a warning fails the check of a site's policies.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// Whether it is a number of seconds in the form of evidence: with up to three decimals.
fn seconds(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number(whole) && is_number(fraction) && fraction.len() <= 3
}

/// A value in Cedar's terms; none for a sensitive argument, whose value no evidence has.
fn cell(manifest: &Manifest, name: &str, text: &str) -> Result<Option<Cell>, &'static str> {
    let argument = manifest.argument(name).ok_or("The manifest has no such argument now.")?;
    if argument.sensitive {
        return Ok(None);
    }
    if !is_plain(text) {
        return Err("An argument has other characters than printable ASCII, which a policy should not name.");
    }
    let form = Form::of(argument.kind.kind());
    let given = ArgumentValue::Text(text.to_owned());
    // A request gives a duration in units; evidence has it in seconds.
    let accepted =
        if form == Form::Duration { seconds(text).then_some(given) } else { argument.kind.accept(&given).ok() };
    let value = accepted.ok_or("The manifest does not accept an argument now.")?;
    let text = |wrapped: &Value| wrapped.as_str().map(quoted);
    let cell = match (form, form.of_value(&value)) {
        (Form::Text, Value::String(text)) => Some(Cell::Text(text)),
        (Form::Long, Value::Number(number)) => number.as_i64().map(Cell::Long),
        (Form::Bool, Value::Bool(value)) => Some(Cell::Other(value.to_string())),
        (Form::Address, value) => text(&value).map(|text| Cell::Other(format!("ip({text})"))),
        (Form::Duration, value) => text(&value).map(|text| Cell::Other(format!("duration({text})"))),
        _ => None,
    };
    cell.map(Some).ok_or("Cedar cannot hold the value of an argument.")
}

type Calls = BTreeMap<Call, BTreeSet<RequestId>>;

fn policy(head: &Head, calls: &Calls, requests: &BTreeSet<RequestId>) -> Result<Drafted, &'static str> {
    let Head { entities: [principal, action, resource], tool, .. } = head;
    let mut conditions: Vec<String> = Vec::new();
    if head.is_proved {
        conditions.push("context.requester_proved".to_owned());
    }
    if head.approvals > 0 {
        conditions.push(format!("context.approvals.count >= {}", head.approvals));
    }
    if head.is_offline {
        conditions.push("context.network.isEmpty()".to_owned());
    }
    if let Some(tool) = tool {
        let (has, record) = attribute("context.arguments", tool);
        conditions.push(has);
        let names: BTreeSet<&str> = calls.keys().flat_map(|call| call.0.keys()).map(String::as_str).collect();
        if calls.len() <= CALLS_MAX {
            conditions.extend(exact(&record, &names, calls));
        } else {
            for name in names {
                conditions.push(bounded(&record, name, calls)?);
            }
        }
    }
    let body = if conditions.is_empty() { "true".to_owned() } else { conditions.join(" &&\n    ") };
    let rule = format!(
        "permit (\n    principal == {principal},\n    action == {action},\n    resource == {resource}\n) when {{\n    {body}\n}};\n"
    );
    let id = format!("learned-{}", &Digest::of(rule.as_bytes()).to_string()[..12]);
    let mut text = format!("// {}\n", derived(requests));
    if !head.is_offline {
        text += "// The network that was asked for is not bounded.\n";
    }
    if calls.len() > CALLS_MAX {
        let _ = writeln!(text, "// {} different calls: each argument is bounded by itself.", calls.len());
    }
    let _ = write!(text, "@id(\"{id}\")\n{rule}");
    let requests = requests.iter().cloned().collect();
    Ok(Drafted { id, entities: head.entities.clone(), requests, text })
}

/// Some ids, and the number of others.
pub fn listed<'a>(ids: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = match ids.len().saturating_sub(IDS_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    ids.take(IDS_MAX).collect::<Vec<_>>().join(", ") + &more
}

/// `From 2 requests: TR-…, TR-….`
pub(super) fn derived(requests: &BTreeSet<RequestId>) -> String {
    let noun = if requests.len() == 1 { "request" } else { "requests" };
    format!("From {} {noun}: {}.", requests.len(), listed(requests.iter().map(RequestId::as_str)))
}

/// The condition that a call is one of these; empty if they have no arguments.
fn exact(record: &str, names: &BTreeSet<&str>, calls: &Calls) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    let alternative = |(Call(cells), requests): (&Call, &BTreeSet<RequestId>)| {
        let part = |name: &&str| {
            let (has, value) = attribute(record, name);
            cells.get(*name).map_or(format!("!({has})"), |cell| format!("{has} && {value} == {}", cell.literal()))
        };
        let parts: Vec<String> = names.iter().map(part).collect();
        format!("        // {}\n        ({})", derived(requests), parts.join(" && "))
    };
    let alternatives: Vec<String> = calls.iter().map(alternative).collect();
    Some(format!("(\n{}\n    )", alternatives.join(" ||\n")))
}

/// The condition that one argument has an observed value.
fn bounded(record: &str, name: &str, calls: &Calls) -> Result<String, &'static str> {
    let with: Vec<(&Cell, &BTreeSet<RequestId>)> =
        calls.iter().filter_map(|(call, requests)| Some((call.0.get(name)?, requests))).collect();
    let values: BTreeSet<&Cell> = with.iter().map(|(cell, _)| *cell).collect();
    let requests: BTreeSet<RequestId> = with.iter().flat_map(|(_, requests)| *requests).cloned().collect();
    let (has, value) = attribute(record, name);
    let is_one = if values.len() <= VALUES_MAX {
        let literals: Vec<String> = values.iter().map(|cell| cell.literal()).collect();
        format!("[{}].contains({value})", literals.join(", "))
    } else {
        range(&value, &values).ok_or("The values of an argument have nothing in common.")?
    };
    let comment = format!("// {} values. {}\n    ", values.len(), derived(&requests));
    let is_optional = with.len() < calls.len();
    let absent = if is_optional { format!("!({has}) || ") } else { String::new() };
    Ok(format!("{comment}({absent}({has} && {is_one}))"))
}

/// The common bounds of many values: of numbers, or the prefix and suffix of texts.
fn range(value: &str, cells: &BTreeSet<&Cell>) -> Option<String> {
    let numbers: Vec<i64> =
        cells.iter().filter_map(|cell| if let Cell::Long(it) = cell { Some(*it) } else { None }).collect();
    if numbers.len() == cells.len() {
        return Some(format!("{value} >= {} && {value} <= {}", numbers.iter().min()?, numbers.iter().max()?));
    }
    let texts: Vec<&str> =
        cells.iter().filter_map(|cell| if let Cell::Text(it) = cell { Some(it.as_str()) } else { None }).collect();
    if texts.len() < cells.len() {
        return None;
    }
    let first = texts.first()?;
    let starts = |length: usize| texts.iter().all(|text| text.get(..length) == first.get(..length));
    let ends =
        |text: &str, length: usize| text.len().checked_sub(length).and_then(|at| text.get(at..)).map(str::to_owned);
    let shortest = texts.iter().map(|text| text.len()).min()?;
    let prefix = (0..=shortest).rev().find(|length| first.is_char_boundary(*length) && starts(*length))?;
    let is_end = |length: &usize| {
        let own = ends(first, *length);
        own.is_some() && texts.iter().all(|text| ends(text, *length) == own)
    };
    let suffix = (0..=shortest - prefix).rev().find(is_end)?;
    let is_any = prefix + suffix == 0;
    (!is_any).then(|| format!("{value} like {}", wildcard(&first[..prefix], &first[first.len() - suffix..])))
}

#[cfg(test)]
mod tests;
