//! The call that a request asks for: a manifest's tool with its arguments, a command line, a program, or pages.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{command, split};

/// The lane, with the parts that its evidence repeats.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// A manifest's tool, its arguments as printed, and the interactions of a session.
    Clad { tool: String, args: BTreeMap<String, String>, interactions: Vec<Interaction> },
    /// An argument vector; empty if the request has none.
    Era(Vec<String>),
    /// A program without a name of its own.
    Monty,
    /// Pages, by their URLs.
    Fetch(Vec<String>),
}

/// One interaction of a session, with its arguments as printed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Interaction {
    pub(crate) command: String,
    pub(crate) args: BTreeMap<String, String>,
}

impl Lane {
    /// The text form, as in `backend`.
    pub(crate) const fn as_str(&self) -> &'static str {
        match self {
            Self::Clad { .. } => "clad",
            Self::Era(_) => "ERA",
            Self::Monty => "monty",
            Self::Fetch(_) => "fetch",
        }
    }

    /// Reads it from the keys and the sections. A version 1 request without a backend means ERA.
    pub(super) fn read(fields: &Value, body: &str) -> Option<Self> {
        let is_version_1 = fields.get("schema_version").is_some_and(|version| *version == 1 || *version == "1");
        match fields.get("backend").map(Value::as_str) {
            None if is_version_1 => Some(Self::era(body)),
            Some(Some("ERA")) => Some(Self::era(body)),
            Some(Some("monty")) => Some(Self::Monty),
            Some(Some("fetch")) => {
                let urls = fields.get("urls").and_then(Value::as_array).into_iter().flatten();
                Some(Self::Fetch(urls.filter_map(Value::as_str).map(str::to_owned).collect()))
            }
            Some(Some("clad")) => {
                let interactions = fields.get("interactions").and_then(Value::as_array).into_iter().flatten();
                let interaction = |one| Interaction { command: text(one, "command"), args: args(one) };
                let interactions = interactions.map(interaction).collect();
                Some(Self::Clad { tool: text(fields, "tool"), args: args(fields), interactions })
            }
            _ => None,
        }
    }

    fn era(body: &str) -> Self {
        Self::Era(command::line(body).and_then(split).unwrap_or_default())
    }
}

fn text(fields: &Value, key: &str) -> String {
    fields.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn args(fields: &Value) -> BTreeMap<String, String> {
    let args = fields.get("args").and_then(Value::as_object).into_iter().flatten();
    args.map(|(name, value)| (name.clone(), printed(value))).collect()
}

/// A value as a tool gets it: a number has neither an exponent nor a zero fraction.
fn printed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (None, Some(float)) => float.to_string(),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_missing_backend_means_era_in_version_1_alone() {
        let body = "## Command\n\npython3 'a b'\n";
        let era = Some(Lane::Era(vec!["python3".to_owned(), "a b".to_owned()]));
        for fields in [json!({"schema_version": 1}), json!({"schema_version": "1"}), json!({"backend": "ERA"})] {
            assert_eq!(Lane::read(&fields, body), era, "{fields}");
        }
        for fields in [json!({"schema_version": 2}), json!({"backend": "era"}), json!({"backend": null})] {
            assert_eq!(Lane::read(&fields, body), None, "{fields}");
        }
        assert_eq!(Lane::read(&json!({"backend": "monty"}), ""), Some(Lane::Monty));
    }

    #[test]
    fn an_argument_is_what_the_tool_gets() {
        let given = json!({"a": "x", "b": 3, "c": 2.0, "d": 1e-7, "e": true});
        let fields =
            json!({"backend": "clad", "tool": "t", "args": given, "interactions": [{"command": "c", "args": given}]});
        let args = [("a", "x"), ("b", "3"), ("c", "2"), ("d", "0.0000001"), ("e", "true")];
        let args: BTreeMap<_, _> = args.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let interactions = vec![Interaction { command: "c".to_owned(), args: args.clone() }];
        assert_eq!(Lane::read(&fields, ""), Some(Lane::Clad { tool: "t".to_owned(), args, interactions }));
    }
}
