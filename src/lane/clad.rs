//! The lane `clad`: a typed call of a manifest with the `command` backend.
//!
//! *Standards*: ToolClad, "Output & Evidence".

mod results;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use gatepost_documents::evidence::{Evidence, Limits, Status};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::Fault;

use crate::argument_value::ArgumentValue;
use crate::environment;
use crate::lane::ending::fail;
use crate::lane::run::{self, Place, Program};
use crate::lane::workplace::Workplace;
use crate::lane::{Planned, session_fault};
use crate::manifest::{Arguments, Backend, Call, Parser, Places, Surroundings};
use crate::network::Access;
use crate::parser::Builtin;
use crate::pipeline::Context;
use crate::policy;
use crate::request::{CladCall, Request};
use crate::shell;
use crate::toolbox::Tool;

/// Where a tool finds the site's tools, if it sees nothing else of the site.
const TOOLS: &str = "/tools";

/// A call that its manifest allows.
#[derive(Debug)]
pub struct Plan {
    /// The tool with its manifest.
    pub tool: Arc<Tool>,
    /// The arguments, checked.
    pub arguments: Arguments,
    /// The limits that will be in force.
    pub limits: Limits,
    /// The network that it gets.
    pub network: Option<Access>,
}

/// Checks a call against its manifest; the outer error is the world's.
pub fn plan(
    context: &Context,
    request: &Request,
    call: &CladCall,
    inputs: &dyn Surroundings,
) -> Result<Result<Plan, Vec<Reason>>, Fault> {
    let tool = match context.toolbox.find(&call.tool)? {
        Ok(tool) => tool,
        Err(reasons) => return Ok(Err(reasons)),
    };
    let manifest = &tool.manifest;
    let mut reasons = Vec::new();
    if let Some(name) = unavailable(manifest.backend()) {
        let message =
            format!("The tool {} drives the backend {name}, which this version does not run.", manifest.name());
        reasons.push(Reason::new(Code::BackendUnavailable, message, "Use a tool with a [command]."));
    }
    reasons.extend(session_fault(request));
    let network = policy::network(
        request,
        Some(manifest),
        &context.config.network.destinations,
        context.network_fault().as_deref(),
    );
    let network = network.unwrap_or_else(|faults| {
        reasons.extend(faults);
        None
    });
    let scope = context.scope()?;
    let bound = scope.map_err(|reason| vec![reason]).and_then(|scope| manifest.bind(&call.args, &scope, inputs));
    let arguments = match bound {
        Ok(arguments) if reasons.is_empty() => arguments,
        Ok(_) => return Ok(Err(reasons)),
        Err(more) => {
            reasons.extend(more);
            return Ok(Err(reasons));
        }
    };
    let limits = policy::limits(&context.config.limits, Some(manifest), &request.limits);
    Ok(Ok(Plan { tool, arguments, limits, network }))
}

fn unavailable(backend: &Backend) -> Option<&'static str> {
    match backend {
        Backend::Command(_) => None,
        Backend::Http(_) => Some("http"),
        Backend::Mcp(_) => Some("mcp"),
        Backend::Session(_) => Some("session"),
        Backend::Browser(_) => Some("browser"),
        Backend::Callback => Some("callback"),
    }
}

impl Plan {
    /// The same with its command and secrets, which are taken from the surroundings of this process.
    pub fn prepare(self, scan_id: &str) -> Result<Prepared, Vec<Reason>> {
        let places = Places { scan_id, output_dir: "out", evidence_dir: "out", output_file: self.output_file() };
        let secret = |name: &str| std::env::var(format!("TOOLCLAD_SECRET_{}", name.to_uppercase())).ok();
        let call = self.tool.manifest.command(&self.arguments, &places, &secret)?;
        Ok(Prepared { plan: self, call })
    }

