//! The section Provenance: what ran, who approved it, its sandbox and the resources that it used.
//!
//! Written in phrases; other checks verify the exact values in the evidence. Standards: ThreeGate tool-result schema,
//! "Provenance"; `schemas/result.schema.md`, Provenance.

use super::learn;
use super::phrase::{counted, json_span, link, list, or_none, seconds, size, span};
use super::{network, signed};
use crate::integrity::MANIFEST_FILE;
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{
    Approval, Completeness, Dropped, Evidence, Interaction, Limits, Policy, PolicyDecision, Sandbox,
};

/// The parts of the bundle that the section needs besides the evidence.
pub(crate) struct Files<'a> {
    pub(crate) request: &'a str,
    pub(crate) evidence_sha256: Digest,
}

/// The required lines of the section.
pub(crate) fn expected(evidence: &Evidence, files: &Files<'_>) -> Vec<String> {
    let Evidence { sandbox, network: reached, usage, .. } = evidence;
    let of = |digest, path: &str| format!("`{digest}` of {}", link(path, path));
    let manifest = evidence.manifest_sha256.map_or_else(|| "none".to_owned(), |digest| of(digest, MANIFEST_FILE));
    let arguments = Some(&evidence.arguments).filter(|arguments| !arguments.is_empty()).map(json_span);
    let (cpu, memory) = (seconds(usage.cpu_ms), size(usage.memory_bytes_peak));
    let mut lines = vec![
        format!("- Command: {}", or_none(&evidence.command)),
        format!("- Arguments: {}", arguments.unwrap_or_else(|| "none".to_owned())),
        tool_line(evidence),
        requester_line(evidence),
        approval_line(&evidence.approvals),
    ];
    lines.extend(evidence.policy.as_ref().map(|policy| policy_line(policy) + &learn::remark(evidence.learn.as_ref())));
    lines.push(format!("- Network: {}", network(reached)));
    lines.extend(http_line(evidence));
    lines.extend(mcp_line(evidence));
    lines.extend(session_lines(evidence));
    lines.extend([
        format!("- Started: {}", span(&evidence.timestamp)),
        format!("- Usage: {cpu} of CPU time, {memory} of memory at the peak"),
        format!("- Limits: {}", limits(&evidence.limits)),
        sandbox_line(sandbox),
        backend_line(evidence),
    ]);
    lines.extend(node_line(evidence));
    lines.extend([
        format!("- Drop: {}", drop(evidence.completeness)),
        format!("- Manifest SHA-256: {manifest}"),
        format!("- Request SHA-256: {}", of(evidence.request_sha256, files.request)),
        format!("- Evidence SHA-256: {}, with the exact values", of(files.evidence_sha256, crate::consistency::FILE)),
    ]);
    lines
}

fn tool_line(Evidence { tool, tool_version, .. }: &Evidence) -> String {
    let version = Some(tool_version).filter(|version| !version.is_empty()).map(|version| span(version));
    format!("- Tool: {}{}", or_none(tool), version.map(|version| format!(" version {version}")).unwrap_or_default())
}

fn node_line(Evidence { node, .. }: &Evidence) -> Option<String> {
    let node = node.as_ref()?;
    Some(format!("- Node: {}, attempt {}, order SHA-256 `{}`", span(&node.name), node.attempt, node.order_sha256))
}

fn backend_line(Evidence { backend, executor, worker, .. }: &Evidence) -> String {
    let worker = worker.as_ref().map(|worker| format!(", worker {}, SHA-256 `{}`", span(&worker.name), worker.sha256));
    format!("- Backend: `{backend}`, executor {}{}", span(executor), worker.unwrap_or_default())
}

