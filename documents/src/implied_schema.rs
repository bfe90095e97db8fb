//! The schema of results where a manifest states none: the one that its backend or its parser implies.
//!
//! *Standards*: JSON Schema 2020-12; ToolClad, "Output & Evidence", "Session Mode" and "Browser Mode".

use serde_json::{Map, Value, json};

/// The source of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Plain text.
    Text,
    /// Results of a parser.
    Parser,
    /// One interaction of a session.
    Session,
    /// One interaction with a browser.
    Browser,
}

/// The schema of results from a source.
pub fn implied_schema(source: Source) -> Value {
    let (text, count) = (json!({"type": "string"}), json!({"type": "integer"}));
    let properties = match source {
        Source::Parser => return json!({"type": ["object", "array"]}),
        Source::Text => json!({"raw_output": text}),
        Source::Session => json!({"prompt": text, "output": text, "session_state": text, "interaction_count": count}),
        Source::Browser => json!({
            "url": text, "title": text, "domain": text, "page_state": {"type": "object"}, "interaction_count": count,
        }),
    };
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(Map::keys).collect();
    json!({"type": "object", "required": required, "properties": properties})
}
