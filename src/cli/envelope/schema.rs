//! The JSON Schema of the document that every command prints, published as `schemas/envelope.schema.json`.
//!
//! `data` has its own schema for each command (`COMMAND --output-schema`). New members are added to `error` and `meta`
//! without a new version, so unknown members are allowed there.

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::cli::failure::Failure;
use crate::cli::pagination::Pagination;
use crate::cli::presentation::SCHEMA_VERSION;

/// The schema.
pub(crate) fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let (failure, pagination) = (generator.subschema_for::<Failure>(), generator.subschema_for::<Pagination>());
    let mut definitions = generator.take_definitions(true);
    // Both lists have one name in the document.
    if let Some(Value::Object(members)) = definitions.get_mut("Failure").and_then(|one| one.get_mut("properties")) {
        let arguments = members.remove("argument_errors").unwrap_or_default();
        let documents = members.remove("errors").unwrap_or_default();
        members.insert("errors".to_owned(), json!({ "anyOf": [documents, arguments] }));
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "gatepost COMMAND -o json",
        "description": "The document that every command prints if stdout is not a terminal.",
        "type": "object",
        "properties": {
            "ok": { "type": "boolean", "description": "Whether the exit status is 0." },
            "data": { "type": ["object", "null"], "description": "COMMAND --output-schema is its schema." },
            "error": { "anyOf": [{ "allOf": [failure], "properties": error() }, { "type": "null" }] },
            "warnings": { "type": "array", "items": { "type": "string", "pattern": "^[A-Z_]+: " } },
            "meta": meta(&json!(pagination)),
        },
        "required": ["ok", "data", "error", "warnings", "meta"],
        "additionalProperties": false,
        "$defs": definitions,
    })
}

/// Members of a failure in the document beside its own.
fn error() -> Value {
    json!({
        "suggestion": { "type": "string" },
        "exit_code": { "type": "integer", "minimum": 1, "maximum": 255 },
        "docs": { "type": "string" },
        "retry_strategy": { "enum": ["linear_backoff", "exponential_backoff"] },
        "phase": { "const": "validation" },
        "fix_required": { "type": "string" },
        "input_value": { "type": "string" },
        "rejected_pattern": { "type": "string" },
        "name": { "type": "string" },
        "found": { "const": false },
    })
}

fn meta(pagination: &Value) -> Value {
    let (text, flag, count) =
        (json!({ "type": "string" }), json!({ "type": "boolean" }), json!({ "type": "integer", "minimum": 0 }));
    json!({
        "type": "object",
        "properties": {
            "schema_version": { "const": SCHEMA_VERSION },
            "command": text, "argv1": text, "exit_code": count, "ok": flag, "duration_ms": count, "timeout_ms": count,
            "tool_version": text, "config_sources": { "type": "array", "items": text }, "effective_config_hash": text,
            "headless": flag, "dry_run": flag, "truncated": flag, "truncation_hint": text, "request_id": text,
            "timestamp": text, "completed_at": text, "cwd": text, "project_root": text,
            "trace_id": text, "cursor": text, "pagination": pagination,
        },
        "required": ["schema_version", "command", "exit_code", "ok", "duration_ms", "tool_version", "truncated"],
    })
}
