//! One front matter, as the value that our reader and that another YAML reader see in it.

use gatepost_documents::front_matter::{self, Entry, Kind, Node, ScalarKind, Value};
use gatepost_documents::reason::Reason;
use serde_json::json;

fn node_json(node: &Node) -> serde_json::Value {
    match &node.value {
        Value::Null => json!(null),
        Value::Scalar { kind: ScalarKind::Integer(number), .. } => json!(number),
        Value::Scalar { kind: ScalarKind::Float(number), .. } => json!(number),
        Value::Scalar { kind: ScalarKind::Boolean(boolean), .. } => json!(boolean),
        Value::Scalar { text, kind: ScalarKind::Text } => json!(text),
        Value::List(nodes) => nodes.iter().map(node_json).collect(),
        Value::Map(entries) => map_json(entries),
    }
}

/// Entries as a JSON object.
pub(crate) fn map_json(entries: &[Entry]) -> serde_json::Value {
    entries.iter().map(|entry| (entry.key.clone(), node_json(&entry.node))).collect()
}

/// The value that this reader sees in a front matter.
pub(crate) fn ours(front_matter: &str) -> Result<serde_json::Value, Vec<Reason>> {
    let text = format!("---\n{front_matter}---\nbody\n");
    front_matter::read(&text, "x.md", Kind::Request).map(|document| map_json(&document.entries))
}

/// The value that `serde_yaml` sees in it; an empty document is an empty map.
pub(crate) fn theirs(front_matter: &str) -> Result<serde_json::Value, serde_yaml::Error> {
    let value: serde_json::Value = serde_yaml::from_str(front_matter)?;
    Ok(if value.is_null() { json!({}) } else { value })
}
