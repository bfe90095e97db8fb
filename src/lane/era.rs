//! The lane `ERA`: one command line of an interpreter, over the files in `/in` and `/out`.
//!
//! ```text
//! built-in sandbox, level full:   argv                                   an external launcher, inside level none:   launcher… -- argv
//! ```
//!
//! It has no results: no schema says what they mean. What it prints and leaves are artifacts. *Security*: the program is
//! the requester's, so nothing but what holds it bounds it. *Standards*: ThreeGate, the ERA backend.

mod interpreter;
mod launcher;
mod version;

use gatepost_documents::evidence::{self, Evidence, Limits, Status};
use gatepost_documents::reason::Reason;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::Fault;

use crate::config::Launcher;
use crate::environment;
use crate::lane::run::{self, Place, Program};
use crate::lane::{Planned, session_fault};
use crate::network::Access;
use crate::pipeline::Context;
use crate::policy;
use crate::process;
use crate::request::{EraCommand, Request};
use crate::shell;

pub use version::Versions;

/// A command that may be executed.
#[derive(Debug)]
pub struct Plan {
    /// Its program, by its name.
    interpreter: String,
    /// What follows it.
    arguments: Vec<String>,
    limits: Limits,
    network: Option<Access>,
    /// Without a program: the built-in sandbox.
    launcher: Launcher,
    /// The same launcher for the evidence.
    identity: Option<evidence::Launcher>,
}

/// Checks a command against what the site runs: all reasons at once.
pub fn plan(context: &Context, request: &Request, command: &EraCommand) -> Result<Plan, Vec<Reason>> {
    let era = &context.config.era;
    let has_launcher = era.launcher.program().is_some();
    // What a launcher holds finds the interpreters in there.
    let is_installed = |name: &str| has_launcher || process::installed(name.as_ref()).is_some();
    let resolved = interpreter::resolve(&era.interpreters, command, is_installed);
    let fault = if has_launcher {
        Some("[era] launcher holds command lines, and gives them none".to_owned())
    } else {
        context.network_fault()
    };
    let network = policy::network(request, None, &context.config.network.destinations, fault.as_deref());
    let identity = launcher::identify(&era.launcher);
    match (session_fault(request), resolved, network, identity) {
        (None, Ok(interpreter), Ok(network), Ok(identity)) => Ok(Plan {
            network,
            interpreter,
            arguments: command.argv.iter().skip(1).cloned().collect(),
            limits: policy::limits(&context.config.limits, None, &request.limits),
            launcher: era.launcher.clone(),
            identity,
        }),
        (session, resolved, network, identity) => {
            let network = network.err().into_iter().flatten();
            Err(session.into_iter().chain(resolved.err()).chain(network).chain(identity.err()).collect())
        }
    }
}

impl Plan {
    fn command(&self) -> Vec<String> {
        std::iter::once(&self.interpreter).chain(&self.arguments).cloned().collect()
    }

    /// Says in the evidence that the launcher holds the command, if there is one.
    fn is_held(&self, evidence: &mut Evidence, version: String) {
        if let Some(identity) = &self.identity {
            "external".clone_into(&mut evidence.sandbox.level);
            evidence.sandbox.launcher = Some(evidence::Launcher { version, ..identity.clone() });
            evidence.limits.memory_bytes = self.limits.memory_bytes;
        }
    }
}

impl Planned for Plan {
    fn sandbox_minimum(&self) -> Option<SandboxLevel> {
        self.launcher.program().is_none().then_some(SandboxLevel::Full)
    }

    fn describe(&self, evidence: &mut Evidence) {
        evidence.limits = self.limits.clone();
        evidence.tool.clone_from(&self.interpreter);
        evidence.argv = self.command();
        evidence.command = shell::quoted_line(&evidence.argv);
        self.is_held(evidence, String::new());
    }

    fn execute(
        &self,
        context: &Context,
        place: &Place<'_>,
        evidence: &mut Evidence,
    ) -> Result<Option<&'static str>, Fault> {
        evidence.tool_version = version::of_program(self, context, &place.work.join("version"), &evidence.scan_id);
        let launcher_version = version::of_launcher(self, context, &place.work.join("launcher"), &evidence.scan_id);
        let mut workplace = self.workplace(context, place.work)?;
        workplace.connect(self.network.clone());
        let program = Program {
            name: &self.interpreter,
            argv: &self.argv(&workplace, &self.command()),
            environment: &environment::for_tool(workplace.inside(), &self.interpreter, &evidence.scan_id, &[]),
            limits: &self.limits_around(),
            secrets: &[],
        };
        let has_started = run::run(context, &workplace, &program, place.staging, evidence)?;
        if has_started {
            self.is_held(evidence, launcher_version);
        }
        if evidence.error.is_none() {
            evidence.status = Status::Success;
        }
        Ok(None)
    }
}
