//! Decides whether a request may be executed; touches nothing.
//!
//! *Security*: nothing is executed without the [`Authorized`] that is made here and nowhere else, neither from the mailbox
//! nor from the command line.

mod authorized;
mod demands;
pub mod proofs;

use chrono::{DateTime, Utc};
use gatepost_documents::evidence::{Approval, Completeness};
use gatepost_documents::reason::Reason;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::Fault;

use crate::context::Context;
use crate::inputs::Inputs;
use crate::lane::{self, Planned};
use crate::mailbox::claim::Claimed;
use crate::mailbox::pending::Waiting;
use crate::mailbox::{decision, signatures};
use crate::policy;
use crate::request::{Lane, Request};
use crate::scan_id::ScanId;
use crate::step_error::{StepError, gather};

pub use authorized::Authorized;
use demands::{Asked, Unmet};
use proofs::{Proofs, Signatories};

/// Why a request is not executed now.
#[derive(Debug)]
pub enum Denied {
    /// Its own fault: every reason.
    Refused(Vec<Reason>),
    /// It waits for people.
    Waits(Waiting),
    /// The world's fault.
    Fault(Fault),
}

impl From<Fault> for Denied {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Unmet> for Denied {
    fn from(unmet: Unmet) -> Self {
        match unmet {
            Unmet::Refused(reasons) => Self::Refused(reasons),
            Unmet::Waits(waiting) => Self::Waits(waiting),
        }
    }
}

/// What a request will run, with the permission to run it; or everything that speaks against it.
pub fn authorize(
    context: &Context,
    claimed: &Claimed,
    request: &Request,
    scan_id: ScanId,
) -> Result<(Authorized, Box<dyn Planned>), Denied> {
    if let Some(refusal) = decision::refusal(&claimed.folder)? {
        return Err(Denied::Refused(vec![refusal]));
    }
    let now = scan_id.started;
    let mut reasons: Vec<Reason> = request.expired(now).into_iter().collect();
    let signatories = Signatories::read(&context.site)?;
    let proven = signatories.prove(&signatures::read(&claimed.folder)?, &claimed.bytes, now);
    let proofs = gather(proven.map_err(StepError::Refused), &mut reasons)?.unwrap_or_default();
    reasons.extend(proofs.requester_fault(&request.requested_by));
    let inputs = Inputs::claimed(claimed);
    let verified = gather(inputs.check(request), &mut reasons)?.unwrap_or(false);
    let mut plan_reasons = Vec::new();
    let planned = gather(lane::plan(context, request, &inputs, &scan_id.to_string()), &mut plan_reasons)?;
    let minimum = planned.as_ref().map_or(Some(SandboxLevel::None), |planned| planned.sandbox_minimum());
    let fault = context.sandbox_fault.as_deref();
    reasons.extend(minimum.and_then(|minimum| policy::sandbox(context.sandbox_level, fault, minimum).err()));
    reasons.extend(plan_reasons);
    let latest = now + context.config.inbox.clock_skew();
    let approvers = planned.as_ref().map_or_else(|| unplanned_approvers(request), |planned| planned.approvers());
    reasons.extend(policy::future_approval(context.config.approval.mode, request, approvers, latest));
    let claimed_at = claimed.claim.claimed_utc.parse::<DateTime<Utc>>().unwrap_or(now);
    let asked = Asked {
        config: &context.config,
        request,
        proofs: &proofs,
        signatories: &signatories,
        approvers,
        claimed: claimed_at,
        now,
    };
    match (planned, asked.check()) {
        (Some(planned), Ok(())) if reasons.is_empty() => {
            let completeness = match claimed.claim.completeness {
                Completeness::Inferred if verified => Completeness::Verified,
                completeness => completeness,
            };
            let proofs = Proofs { approvals: approvals(context, request, proofs.approvals, approvers), ..proofs };
            Ok((Authorized::new(scan_id, proofs, completeness), planned))
        }
        (Some(_), Err(unmet)) if reasons.is_empty() => Err(unmet.into()),
        (_, unmet) => {
            if let Err(Unmet::Refused(missing)) = unmet {
                reasons.extend(missing);
            }
            Err(Denied::Refused(reasons))
        }
    }
}

/// How many people must approve what could not even be planned.
fn unplanned_approvers(request: &Request) -> u32 {
    u32::from(!matches!(request.lane, Lane::Clad(_)))
}

/// The signed approvals, and behind them the declared one where declarations are believed and one is needed.
fn approvals(context: &Context, request: &Request, signed: Vec<Approval>, approvers: u32) -> Vec<Approval> {
    let declared = policy::declared_approval(context.config.approval.mode, request).filter(|_| approvers > 0);
    let is_new = |declared: &Approval| !signed.iter().any(|signed| signed.approved_by == declared.approved_by);
    let declared = declared.filter(is_new);
    signed.into_iter().chain(declared).collect()
}
