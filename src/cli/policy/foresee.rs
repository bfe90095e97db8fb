//! What will speak against a request, said before it is dropped or run.

use chrono::Utc;
use gatepost_documents::reason::{Reason, Severity};
use gatepost_mailbox::fault::Fault;

use crate::authorize::proofs::{Proofs, Signatories};
use crate::authorize::{Applicant, Standing, Unmet};
use crate::context::Context;
use crate::lane::{self, Plan};
use crate::manifest::{InputFiles, PathFault};
use crate::request::{Input, Request};
use crate::step_error::gather;

/// The inputs that a request declares, whether they are at hand or not.
pub struct Declared<'a>(pub &'a [Input]);

impl InputFiles for Declared<'_> {
    fn input_file(&self, relative: &str) -> Result<(), PathFault> {
        if self.0.iter().any(|input| input.name == relative) { Ok(()) } else { Err(PathFault::Missing) }
    }
}

/// What its lane would run, and every reason of lane, scope and policies. What people can still do, to
/// approve or to sign, is a flag.
pub fn foresee(
    context: &Context,
    request: &Request,
    inputs: &dyn InputFiles,
) -> Result<(Option<Plan>, Vec<Reason>), Fault> {
    let mut reasons = Vec::new();
    let Some(plan) = gather(lane::check(context, request, inputs), &mut reasons)? else { return Ok((None, reasons)) };
    let (proofs, signatories, now) = (Proofs::default(), Signatories::read(&context.site)?, Utc::now());
    let standing = Standing {
        request,
        approvers: plan.approvers(),
        proofs: &proofs,
        signatories: &signatories,
        claimed: now,
        now,
    };
    let (subjects, built_in) = plan.subjects();
    let applicant = Applicant { standing, subjects: &subjects, built_in };
    match applicant.permission(context, &*context.policies()?).1 {
        Ok(_) => {}
        Err(Unmet::Refused(refused)) => reasons.extend(refused),
        Err(Unmet::Waits(waiting)) => {
            let flag = |reason| Reason { severity: Severity::Flag, ..reason };
            reasons.extend(waiting.missing.into_iter().map(flag));
        }
    }
    Ok((Some(plan), reasons))
}
