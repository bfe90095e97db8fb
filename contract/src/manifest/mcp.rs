//! `[mcp]`: a call of an upstream MCP server's tool, read and checked, and its arguments.
//!
//! Calls nothing. Standards: ToolClad, MCP proxy backend; Model Context Protocol, "Tool Names".

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::argument::Argument;
use super::argument_type::ArgumentValue;
use super::bind::Arguments;
use super::filling::Secret;
use crate::nearest::nearest;
use crate::toml_source::{Located, Section};
use gatepost_documents::digest::Digest;
use gatepost_documents::text::{forbidden, quoted};

/// The longest name of a server, a tool or a parameter, characters.
const NAME_LENGTH_MAX: usize = 128;

/// Whether a text may name a tool of a server, or a server: letters and digits of ASCII, `_`, `-` and `.`.
pub fn is_mcp_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    (1..=NAME_LENGTH_MAX).contains(&text.len()) && text.bytes().all(is_part)
}

/// A parsed `[mcp]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mcp {
    /// The server's name in the site's configuration.
    pub server: String,
    /// The upstream tool.
    pub tool: String,
    /// Our argument's name → the upstream parameter's; others keep their names.
    pub field_map: BTreeMap<String, String>,
    /// The digest that the schema of its arguments must have, as the server lists it.
    pub schema_sha256: Option<Digest>,
}

/// Reads `[mcp]`.
pub(super) fn read(section: Section<'_>, arguments: &[Argument]) -> Option<Mcp> {
    let [server, tool] = ["server", "tool"].map(|key| read_name(&section, key));
    let field_map = section.section("field_map").map(|map| read_field_map(&map, arguments)).unwrap_or_default();
    let schema_sha256 = section.text("schema_sha256").and_then(|text| read_digest(&section, text));
    section.close();
    Some(Mcp { server: server?, tool: tool?, field_map, schema_sha256 })
}

fn read_name(section: &Section<'_>, key: &'static str) -> Option<String> {
    let text = section.required_text(key)?;
    if !is_mcp_name(text.value) {
        let message = format!("{} is {}, which is not an MCP name.", section.path(key), quoted(text.value));
        let hint = format!("Use 1 to {NAME_LENGTH_MAX} of A to Z, a to z, 0 to 9, underscore, hyphen and dot.");
        section.fault(text.at, message, hint);
    }
    Some(text.value.to_owned())
}

fn read_digest(section: &Section<'_>, text: Located<&str>) -> Option<Digest> {
    let digest = Digest::parse(text.value).ok();
    if digest.is_none() {
        let message = format!("{} is not a SHA-256 digest.", section.path("schema_sha256"));
        let hint = "Write the 64 hexadecimal digits that a result states for artifacts/out/input_schema.json.";
        section.fault(text.at, message, hint);
    }
    digest
}

