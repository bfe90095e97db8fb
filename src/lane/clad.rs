//! The lane `clad`: a typed call of a manifest with the `command` backend.
//!
//! *Standards*: ToolClad, "Output & Evidence".

mod results;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

use gatepost_documents::evidence::{FailureCode, Limits};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::{Fault, OnPath};

use crate::argument_value::ArgumentValue;
use crate::authorize::Authorized;
use crate::context::Context;
use crate::environment;
use crate::lane::confidential::Confidential;
use crate::lane::ending::failure;
use crate::lane::ran::{Invocation, Ran, Upstream};
use crate::lane::run::{self, Place, Program};
use crate::lane::workplace::Workplace;
use crate::lane::{Planned, session_fault};
use crate::manifest::{Arguments, Backend, Call, InputFiles, Manifest, Parser, Places};
use crate::network::Access;
use crate::parser::Builtin;
use crate::pins;
use crate::policy::{self, Subject};
use crate::request::{CladCall, Request};
use crate::signature;
use crate::step_error::{StepError, gather};
use crate::toolbox::{Files, Tool};
use crate::wiped::Wiped;

/// Where a tool finds the site's tools, if it sees nothing else of the site.
const TOOLS: &str = "/tools";

/// A call that its manifest allows.
#[derive(Debug)]
pub struct Plan {
    /// The tool with its manifest.
    pub tool: Arc<Tool>,
    /// Its other files, as they are to be when it runs.
    pub files: Files,
    /// The arguments, checked.
    pub arguments: Arguments,
    /// The limits that will be in force.
    pub limits: Limits,
    /// The network that it gets.
    pub network: Option<Access>,
}

/// Checks a call against its manifest.
pub fn plan(context: &Context, request: &Request, call: &CladCall, inputs: &dyn InputFiles) -> Result<Plan, StepError> {
    let tool = context.toolbox.find(&call.tool)?;
    let manifest = &tool.manifest;
    let mut reasons = Vec::new();
    if let Some(name) = unavailable(manifest.backend())
        && !manifest.is_callback()
    {
        let message =
            format!("The tool {} uses the backend {name}, which this version does not support.", manifest.name());
        reasons.push(Reason::new(Code::BackendUnavailable, message, "Use a tool with a [command]."));
    }
    reasons.extend(session_fault(request));
    reasons.extend(signature::refusal(&context.site, &tool)?);
    let files = context.toolbox.files(manifest)?;
    if let Some(pins) = gather(context.pins.read(), &mut reasons)? {
        reasons.extend(pins::state(&pins, &tool, &files.listed).refusal(manifest.name(), context.config.tools.pins));
    }
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
    let bound = manifest.bind(&call.args, &context.scope()?, inputs).map_err(StepError::from);
    match gather(bound, &mut reasons)? {
        Some(arguments) if reasons.is_empty() => {
            let limits = policy::limits(&context.config.limits, Some(manifest), &request.limits);
            Ok(Plan { tool, files, arguments, limits, network })
        }
        _ => Err(StepError::Refused(reasons)),
    }
}

fn unavailable(backend: &Backend) -> Option<&'static str> {
    match backend {
        Backend::Command(_) | Backend::Callback => None,
        Backend::Http(_) => Some("http"),
        Backend::Mcp(_) => Some("mcp"),
        Backend::Session(_) => Some("session"),
        Backend::Browser(_) => Some("browser"),
    }
}

impl Plan {
    /// What policies are asked about.
    pub fn subject(&self) -> Subject<'_> {
        Subject::Call { manifest: &self.tool.manifest, arguments: &self.arguments }
    }

    /// The same with its command as it may be shown. That every secret is there is found out; their values are looked up again
    /// when it is executed.
    pub fn prepare(self, context: &Context, scan_id: &str) -> Result<Prepared, StepError> {
        if self.tool.manifest.is_callback() {
            return Ok(Prepared { shown: Vec::new(), has_secrets: false, plan: self });
        }
        let call = self.call(context, scan_id)?;
        Ok(Prepared { shown: call.shown.clone(), has_secrets: !call.secrets.is_empty(), plan: self })
    }

    fn call(&self, context: &Context, scan_id: &str) -> Result<Call, StepError> {
        let places = Places { scan_id, output_dir: "out", evidence_dir: "out", output_file: self.output_file() };
        let secrets = context.secrets.values(self.tool.manifest.secrets())?;
        Ok(self.tool.manifest.command(&self.arguments, &places, &secrets)?)
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
    /// Its argument vector, secrets replaced.
    pub shown: Vec<String>,
    has_secrets: bool,
}

impl Planned for Prepared {
    fn sandbox_minimum(&self) -> Option<SandboxLevel> {
        Some(self.plan.tool.manifest.sandbox().minimum.unwrap_or(SandboxLevel::None))
    }

    fn approvers(&self) -> u32 {
        self.plan.tool.manifest.approvers()
    }

