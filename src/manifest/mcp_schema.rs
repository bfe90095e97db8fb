//! A manifest as the Model Context Protocol shows a tool: `name`, `description`, `inputSchema`, `outputSchema`.
//!
//! `outputSchema` is that of the whole envelope, made from the envelope's own type, so that it holds for every envelope that is written.
//!
//! Standards: MCP 2025-06-18, Tools; JSON Schema 2020-12.

use gatepost_gate::evidence::Evidence;
use serde_json::{Map, Value, json};

use super::Manifest;
use super::argument::Argument;
use super::argument_type::{ArgumentType, Bounds, Kind, Rule};
use super::mcp;

/// The base of the results' schema, so that its own references still point into it.
const RESULTS_ID: &str = "urn:gatepost:results";

impl Manifest {
    /// The MCP form; `outputSchema` is null for a callback without `[output]`.
    pub fn mcp_schema(&self) -> Value {
        json!({
            "name": self.name(),
            "description": self.description(),
            "inputSchema": input_schema(self.arguments()),
            "outputSchema": self.output().map(|output| output_schema(&output.schema)),
        })
    }
}

fn input_schema(arguments: &[Argument]) -> Value {
    let properties: Map<String, Value> =
        arguments.iter().map(|argument| (argument.name.clone(), property(argument))).collect();
    let required: Vec<&str> =
        arguments.iter().filter(|argument| argument.required).map(|argument| argument.name.as_str()).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn property(argument: &Argument) -> Value {
    let mut property = constraints(&argument.kind);
    if !argument.description.is_empty() {
        property.insert("description".into(), argument.description.as_str().into());
    }
    if let Some(default) = argument.default.as_ref().filter(|_| !argument.sensitive) {
        property.insert("default".into(), mcp::json(default));
    }
    property.into_iter().collect::<Map<_, _>>().into()
}

fn constraints(kind: &ArgumentType) -> Map<String, Value> {
    let mut schema = Map::new();
    let json_type = match &kind.rule {
        Rule::Integer(bounds) => {
            bounds_of(&mut schema, bounds);
            "integer"
        }
        Rule::Number(bounds) => {
            bounds_of(&mut schema, bounds);
            "number"
        }
        Rule::Boolean => "boolean",
        Rule::Enum(allowed) => {
            schema.insert("enum".into(), json!(allowed));
            "string"
        }
        _ => "string",
    };
    schema.insert("type".into(), json_type.into());
    if let Some(pattern) = &kind.pattern {
        schema.insert("pattern".into(), pattern.as_str().into());
    }
    if kind.kind.is_text() {
        schema.insert("maxLength".into(), kind.length_max.into());
    }
    if matches!(kind.kind, Kind::Url) {
        schema.insert("format".into(), "uri".into());
    }
    schema
}

/// A clamped number is accepted outside its bounds too.
fn bounds_of<T: Copy + Into<Value>>(schema: &mut Map<String, Value>, bounds: &Bounds<T>) {
    let bound = |bound: Option<T>| bound.filter(|_| !bounds.clamp).map(Into::into);
    schema.extend(bound(bounds.min).map(|min| ("minimum".to_owned(), min)));
    schema.extend(bound(bounds.max).map(|max| ("maximum".to_owned(), max)));
}

fn output_schema(results: &Value) -> Value {
    let mut envelope = schemars::schema_for!(Evidence).to_value();
    let mut results = results.clone();
    if let Value::Object(results) = &mut results
        && !results.contains_key("$id")
    {
        results.insert("$id".into(), RESULTS_ID.into());
    }
    envelope["properties"]["results"] = json!({"anyOf": [results, {"type": "null"}]});
    envelope
}
