//! What needs an approval must have run with one. Whether the request declares it was checked with its other values.

use super::Claim;
use crate::consistency;
use gatepost_documents::evidence::Backend;
use gatepost_documents::reason::{Code, Reason};

const HINT: &str = "Ask the operator how this came to run; a command line, a program and a tool of risk run only when a \
                    person approved the request.";

/// The demand for an approval that is not there. The lane is the request's own: that was checked.
pub(super) fn missing(claim: Claim<'_>) -> Option<Reason> {
    let evidence = &claim.confirmed.evidence;
    if consistency::is_refusal(evidence) || !evidence.approvals.is_empty() {
        return None;
    }
    let who = match (&claim.confirmed.manifest, evidence.backend) {
        (_, lane @ (Backend::Era | Backend::Monty)) => format!("the lane {lane}"),
        (Some(manifest), _) if manifest.needs_approval => "the manifest".to_owned(),
        _ => return None,
    };
    let message = format!("Nobody approved the request, and {who} demands it.");
    Some(Reason::new(Code::ApprovalMissing, message, HINT).in_file(consistency::FILE))
}
