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

use gatepost_gate::evidence::{Evidence, Limits, Status};
use gatepost_gate::fault::Fault;
use gatepost_gate::reason::Reason;

use crate::config::{Launcher, SandboxLevel};
use crate::environment;
use crate::lane::run::{self, Place, Program};
use crate::lane::{Planned, ending};
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
    match (resolved, network) {
        (Ok(interpreter), Ok(network)) => Ok(Plan {
            network,
            interpreter,
            arguments: command.argv.iter().skip(1).cloned().collect(),
            limits: policy::limits(&context.config.limits, None, &request.limits),
            launcher: era.launcher.clone(),
        }),
        (resolved, network) => Err(resolved.err().into_iter().chain(network.err().into_iter().flatten()).collect()),
    }
}

impl Plan {
    fn command(&self) -> Vec<String> {
        std::iter::once(&self.interpreter).chain(&self.arguments).cloned().collect()
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
    }

    fn execute(
        &self,
        context: &Context,
        place: &Place<'_>,
        evidence: &mut Evidence,
    ) -> Result<Option<&'static str>, Fault> {
        evidence.tool_version = version::of_program(self, context, &place.work.join("version"), &evidence.scan_id);
        let launcher = match launcher::identify(self, context, &place.work.join("launcher"), &evidence.scan_id) {
            Ok(launcher) => launcher,
            Err(message) => {
                let hint = "Ask the operator to mend [era] launcher.";
                let failure = ending::failure("SPAWN_FAILED", "spawn", &self.interpreter, message, hint);
                ending::fail(evidence, failure);
                return Ok(None);
            }
        };
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
        if let Some(launcher) = launcher.filter(|_| has_started) {
            "external".clone_into(&mut evidence.sandbox.level);
            evidence.sandbox.launcher = Some(launcher);
            evidence.limits.memory_bytes = self.limits.memory_bytes;
        }
        if evidence.error.is_none() {
            evidence.status = Status::Success;
        }
        Ok(None)
    }
}
