//! Stage 6, authority: checks against the gate's own records, which no sender can change.
//!
//! A consistent result may still answer a request that nobody made, or come from a tool without enough isolation.
//! Standards: `schemas/result.schema.md`.

use crate::consistency;
use crate::facts::SiteFacts;
use crate::integrity::{Confirmed, MANIFEST_FILE};
use crate::policy::{Accept, Policy};
use crate::shape::Whole;
use gatepost_documents::evidence::Status;
use gatepost_documents::reason::{Code, Reason};

mod approval;
mod learn_mode;
mod network;
mod pins;
mod sandbox;

/// The content of a bundle, with the demands on it.
#[derive(Clone, Copy)]
struct Claim<'a> {
    whole: Whole<'a>,
    confirmed: &'a Confirmed,
    /// Absent without a site: then only the bundle's own demands count.
    policy: Option<&'a Policy>,
}

/// Every claim that the site does not confirm.
pub(crate) fn check(
    whole: Whole<'_>,
    confirmed: &Confirmed,
    site: Option<&SiteFacts>,
    accept: Option<Accept>,
) -> Result<(), Vec<Reason>> {
    let mut reasons = Vec::new();
    let claim = Claim { whole, confirmed, policy: site.map(|site| &site.policy.policy) };
    if let Some(site) = site {
        reasons.extend(request_unknown(whole, confirmed, site));
        reasons.extend(duplicate_result(whole, site));
        reasons.extend(manifest_unknown(confirmed, site));
        reasons.extend(pins::changed(claim, site));
    }
    reasons.extend(learn_mode::not_accepted(&confirmed.evidence, accept));
    reasons.extend(approval::faults(claim, site));
    reasons.extend(sandbox::below_minimum(claim));
    reasons.extend(network::not_allowed(claim));
    // The site does not know this schema, so it is a stranger's and proves nothing.
    if !reasons.iter().any(|reason| reason.code == Code::ManifestUnknown) {
        reasons.extend(output_schema_violation(confirmed));
    }
    if reasons.is_empty() { Ok(()) } else { Err(reasons) }
}

fn request_unknown(whole: Whole<'_>, confirmed: &Confirmed, site: &SiteFacts) -> Option<Reason> {
    let id = whole.id.request();
    let message = match site.claimed_request {
        Some(digest) if digest == confirmed.evidence.request_sha256 => return None,
        Some(digest) => format!("TOOL-EXEC claimed the request {id} with other bytes, whose digest is {digest}."),
        None => format!("TOOL-EXEC claimed no request {id} at this site."),
    };
    let hint =
        "Ask the operator where this result comes from; the gate accepts only results for requests of this site.";
    Some(Reason::new(Code::RequestUnknown, message, hint).in_file(whole.request_path))
}

fn duplicate_result(whole: Whole<'_>, site: &SiteFacts) -> Option<Reason> {
    let earlier = site.earlier_result.as_ref()?;
    let message = format!("The request {} was answered before, by {earlier}.", whole.id.request());
    Some(Reason::new(
        Code::DuplicateResult,
        message,
        "Read the first result; run the tool again under a new request id.",
    ))
}

fn manifest_unknown(confirmed: &Confirmed, site: &SiteFacts) -> Option<Reason> {
    let digest = confirmed.evidence.manifest_sha256.filter(|digest| !site.manifests.contains(digest))?;
    let message = format!("No manifest of this site has the digest {digest}.");
    let hint = "Install the manifest in tools/ before requests use it, and keep it unchanged while they run.";
    Some(Reason::new(Code::ManifestUnknown, message, hint).in_file(MANIFEST_FILE))
}

/// Checks results against the schema whatever the status; those of a session, interaction by interaction. A success has
/// results, even if they are null. The null of a failure means no results. If the results file is larger than the gate
/// reads, TOOL-EXEC alone vouches for the results.
fn output_schema_violation(confirmed: &Confirmed) -> Vec<Reason> {
    let Confirmed { evidence, manifest: Some(manifest), results, .. } = confirmed else { return Vec::new() };
    let is_unread = evidence.results_file.is_some() && results.is_none();
    let results = results.as_ref().unwrap_or(&evidence.results);
    let hint = "Correct the tool's parser, or the output schema in its manifest.";
    let reason = |fault: String| Reason::new(Code::OutputSchemaViolation, fault, hint).in_file(consistency::FILE);
    if manifest.session.is_some() {
        let all = evidence.interactions.iter().map(|one| &one.results).filter(|results| !results.is_null());
        return manifest.violations(all).into_iter().map(reason).collect();
    }
    if is_unread || results.is_null() && evidence.status != Status::Success {
        return Vec::new();
    }
    manifest.violations([results]).into_iter().map(reason).collect()
}
