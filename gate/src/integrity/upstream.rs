//! The call of an MCP server's tool is the one that the manifest describes, with the arguments of the request; and what was handed
//! back to the caller is a callback.

use super::HINT;
use crate::consistency;
use crate::manifest::{Manifest, Mcp};
use gatepost_documents::evidence::{Evidence, Status};
use gatepost_documents::reason::{Code, Reason};

/// Every difference between the call in the evidence and the manifest's.
pub(super) fn faults(evidence: &Evidence, manifest: Option<&Manifest>) -> Vec<Reason> {
    let manifest = manifest.filter(|_| !consistency::is_refusal(evidence));
    let is_callback = manifest.is_some_and(|manifest| manifest.is_callback);
    let expected = manifest.and_then(|manifest| manifest.mcp.as_ref());
    let rules = [
        (evidence.status != Status::Delegated || is_callback, "It was handed back, and its manifest is no callback."),
        (evidence.status != Status::Success || !is_callback, "It ran, and its manifest is a callback."),
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

/// Whether each argument stands there under its upstream name, and no other one. Numbers have a spelling of their own.
fn has_arguments(evidence: &Evidence, expected: Option<&Mcp>) -> bool {
    let (Some(found), Some(mcp)) = (&evidence.mcp_args, expected) else {
        return evidence.mcp_args.is_some() == expected.is_some();
    };
    let is_there = |(name, value): (&String, &serde_json::Value)| {
        let field = mcp.field_map.get(name).unwrap_or(name);
        found.get(field).is_some_and(|found| !found.is_string() || found == value)
    };
    found.len() == evidence.arguments.len() && evidence.arguments.iter().all(is_there)
}
