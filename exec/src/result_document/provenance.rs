//! The section Provenance: run, permission, confinement and usage, in phrases. The evidence has the exact values.
//!
//! *Standards*: ThreeGate, "Tool Execution Result Schema", 2; `schemas/result.schema.md`, Provenance.

use std::fmt::Write as _;

use gatepost_documents::evidence::{
    Approval, Completeness, Dropped, Evidence, Interaction, Launcher, Limits, Network, NetworkUse, Node, Policy,
    PolicyDecision, Proof, Sandbox, Worker,
};

use super::phrase::{counted, json, link, list, seconds, size, span};
use super::{EVIDENCE, Parts, learn};

pub(super) fn provenance(parts: &Parts<'_>) -> String {
    let evidence = parts.evidence;
    let mut text = String::new();
    let mut item = |name: &str, value: &str| {
        let _ = writeln!(text, "- {name}: {value}");
    };
    item("Command", &or_none(&evidence.command));
    item("Arguments", &if evidence.arguments.is_empty() { "none".to_owned() } else { json(&evidence.arguments) });
    item("Tool", &tool(evidence));
    item("Requester", &requester(evidence));
    item("Approval", &approvals(&evidence.approvals));
    if let Some(decision) = &evidence.policy {
        let learn = evidence.learn.as_ref().map(learn::remark).unwrap_or_default();
        item("Policy", &format!("{}{learn}", policy(decision)));
    }
    item("Network", &network(&evidence.network));
    if let Some(method) = &evidence.http_method {
        let status = evidence.http_status.map_or("no answer".to_owned(), |status| format!("status {status}"));
        item("HTTP", &format!("{}, {status}", span(method)));
    }
    if let Evidence { mcp_server: Some(server), mcp_tool: Some(tool), mcp_args: Some(arguments), .. } = evidence {
        item("MCP", &format!("server {}, tool {}, arguments {}", span(server), span(tool), json(arguments)));
    }
    if let Some(session) = &evidence.parent_session_id {
        item("Session", &span(session));
    }
    for (number, interaction) in (1..).zip(&evidence.interactions) {
        let Interaction { request_id, command, input, status, duration_ms, .. } = interaction;
        let (command, input, after) = (span(command), span(input), seconds(*duration_ms));
        let asked_by = request_id.as_ref().map(|id| format!(" for {}", span(id.as_str()))).unwrap_or_default();
        item(&format!("Interaction {number}{asked_by}"), &format!("{command}, input {input}, {status} after {after}"));
    }
    item("Started", &span(&evidence.timestamp));
    let (cpu, memory) = (seconds(evidence.usage.cpu_ms), size(evidence.usage.memory_bytes_peak));
    item("Usage", &format!("{cpu} of CPU time, {memory} of memory at the peak"));
    item("Limits", &limits(&evidence.limits));
    item("Sandbox", &sandbox(&evidence.sandbox));
    item("Backend", &backend(evidence));
    if let Some(Node { name, attempt, order_sha256, .. }) = &evidence.node {
        item("Node", &format!("{}, attempt {attempt}, order SHA-256 `{order_sha256}`", span(name)));
    }
    item("Drop", drop(evidence.completeness));
    let file = |digest, path| format!("`{digest}` of {}", link(path, path));
    let manifest = evidence.manifest_sha256.map(|digest| file(digest, "manifest.clad.toml"));
    item("Manifest SHA-256", &manifest.unwrap_or_else(|| "none".to_owned()));
    item("Request SHA-256", &file(evidence.request_sha256, parts.request_file));
    item("Evidence SHA-256", &format!("{}, with the exact values", file(parts.evidence_sha256, EVIDENCE)));
    text
}

fn or_none(text: &str) -> String {
    if text.is_empty() { "none".to_owned() } else { span(text) }
}

fn tool(Evidence { tool, tool_version, .. }: &Evidence) -> String {
    if tool_version.is_empty() { or_none(tool) } else { format!("{} version {}", or_none(tool), span(tool_version)) }
}

