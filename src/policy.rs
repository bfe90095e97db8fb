//! What a site allows: approvals, limits, lanes. Pure.

use chrono::SecondsFormat;
use gatepost_gate::evidence::{Approval, Limits};
use gatepost_gate::reason::{Code, Reason};

use crate::config::{self, ApprovalMode};
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

/// The limits of one run: the site's, tightened by the manifest, tightened by the request.
pub fn limits(site: &config::Limits, manifest: &Manifest, request: &RequestedLimits) -> Limits {
    let own = manifest.limits();
    let tighten = |site: u64, others: [Option<u64>; 2]| others.into_iter().flatten().fold(site, u64::min);
    let time_seconds =
        tighten(site.time_seconds, [Some(u64::from(manifest.timeout_seconds())), request.time_limit_sec]);
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

/// Whether the network that a request asks for can be given.
pub fn network(request: &Request, manifest: &Manifest) -> Result<(), Reason> {
    if matches!(request.network, Network::None) && !manifest.sandbox().network {
        return Ok(());
    }
    let message =
        "The request or its tool asks for network destinations, and this version runs tools without any network.";
    Err(Reason::new(Code::NetworkUnavailable, message, "Ask for network: none, and bring the data as input files."))
}
