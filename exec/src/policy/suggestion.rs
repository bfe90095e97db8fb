//! Narrower types for the string arguments of manifests, suggested from observed calls, as TOML.
//!
//! Few different values become an enumeration, many a pattern. Nothing is suggested for an argument that has a pattern, that is
//! sensitive, or that had other values than printable ASCII. Pure. *Security*: values are a requester's. Each becomes a TOML string of
//! printable ASCII on one line; comments hold request ids and numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use gatepost_contract::argument_value::ArgumentValue;
use gatepost_contract::manifest::{Kind, Manifest};
use gatepost_documents::id::RequestId;

use super::draft::{Observed, derived};

/// The most values of a suggested enumeration.
const ALLOWED_MAX: usize = 8;

/// A suggestion for one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The tool.
    pub tool: String,
    /// Its argument.
    pub argument: String,
    /// The requests from which it was derived.
    pub requests: Vec<RequestId>,
    /// The table `[TOOL.args.ARGUMENT]` with a comment.
    pub text: String,
}

type Values<'a> = BTreeMap<&'a str, BTreeSet<&'a RequestId>>;

/// Suggestions for the manifests that the site has now, from every observed call.
pub fn suggest(observed: &[Observed], tools: &[&Manifest]) -> Vec<Suggestion> {
    let mut found: BTreeMap<(&str, &str), Values<'_>> = BTreeMap::new();
    for one in observed.iter().filter(|one| one.command.is_none()) {
        let Some(manifest) = tools.iter().find(|tool| tool.name() == one.tool) else { continue };
        for (name, value) in &one.arguments {
            if manifest.argument(name).is_some_and(|argument| {
                let kind = &argument.kind;
                kind.kind() == Kind::String
                    && kind.pattern().is_none()
                    && !argument.sensitive
                    && kind.accept(&ArgumentValue::Text(value.clone())).is_ok()
            }) {
                let values = found.entry((manifest.name(), name.as_str())).or_default();
                values.entry(value).or_default().insert(&one.request_id);
            }
        }
    }
    found.into_iter().filter_map(|((tool, argument), values)| of_argument(tool, argument, &values)).collect()
}

fn of_argument(tool: &str, argument: &str, values: &Values<'_>) -> Option<Suggestion> {
    let requests: BTreeSet<RequestId> = values.values().flatten().map(|id| (*id).clone()).collect();
    let mut text =
        format!("# {} different values. {}\n[{}.args.{argument}]\n", values.len(), derived(&requests), key(tool));
    if values.len() <= ALLOWED_MAX {
        text += "type = \"enum\"\nallowed = [\n";
        for (value, requests) in values {
            let requests = requests.iter().map(|id| (*id).clone()).collect();
            let _ = writeln!(text, "    {}, # {}", quoted(value), derived(&requests));
        }
        text += "]\n";
    } else {
        let _ = writeln!(text, "pattern = {}", quoted(&pattern(values.keys().copied())?));
    }
    Some(Suggestion {
        tool: tool.to_owned(),
        argument: argument.to_owned(),
        requests: requests.into_iter().collect(),
        text,
    })
}

/// A pattern for texts of the same characters and lengths; none if they are not printable ASCII.
fn pattern<'a>(values: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let characters: BTreeSet<char> = values.clone().flat_map(str::chars).collect();
    if characters.iter().any(|character| !matches!(character, ' '..='~')) {
        return None;
    }
    let mut class = String::new();
    for (range, is_in) in [
        ("a-z", char::is_ascii_lowercase as fn(&char) -> bool),
        ("A-Z", char::is_ascii_uppercase),
        ("0-9", char::is_ascii_digit),
    ] {
        if characters.iter().any(is_in) {
            class += range;
        }
    }
    for character in characters.iter().filter(|character| !character.is_ascii_alphanumeric()) {
        let _ = write!(class, "\\x{:02x}", u32::from(*character));
    }
    let lengths = values.map(str::len);
    let (least, most) = (lengths.clone().min()?, lengths.max()?);
    let class = if class.is_empty() { String::new() } else { format!("[{class}]{{{least},{most}}}") };
    Some(format!("^{class}$"))
}

fn key(name: &str) -> String {
    let is_bare = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if is_bare { name.to_owned() } else { quoted(name) }
}

/// A basic string on one line.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            ' '..='~' if !matches!(character, '"' | '\\') => out.push(character),
            '"' | '\\' => out.extend(['\\', character]),
            other => {
                let _ = write!(out, "\\U{:08x}", u32::from(other));
            }
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use gatepost_contract::manifest::CustomTypes;

    use super::*;

    const MANIFEST: &str = "[tool]\nname='t'\nversion='1'\ndescription='d'\nbinary='x'\n[args.a]\ntype='string'\nsanitize=[]\n\
                            [command]\nexec=['x','{a}']\n[output]\nschema={}";

    fn suggested(values: &[String]) -> String {
        let manifest = Manifest::parse(MANIFEST, "t.clad.toml", &CustomTypes::default()).unwrap();
        let observed = |(number, value): (usize, &String)| Observed {
            request_id: RequestId::parse(&format!("TR-20260209-160501Z-n{number}")).unwrap(),
            requester: "r".to_owned(),
            requester_proved: false,
            tool: "t".to_owned(),
            command: None,
            arguments: [("a".to_owned(), value.clone())].into(),
            approvals: 0,
            is_offline: true,
        };
        let observed: Vec<Observed> = values.iter().enumerate().map(observed).collect();
        suggest(&observed, &[&manifest]).into_iter().map(|suggestion| suggestion.text).collect()
    }

    #[test]
    fn few_values_become_an_enumeration_whatever_they_say() {
        let values = ["x\"]\nevil = [\"", "# not a comment", "\\", "é"].map(str::to_owned);
        let text = suggested(&values);
        let read: toml::Table = toml::from_str(&text).unwrap();
        let allowed: BTreeSet<&str> =
            read["t"]["args"]["a"]["allowed"].as_array().unwrap().iter().filter_map(toml::Value::as_str).collect();
        assert_eq!(allowed, values.iter().map(String::as_str).collect(), "{text}");
        assert_eq!((read.len(), read["t"]["args"]["a"].as_table().unwrap().len()), (1, 2), "{text}");
        assert!(text.is_ascii() && text.contains("From 1 request: TR-20260209-160501Z-n0."), "{text}");
    }

    #[test]
    fn many_values_become_a_pattern_that_matches_each() {
        let values: Vec<String> = (0..20).map(|number| format!("run-{number}]")).collect();
        let read: toml::Table = toml::from_str(&suggested(&values)).unwrap();
        let pattern = read["t"]["args"]["a"]["pattern"].as_str().unwrap();
        assert_eq!(pattern, "^[a-z0-9\\x2d\\x5d]{6,7}$");
        let expression = regex::Regex::new(pattern).unwrap();
        assert!(values.iter().all(|value| expression.is_match(value)) && !expression.is_match("run-1 ]"));
        let mut strange = values;
        strange.push("é".to_owned());
        assert_eq!(suggested(&strange), "");
    }
}