fn limits(limits: &Limits) -> String {
    if limits.time_ms == 0 {
        return "none, as nothing ran".to_owned();
    }
    let phrases = [
        Some(seconds(limits.time_ms)),
        limits.memory_bytes.map(|bytes| format!("{} of memory", size(bytes))),
        limits.cpus.map(|cpus| counted(cpus, "CPU")),
        Some(counted(limits.processes, "process")),
        Some(format!("{} on stdout", size(limits.stdout_bytes))),
        limits.out_bytes.map(|bytes| format!("{} in /out", size(bytes))),
        limits.out_files.map(|files| format!("{} in /out", counted(files, "name"))),
    ];
    let of_all = phrases.into_iter().flatten().collect::<Vec<_>>().join(", ");
    format!(
        "{of_all}; each process {} of CPU time, {} of address space, {}, {} a file",
        seconds(limits.cpu_seconds.saturating_mul(1000)),
        size(limits.address_space_bytes),
        counted(limits.files, "open file"),
        size(limits.file_bytes)
    )
}

fn sandbox(Sandbox { level, layers, kernel, launcher }: &Sandbox) -> String {
    let mut text = format!("`{level}`");
    if !layers.is_empty() {
        let _ = write!(text, ", layers {}", list(layers));
    }
    let _ = write!(text, ", kernel {}", span(kernel));
    if let Some(Launcher { program, sha256, version }) = launcher {
        let _ = write!(text, ", launcher {}, SHA-256 `{sha256}`, version {}", span(program), or_none(version));
    }
    text
}

/// The reached and refused destinations, if there was a network.
pub(super) fn network(network: &Network) -> String {
    match network.used {
        NetworkUse::None => "none".to_owned(),
        NetworkUse::Allowlist => {
            format!("allowlist, reached {}, refused {}", list(&network.destinations), refused(network))
        }
    }
}

/// The refused destinations.
pub(super) fn refused(network: &Network) -> String {
    match network.refused_unnamed {
        0 => list(&network.refused),
        unnamed if network.refused.is_empty() => format!("{unnamed} not named"),
        unnamed => format!("{} and {unnamed} not named", list(&network.refused)),
    }
}

/// The requester, the proof of it, and the dropper of the request.
fn requester(evidence: &Evidence) -> String {
    let Dropped { uid, user, utc } = &evidence.dropped;
    let user = user.as_ref().map(|user| format!(" ({})", span(user))).unwrap_or_default();
    let (name, proof) = (or_none(&evidence.requested_by), proof(evidence.requester_proof.as_ref()));
    format!("{name}{proof}; dropped by user {uid}{user}, claimed at {}", span(utc))
}

/// The lane, and the programs of gatepost that carried it out.
fn backend(evidence: &Evidence) -> String {
    let worker = evidence.worker.as_ref();
    let worker = worker.map(|Worker { name, sha256 }| format!(", worker {}, SHA-256 `{sha256}`", span(name)));
    format!("`{}`, executor {}{}", evidence.backend, span(&evidence.executor), worker.unwrap_or_default())
}

/// The approvers, the times, and the proofs.
fn approvals(approvals: &[Approval]) -> String {
    let one = |approval: &Approval| {
        let (by, utc) = (span(&approval.approved_by), span(&approval.approved_utc));
        format!("{by} at {utc}{}", proof(approval.proof.as_ref()))
    };
    let all: Vec<String> = approvals.iter().map(one).collect();
    if all.is_empty() { "none".to_owned() } else { all.join("; ") }
}

/// The proof of a name: a signature, or none.
fn proof(proof: Option<&Proof>) -> String {
    match proof {
        None => " (unverified)".to_owned(),
        Some(Proof { key, signature }) => {
            format!(", signature {} by the key {}", link(signature, signature), span(key))
        }
    }
}

fn policy(Policy { decision, policies, sha256 }: &Policy) -> String {
    let decision = match decision {
        PolicyDecision::Permitted => "permitted by ",
        PolicyDecision::NeedsApproval => "needs an approval by ",
        PolicyDecision::Denied if policies.is_empty() => {
            return format!("no policy permits it, policies SHA-256 `{sha256}`");
        }
        PolicyDecision::Denied => "denied by ",
    };
    format!("{decision}{}, policies SHA-256 `{sha256}`", list(policies))
}

/// The completeness of the request when it was claimed.
fn drop(completeness: Completeness) -> &'static str {
    match completeness {
        Completeness::Renamed => "complete, renamed into the inbox",
        Completeness::Verified => "complete, every declared input present with its digest",
        Completeness::Inferred => "assumed complete, unchanged for the settle time",
    }
}
