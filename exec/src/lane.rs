//! The lanes: how a request is executed.
//!
//! ```text
//! plan:    the invocation with everything it needs      changes nothing, and reports all faults at once
//! execute: work/{in,out,tmp} ▶ run ▶ collect files ▶ interpret      the pipeline makes evidence from it
//! ```
//!
//! `clad` calls a manifest, `ERA` runs one command line in the heavy sandbox, `monty` runs a program in a Python subset, `fetch` gets
//! pages. One file a lane; shared code is in `run.rs`, `ending.rs`, `output.rs`, `worker_program.rs` and
//! `auxiliary.rs`.

mod auxiliary;
pub mod clad;
pub mod confidential;
mod ending;
pub mod era;
pub mod fetch;
pub mod monty;
mod output;
mod retry;
pub mod run;
pub mod run_outcome;
pub mod worker_program;
mod workplace;

use std::fmt::Debug;

use gatepost_contract::manifest::InputFiles;
use gatepost_contract::request::{Lane, Request};
use gatepost_documents::evidence::NotEnforced;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::Fault;

use crate::authorize::Authorized;
use crate::context::Context;
use crate::lane::run::Place;
use crate::lane::run_outcome::{Invocation, RunOutcome};
use crate::policy::Subject;
use crate::sessions::{Requester, Sessions};
use crate::step_error::StepError;

/// The path of the site's own trusted certificates for a worker.
const CA_FILE: &str = "/ca.pem";

/// The plan of a request for policies and people.
#[derive(Debug)]
pub struct Proposal<'a> {
    /// How many people must approve it, independent of policies.
    pub approvers: u32,
    /// The questions for the policies, at least one. Each must be permitted.
    pub subjects: Vec<Subject<'a>>,
    /// Whether it would run in the built-in sandbox.
    pub built_in: bool,
    /// What the site's scope would refuse, in learn mode.
    pub out_of_scope: &'a [NotEnforced],
}

/// The invocation with the digest of its worker. A forecast omits the digest, because hashing takes longer than the rest.
pub fn invocation(planned: &dyn Planned, context: &Context) -> Result<Invocation, Fault> {
    let worker = planned.worker().map(|name| worker_program::identify(context, name)).transpose()?;
    Ok(Invocation { worker: worker.map(|(_, worker)| worker), ..planned.invocation() })
}

/// A lane's plan of a request. It may be executed once all other checks of the request pass.
pub trait Planned: Debug {
    /// How many people must have approved the request.
    fn approvers(&self) -> u32 {
        1
    }

    /// The weakest level of the built-in sandbox for it; `None` if it does not run in that sandbox.
    fn sandbox_minimum(&self) -> Option<SandboxLevel> {
        Some(SandboxLevel::None)
    }

    /// The questions for the policies, at least one. Each must be permitted.
    fn subjects(&self) -> Vec<Subject<'_>>;

    /// What the site's scope would refuse, in learn mode.
    fn out_of_scope(&self) -> &[NotEnforced] {
        &[]
    }

    /// The proposal for policies, made of the methods above.
    fn proposal(&self) -> Proposal<'_> {
        Proposal {
            approvers: self.approvers(),
            subjects: self.subjects(),
            built_in: self.sandbox_minimum().is_some(),
            out_of_scope: self.out_of_scope(),
        }
    }

    /// The lines of a session, or the actions of a browser.
    fn lines(&self) -> Vec<String> {
        Vec::new()
    }

    /// The invocation.
    fn invocation(&self) -> Invocation;

    /// The name of the worker that runs instead of a program.
    fn worker(&self) -> Option<&'static str> {
        None
    }

    /// The text of the manifest, for the bundle.
    fn manifest(&self) -> Option<&str> {
        None
    }

    /// Whether it may run again after an interruption.
    fn is_idempotent(&self) -> bool {
        false
    }

    /// Whether its output may contain secrets that are known only during the run.
    fn has_secrets(&self) -> bool {
        false
    }

    /// Why it cannot open or continue its session, if it has one. Waits for a session that is about to open. Codes:
    /// `limit_exceeded`, `session_unknown`.
    fn session_fault(&self, sessions: &Sessions, requester: &Requester) -> Option<Reason> {
        let _ = (sessions, requester);
        None
    }

    /// Executes it as authorized, and reports the run.
    fn execute(&self, authorized: Authorized, context: &Context, place: &Place<'_>) -> Result<RunOutcome, Fault>;
}

/// A request that its lane can carry out, before its secrets are read.
#[derive(Debug)]
pub enum Plan {
    /// A call of a manifest.
    Clad(clad::Plan),
    /// A command line.
    Era(era::Plan),
    /// A program in the Python subset.
    Monty(monty::Plan),
    /// Pages of the web.
    Fetch(fetch::Plan),
}

impl Plan {
    /// The plan for policies and people.
    pub fn proposal(&self) -> Proposal<'_> {
        match self {
            Self::Clad(plan) => Proposal {
                approvers: plan.approvers(),
                subjects: plan.subjects(),
                built_in: true,
                out_of_scope: &plan.out_of_scope,
            },
            Self::Era(plan) => plan.proposal(),
            Self::Monty(plan) => plan.proposal(),
            Self::Fetch(plan) => plan.proposal(),
        }
    }
}

/// Checks a request on its lane; changes nothing.
pub fn check(context: &Context, request: &Request, inputs: &dyn InputFiles) -> Result<Plan, StepError> {
    Ok(match &request.lane {
        Lane::Clad(call) => Plan::Clad(clad::plan(context, request, call, inputs)?),
        Lane::Era(command) => Plan::Era(era::plan(context, request, command)?),
        Lane::Monty(program) => Plan::Monty(monty::plan(context, request, program)?),
        Lane::Fetch(pages) => Plan::Fetch(fetch::plan(context, request, pages)?),
    })
}

/// Plans a request on its lane; changes nothing.
pub fn plan(
    context: &Context,
    request: &Request,
    inputs: &dyn InputFiles,
    scan_id: &str,
) -> Result<Box<dyn Planned>, StepError> {
    Ok(match check(context, request, inputs)? {
        Plan::Clad(plan) => Box::new(plan.prepare(context, scan_id)?),
        Plan::Era(plan) => Box::new(plan),
        Plan::Monty(plan) => Box::new(plan),
        Plan::Fetch(plan) => Box::new(plan),
    })
}

/// The refusal of a request that opens or continues a session on a lane without sessions. Code: `key_unknown`.
fn session_fault(request: &Request) -> Option<Reason> {
    let message = format!("The request opens or continues a session, but the lane {} has none.", request.lane.as_str());
    let is_asked_for = request.session_id.is_some() || request.keep_open == Some(true);
    is_asked_for.then(|| Reason::new(Code::KeyUnknown, message, "Remove `session_id` and `keep_open`."))
}
