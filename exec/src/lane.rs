//! The lanes: how a request is executed.
//!
//! ```text
//! plan:    what will run, with all that it takes      nothing is touched, and all that is wrong is said at once
//! execute: work/{in,out,tmp} ▶ run ▶ take over what was left ▶ what it means      evidence is made of it by the pipeline
//! ```
//!
//! `clad` calls a manifest, `ERA` runs one command line in the heavy sandbox, `monty` runs a program in a Python subset, `fetch` gets
//! pages. One file a lane; what they share is in `run.rs`, `ending.rs`, `output.rs`, `worker_program.rs` and
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

/// Where a worker finds the site's own trusted certificates.
const CA_FILE: &str = "/ca.pem";

/// What a request would run, as policies and people see it.
#[derive(Debug)]
pub struct Proposal<'a> {
    /// How many people must have approved it, independent of policies.
    pub approvers: u32,
    /// The questions for the policies, at least one. Each must be permitted.
    pub subjects: Vec<Subject<'a>>,
    /// Whether the built-in sandbox would hold it.
    pub built_in: bool,
    /// What the site's scope would refuse, in learn mode.
    pub out_of_scope: &'a [NotEnforced],
}

/// What will run, with the digest of its worker: a forecast needs none, and hashing takes longer than all the rest of it.
pub fn invocation(planned: &dyn Planned, context: &Context) -> Result<Invocation, Fault> {
    let worker = planned.worker().map(|name| worker_program::identify(context, name)).transpose()?;
    Ok(Invocation { worker: worker.map(|(_, worker)| worker), ..planned.invocation() })
}

/// What a lane made of a request; it may be executed once the rest of the request is in order, too.
pub trait Planned: Debug {
    /// How many people must have approved the request.
    fn approvers(&self) -> u32 {
        1
    }

    /// The weakest level of the built-in sandbox at which it may be executed; `None` if that does not hold it.
    fn sandbox_minimum(&self) -> Option<SandboxLevel> {
        Some(SandboxLevel::None)
    }

    /// The questions for the policies, at least one. Each must be permitted.
    fn subjects(&self) -> Vec<Subject<'_>>;

    /// What the site's scope would refuse, in learn mode.
    fn out_of_scope(&self) -> &[NotEnforced] {
        &[]
    }

    /// All four.
    fn proposal(&self) -> Proposal<'_> {
        Proposal {
            approvers: self.approvers(),
            subjects: self.subjects(),
            built_in: self.sandbox_minimum().is_some(),
            out_of_scope: self.out_of_scope(),
        }
    }

    /// What will be said in a session, line by line, or done with a browser.
    fn lines(&self) -> Vec<String> {
        Vec::new()
    }

    /// What will run, and with what.
    fn invocation(&self) -> Invocation;

    /// The worker that will run in the place of a program, by its name.
    fn worker(&self) -> Option<&'static str> {
        None
    }

    /// The text of the manifest that is called, for the bundle.
    fn manifest(&self) -> Option<&str> {
        None
    }

    /// Whether it may be run again after it was interrupted.
    fn is_idempotent(&self) -> bool {
        false
    }

    /// Whether what it prints may hold secrets that are known only while it runs.
    fn has_secrets(&self) -> bool {
        false
    }

    /// Why it cannot open or continue its session, if it is one of these. Waits for a session that is about to be opened. Codes:
    /// `limit_exceeded`, `session_unknown`.
    fn session_fault(&self, sessions: &Sessions, requester: &Requester) -> Option<Reason> {
        let _ = (sessions, requester);
        None
    }

    /// Executes it, as it was authorized, and says what ran.
    fn execute(&self, authorized: Authorized, context: &Context, place: &Place<'_>) -> Result<RunOutcome, Fault>;
}

/// A request that its lane could carry out, before its secrets are known.
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
    /// What would run, as policies and people see it.
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

/// Checks a request on its lane; touches nothing.
pub fn check(context: &Context, request: &Request, inputs: &dyn InputFiles) -> Result<Plan, StepError> {
    Ok(match &request.lane {
        Lane::Clad(call) => Plan::Clad(clad::plan(context, request, call, inputs)?),
        Lane::Era(command) => Plan::Era(era::plan(context, request, command)?),
        Lane::Monty(program) => Plan::Monty(monty::plan(context, request, program)?),
        Lane::Fetch(pages) => Plan::Fetch(fetch::plan(context, request, pages)?),
    })
}

/// Plans a request on its lane; touches nothing.
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

/// What keeps a lane without sessions from carrying out a request that opens or continues one. Code: `key_unknown`.
fn session_fault(request: &Request) -> Option<Reason> {
    let message = format!("The request opens or continues a session, but the lane {} has none.", request.lane.as_str());
    let is_asked_for = request.session_id.is_some() || request.keep_open == Some(true);
    is_asked_for.then(|| Reason::new(Code::KeyUnknown, message, "Remove `session_id` and `keep_open`."))
}