/// Resources without a limit are left out.
fn limits(limits: &Limits) -> String {
    if limits.time_ms == 0 {
        return "none, as nothing ran".to_owned();
    }
    let Limits { time_ms, cpu_seconds, processes, files, file_bytes, stdout_bytes, address_space_bytes, .. } = *limits;
    let mut phrases = vec![seconds(time_ms)];
    phrases.extend(limits.memory_bytes.map(|bytes| size(bytes) + " of memory"));
    phrases.extend(limits.cpus.map(|count| counted(count, "CPU")));
    phrases.extend([counted(processes, "process"), size(stdout_bytes) + " on stdout"]);
    phrases.extend(limits.out_bytes.map(|bytes| size(bytes) + " in /out"));
    phrases.extend(limits.out_files.map(|count| counted(count, "name") + " in /out"));
    let (cpu, addresses) = (seconds(cpu_seconds.saturating_mul(1_000)), size(address_space_bytes));
    let (files, largest) = (counted(files, "open file"), size(file_bytes));
    let of_each = format!("each process {cpu} of CPU time, {addresses} of address space, {files}, {largest} a file");
    format!("{}; {of_each}", phrases.join(", "))
}

fn sandbox_line(Sandbox { level, layers, kernel, launcher }: &Sandbox) -> String {
    let layers = Some(layers).filter(|layers| !layers.is_empty());
    let layers = layers.map(|layers| format!(", layers {}", list(layers))).unwrap_or_default();
    let launcher = launcher.as_ref().map(|launcher| {
        let (program, version) = (span(&launcher.program), or_none(&launcher.version));
        format!(", launcher {program}, SHA-256 `{}`, version {version}", launcher.sha256)
    });
    format!("- Sandbox: `{level}`{layers}, kernel {}{}", span(kernel), launcher.unwrap_or_default())
}

fn requester_line(evidence: &Evidence) -> String {
    let Dropped { uid, user, utc } = &evidence.dropped;
    let user = user.as_ref().map(|user| format!(" ({})", span(user))).unwrap_or_default();
    let (name, proof) = (or_none(&evidence.requested_by), signed(evidence.requester_proof.as_ref()));
    format!("- Requester: {name}{proof}; dropped by user {uid}{user}, claimed at {}", span(utc))
}

fn approval_line(approvals: &[Approval]) -> String {
    let one = |Approval { approved_by, approved_utc, proof, .. }: &Approval| {
        format!("{} at {}{}", span(approved_by), span(approved_utc), signed(proof.as_ref()))
    };
    let all: Vec<String> = approvals.iter().map(one).collect();
    format!("- Approval: {}", if all.is_empty() { "none".to_owned() } else { all.join("; ") })
}

fn policy_line(Policy { decision, policies, sha256 }: &Policy) -> String {
    let outcome = match decision {
        PolicyDecision::Permitted => "permitted by ",
        PolicyDecision::NeedsApproval => "needs an approval by ",
        PolicyDecision::Denied if policies.is_empty() => {
            return format!("- Policy: no policy permits it, policies SHA-256 `{sha256}`");
        }
        PolicyDecision::Denied => "denied by ",
    };
    format!("- Policy: {outcome}{}, policies SHA-256 `{sha256}`", list(policies))
}

fn http_line(evidence: &Evidence) -> Option<String> {
    let method = span(evidence.http_method.as_ref()?);
    Some(match evidence.http_status {
        Some(status) => format!("- HTTP: {method}, status {status}"),
        None => format!("- HTTP: {method}, no answer"),
    })
}

fn mcp_line(evidence: &Evidence) -> Option<String> {
    let [server, tool] = [&evidence.mcp_server, &evidence.mcp_tool].map(|text| text.as_deref().map(span));
    let arguments = json_span(evidence.mcp_args.as_ref()?);
    Some(format!("- MCP: server {}, tool {}, arguments {arguments}", server?, tool?))
}

fn session_lines(evidence: &Evidence) -> Vec<String> {
    let id = evidence.parent_session_id.iter().map(|id| format!("- Session: {}", span(id)));
    let interaction = |(number, one): (usize, &Interaction)| {
        let (command, input, after) = (span(&one.command), span(&one.input), seconds(one.duration_ms));
        let asked_by = one.request_id.as_ref().map(|id| format!(" for {}", span(id.as_str()))).unwrap_or_default();
        format!("- Interaction {number}{asked_by}: {command}, input {input}, {} after {after}", one.status)
    };
    id.chain((1..).zip(&evidence.interactions).map(interaction)).collect()
}

fn drop(completeness: Completeness) -> &'static str {
    match completeness {
        Completeness::Renamed => "complete, renamed into the inbox",
        Completeness::Verified => "complete, every declared input present with its digest",
        Completeness::Inferred => "assumed complete, unchanged for the settle time",
    }
}
