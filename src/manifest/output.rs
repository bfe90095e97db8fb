//! `[output]`: how raw output becomes results, and the schema that results must satisfy.
//!
//! The schema is compiled once, when the manifest is checked. Nothing is ever fetched: a reference to another document is a fault.
//!
//! Standards: JSON Schema 2020-12; ToolClad, Output & Evidence.

use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value};
use toml::de::DeValue;

use super::quoted::{nearest, quoted};
use super::script_path::ScriptPath;
use super::source::{Located, Node, Section, integer, number};
use crate::parser::Builtin;

/// Faults of results that are reported, at most.
const VIOLATIONS_MAX: usize = 20;
/// Levels of a schema, at most.
const DEPTH_MAX: usize = 32;

/// What turns raw output into results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parser {
    /// One of our own.
    Builtin(Builtin),
    /// A script below `tools/`: raw output file as argv[1], JSON on stdout.
    Script(ScriptPath),
}

/// A parsed `[output]`.
#[derive(Debug, Clone)]
pub struct Output {
    /// What makes the results.
    pub parser: Parser,
    /// The schema as JSON.
    pub schema: Value,
    validator: std::sync::Arc<Validator>,
}

/// Results that break their schema, or anything else about the schema, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SchemaViolation(String);

impl Output {
    /// Checks results against the schema; every violation, up to twenty, each with its place.
    pub fn check(&self, results: &Value) -> Result<(), Vec<SchemaViolation>> {
        let violation = |error: jsonschema::ValidationError<'_>| {
            let (place, keyword) = (error.instance_path().to_string(), error.kind().keyword().to_owned());
            let place = if place.is_empty() {
                "The results as a whole break".into()
            } else {
                format!("The results at {} break", quoted(&place))
            };
            SchemaViolation(format!(
                "{place} the schema's `{keyword}` at {}.",
                quoted(&error.schema_path().to_string())
            ))
        };
        let violations: Vec<_> = self.validator.iter_errors(results).take(VIOLATIONS_MAX).map(violation).collect();
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }
}

/// Reads `[output]`.
pub(super) fn read(section: Section<'_>) -> Option<Output> {
    let format = section.one_of("format", &Builtin::FORMATS);
    let parser = match section.text("parser") {
        Some(text) => read_parser(&section, text),
        None => Some(Parser::Builtin(format.unwrap_or(Builtin::Text))),
    };
    if section.boolean("envelope") == Some(false) {
        let message = "[output] envelope is false, but results always travel in their envelope.".to_owned();
        section.fault(section.place("envelope"), message, "Remove the key.");
    }
    let schema = section.node("schema");
    if schema.is_none() {
        section.missing("schema");
    }
    let compiled = schema.and_then(|node| read_schema(&section, node));
    section.close();
    let (schema, validator) = compiled?;
    Some(Output { parser: parser?, schema, validator: std::sync::Arc::new(validator) })
}

fn read_parser(section: &Section<'_>, text: Located<&str>) -> Option<Parser> {
    let Some(name) = text.value.strip_prefix("builtin:") else {
        return ScriptPath::read(section, "parser", text).map(Parser::Script);
    };
    let known = Builtin::FORMATS.iter().find(|(format, _)| *format == name);
    if known.is_none() {
        let names = Builtin::FORMATS.iter().map(|(format, _)| *format);
        let hint = nearest(name, names)
            .map_or("Use json, xml, csv, jsonl or text.".into(), |name| format!("Did you mean `builtin:{name}`?"));
        section.fault(text.at, format!("[output] parser is {}, which is none of ours.", quoted(text.value)), hint);
    }
    known.map(|(_, builtin)| Parser::Builtin(*builtin))
}

