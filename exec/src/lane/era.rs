//! The lane `ERA`: one command line of an interpreter, over the files in `/in` and `/out`.
//!
//! ```text
//! built-in sandbox, level full:   argv                                   an external launcher, inside level none:   launcher… -- argv
//! ```
//!
//! It has no results, because no schema gives them a meaning; its output and files are artifacts. *Security*: the program is the
//! requester's, so only the sandbox or the launcher bounds it. *Standards*: ThreeGate, the ERA backend.

mod interpreter;
mod launcher;
mod version;

use gatepost_contract::config::Launcher;
use gatepost_contract::request::{EraCommand, Request};
use gatepost_documents::evidence::{EnforcedLevel, Launcher as Identity, Limits};
use gatepost_documents::reason::Reason;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::Fault;
use gatepost_sandbox::network::Access;
use gatepost_sandbox::process;

use crate::authorize::Authorized;
use crate::context::Context;
use crate::environment;
use crate::lane::confidential::Confidential;
use crate::lane::run::{self, Place, Program};
use crate::lane::run_outcome::{Invocation, RunOutcome};
use crate::lane::{Planned, session_fault};
use crate::policy::{self, Reach, Subject};

/// A command that may be executed.
#[derive(Debug)]
pub struct Plan {
    /// The name of its program.
    interpreter: String,
    /// The arguments.
    arguments: Vec<String>,
    limits: Limits,
    network: Option<Access>,
    /// Empty for the built-in sandbox.
    launcher: Launcher,
    /// The launcher for the evidence.
    identity: Option<Identity>,
}

/// Checks a command against the site's configuration; returns all reasons.
pub fn plan(context: &Context, request: &Request, command: &EraCommand) -> Result<Plan, Vec<Reason>> {
    let era = &context.config.era;
    let has_launcher = era.launcher.program().is_some();
    // A launcher's own root has the interpreters.
    let is_installed = |name: &str| has_launcher || process::installed(name.as_ref()).is_some();
    let resolved = interpreter::resolve(&era.interpreters, command, is_installed);
    let fault = if has_launcher {
        Some("the [era] launcher runs command lines without a network".to_owned())
    } else {
        context.network_fault()
    };
    let network =
        policy::network(request, Reach::Listed, Vec::new(), &context.config.network.destinations, fault.as_deref());
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
}

impl Planned for Plan {
    fn sandbox_minimum(&self) -> Option<SandboxLevel> {
        self.launcher.program().is_none().then_some(SandboxLevel::Full)
    }

    fn subjects(&self) -> Vec<Subject<'_>> {
        vec![Subject::Command { interpreter: &self.interpreter }]
    }

    fn invocation(&self) -> Invocation {
        Invocation {
            launcher: self.identity.clone(),
            ..Invocation::without_manifest(self.interpreter.clone(), self.command(), self.limits.clone())
        }
    }

    fn execute(&self, authorized: Authorized, context: &Context, place: &Place<'_>) -> Result<RunOutcome, Fault> {
        let scan_id = authorized.scan_id().to_string();
        let tool_version = version::of_program(self, context, &place.work.join("version"), &scan_id);
        let launcher_version = version::of_launcher(self, context, &place.work.join("launcher"), &scan_id);
        let mut workplace = self.workplace(context, place.work)?;
        workplace.connect(self.network.as_ref(), place.cancel)?;
        let program = Program {
            name: &self.interpreter,
            argv: &self.argv(&workplace, &self.command()),
            environment: &environment::for_tool(workplace.inside(), &self.interpreter, &scan_id, Vec::new()),
            input: None,
            console: None,
            success_exit_codes: &[0],
            limits: &self.limits_around(),
            secrets: &Confidential::default(),
        };
        let invocation = Invocation { tool_version, ..self.invocation() };
        let mut outcome = run::run(context, &workplace, &program, invocation, place)?;
        if let (Some(identity), Some(ending)) = (&self.identity, &mut outcome.ending) {
            ending.sandbox.level = EnforcedLevel::External;
            ending.sandbox.launcher = Some(Identity { version: launcher_version, ..identity.clone() });
            ending.limits.memory_bytes = self.limits.memory_bytes;
        }
        Ok(outcome)
    }
}
