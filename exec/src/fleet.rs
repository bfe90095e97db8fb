//! Requests whose tools run on nodes of a fleet: what is offered, and what is made of what comes back.
//!
//! ```text
//! running/<id> ──offer──▶ offers/<id>.json ─ ─ a node ─ ─▶ ended/<id>/ ──take──▶ sealed here, like every result
//! ```
//!
//! What a node says of a run goes into the evidence; who asked, who permitted it and which request it was is said here. *Security*: the
//! evidence of a node is hostile, and one of another request or manifest is not used.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;

use gatepost_documents::evidence::{Evidence, Node, RESULTS_BYTES_MAX, RESULTS_FILE, StopReason};
use gatepost_documents::id::RequestId;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::fleet::{self, END_FILE, End, Offer};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::Site;
use serde_json::Value;

use crate::bundle::{EVIDENCE, Staging};
use crate::mailbox::{Running, record, recovery};

/// What became of a run elsewhere: what its evidence says, and the output file below `artifacts/`.
#[derive(Debug)]
pub struct Taken {
    /// Complete but for the artifacts.
    pub evidence: Evidence,
    /// What the tool left.
    pub staging: Staging,
    /// The tool's own output file below `artifacts/`, if it wrote one.
    pub output_file: Option<String>,
}

/// Makes the folders. Only a site with a fleet has them.
#[allow(clippy::disallowed_methods, reason = "made again if they are missing")]
pub fn prepare(site: &Site) -> Result<(), Fault> {
    for folder in [fleet::offers(site), fleet::ended(site)] {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).on("create", &folder)?;
    }
    Ok(())
}

/// Offers a running request to the nodes; the same one a second time changes nothing. *Commit point*: the rename of the offer.
pub fn offer(site: &Site, running: &Running) -> Result<(), Fault> {
    let (claim, evidence) = (&running.claimed.claim, &running.start.evidence);
    let path = fleet::offer(site, &claim.request_id);
    let Some(manifest_sha256) = evidence.manifest_sha256.filter(|_| !path.exists()) else { return Ok(()) };
    let offer = Offer {
        request_id: claim.request_id.clone(),
        request_sha256: claim.request_sha256,
        form: claim.form,
        tool: evidence.tool.clone(),
        manifest_sha256,
        idempotent: running.start.idempotent,
    };
    let staged = fleet::offers(site).join(format!(".{}", claim.request_id));
    durable::remove_tree(&staged)?;
    record::write(&offer, &staged)?;
    durable::move_new(&staged, &path)
}

/// The requests that came back.
pub fn ended(site: &Site) -> Result<Vec<RequestId>, Fault> {
    recovery::ids(&fleet::ended(site))
}

/// Forgets a request that was answered.
pub fn forget(site: &Site, id: &RequestId) -> Result<(), Fault> {
    durable::remove_tree(&fleet::offer(site, id))?;
    durable::remove_tree(&fleet::end(site, id))
}

/// Takes what came back of a request.
#[allow(clippy::disallowed_methods, reason = "sealing flushes the staging folder")]
pub fn take(site: &Site, running: &Running) -> Result<Taken, Fault> {
    let id = &running.claimed.claim.request_id;
    let folder = fleet::end(site, id);
    let End { node, is_lost } = record::read(&folder.join(END_FILE))?;
    let mut evidence = running.start.evidence.clone();
    if is_lost {
        evidence.stop_reason = StopReason::Cancelled;
        evidence.anomalies.push("The node was lost before it sent a result; the run may have had effects.".to_owned());
        evidence.node = Some(node);
        return Ok(Taken { evidence, staging: Staging::fresh(site, id)?, output_file: None });
    }
    let artifacts = folder.join("artifacts");
    // A crash may have come after the move.
    let staging = if artifacts.is_dir() {
        let staging = Staging::fresh(site, id)?;
        staging.withhold()?;
        fs::rename(&artifacts, staging.artifacts()).on("move", &artifacts)?;
        staging
    } else {
        Staging::existing(site, id)
    };
    let Some(ran) = read(&folder.join(EVIDENCE), &evidence) else {
        let sentence = "What the node sent is no evidence of this request; what its tool left was taken as it is.";
        evidence.anomalies.push(sentence.to_owned());
        evidence.node = Some(node);
        return Ok(Taken { evidence, staging, output_file: None });
    };
    let output_file = ran.output_file.strip_prefix("artifacts/").map(str::to_owned);
    let results = results(&ran, &staging);
    Ok(Taken {
        evidence: joined(evidence, Evidence { results, results_file: None, ..ran }, node),
        staging,
        output_file,
    })
}

/// The evidence that a node sent, if it is of this request.
fn read(path: &std::path::Path, asked: &Evidence) -> Option<Evidence> {
    let ran: Evidence = record::read(path).ok()?;
    let is_of_manifest = ran.manifest_sha256.is_none_or(|digest| asked.manifest_sha256 == Some(digest));
    let is_of_request = ran.request_id == asked.request_id && ran.request_sha256 == asked.request_sha256;
    (is_of_request && is_of_manifest && ran.tool == asked.tool && ran.node.is_none()).then_some(ran)
}

/// Results that did not fit into the evidence lie beside it.
fn results(ran: &Evidence, staging: &Staging) -> Value {
    let file = ran.results_file.as_ref().and_then(|_| staging.file(RESULTS_FILE.strip_prefix("artifacts/")?));
    let read = |path: std::path::PathBuf| -> io::Result<Value> {
        Ok(serde_json::from_slice(&regular_file::read(&path, RESULTS_BYTES_MAX as u64)?)?)
    };
    file.and_then(|path| read(path).ok()).unwrap_or_else(|| ran.results.clone())
}

/// What ran, as the node says it; who asked for it and who permitted it, as it was decided here.
fn joined(asked: Evidence, ran: Evidence, node: Node) -> Evidence {
    Evidence {
        scan_id: asked.scan_id,
        requested_by: asked.requested_by,
        requester_proof: asked.requester_proof,
        dropped: asked.dropped,
        manifest_sha256: asked.manifest_sha256,
        tool_version: asked.tool_version,
        purpose: asked.purpose,
        approvals: asked.approvals,
        review_sha256: asked.review_sha256,
        policy: asked.policy,
        learn: asked.learn,
        completeness: asked.completeness,
        node: Some(node),
        ..ran
    }
}
