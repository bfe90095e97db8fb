//! The call of an MCP server's tool is the one that the manifest describes, with the arguments of the request; and what was handed
//! back to the caller is a callback.

use super::HINT;
use crate::consistency;
use crate::manifest::{Manifest, Mcp};
use gatepost_documents::evidence::{Evidence, Status};
use gatepost_documents::reason::{Code, Reason};
use serde_json::Value;

/// Every difference between the call in the evidence and the manifest's.
pub(super) fn faults(evidence: &Evidence, manifest: Option<&Manifest>) -> Vec<Reason> {
    let manifest = manifest.filter(|_| !consistency::is_refusal(evidence));
    let is_callback = manifest.is_some_and(|manifest| manifest.is_callback);
    let expected = manifest.and_then(|manifest| manifest.mcp.as_ref());
    let rules = [
        (evidence.status != Status::Delegated || is_callback, "It was handed back, and its manifest is no callback."),
        (
            !is_callback || evidence.status == Status::Delegated || consistency::is_untouched(evidence),
            "It ran, and its manifest is a callback.",
        ),
        (
            evidence.mcp_server.as_ref() == expected.map(|mcp| &mcp.server),
            "The MCP server is not the one of the manifest.",
        ),
        (evidence.mcp_tool.as_ref() == expected.map(|mcp| &mcp.tool), "The MCP tool is not the one of the manifest."),
        (has_arguments(evidence, expected), "The arguments of the MCP tool are not those of the request."),
    ];
    let reason = |message: &str| Reason::new(Code::EvidenceMismatch, message, HINT).in_file(consistency::FILE);
    rules.into_iter().filter(|(holds, _)| !holds).map(|(_, message)| reason(message)).collect()
}

/// Whether each argument stands there under its upstream name, and no other one.
fn has_arguments(evidence: &Evidence, expected: Option<&Mcp>) -> bool {
    let (Some(found), Some(mcp)) = (&evidence.mcp_args, expected) else {
        return evidence.mcp_args.is_some() == expected.is_some();
    };
    let is_there = |(name, value): (&String, &Value)| {
        let field = mcp.field_map.get(name).unwrap_or(name);
        found.get(field).is_some_and(|found| found == value || is_typed(found, value.as_str().unwrap_or_default()))
    };
    found.len() == evidence.arguments.len() && evidence.arguments.iter().all(is_there)
}

/// Whether a number or a truth value is the one that a text spells.
fn is_typed(found: &Value, text: &str) -> bool {
    match found {
        Value::Bool(found) => text.parse() == Ok(*found),
        Value::Number(found) => match (found.as_i64(), text.parse::<i64>()) {
            (Some(found), Ok(text)) => found == text,
            _ => found.as_f64().is_some() && found.as_f64() == text.parse().ok(),
        },
        _ => false,
    }
}
