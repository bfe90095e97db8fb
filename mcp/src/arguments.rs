//! The arguments of a call: parsed from JSON, and checked against the catalog; all faults are reported at once.
//!
//! *Security*: names and values are the client's. Passing this check permits nothing: TOOL-EXEC binds each value by the
//! manifest, which is more precise than the catalog.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gatepost_contract::argument_value::ArgumentValue;
use gatepost_contract::nearest::nearest;
use gatepost_contract::network::Destination;
use gatepost_contract::request::{Input, InteractionCall, Network, input_name};
use gatepost_documents::digest::Digest;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use regex::Regex;
use serde_json::{Map, Value};

use crate::catalog::{Argument, Form, IDEMPOTENCY_KEY, NetworkKind, PURPOSE, Tool};

/// The members of a call that are not arguments of the tool.
const OWN: [&str; 5] = ["_inputs", PURPOSE, IDEMPOTENCY_KEY, "_network", "interactions"];

/// The content of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Arguments {
    /// The tool's own arguments, by name.
    pub args: BTreeMap<String, ArgumentValue>,
    /// The interactions of a session or browser.
    pub interactions: Vec<InteractionCall>,
    /// The requested network.
    pub network: Network,
    /// The input files with their bytes.
    pub inputs: Vec<(Input, Vec<u8>)>,
    /// The purpose, in one line.
    pub purpose: Option<String>,
    /// The client's idempotency key.
    pub idempotency_key: Option<String>,
}

impl Arguments {
    /// Parses the arguments of a tool call, or returns all faults.
    pub fn read(tool: &Tool, form: &Form, given: &Map<String, Value>) -> Result<Self, Vec<Reason>> {
        let mut faults = Vec::new();
        let own = |name: &str| given.get(name).filter(|value| !value.is_null());
        let (purpose, idempotency_key) = (text(given, PURPOSE, &mut faults), text(given, IDEMPOTENCY_KEY, &mut faults));
        let args = args(tool, given, &mut faults);
        let inputs = own("_inputs").map(|inputs| read_inputs(inputs, form, &mut faults)).unwrap_or_default();
        let network = network(tool, own("_network"), &mut faults);
        let interactions = own("interactions").map(|given| interactions(given, &mut faults)).unwrap_or_default();
        if faults.is_empty() {
            return Ok(Self { args, interactions, network, inputs, purpose, idempotency_key });
        }
        Err(faults)
    }
}

/// A string member, if the call has it.
pub(crate) fn text(given: &Map<String, Value>, name: &str, faults: &mut Vec<Reason>) -> Option<String> {
    match given.get(name)? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        _ => {
            faults.push(invalid(name, "is not a text", "Give it as a JSON string."));
            None
        }
    }
}

/// The fault of a member; `fault` continues the sentence after its name.
pub(crate) fn invalid(name: &str, fault: &str, hint: &str) -> Reason {
    Reason::new(Code::ArgumentInvalid, format!("The argument {} {fault}.", quoted(name)), hint)
}

fn args(tool: &Tool, given: &Map<String, Value>, faults: &mut Vec<Reason>) -> BTreeMap<String, ArgumentValue> {
    let mut args = BTreeMap::new();
    for (name, value) in given.iter().filter(|(name, _)| !OWN.contains(&name.as_str())) {
        let Some(argument) = tool.arguments.iter().find(|argument| argument.name == *name) else {
            let names: Vec<&str> = tool.arguments.iter().map(|argument| argument.name.as_str()).collect();
            faults.push(unknown(&tool.name, &names, name));
            continue;
        };
        // A null stands for an absent member: some clients fill in every member.
        if value.is_null() && !argument.required {
            continue;
        }
        match accepted(argument, value) {
            Ok(value) => _ = args.insert(name.clone(), value),
            Err(fault) => faults.push(invalid(name, &fault, &expectation(argument))),
        }
    }
    let is_missing = |argument: &&Argument| {
        argument.required && argument.default.is_none() && !given.contains_key(argument.name.as_str())
    };
    for argument in tool.arguments.iter().filter(is_missing) {
        faults.push(missing(&tool.name, &argument.name, expectation(argument)));
    }
    args
}

/// The fault of a member that a tool does not take.
pub(crate) fn unknown(tool: &str, names: &[&str], name: &str) -> Reason {
    let hint = match nearest(name, names.iter().copied()) {
        Some(nearest) => format!("Did you mean `{nearest}`?"),
        None if names.is_empty() => "This tool takes no arguments.".to_owned(),
        None => format!("The arguments are: {}.", names.join(", ")),
    };
    Reason::new(Code::ArgumentUnknown, format!("The tool {tool} has no argument {}.", quoted(name)), hint)
}

/// The fault of a required argument that is missing; `expectation` describes its values.
pub(crate) fn missing(tool: &str, name: &str, expectation: String) -> Reason {
    Reason::new(Code::ArgumentMissing, format!("The argument {name} of {tool} is missing."), expectation)
}