    fn subject(&self) -> Subject<'_> {
        self.plan.subject()
    }

    fn invocation(&self) -> Invocation {
        let Plan { tool, files, arguments, limits, .. } = &self.plan;
        let shown = |(name, value): (&str, &ArgumentValue)| {
            let hidden = arguments.is_sensitive(name);
            (name.to_owned(), if hidden { format!("[sensitive:{name}]") } else { value.to_string() }.into())
        };
        Invocation {
            tool: tool.manifest.name().to_owned(),
            tool_version: tool.manifest.version().to_owned(),
            argv: self.shown.clone(),
            arguments: arguments.iter().map(shown).collect(),
            manifest_sha256: Some(tool.sha256),
            programs: files.listed.clone(),
            limits: limits.clone(),
            launcher: None,
            mcp: upstream(&tool.manifest, arguments),
        }
    }

    fn manifest(&self) -> Option<&str> {
        Some(&self.plan.tool.source)
    }

    fn is_idempotent(&self) -> bool {
        self.plan.tool.manifest.is_idempotent()
    }

    fn has_secrets(&self) -> bool {
        self.has_secrets
    }

    fn execute(&self, authorized: Authorized, context: &Context, place: &Place<'_>) -> Result<Ran, Fault> {
        let plan = &self.plan;
        let manifest = &plan.tool.manifest;
        if manifest.is_callback() {
            return Ok(Ran::delegated(self.invocation()));
        }
        let scan_id = authorized.scan_id().to_string();
        let mut call = match plan.call(context, &scan_id) {
            Ok(call) => call,
            Err(StepError::Fault(fault)) => return Err(fault),
            Err(StepError::Refused(reasons)) => return Ok(Ran::not_started(self.invocation(), &reasons)),
        };
        if context.toolbox.files(manifest)? != plan.files {
            return Ok(Ran::not_started(
                self.invocation(),
                &[changed(manifest.name(), "after the request was checked")],
            ));
        }
        let secrets = Confidential::new(&call.secrets).map_err(std::io::Error::other).on("prepare", place.work)?;
        let mut workplace = Workplace::make(place.work, context.sandbox_level)?;
        let tools = workplace.show(context.toolbox.folder(), Path::new(TOOLS));
        for path in manifest.sandbox().read_only_paths.iter().map(Path::new) {
            workplace.show(path, path);
        }
        workplace.connect(plan.network.clone());
        let variables = std::mem::take(&mut call.environment);
        let program = Program {
            name: manifest.name(),
            argv: &argv(&tools, &mut call),
            environment: &environment::for_tool(workplace.inside(), manifest.name(), &scan_id, variables),
            limits: &plan.limits,
            secrets: &secrets,
        };
        let mut ran = run::run(context, &workplace, &program, self.invocation(), place)?;
        let own_output = Some(plan.output_file()).filter(|_| call.uses_output_file);
        let carried = own_output.and_then(|file| Some((file, place.staging.file(file)?)));
        let (output_file, raw) = carried.map_or((None, place.staging.stdout()), |(file, path)| (Some(file), path));
        ran.output_file = output_file;
        if ran.results.is_ok() {
            ran.results = results::read(context, plan, &raw, place.work, &scan_id)
                .map(|results| secrets.replace_in_results(results, &mut ran.anomalies))
                .and_then(|results| results::checked(manifest, results));
        }
        // What nobody has touched since it was hashed is what ran.
        if !context.toolbox.files(manifest).is_ok_and(|files| files == plan.files) {
            let Reason { message, hint, .. } = changed(manifest.name(), "while it ran");
            ran.anomalies.push(message.clone());
            let failed = || Err(failure(FailureCode::ToolChanged, "wait", manifest.name(), message, &hint));
            ran.results = ran.results.and_then(|_| failed());
        }
        secrets.replace_in_words(&mut ran);
        Ok(ran)
    }
}

/// The call of an upstream tool, as it may be shown.
fn upstream(manifest: &Manifest, arguments: &Arguments) -> Option<Upstream> {
    let Backend::Mcp(mcp) = manifest.backend() else { return None };
    let arguments = mcp.call(arguments).shown;
    Some(Upstream { server: mcp.server.clone(), tool: mcp.tool.clone(), arguments })
}

fn changed(tool: &str, when: &str) -> Reason {
    let message = format!("A program or script of the tool {tool} changed {when}.");
    Reason::new(
        Code::ToolChanged,
        message,
        "Ask the operator what changed it, then drop the request again under a new id.",
    )
}

/// A script's path is relative to tools/, everything else is as the manifest says.
fn argv(tools: &Path, call: &mut Call) -> Wiped<OsString> {
    let mut argv: Wiped<OsString> = call.argv.drain(..).map(OsString::from).collect();
    if let (Some(script), Some(first)) = (&call.script, argv.first_mut()) {
        *first = tools.join(script.as_str()).into();
    }
    argv
}
