//! The lanes: how a request is executed.
//!
//! ```text
//! plan:    what will run, with all that it takes      nothing is touched, and all that is wrong is said at once
//! execute: work/{in,out,tmp} ▶ run ▶ take over what was left ▶ what it means      the evidence is complete but for the artifacts
//! ```
//!
//! `clad` calls a manifest, `ERA` runs one command line in the heavy sandbox, `monty` runs a program in a Python subset. One
//! file a lane; what they share is in `run.rs`, `ending.rs`, `output.rs` and `aside.rs`.

mod aside;
pub mod clad;
mod ending;
pub mod era;
pub mod monty;
mod output;
pub mod run;
pub mod workplace;

use std::fmt::Debug;

use gatepost_documents::evidence::Evidence;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::Fault;

use crate::lane::run::Place;
use crate::manifest::Surroundings;
use crate::pipeline::Context;
use crate::request::{Lane, Request};

/// What a lane made of a request; it may be executed once the rest of the request is in order, too.
pub trait Planned: Debug {
    /// Whether a person must have approved the request.
    fn needs_approval(&self) -> bool {
        true
    }

    /// The weakest level of the built-in sandbox at which it may be executed; `None` if that does not hold it.
    fn sandbox_minimum(&self) -> Option<SandboxLevel> {
        Some(SandboxLevel::None)
    }

    /// Says in the evidence what will run, and with what.
    fn describe(&self, evidence: &mut Evidence);

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

    /// Executes it and completes its evidence; returns its own output file, below `artifacts/`, if it wrote one.
    fn execute(
        &self,
        context: &Context,
        place: &Place<'_>,
        evidence: &mut Evidence,
    ) -> Result<Option<&'static str>, Fault>;
}

/// Plans a request on its lane; touches nothing. The outer error is the world's.
pub fn plan(
    context: &Context,
    request: &Request,
    inputs: &dyn Surroundings,
    scan_id: &str,
) -> Result<Result<Box<dyn Planned>, Vec<Reason>>, Fault> {
    match &request.lane {
        Lane::Clad(call) => {
            let planned = clad::plan(context, request, call, inputs)?;
            let prepared = planned.and_then(|plan| plan.prepare(scan_id));
            Ok(prepared.map(|prepared| Box::new(prepared) as Box<dyn Planned>))
        }
        Lane::Era(command) => {
            let planned = era::plan(context, request, command);
            Ok(planned.map(|plan| Box::new(plan) as Box<dyn Planned>))
        }
        Lane::Monty(program) => {
            let planned = monty::plan(context, request, program)?;
            Ok(planned.map(|plan| Box::new(plan) as Box<dyn Planned>))
        }
    }
}

/// What keeps any lane from carrying out a request that continues a session.
fn session_fault(request: &Request) -> Option<Reason> {
    let message = "The request continues a session, and this version has none.";
    request.session_id.as_ref().map(|_| Reason::new(Code::BackendUnavailable, message, "Leave session_id out."))
}