/// The value of an argument, or its fault as the end of a sentence.
fn accepted(argument: &Argument, value: &Value) -> Result<ArgumentValue, String> {
    let value = match value {
        Value::String(text) => ArgumentValue::Text(text.clone()),
        Value::Bool(boolean) => ArgumentValue::Boolean(*boolean),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => ArgumentValue::Integer(integer),
            (None, Some(float)) if float.is_finite() => ArgumentValue::Float(float),
            _ => return Err("is a number that is too large".to_owned()),
        },
        _ => return Err("is neither a text, a number nor a boolean".to_owned()),
    };
    let text = value.to_string();
    match argument.r#type.as_str() {
        "integer" | "port" => {
            let number: i64 = text.parse().map_err(|_| "is not an integer in plain digits")?;
            within(argument, |bound| bound.parse::<i64>().ok(), &number)?;
        }
        "number" => {
            let number: f64 = text.parse().map_err(|_| "is not a finite number in plain digits")?;
            within(argument, |bound| bound.parse::<f64>().ok(), &number)?;
        }
        "boolean" if !matches!(text.as_str(), "true" | "false") => return Err("is neither true nor false".to_owned()),
        "boolean" | "duration" => {}
        "enum" if !argument.allowed.contains(&text) => {
            return Err(format!("is not in allowed: {}", argument.allowed.join(", ")));
        }
        _ if !matches!(value, ArgumentValue::Text(_)) => {
            return Err(format!("is {text} without quotes, but a text is expected"));
        }
        _ => matching(argument, &text)?,
    }
    Ok(value)
}

fn within<T: PartialOrd>(argument: &Argument, read: impl Fn(&str) -> Option<T>, number: &T) -> Result<(), String> {
    if argument.clamp {
        return Ok(());
    }
    let bound = |bound: &Option<String>| bound.as_deref().and_then(&read);
    match (bound(&argument.min), bound(&argument.max)) {
        (Some(min), _) if *number < min => {
            Err(format!("is below the minimum {}", argument.min.as_deref().unwrap_or_default()))
        }
        (_, Some(max)) if *number > max => {
            Err(format!("is above the maximum {}", argument.max.as_deref().unwrap_or_default()))
        }
        _ => Ok(()),
    }
}

/// Matches a pattern; TOOL-EXEC judges an invalid one.
fn matching(argument: &Argument, text: &str) -> Result<(), String> {
    let Some(pattern) = argument.pattern.as_deref() else { return Ok(()) };
    match Regex::new(pattern) {
        Ok(regex) if !regex.is_match(text) => Err(format!("does not match {}", quoted(pattern))),
        _ => Ok(()),
    }
}

