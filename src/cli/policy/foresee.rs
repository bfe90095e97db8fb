//! What will speak against a request, said before it is dropped or run.

use chrono::Utc;
use gatepost_documents::reason::{Code, Reason, Severity};
use gatepost_mailbox::fault::Fault;

use crate::authorize::question;
use crate::context::Context;
use crate::lane::{self, Plan};
use crate::manifest::{InputFiles, PathFault};
use crate::policy;
use crate::request::{Input, Request};
use crate::step_error::gather;

/// The inputs that a request declares, whether they are at hand or not.
pub struct Declared<'a>(pub &'a [Input]);

impl InputFiles for Declared<'_> {
    fn input_file(&self, relative: &str) -> Result<(), PathFault> {
        if self.0.iter().any(|input| input.name == relative) { Ok(()) } else { Err(PathFault::Missing) }
    }
}

/// What its lane would run, and every reason of lane, scope and policies. An approval that is missing is a flag: it can still be
/// given.
pub fn foresee(
    context: &Context,
    request: &Request,
    inputs: &dyn InputFiles,
) -> Result<(Option<Plan>, Vec<Reason>), Fault> {
    let mut reasons = Vec::new();
    let Some(plan) = gather(lane::check(context, request, inputs), &mut reasons)? else { return Ok((None, reasons)) };
    let now = Utc::now();
    let held = policy::approvals(context.config.approval.mode, request.declared_approval.as_ref(), now);
    let names = held.iter().flatten().map(|approval| approval.approved_by.clone()).collect::<Vec<_>>();
    let question = question(context, request, plan.subject(), now, &names);
    let decision = context.policies()?.decide(&question, &context.could_approve());
    let own = held.err().filter(|_| plan.needs_approval());
    reasons.extend(decision.reason().or(own).map(|reason| match reason.code {
        Code::ApprovalMissing => Reason { severity: Severity::Flag, ..reason },
        _ => reason,
    }));
    Ok((Some(plan), reasons))
}
