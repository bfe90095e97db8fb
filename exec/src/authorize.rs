//! Decides whether a request may be executed; changes nothing.
//!
//! *Security*: nothing runs without the [`Authorized`] that only this module makes, neither from the mailbox nor from the command line.

mod authorized;
mod demands;
mod permission;
pub mod proofs;
mod signed;

use gatepost_contract::request::{Lane, Request};
use gatepost_documents::evidence::{Completeness, Learn, Policy};
use gatepost_documents::reason::Reason;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::Fault;

use crate::context::Context;
use crate::inputs::Inputs;
use crate::lane::run_outcome::Invocation;
use crate::lane::{self, Planned};
use crate::mailbox::claim::Claimed;
use crate::mailbox::pending::Waiting;
use crate::mailbox::{decision, signatures};
use crate::policy;
use crate::review;
use crate::scan_id::ScanId;
use crate::sessions::Requester;
use crate::step_error::gather;

pub use authorized::{Authorized, Record};
pub use demands::Unmet;
pub use permission::{Applicant, Permission};
use proofs::Proofs;
pub use signed::Signed;

/// Why a request is not executed now.
#[derive(Debug)]
pub enum Denied {
    /// Its own fault.
    Refused(Refusal),
    /// It waits for people.
    Waits(Waiting, String),
    /// A fault of the machine.
    Fault(Fault),
}

impl From<Fault> for Denied {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// The refusal of a request.
#[derive(Debug)]
pub struct Refusal {
    /// Every reason.
    pub reasons: Vec<Reason>,
    /// The policies' decision, if they were asked.
    pub judged: Option<Box<Judged>>,
}

/// A runnable request that the site's policies or people did not permit.
#[derive(Debug)]
pub struct Judged {
    /// The policies' decision.
    pub policy: Policy,
    /// What learn mode does not enforce; absent in mode `enforce`.
    pub learn: Option<Learn>,
    /// The planned invocation.
    pub invocation: Invocation,
    /// The text of its manifest.
    pub manifest: Option<String>,
}

impl From<Vec<Reason>> for Refusal {
    fn from(reasons: Vec<Reason>) -> Self {
        Self { reasons, judged: None }
    }
}

impl From<Vec<Reason>> for Denied {
    fn from(reasons: Vec<Reason>) -> Self {
        Self::Refused(reasons.into())
    }
}

/// The plan of a request, with the permission to run it; or all reasons against it.
pub fn authorize(
    context: &Context,
    claimed: &Claimed,
    request: &Request,
    scan_id: ScanId,
) -> Result<(Authorized, Box<dyn Planned>), Denied> {
    if let Some(refusal) = decision::refusal(&claimed.folder)? {
        return Err(vec![refusal].into());
    }
    let now = scan_id.started;
    // This refusal is final.
    if let Some(expired) = request.expired(now) {
        return Err(vec![expired].into());
    }
    let mut reasons = Vec::new();
    let received = signatures::read(&claimed.folder)?;
    let since = claimed.claim.claimed_utc.parse().unwrap_or(now);
    let signed = Signed::read(&context.site, request, (&claimed.bytes, &received), since, now)?;
    reasons.extend_from_slice(&signed.faults);
    let inputs = Inputs::claimed(claimed);
    let verified = gather(inputs.check(request), &mut reasons)?.unwrap_or(false);
    let mut plan_reasons = Vec::new();
    let planned = gather(lane::plan(context, request, &inputs, &scan_id.to_string()), &mut plan_reasons)?;
    let minimum = planned.as_ref().map_or(Some(SandboxLevel::None), |planned| planned.sandbox_minimum());
    let fault = context.sandbox_fault.as_deref();
    reasons.extend(minimum.and_then(|minimum| policy::sandbox(context.sandbox_level, fault, minimum).err()));
    reasons.extend(plan_reasons);
    let requester = Requester {
        name: request.requested_by.clone(),
        uid: claimed.claim.uid,
        key: signed.proofs.requester.as_ref().map(|(_, proof)| proof.key.clone()),
    };
    reasons.extend(planned.as_ref().and_then(|planned| planned.session_fault(&context.sessions, &requester)));
    let Some(planned) = planned else {
        reasons.extend(signed.standing(unplanned_approvers(request)).faults(context));
        return Err(reasons.into());
    };
    let (proposal, policies) = (planned.proposal(), context.policies()?);
    let applicant = signed.applicant(&proposal);
    let Permission { policy, learn, approvals } = applicant.permission(context, &policies);
    let judged = |reasons, policy, learn| {
        let manifest = planned.manifest().map(str::to_owned);
        let judged = Judged { policy, learn, invocation: planned.invocation(), manifest };
        Denied::Refused(Refusal { reasons, judged: Some(Box::new(judged)) })
    };
    match approvals {
        Ok(approvals) if reasons.is_empty() => {
            let completeness = match claimed.claim.completeness {
                Completeness::Inferred if verified => Completeness::Verified,
                completeness => completeness,
            };
            let interactions = match proposal.subjects.as_slice() {
                [_] => Vec::new(),
                _ => applicant.of_each(context, &policies, &approvals).split_off(1),
            };
            let proofs = Proofs { approvals, ..signed.proofs.clone() };
            Ok((Authorized::new(scan_id, proofs, (policy, interactions), learn, completeness, requester), planned))
        }
        Err(Unmet::Waits(waiting)) if reasons.is_empty() => {
            let review = review::text(request, &claimed.bytes, Some(planned.as_ref()), &scan_id.to_string());
            Err(Denied::Waits(waiting, review))
        }
        Ok(_) | Err(Unmet::Waits(_)) => Err(judged(reasons, policy, learn)),
        Err(Unmet::Refused(missing)) => {
            reasons.extend(missing);
            Err(judged(reasons, policy, learn))
        }
    }
}

/// How many people must approve a request that cannot be planned.
fn unplanned_approvers(request: &Request) -> u32 {
    u32::from(!matches!(request.lane, Lane::Clad(_) | Lane::Fetch(_)))
}