fn expectation(argument: &Argument) -> String {
    let bounds = match (&argument.min, &argument.max) {
        (Some(min), Some(max)) => format!(", {min} to {max}"),
        (Some(min), None) => format!(", at least {min}"),
        (None, Some(max)) => format!(", at most {max}"),
        (None, None) => String::new(),
    };
    let allowed =
        if argument.allowed.is_empty() { String::new() } else { format!(": {}", argument.allowed.join(", ")) };
    format!("Expected: {}{bounds}{allowed}.", argument.r#type)
}

/// The destinations of a request: all of a tool with its own, otherwise those of the call.
fn network(tool: &Tool, given: Option<&Value>, faults: &mut Vec<Reason>) -> Network {
    let mut parse = |texts: Vec<&str>| {
        let mut destinations = Vec::new();
        for text in texts {
            match Destination::parse(text) {
                Some(destination) => destinations.push(destination),
                None => faults.push(invalid("_network", &format!("has {}", quoted(text)), "Write host:port.")),
            }
        }
        destinations
    };
    let listed = given.map(|given| given.as_array().into_iter().flatten().map(|one| one.as_str().unwrap_or_default()));
    let listed: Vec<&str> = listed.into_iter().flatten().collect();
    match tool.network.kind {
        NetworkKind::Own => Network::to(parse(tool.network.destinations.iter().map(String::as_str).collect())),
        NetworkKind::Targets => Network::Allowlist(parse(listed)),
        NetworkKind::None | NetworkKind::Listed => Network::to(parse(listed)),
    }
}

fn interactions(given: &Value, faults: &mut Vec<Reason>) -> Vec<InteractionCall> {
    let parse = |one: &Value| InteractionCall::from_json(&one.to_string());
    let read: Option<Vec<_>> = given.as_array().and_then(|given| given.iter().map(parse).collect());
    read.unwrap_or_else(|| {
        let hint = "Write a list of {\"command\": \"NAME\", \"args\": {}}.";
        faults.push(invalid("interactions", "is not a list of interactions", hint));
        Vec::new()
    })
}

fn read_inputs(given: &Value, form: &Form, faults: &mut Vec<Reason>) -> Vec<(Input, Vec<u8>)> {
    let Some(files) = given.as_array() else {
        faults.push(invalid("_inputs", "is not a list", "Write a list of {\"name\": …, \"content_base64\": …}."));
        return Vec::new();
    };
    if files.len() > usize::try_from(form.inputs_max).unwrap_or(usize::MAX) {
        let fault = format!("has {} files; at most {} are allowed", files.len(), form.inputs_max);
        faults.push(invalid("_inputs", &fault, "Send fewer files."));
        return Vec::new();
    }
    let (mut inputs, mut left) = (Vec::new(), form.inputs_bytes_max);
    for file in files {
        let member = |name: &str| file.get(name).and_then(Value::as_str);
        let Some(name) = member("name").and_then(input_name) else {
            let name = quoted(member("name").unwrap_or_default());
            let hint = format!("Expected: {}.", gatepost_contract::request::INPUT_NAME_FORM);
            faults.push(invalid("_inputs", &format!("has a file with the name {name}"), &hint));
            continue;
        };
        let Some(bytes) = member("content_base64").and_then(|text| STANDARD.decode(text).ok()) else {
            let fault = format!("has no valid content_base64 for {}", quoted(&name));
            faults.push(invalid("_inputs", &fault, "Encode the bytes as base64 (RFC 4648, with padding)."));
            continue;
        };
        let Some(rest) = left.checked_sub(bytes.len() as u64) else {
            let fault = format!("has more than {} bytes together", form.inputs_bytes_max);
            faults.push(invalid("_inputs", &fault, "Send less data."));
            return Vec::new();
        };
        left = rest;
        inputs.push((Input { sha256: Digest::of(&bytes), name }, bytes));
    }
    inputs
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::sample;

    fn read(given: &Value) -> Result<Arguments, Vec<String>> {
        let catalog = sample();
        let read = Arguments::read(&catalog.tools[0], &catalog.request, given.as_object().unwrap());
        read.map_err(|faults| faults.iter().map(|fault| format!("{} {}", fault.code, fault.message)).collect())
    }

    #[test]
    fn a_call_is_read_with_its_inputs_and_what_belongs_to_no_argument() {
        let call = read(&json!({
            "n": 5, "_purpose": "count", "_idempotency_key": "k",
            "_inputs": [{"name": "a.txt", "content_base64": "b25lCg=="}],
        }))
        .unwrap();
        assert_eq!(call.args["n"], ArgumentValue::Integer(5));
        assert_eq!((call.purpose.as_deref(), call.idempotency_key.as_deref()), (Some("count"), Some("k")));
        assert_eq!((call.inputs[0].0.name.as_str(), call.inputs[0].1.as_slice()), ("a.txt", b"one\n".as_slice()));
        assert_eq!(call.network, Network::None);
    }

    #[test]
    fn all_faults_come_at_once() {
        let faults = read(&json!({"m": 1, "_purpose": 5, "_inputs": [{"name": "../a", "content_base64": "!"}]}));
        let faults = faults.unwrap_err();
        let starts = [
            "argument_invalid The argument \"_purpose\"",
            "argument_unknown The tool count has no argument \"m\"",
            "argument_missing The argument n of count",
            "argument_invalid The argument \"_inputs\" has a file with the name \"../a\"",
        ];
        assert_eq!(faults.len(), starts.len(), "{faults:#?}");
        for (fault, start) in faults.iter().zip(starts) {
            assert!(fault.starts_with(start), "{fault}");
        }
    }

    #[test]
    fn a_value_of_another_type_or_outside_its_bounds_is_refused() {
        for (value, fault) in [
            (json!(0), "below the minimum 1"),
            (json!("10"), "above the maximum 9"),
            (json!("x"), "not an integer"),
            (json!(1.5), "not an integer"),
            (json!(null), "neither a text"),
            (json!([1]), "neither a text"),
            (serde_json::from_str("123456789012345678901234567890").unwrap(), "not an integer"),
        ] {
            let faults = read(&json!({"n": value})).unwrap_err();
            assert!(faults.len() == 1 && faults[0].contains(fault), "{faults:?}");
        }
    }

    #[test]
    fn inputs_keep_to_the_limits_of_the_inbox() {
        let file = |name: &str, bytes: &[u8]| json!({"name": name, "content_base64": STANDARD.encode(bytes)});
        let inputs = |files: Vec<Value>| read(&json!({"n": 1, "_inputs": files}));
        assert!(inputs(vec![file("a", b"1234"), file("b", b"1234")]).is_ok());
        assert!(inputs(vec![file("a", b"1234"), file("b", b"12345")]).unwrap_err()[0].contains("8 bytes"));
        assert!(inputs(vec![file("a", b""), file("b", b""), file("c", b"")]).unwrap_err()[0].contains("3 files"));
        assert!(inputs(vec![json!({"name": "a", "content_base64": "x"})]).is_err());
        assert!(inputs(vec![json!(5)]).is_err());
    }
}