fn read_schema(section: &Section<'_>, node: &Node<'_>) -> Option<(Value, Validator)> {
    let at = node.span().start;
    if !matches!(node.get_ref(), DeValue::Table(_)) {
        return section.mistyped("schema", node, "a table", node.get_ref());
    }
    let schema = to_json(section, node, DEPTH_MAX)?;
    if let Err(error) = jsonschema::meta::validate(&schema) {
        let place = quoted(&error.instance_path().to_string());
        let message = format!("[output.schema] is no JSON Schema: it breaks `{}` at {place}.", error.kind().keyword());
        section.fault(at, message, "Correct the keyword at this place.");
        return None;
    }
    check_keywords(section, at, &schema);
    jsonschema::options()
        .with_pattern_options(PatternOptions::regex())
        .build(&schema)
        .inspect_err(|error| {
            let message = format!("[output.schema] cannot be compiled: {}.", quoted(&error.to_string()));
            section.fault(at, message, "Refer only to this schema's own parts, and use plain patterns.");
        })
        .ok()
        .map(|validator| (schema, validator))
}

/// TOML as JSON, keys in the order of the file.
fn to_json(section: &Section<'_>, node: &Node<'_>, depth: usize) -> Option<Value> {
    let at = node.span().start;
    if depth == 0 {
        section.fault(at, format!("[output.schema] has more than {DEPTH_MAX} levels."), "Flatten it.");
        return None;
    }
    match node.get_ref() {
        DeValue::String(text) => Some(text.as_ref().into()),
        DeValue::Boolean(value) => Some((*value).into()),
        DeValue::Array(items) => items.iter().map(|item| to_json(section, item, depth - 1)).collect(),
        DeValue::Table(table) => {
            let mut entries: Vec<_> = table.iter().collect();
            entries.sort_by_key(|(key, _)| key.span().start);
            let member = |(key, value): (&toml::Spanned<toml::de::DeString<'_>>, &Node<'_>)| {
                Some((key.get_ref().as_ref().to_owned(), to_json(section, value, depth - 1)?))
            };
            entries.into_iter().map(member).collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        other => {
            let value = integer(other).map(Value::from).or_else(|| number(other).map(Value::from));
            if value.is_none() {
                section.fault(
                    at,
                    "[output.schema] has a value that JSON does not have.".into(),
                    "Write it as a text or a finite number.",
                );
            }
            value
        }
    }
}

/// JSON Schema's own keywords; others would silently check nothing.
const KEYWORDS: [&str; 59] = [
    "$schema",
    "$id",
    "$ref",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$vocabulary",
    "$comment",
    "$defs",
    "definitions",
    "type",
    "enum",
    "const",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxContains",
    "minContains",
    "maxProperties",
    "minProperties",
    "required",
    "dependentRequired",
    "dependentSchemas",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "prefixItems",
    "items",
    "contains",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "title",
    "description",
    "default",
    "deprecated",
    "readOnly",
    "writeOnly",
    "examples",
    "format",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "dependencies",
];

fn check_keywords(section: &Section<'_>, at: usize, schema: &Value) {
    let Value::Object(schema) = schema else { return };
    for (keyword, value) in schema {
        if !KEYWORDS.contains(&keyword.as_str()) && !keyword.starts_with("x-") {
            let hint = nearest(keyword, KEYWORDS)
                .map_or("Remove it, or begin it with x-.".into(), |name| format!("Did you mean `{name}`?"));
            section.fault(
                at,
                format!("[output.schema] has {}, which is no keyword of JSON Schema.", quoted(keyword)),
                hint,
            );
        }
        match (keyword.as_str(), value) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(schemas),
            ) => {
                schemas.values().for_each(|schema| check_keywords(section, at, schema));
            }
            ("enum" | "const" | "default" | "examples", _) => {}
            (_, Value::Array(schemas)) => schemas.iter().for_each(|schema| check_keywords(section, at, schema)),
            ("dependentRequired" | "dependencies" | "$vocabulary", _) => {}
            (_, schema) if !keyword.starts_with("x-") => check_keywords(section, at, schema),
            _ => {}
        }
    }
}
