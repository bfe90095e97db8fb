//! Requests whose tools run on nodes of a fleet: the offers, and the returned runs.
//!
//! ```text
//! running/<id> ──offer──▶ offers/<id>.json ─ ─ a node ─ ─▶ ended/<id>/ ──take──▶ sealed here, like every result
//! ```
//!
//! The evidence takes the facts of the run from the node; requester, permission and request come from this site. *Security*: the
//! evidence of a node is hostile, and evidence of another request or manifest is rejected.

use std::fs;
use std::io;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_documents::clock;
use gatepost_documents::evidence::{Evidence, Node, RESULTS_BYTES_MAX, RESULTS_FILE, StopReason};
use gatepost_documents::id::RequestId;
use gatepost_documents::text::quoted;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::fleet::{self, END_FILE, End, Offer, Tools};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::Site;
use serde_json::Value;

use crate::bundle::{EVIDENCE, Staging};
use crate::context::Context;
use crate::lane::clad::can_run;
use crate::mailbox::{Running, record, recovery};
use crate::toolbox::by_name;

/// The outcome of a run on a node: its evidence, and the output file below `artifacts/`.
#[derive(Debug)]
pub struct Taken {
    /// Complete except for the artifacts.
    pub evidence: Evidence,
    /// The tool's files.
    pub staging: Staging,
    /// The tool's own output file below `artifacts/`, if it wrote one.
    pub output_file: Option<String>,
}

/// Lists the tools that a node can run, for its carrier, if the list changed. *Commit point*: the rename of the list.
pub fn publish_tools(context: &Context) -> Result<(), Fault> {
    let all = context.toolbox.all()?;
    let mut tools = Tools::new();
    for (name, same) in by_name(&all) {
        // A tool whose files cannot be read now is listed later.
        if let [(_, tool)] = same[..]
            && can_run(context, tool).unwrap_or(false)
        {
            tools.insert(name.to_owned(), tool.sha256);
        }
    }
    let path = fleet::tools(&context.site);
    if record::read::<Tools>(&path).is_ok_and(|listed| listed == tools) {
        return Ok(());
    }
    durable::replace(&path, &record::bytes(&tools, &path)?)
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

/// The returned requests.
pub fn ended(site: &Site) -> Result<Vec<RequestId>, Fault> {
    recovery::ids(&fleet::ended(site))
}

/// Removes the files of an answered request.
pub fn forget(site: &Site, id: &RequestId) -> Result<(), Fault> {
    durable::remove_tree(&fleet::offer(site, id))?;
    durable::remove_tree(&fleet::end(site, id))
}

/// Takes the returned run of a request; none if it was cancelled before a node had it.
#[allow(clippy::disallowed_methods, reason = "sealing flushes the staging folder")]
pub fn take(context: &Context, running: &Running) -> Result<Option<Taken>, Fault> {
    let site = &context.site;
    let id = &running.claimed.claim.request_id;
    let folder = fleet::end(site, id);
    let End { node } = record::read(&folder.join(END_FILE))?;
    let Some(node) = node else { return Ok(None) };
    let mut evidence = running.start.evidence.clone();
    if node.sha256sums_sha256.is_none() {
        evidence.stop_reason = StopReason::Cancelled;
        evidence.anomalies.push("The node was lost before it sent a result; the run may have had effects.".to_owned());
        evidence.node = Some(node);
        return Ok(Some(Taken { evidence, staging: Staging::fresh(site, id)?, output_file: None }));
    }
    let artifacts = folder.join("artifacts");
    // A crash may have happened after the move.
    let staging = if artifacts.is_dir() {
        let staging = Staging::fresh(site, id)?;
        staging.withhold()?;
        fs::rename(&artifacts, staging.artifacts()).on("move", &artifacts)?;
        staging
    } else {
        Staging::existing(site, id)
    };
    let Some(run) = read(&folder.join(EVIDENCE), &evidence) else {
        let sentence = "What the node sent is no evidence of this request; what its tool left was taken as it is.";
        evidence.anomalies.push(sentence.to_owned());
        evidence.node = Some(node);
        return Ok(Some(Taken { evidence, staging, output_file: None }));
    };
    let output_file = run.output_file.strip_prefix("artifacts/").map(str::to_owned);
    let results = results(&run, &staging);
    Ok(Some(Taken {
        evidence: joined(evidence, Evidence { results, results_file: None, ..run }, node, (context.clock)()),
        staging,
        output_file,
    }))
}

/// The evidence from a node, if it belongs to this request.
fn read(path: &std::path::Path, asked: &Evidence) -> Option<Evidence> {
    let run: Evidence = record::read(path).ok()?;
    let is_of_manifest = run.manifest_sha256.is_none_or(|digest| asked.manifest_sha256 == Some(digest));
    let is_of_request = run.request_id == asked.request_id && run.request_sha256 == asked.request_sha256;
    (is_of_request && is_of_manifest && run.tool == asked.tool && run.node.is_none()).then_some(run)
}

/// Reads results that are too large for the evidence from the file beside it.
fn results(run: &Evidence, staging: &Staging) -> Value {
    let file = run.results_file.as_ref().and_then(|_| staging.file(RESULTS_FILE.strip_prefix("artifacts/")?));
    let read = |path: std::path::PathBuf| -> io::Result<Value> {
        Ok(serde_json::from_slice(&regular_file::read(&path, RESULTS_BYTES_MAX as u64)?)?)
    };
    file.and_then(|path| read(path).ok()).unwrap_or_else(|| run.results.clone())
}

/// The run as the node reports it, with requester, approvals and policy as decided here.
fn joined(asked: Evidence, mut run: Evidence, node: Node, now: DateTime<Utc>) -> Evidence {
    let given = std::mem::replace(&mut run.timestamp, asked.timestamp);
    match started(&given, &run.timestamp, now) {
        Start::Possible => run.timestamp = given,
        Start::Skewed => {}
        Start::Impossible => run.anomalies.push(format!(
            "The node's clock gives the start as {}; the time of the offer is in its place.",
            quoted(&given)
        )),
    }
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
        ..run
    }
}

/// What a node's clock says of the start of a run.
enum Start {
    /// It is between the offer and now.
    Possible,
    /// It is not, by no more than the skew that the gate allows.
    Skewed,
    /// It is not, by more than that, or is no time.
    Impossible,
}

fn started(given: &str, offered: &str, now: DateTime<Utc>) -> Start {
    let time = |text: &str| DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc());
    let Some((given, offered)) = time(given).zip(time(offered)) else { return Start::Impossible };
    let skew = TimeDelta::seconds(clock::SKEW_SECONDS_MAX.into());
    if (offered..=now).contains(&given) {
        Start::Possible
    } else if (offered - skew..=now + skew).contains(&given) {
        Start::Skewed
    } else {
        Start::Impossible
    }
}
