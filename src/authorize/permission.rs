//! Whether the site's policies let a request run, and with whose approval.
//!
//! Beside the policies stands what holds whatever they say: a command line, a program, and a tool that demands it or whose risk is
//! medium or above need an approval.

use chrono::{DateTime, Utc};
use gatepost_documents::evidence::{self, Approval, EnforcedLevel};
use gatepost_documents::reason::{Code, Reason};

use crate::context::Context;
use crate::lane::Planned;
use crate::policy::{self, PolicySet, Question, Subject};
use crate::request::{Network, Request};

/// What a request asks of the policies; with the subject comes whether the built-in sandbox would hold it.
pub fn question<'a>(
    context: &Context,
    request: &'a Request,
    (subject, built_in): (Subject<'a>, bool),
    time: DateTime<Utc>,
    approvals: &'a [String],
) -> Question<'a> {
    let network = match &request.network {
        Network::None => &[],
        Network::Allowlist(destinations) => destinations.as_slice(),
    };
    let sandbox = if built_in { context.sandbox_level.into() } else { EnforcedLevel::External };
    Question { requester: &request.requested_by, requester_proved: false, subject, network, sandbox, time, approvals }
}

/// The approvals that hold, and what the policies say with them; or every reason why it may not run.
pub(super) fn permission(
    context: &Context,
    policies: &PolicySet,
    request: &Request,
    planned: &dyn Planned,
    time: DateTime<Utc>,
) -> Result<(Vec<Approval>, evidence::Policy), Vec<Reason>> {
    let could_approve = context.could_approve();
    let decide = |approvals: &[Approval]| {
        let names: Vec<String> = approvals.iter().map(|approval| approval.approved_by.clone()).collect();
        let subject = (planned.subject(), planned.sandbox_minimum().is_some());
        policies.decide(&question(context, request, subject, time, &names), &could_approve)
    };
    let mut decision = decide(&[]);
    let mut reasons = Vec::new();
    let mut approvals = Vec::new();
    if planned.needs_approval() || decision.kind() == evidence::PolicyDecision::NeedsApproval {
        let latest = time + context.config.inbox.clock_skew();
        match policy::approvals(context.config.approval.mode, request.declared_approval.as_ref(), latest) {
            Ok(held) => {
                decision = decide(&held);
                approvals = held;
            }
            Err(reason) => reasons.push(reason),
        }
    }
    // That an approval is missing is said once.
    reasons.extend(decision.reason().filter(|reason| reason.code != Code::ApprovalMissing || reasons.is_empty()));
    if reasons.is_empty() { Ok((approvals, decision.evidence(policies.sha256()))) } else { Err(reasons) }
}