fn read_field_map(map: &Section<'_>, arguments: &[Argument]) -> BTreeMap<String, String> {
    let mut fields: BTreeMap<String, String> = BTreeMap::new();
    for (name, node) in map.entries() {
        let names = || arguments.iter().map(|argument| argument.name.as_str());
        if !names().any(|argument| argument == name.value) {
            let hint = nearest(name.value, names())
                .map_or("Declare it in [args].".into(), |name| format!("Did you mean `{name}`?"));
            map.fault(
                name.at,
                format!("[mcp.field_map] names {}, which is not an argument.", quoted(name.value)),
                hint,
            );
        }
        match node.get_ref().as_str() {
            Some(field) if !is_parameter(field) => {
                let message = format!("[mcp.field_map] sends {} as {}.", quoted(name.value), quoted(field));
                let hint =
                    format!("Name a parameter: 1 to {NAME_LENGTH_MAX} characters, without control or invisible ones.");
                map.fault(node.span().start, message, hint);
            }
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

/// A call of an upstream tool.
#[derive(Clone, PartialEq)]
pub struct McpCall {
    /// The typed arguments under their upstream names. May hold sensitive values.
    pub arguments: Map<String, Value>,
    /// The same with every sensitive argument as `[sensitive:name]`.
    pub shown: Map<String, Value>,
    /// The values that must never be shown.
    pub secrets: Vec<Secret>,
}

impl std::fmt::Debug for McpCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("McpCall").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl Mcp {
    /// Makes the call.
    pub fn call(&self, arguments: &Arguments) -> McpCall {
        let mut call = McpCall { arguments: Map::new(), shown: Map::new(), secrets: Vec::new() };
        for (name, value) in arguments.iter() {
            let field = self.field_map.get(name).map_or(name, String::as_str);
            call.arguments.insert(field.to_owned(), json(value));
            let shown = if arguments.is_sensitive(name) {
                call.secrets.push(Secret { name: name.to_owned(), value: value.to_string().into() });
                format!("[sensitive:{name}]").into()
            } else {
                json(value)
            };
            call.shown.insert(field.to_owned(), shown);
        }
        call
    }
}

/// Whether a text may name a parameter.
fn is_parameter(text: &str) -> bool {
    let is_shown = |character: char| !character.is_control() && forbidden(character).is_none();
    (1..=NAME_LENGTH_MAX).contains(&text.chars().count()) && text.chars().all(is_shown)
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
    use super::super::Backend;
    use super::super::fixture::{Inputs, faults, manifest, values};
    use super::NAME_LENGTH_MAX;
    use crate::scope::Scope;
    use serde_json::json;

    #[test]
    fn arguments_arrive_typed_under_their_upstream_names() {
        let body = "[args.repo]\ntype='string'\n[args.number]\ntype='integer'\n[args.draft]\ntype='boolean'\n[args.label]\ntype='string'\n\
                    [args.pin]\ntype='string'\nsensitive=true\n[mcp]\nserver='github-mcp'\ntool='create'\nfield_map={repo='repository'}";
        let manifest = manifest(body).unwrap();
        let given = values(&[("repo", "a/b"), ("number", "7"), ("draft", "true"), ("pin", "1234")]);
        let arguments = manifest.bind(&given, &Scope::default(), &Inputs).unwrap();
        let Backend::Mcp(mcp) = manifest.backend() else { panic!() };
        let call = mcp.call(&arguments);
        let expected = |pin: &str| json!({"draft": true, "number": 7, "pin": pin, "repository": "a/b"});
        assert_eq!(serde_json::Value::Object(call.arguments.clone()), expected("1234"));
        assert_eq!(serde_json::Value::Object(call.shown.clone()), expected("[sensitive:pin]"));
        assert!(*call.secrets[0].value == *"1234" && !format!("{call:?}").contains("1234"));
    }

    #[test]
    fn a_field_map_that_cannot_be_meant_is_found_at_check() {
        let arguments = "[args.repo]\ntype='string'\n[args.name]\ntype='string'\n[mcp]\n";
        let long = format!("server='x'\ntool='{}'", "y".repeat(NAME_LENGTH_MAX + 1));
        let long_field = format!("server='x'\ntool='y'\nfield_map={{repo='{}'}}", "r".repeat(NAME_LENGTH_MAX + 1));
        for (mcp, fault) in [
            ("server='x'\ntool=\"y\\u202e\"", "tool is \"y\\u{202e}\", which is not an MCP name"),
            ("server=\"x\\u0007\"\ntool='y'", "server is \"x\\u{7}\", which is not an MCP name"),
            ("server='x'\ntool='y z'", "not an MCP name"),
            (&long, "Use 1 to 128 of"),
            ("server='x'\ntool='y'\nfield_map={repo=\"r\\u202e\"}", "sends \"repo\" as \"r\\u{202e}\""),
            ("server='x'\ntool='y'\nfield_map={repo=''}", "Name a parameter"),
            (&long_field, "Name a parameter"),
            ("tool='x'", "server is missing"),
            ("server='x'\ntool=''", "tool is empty"),
            ("server='x'\ntool='y'\nfield_map={rep='r'}", "Did you mean `repo`?"),
            ("server='x'\ntool='y'\nfield_map={repo='name'}", "sends two arguments as \"name\""),
            ("server='x'\ntool='y'\nfield_map={repo=5}", "expected a text"),
            ("server='x'\ntool='y'\nschema_sha256='12'", "is not a SHA-256 digest"),
        ] {
            let found = faults(&format!("{arguments}{mcp}"));
            assert!(found.contains(fault), "{mcp}: {found}");
        }
    }
}
