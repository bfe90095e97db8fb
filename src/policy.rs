//! What a site allows: approvals, limits, lanes. Pure.

use chrono::SecondsFormat;
use gatepost_gate::evidence::{Approval, Limits};
use gatepost_gate::reason::{Code, Reason};

use crate::config::{self, ApprovalMode, SandboxLevel};
use crate::manifest::Manifest;
use crate::request::{Network, Request, RequestedLimits};

/// The approvals that hold for a request that needs one.
pub fn approvals(mode: ApprovalMode, request: &Request) -> Result<Vec<Approval>, Reason> {
    let missing = |message: &str, hint: &str| Err(Reason::new(Code::ApprovalMissing, message, hint));
    match (mode, &request.declared_approval) {
        (ApprovalMode::Declared, Some(declared)) => Ok(vec![Approval {
            mode: "declared".to_owned(),
            approved_by: declared.by.clone(),
            approved_utc: declared.utc.to_rfc3339_opts(SecondsFormat::Secs, true),
        }]),
        (ApprovalMode::Declared, None) => missing(
            "This needs an approval, and the request declares none.",
            "Have a person read it and fill in approved_by and approved_utc.",
        ),
        (ApprovalMode::Signature, _) => missing(
            "This needs a signed approval, and this version cannot check signatures.",
            "Use a tool that needs no approval, or ask the operator whether the inbox may be trusted with \
             [approval] mode = \"declared\".",
        ),
    }
}

/// Whether the sandbox of this machine, at `level` or not to be had because of `fault`, is what a run demands.
pub fn sandbox(level: SandboxLevel, fault: Option<&str>, minimum: SandboxLevel) -> Result<(), Reason> {
    let refused = |message, hint| Err(Reason::new(Code::SandboxUnavailable, message, hint));
    if let Some(fault) = fault {
        let message = format!("Tools cannot be run at the level that the site demands: {fault}.");
        return refused(message, "Ask the operator to let gatepost make what is missing; `gatepost status` names it.");
    }
    if level < minimum {
        let message =
            format!("This runs at level {} only, and the level here is {}.", minimum.as_str(), level.as_str());
        return refused(message, "Ask the operator for `[sandbox] maximum = \"full\"` and a machine that offers it.");
    }
    Ok(())
}

/// The limits of one run: the site's, tightened by the manifest if there is one, tightened by the request.
pub fn limits(site: &config::Limits, manifest: Option<&Manifest>, request: &RequestedLimits) -> Limits {
    let own = manifest.map(Manifest::limits).unwrap_or_default();
    let timeout_seconds = manifest.map(|manifest| u64::from(manifest.timeout_seconds()));
    let tighten = |site: u64, others: [Option<u64>; 2]| others.into_iter().flatten().fold(site, u64::min);
    let time_seconds = tighten(site.time_seconds, [timeout_seconds, request.time_limit_sec]);
    Limits {
        time_ms: time_seconds.saturating_mul(1_000),
        cpu_seconds: tighten(site.cpu_seconds, [own.cpu_seconds.map(u64::from), None]),
        cpus: None,
        memory_bytes: None,
        address_space_bytes: tighten(site.memory_mb, [own.memory_mb.map(u64::from), request.memory_mb])
            .saturating_mul(1 << 20),
        files: tighten(site.files, [own.files.map(u64::from), None]),
        processes: site.processes,
        file_bytes: site.file_mb.saturating_mul(1 << 20),
        out_bytes: None,
        out_files: None,
        stdout_bytes: tighten(site.stdout_bytes, [own.stdout_bytes.map(u64::from), None]),
    }
}

/// Whether the network that a request, or the manifest that it calls, asks for can be given.
pub fn network(request: &Request, manifest: Option<&Manifest>) -> Result<(), Reason> {
    if matches!(request.network, Network::None) && !manifest.is_some_and(|manifest| manifest.sandbox().network) {
        return Ok(());
    }
    let message =
        "The request or its tool asks for network destinations, and this version runs tools without any network.";
    Err(Reason::new(Code::NetworkUnavailable, message, "Ask for network: none, and bring the data as input files."))
}