    /// Where the tool writes its output when its command names `{_output_file}`, relative to its work folder.
    fn output_file(&self) -> &'static str {
        match self.tool.manifest.parser() {
            Parser::Builtin(Builtin::Json) => "out/output.json",
            Parser::Builtin(Builtin::Xml) => "out/output.xml",
            Parser::Builtin(Builtin::Csv) => "out/output.csv",
            Parser::Builtin(Builtin::Jsonl) => "out/output.jsonl",
            Parser::Builtin(Builtin::Text) | Parser::Script(_) => "out/output.txt",
        }
    }
}

/// A call that may be executed.
#[derive(Debug)]
pub struct Prepared {
    /// What is called.
    pub plan: Plan,
    /// Its command, with its secrets.
    pub call: Call,
}

impl Planned for Prepared {
    fn sandbox_minimum(&self) -> Option<SandboxLevel> {
        Some(self.plan.tool.manifest.sandbox().minimum.unwrap_or(SandboxLevel::None))
    }

    fn needs_approval(&self) -> bool {
        self.plan.tool.manifest.needs_approval()
    }

    fn describe(&self, evidence: &mut Evidence) {
        let Plan { tool, arguments, limits, .. } = &self.plan;
        tool.manifest.version().clone_into(&mut evidence.tool_version);
        evidence.manifest_sha256 = Some(tool.sha256);
        evidence.limits = limits.clone();
        evidence.argv.clone_from(&self.call.shown);
        evidence.command = shell::quoted_line(&self.call.shown);
        let shown = |(name, value): (&str, &ArgumentValue)| {
            let hidden = arguments.is_sensitive(name);
            (name.to_owned(), if hidden { format!("[sensitive:{name}]") } else { value.to_string() }.into())
        };
        evidence.arguments = arguments.iter().map(shown).collect();
    }

    fn manifest(&self) -> Option<&str> {
        Some(&self.plan.tool.source)
    }

    fn is_idempotent(&self) -> bool {
        self.plan.tool.manifest.is_idempotent()
    }

    fn has_secrets(&self) -> bool {
        !self.call.secrets.is_empty()
    }

    fn execute(
        &self,
        context: &Context,
        place: &Place<'_>,
        evidence: &mut Evidence,
    ) -> Result<Option<&'static str>, Fault> {
        let Self { plan, call } = self;
        let manifest = &plan.tool.manifest;
        let mut workplace = Workplace::make(place.work, context.sandbox_level)?;
        let tools = workplace.show(context.toolbox.folder(), Path::new(TOOLS));
        for path in manifest.sandbox().read_only_paths.iter().map(Path::new) {
            workplace.show(path, path);
        }
        workplace.connect(plan.network.clone());
        let environment =
            environment::for_tool(workplace.inside(), manifest.name(), &evidence.scan_id, &call.environment);
        let program = Program {
            name: manifest.name(),
            argv: &argv(&tools, call),
            environment: &environment,
            limits: &plan.limits,
            secrets: &call.secrets,
        };
        run::run(context, &workplace, &program, place.staging, evidence)?;
        let own_output = Some(plan.output_file()).filter(|_| call.uses_output_file);
        let carried = own_output.and_then(|file| Some((file, place.staging.file(file)?)));
        let (output_file, raw) = carried.map_or((None, place.staging.stdout()), |(file, path)| (Some(file), path));
        if evidence.error.is_none() {
            match results::read(context, plan, &raw, place.work, &environment) {
                Ok(results) => {
                    evidence.status = Status::Success;
                    evidence.results = results;
                }
                Err(failure) => fail(evidence, *failure),
            }
        }
        Ok(output_file)
    }
}

/// A script's path is relative to tools/, everything else is as the manifest says.
fn argv(tools: &Path, call: &Call) -> Vec<OsString> {
    let mut argv: Vec<OsString> = call.argv.iter().map(OsString::from).collect();
    if let (Some(script), Some(first)) = (&call.script, argv.first_mut()) {
        *first = tools.join(script.as_str()).into();
    }
    argv
}
