//! Predicts the reasons against a request, before it is dropped or run.

use crate::cli::prelude::*;
use chrono::Utc;
use gatepost_contract::argument_value::ArgumentValue;
use gatepost_contract::manifest::{InputFiles, Kind, PathFault};
use gatepost_contract::request::{Input, Lane, Request};
use gatepost_documents::evidence::NotEnforced;
use gatepost_exec::authorize::{Signed, Unmet};
use gatepost_exec::context::Context;
use gatepost_exec::lane::{self, Plan};
use gatepost_exec::mailbox::signatures::Received;
use gatepost_exec::step_error::gather;

/// The declared inputs of a request, present or not.
pub(crate) struct Declared<'a>(pub &'a [Input]);

impl InputFiles for Declared<'_> {
    fn input_file(&self, relative: &str) -> Result<(), PathFault> {
        if self.0.iter().any(|input| input.name == relative) { Ok(()) } else { Err(PathFault::Missing) }
    }
}

/// The files that accompany a request.
pub(crate) struct Brought<'a> {
    /// Its input files.
    pub inputs: &'a dyn InputFiles,
    /// The signatures beside it, if any.
    pub signatures: &'a [Received],
    /// The request's bytes, which the signatures cover.
    pub bytes: &'a [u8],
}

/// The plan of its lane, and every reason of lane, scope, signatures and policies, worded like TOOL-EXEC's. Steps that
/// people can still take (approve, sign) are flags.
pub(crate) fn foresee(
    context: &Context,
    request: &Request,
    brought: &Brought<'_>,
) -> Result<(Option<Plan>, Vec<Reason>), Fault> {
    let now = Utc::now();
    if let Some(expired) = request.expired(now) {
        return Ok((None, vec![expired]));
    }
    let mut reasons = Vec::new();
    let signed = Signed::read(&context.site, request, (brought.bytes, brought.signatures), now, now)?;
    reasons.extend_from_slice(&signed.faults);
    let Some(plan) = gather(lane::check(context, request, brought.inputs), &mut reasons)? else {
        return Ok((None, reasons));
    };
    reasons.extend(unsent(context, request, brought.inputs));
    let permission = signed.applicant(&plan.proposal()).permission(context, &*context.policies()?);
    let not_enforced = permission.learn.unwrap_or_default().not_enforced;
    reasons.extend(not_enforced.into_iter().map(|NotEnforced { code, message, .. }| {
        let hint = "TOOL-EXEC is in learn mode and runs it all the same; in mode enforce it would refuse it.";
        Reason { severity: Severity::Flag, ..Reason::new(code, message, hint) }
    }));
    match permission.approvals {
        Ok(_) => {}
        Err(Unmet::Refused(refused)) => reasons.extend(refused),
        Err(Unmet::Waits(waiting)) => {
            let flag = |reason| Reason { severity: Severity::Flag, ..reason };
            reasons.extend(waiting.missing.into_iter().map(flag));
        }
    }
    Ok((Some(plan), reasons))
}

/// Arguments that name missing files. They are flags, because a tool may create a file of that name itself.
fn unsent(context: &Context, request: &Request, inputs: &dyn InputFiles) -> Vec<Reason> {
    let Lane::Clad(call) = &request.lane else { return Vec::new() };
    let Ok(tool) = context.toolbox.find(&call.tool) else { return Vec::new() };
    let is_path = |name: &str| tool.manifest.argument(name).is_some_and(|one| one.kind.kind() == Kind::Path);
    let is_missing = |value: &str| inputs.input_file(value) == Err(PathFault::Missing);
    let unsent = call.args.iter().filter(|(name, value)| is_path(name) && is_missing(&value.to_string()));
    let flag = |(name, value): (&String, &ArgumentValue)| {
        let message = format!("The argument {name} is {}, and no input has that name.", quoted(&value.to_string()));
        let hint = "Send the file with --input FILE, unless the tool itself makes it.";
        Reason { severity: Severity::Flag, ..Reason::new(Code::InputMissing, message, hint) }
    };
    unsent.map(flag).collect()
}

/// The faults of the secrets that a plan needs, as far as this process has them.
pub(crate) fn secrets_missing(context: &Context, plan: Option<Plan>) -> Result<Vec<Reason>, Fault> {
    let mut reasons = Vec::new();
    if let Some(Plan::Clad(plan)) = plan {
        gather(plan.prepare(context, "scan"), &mut reasons)?;
    }
    Ok(reasons)
}
