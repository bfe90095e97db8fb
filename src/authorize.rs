//! Decides whether a request may be executed; touches nothing.
//!
//! *Security*: nothing is executed without the [`Authorized`] that is made here and nowhere else, neither from the mailbox
//! nor from the command line.

mod authorized;
mod permission;

use gatepost_documents::evidence::Completeness;
use gatepost_documents::reason::Reason;
use gatepost_documents::sandbox_level::SandboxLevel;

use crate::context::Context;
use crate::inputs::Inputs;
use crate::lane::{self, Planned};
use crate::mailbox::claim::Claimed;
use crate::policy;
use crate::request::{Lane, Request};
use crate::scan_id::ScanId;
use crate::step_error::{StepError, gather};

pub use authorized::Authorized;
pub use permission::question;

/// What a request will run, with the permission to run it; or everything that speaks against it.
pub fn authorize(
    context: &Context,
    claimed: &Claimed,
    request: &Request,
    scan_id: ScanId,
) -> Result<(Authorized, Box<dyn Planned>), StepError> {
    let mut reasons: Vec<Reason> = request.expired(scan_id.started).into_iter().collect();
    let inputs = Inputs::claimed(claimed);
    let verified = gather(inputs.check(request), &mut reasons)?.unwrap_or(false);
    let mut plan_reasons = Vec::new();
    let planned = gather(lane::plan(context, request, &inputs, &scan_id.to_string()), &mut plan_reasons)?;
    let minimum = planned.as_ref().map_or(Some(SandboxLevel::None), |planned| planned.sandbox_minimum());
    let fault = context.sandbox_fault.as_deref();
    reasons.extend(minimum.and_then(|minimum| policy::sandbox(context.sandbox_level, fault, minimum).err()));
    reasons.extend(plan_reasons);
    let permission = if let Some(planned) = &planned {
        let policies = context.policies()?;
        permission::permission(context, &policies, request, planned.as_ref(), scan_id.started)
            .map_err(|denied| reasons.extend(denied))
            .ok()
    } else {
        reasons.extend(approval_missing(context, request, scan_id));
        None
    };
    match planned.zip(permission) {
        Some((planned, (approvals, policy))) if reasons.is_empty() => {
            let completeness = match claimed.claim.completeness {
                Completeness::Inferred if verified => Completeness::Verified,
                completeness => completeness,
            };
            Ok((Authorized::new(scan_id, approvals, policy, completeness), planned))
        }
        _ => Err(StepError::Refused(reasons)),
    }
}

/// Whether a request of which nothing could be planned lacks an approval besides: what has no manifest needs one.
fn approval_missing(context: &Context, request: &Request, scan_id: ScanId) -> Option<Reason> {
    let needs_approval = !matches!(request.lane, Lane::Clad(_));
    let latest = scan_id.started + context.config.inbox.clock_skew();
    let held = || policy::approvals(context.config.approval.mode, request.declared_approval.as_ref(), latest);
    needs_approval.then(held).and_then(Result::err)
}
