//! `[mcp]`: a call of an upstream MCP server's tool, read and checked, and its arguments.
//!
//! Calls nothing. Standards: ToolClad, MCP proxy backend.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::argument::Argument;
use super::argument_type::ArgumentValue;
use super::bind::Arguments;
use super::quoted::{nearest, quoted};
use super::source::Section;

/// A parsed `[mcp]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mcp {
    /// The server's name in the site's configuration.
    pub server: String,
    /// The upstream tool.
    pub tool: String,
    /// Our argument's name → the upstream parameter's; others keep their names.
    pub field_map: BTreeMap<String, String>,
}

/// Reads `[mcp]`.
pub(super) fn read(section: Section<'_>, arguments: &[Argument]) -> Option<Mcp> {
    let server = section.required_text("server").map(|text| text.value.to_owned());
    let tool = section.required_text("tool").map(|text| text.value.to_owned());
    let field_map = section.section("field_map").map(|map| read_field_map(&map, arguments)).unwrap_or_default();
    section.close();
    Some(Mcp { server: server?, tool: tool?, field_map })
}

fn read_field_map(map: &Section<'_>, arguments: &[Argument]) -> BTreeMap<String, String> {
    let mut fields: BTreeMap<String, String> = BTreeMap::new();
    for (name, node) in map.entries() {
        let names = || arguments.iter().map(|argument| argument.name.as_str());
        if !names().any(|argument| argument == name.value) {
            let hint = nearest(name.value, names())
                .map_or("Declare it in [args].".into(), |name| format!("Did you mean `{name}`?"));
            map.fault(name.at, format!("[mcp.field_map] names {}, which is no argument.", quoted(name.value)), hint);
        }
        match node.get_ref().as_str() {
            Some(field) => drop(fields.insert(name.value.to_owned(), field.to_owned())),
            None => {
                map.mistyped::<()>(name.value, node, "a text", node.get_ref());
            }
        }
    }
    let mut targets: Vec<&str> = arguments
        .iter()
        .map(|argument| fields.get(&argument.name).map_or(argument.name.as_str(), String::as_str))
        .collect();
    targets.sort_unstable();
    for pair in targets.windows(2).filter(|pair| pair[0] == pair[1]) {
        let message = format!("[mcp.field_map] sends two arguments as {}.", quoted(pair[0]));
        map.fault(map.at, message, "Give each argument a parameter of its own.");
    }
    fields
}

impl Mcp {
    /// The upstream arguments, typed, under their upstream names.
    pub fn arguments(&self, arguments: &Arguments) -> Map<String, Value> {
        let field = |name: &str| self.field_map.get(name).cloned().unwrap_or_else(|| name.to_owned());
        arguments.iter().map(|(name, value)| (field(name), json(value))).collect()
    }
}

/// A value as JSON.
pub(super) fn json(value: &ArgumentValue) -> Value {
    match value {
        ArgumentValue::Text(text) => text.as_str().into(),
        ArgumentValue::Integer(number) => (*number).into(),
        ArgumentValue::Float(number) => (*number).into(),
        ArgumentValue::Boolean(value) => (*value).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Inputs, faults, manifest, values};
    use crate::scope::Scope;
    use serde_json::json;

    #[test]
    fn arguments_arrive_typed_under_their_upstream_names() {
        let body = "[args.repo]\ntype='string'\n[args.number]\ntype='integer'\n[args.draft]\ntype='boolean'\n[args.label]\ntype='string'\n\
                    [mcp]\nserver='github-mcp'\ntool='create'\nfield_map={repo='repository'}";
        let manifest = manifest(body).unwrap();
        let given = values(&[("repo", "a/b"), ("number", "7"), ("draft", "true")]);
        let arguments = manifest.bind(&given, &Scope::default(), &Inputs).unwrap();
        let expected = json!({"draft": true, "number": 7, "repository": "a/b"});
        assert_eq!(serde_json::Value::Object(manifest.mcp_arguments(&arguments)), expected);
    }

    #[test]
    fn a_field_map_that_cannot_be_meant_is_found_at_check() {
        let arguments = "[args.repo]\ntype='string'\n[args.name]\ntype='string'\n[mcp]\n";
        for (mcp, fault) in [
            ("tool='x'", "server is missing"),
            ("server='x'\ntool=''", "tool is empty"),
            ("server='x'\ntool='y'\nfield_map={rep='r'}", "Did you mean `repo`?"),
            ("server='x'\ntool='y'\nfield_map={repo='name'}", "sends two arguments as 'name'"),
            ("server='x'\ntool='y'\nfield_map={repo=5}", "expected a text"),
        ] {
            let found = faults(&format!("{arguments}{mcp}"));
            assert!(found.contains(fault), "{mcp}: {found}");
        }
    }
}
