//! The lane `clad`: a typed call of a manifest.
//!
//! ```text
//! plan ▶ prepare ▶ execute: the call with its secrets ▶ its backend ▶ parse ▶ schema
//! ```
//!
//! Each backend has a file with its invocation and the meaning of its outcome; this file has the common rules. *Standards*:
//! ToolClad, "Output & Evidence".

mod browser;
mod command;
mod continuation;
mod http;
mod interaction;
mod mcp;
mod part;
mod readiness;
mod results;
mod session;
mod shown;
mod target;

pub use browser::{backend_fault, browser_fault};
pub use command::TOOLS;
pub use interaction::Interaction;
pub use mcp::{secrets_of, server_fault};
pub use part::Part;
pub use readiness::can_run;
pub use shown::shown_faults;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gatepost_contract::argument_value::ArgumentValue;
use gatepost_contract::config::Config;
use gatepost_contract::manifest::{self, Arguments, Backend, InputFiles, Manifest, Secret};
use gatepost_contract::request::{self, CladCall, Network, Request};
use gatepost_contract::scope::Scope;
use gatepost_documents::evidence::{Failure, FailureCode, Limits, NotEnforced};
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::{Fault, OnPath, is_passing};
use gatepost_sandbox::network::{Access, Destination, NetworkMode};
use gatepost_sandbox::process;
use serde_json::Value;

use crate::authorize::Authorized;
use crate::bundle::Staging;
use crate::context::Context;
use crate::environment;
use crate::lane::confidential::Confidential;
use crate::lane::ending::failure;
use crate::lane::retry::with_retries;
use crate::lane::run::{self, Place, Program};
use crate::lane::run_outcome::{Ending, Invocation, RunOutcome, SessionPart, Upstream};
use crate::lane::worker_program;
use crate::lane::workplace::Workplace;
use crate::lane::{CA_FILE, Planned};
use crate::policy::{self, Reach, Subject};
use crate::sessions::{Requester, Sessions, Terms};
use crate::step_error::{StepError, gather};
use crate::toolbox::{Files, Tool};

/// A call that its manifest allows.
#[derive(Debug)]
pub struct Plan {
    /// The request.
    pub request_id: RequestId,
    /// The tool with its manifest.
    pub tool: Arc<Tool>,
    /// Its other files, which must be unchanged when it runs.
    pub files: Files,
    /// The checked arguments.
    pub arguments: Arguments,
    /// The call's part of a session.
    pub part: Part,
    /// The checked interactions of a session.
    pub interactions: Vec<Interaction>,
    /// The effective limits.
    pub limits: Limits,
    /// The granted network.
    pub network: Option<Access>,
    /// The requested network.
    pub asked_network: Network,
    /// What the site's scope would refuse, in learn mode.
    pub out_of_scope: Vec<NotEnforced>,
}

/// Checks a call against its manifest.
pub fn plan(context: &Context, request: &Request, call: &CladCall, inputs: &dyn InputFiles) -> Result<Plan, StepError> {
    let tool = context.toolbox.find(&call.tool)?;
    let manifest = &tool.manifest;
    let files = context.toolbox.files(manifest)?;
    let mut reasons = readiness::refusals(context, &tool, &files)?;
    let own = own_destinations(&context.config, manifest);
    let reach = own.as_ref().map_or(Reach::Sandbox(manifest), |own| Reach::Own(manifest.name(), own));
    let permitted = &context.config.network.destinations;
    let network_mode = manifest.network_mode().filter(|_| own.is_none()).unwrap_or_default();
    let fault =
        context.network_fault().or_else(|| (network_mode == NetworkMode::Routed).then(process::uplink_fault).flatten());
    reasons.extend(browser::out_of_scope(manifest, request.network.destinations()));
    let scope = context.scope()?;
    let bounds = if context.config.policy.is_learning() { &Scope::unbounded() } else { &scope };
    let bound = manifest.bind(&call.args, bounds, inputs).map_err(StepError::from);
    let bound = gather(bound, &mut reasons)?;
    let part = gather(part::of(manifest, request, call).map_err(StepError::from), &mut reasons)?.unwrap_or(Part::Whole);
    let interactions = interaction::plan(manifest, &part, &call.interactions, bounds, inputs).map_err(StepError::from);
    let interactions = gather(interactions, &mut reasons)?;
    let has_route = network_mode == NetworkMode::Routed && request.network != Network::None;
    let targets = bound.as_ref().filter(|_| has_route).map(|arguments| manifest.targets(arguments)).transpose();
    let targets = gather(targets.map_err(StepError::from), &mut reasons)?.flatten().unwrap_or_default();
    if bound.is_some() && targets.is_empty() && request.network == Network::Allowlist(Vec::new()) {
        reasons.push(request::no_destinations());
    }
    let network = policy::network(request, reach, targets, permitted, fault.as_deref()).map_err(StepError::from);
    let network = gather(network, &mut reasons)?.flatten();
    match (bound, interactions) {
        (Some(arguments), Some(interactions)) if reasons.is_empty() => {
            let limits = policy::limits(&context.config.limits, Some(manifest), &request.limits);
            let target_scope = target::target_scope((manifest, &arguments), &interactions, (request, &part), &scope);
            let out_of_scope = target::out_of_scope((manifest, &arguments), &interactions, &scope);
            let network = network.map(|access| Access { target_scope, network_mode, ..access });
            let (request_id, asked_network) = (request.id.clone(), request.network.clone());
            Ok(Plan {
                request_id,
                tool,
                files,
                arguments,
                part,
                interactions,
                limits,
                network,
                asked_network,
                out_of_scope,
            })
        }
        _ => Err(StepError::Refused(reasons)),
    }
}

/// The worker of a backend; `None` if the manifest's own command runs.
fn worker(manifest: &Manifest) -> Option<&'static str> {
    match manifest.backend() {
        _ if manifest.is_callback() => None,
        Backend::Http(_) => Some(gatepost_workers::http::WORKER),
        Backend::Mcp(_) => Some(gatepost_workers::mcp::WORKER),
        Backend::Browser(_) => Some(gatepost_workers::browser::WORKER),
        _ => None,
    }
}

/// The destinations that follow from a tool's backend; `None` if the request lists them.
pub fn own_destinations(config: &Config, manifest: &Manifest) -> Option<Vec<Destination>> {
    if manifest.is_callback() {
        return Some(Vec::new());
    }
    match manifest.backend() {
        Backend::Http(http) => Some(vec![http.destination.clone()]),
        Backend::Mcp(mcp) => {
            let server = config.mcp.servers.get(&mcp.server);
            Some(server.map(|server| server.destinations.clone()).unwrap_or_default())
        }
        _ => None,
    }
}

/// A call as its backend makes it, with its secrets.
#[derive(Debug)]
enum BackendCall<'a> {
    Command(manifest::Call),
    Http(manifest::HttpCall),
    Mcp(mcp::ServerCall),
    Session(&'a manifest::Session),
    Browser(&'a manifest::Browser, [String; 1]),
}

impl BackendCall<'_> {
    /// The call with its secrets hidden.
    fn shown(&self) -> &[String] {
        match self {
            Self::Command(call) => &call.shown,
            Self::Http(call) => &call.shown,
            Self::Mcp(call) => &call.shown,
            Self::Session(session) => &session.startup,
            Self::Browser(_, program) => program,
        }
    }

    fn secrets(&self) -> &[Secret] {
        match self {
            Self::Command(call) => &call.secrets,
            Self::Http(call) => &call.secrets,
            Self::Mcp(call) => &call.secrets,
            Self::Session(_) | Self::Browser(..) => &[],
        }
    }
}

/// One execution of a plan, as its backend needs it.
struct Execution<'a> {
    context: &'a Context,
    plan: &'a Plan,
    place: &'a Place<'a>,
    scan_id: &'a str,
    /// The secrets to redact.
    secrets: &'a Confidential,
}

impl Execution<'_> {
    /// The folders of the run, and the paths that the manifest lets the tool read.
    fn workplace(&self) -> Result<Workplace, Fault> {
        let mut workplace = Workplace::make(self.place.work, self.context.sandbox_level)?;
        for path in self.plan.tool.manifest.sandbox().read_only_paths.iter().map(Path::new) {
            workplace.show(path, path);
        }
        Ok(workplace)
    }

    /// Shows the site's own trusted certificates to a worker, if there are any.
    fn show_ca_file(&self, workplace: &mut Workplace) -> Option<PathBuf> {
        let file = Some(&self.context.config.http.ca_file).filter(|file| !file.as_os_str().is_empty());
        file.map(|file| workplace.show(file, Path::new(CA_FILE)))
    }

    /// Runs a worker, which reads its assignment from stdin; `read` as in [`run::run_worker`].
    fn run_worker<T>(
        &self,
        mut workplace: Workplace,
        (worker, input): (&str, &[u8]),
        invocation: Invocation,
        read: impl FnOnce(&Staging) -> Result<T, Fault>,
    ) -> Result<(RunOutcome, Option<T>), Fault> {
        let Self { context, plan, place, scan_id, secrets } = *self;
        let (program, worker) = worker_program::identify(context, worker)?;
        // The file may have been replaced since the call was planned.
        let invocation = Invocation { worker: Some(worker), ..invocation };
        let worker = worker_program::show(&program, &mut workplace);
        workplace.connect(plan.network.as_ref(), place.cancel)?;
        let name = plan.tool.manifest.name();
        let program = Program {
            name,
            argv: &[worker.into()],
            environment: &environment::for_tool(workplace.inside(), name, scan_id, Vec::new()),
            input: Some(input),
            console: None,
            success_exit_codes: &[0],
            limits: &plan.limits,
            secrets,
        };
        run::run_worker(context, &workplace, &program, invocation, place, read)
    }

    /// The results from its stdout or output file, checked by their schema.
    fn results(&self, outcome: &mut RunOutcome) -> Result<Result<Value, Failure>, Fault> {
        let Self { plan, place, secrets, .. } = *self;
        let manifest = &plan.tool.manifest;
        let own_output = outcome.output_file.and_then(|file| place.staging.file(file));
        let output = match manifest.backend() {
            Backend::Mcp(_) => mcp::content_path(place.work),
            _ => own_output.unwrap_or_else(|| place.staging.stdout()),
        };
        let results = results::read(self, &output, outcome)?;
        Ok(results
            .map(|results| secrets.replace_in_results(results, &mut outcome.anomalies))
            .and_then(|results| results::checked(manifest, results)))
    }
}

impl Plan {
    /// The subjects for policies: the call, and each interaction of a session.
    pub fn subjects(&self) -> Vec<Subject<'_>> {
        let manifest = &self.tool.manifest;
        let targets = self.network.as_ref().map_or(&[][..], |access| &access.targets);
        let call = Subject::Call { manifest, arguments: &self.arguments, targets };
        std::iter::once(call).chain(self.interactions.iter().map(|one| one.subject(manifest, targets))).collect()
    }

    /// The terms that all requests of one session share.
    fn terms(&self, requester: &Requester) -> Terms {
        Terms {
            requester: requester.clone(),
            tool: self.tool.manifest.name().to_owned(),
            manifest_sha256: self.tool.sha256,
            network: (self.part == Part::Opens || !self.interactions.is_empty()).then(|| self.asked_network.clone()),
        }
    }

    /// How many people must approve it, independent of policies.
    pub fn approvers(&self) -> u32 {
        let manifest = &self.tool.manifest;
        let of_interactions = self.interactions.iter().map(|one| one.manifest(manifest).approvers());
        of_interactions.fold(manifest.approvers(), u32::max)
    }

    /// The same with its command for display. Checks that every secret exists; their values are read again
    /// when it is executed.
    pub fn prepare(self, context: &Context, scan_id: &str) -> Result<Prepared, StepError> {
        if self.tool.manifest.is_callback() {
            return Ok(Prepared { shown: Vec::new(), has_secrets: false, plan: self });
        }
        let call = self.call(context, scan_id)?;
        Ok(Prepared { shown: call.shown().to_vec(), has_secrets: !call.secrets().is_empty(), plan: self })
    }

    fn call(&self, context: &Context, scan_id: &str) -> Result<BackendCall<'_>, StepError> {
        if let Backend::Mcp(mcp) = self.tool.manifest.backend() {
            return mcp::call(context, self, mcp).map(BackendCall::Mcp);
        }
        let secrets = context.secrets.values(self.tool.manifest.secrets())?;
        Ok(match self.tool.manifest.backend() {
            Backend::Http(_) => BackendCall::Http(http::call(self, scan_id, &secrets)?),
            Backend::Session(session) => BackendCall::Session(session),
            Backend::Browser(browser) => {
                BackendCall::Browser(browser, [context.config.browser.program.display().to_string()])
            }
            _ => BackendCall::Command(command::call(self, scan_id, &secrets)?),
        })
    }
}

/// A call that may be executed.
#[derive(Debug)]
pub struct Prepared {
    /// The planned call.
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
        self.plan.approvers()
    }

    fn subjects(&self) -> Vec<Subject<'_>> {
        self.plan.subjects()
    }

    fn out_of_scope(&self) -> &[NotEnforced] {
        &self.plan.out_of_scope
    }

    fn lines(&self) -> Vec<String> {
        self.plan.interactions.iter().map(Interaction::preview).collect()
    }

    fn worker(&self) -> Option<&'static str> {
        worker(&self.plan.tool.manifest)
    }

    fn invocation(&self) -> Invocation {
        let Plan { request_id, tool, files, arguments, part, limits, .. } = &self.plan;
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
            worker: None,
            limits: limits.clone(),
            launcher: None,
            upstream: match tool.manifest.backend() {
                Backend::Http(http) => Upstream::Http { method: http.method, status: None },
                Backend::Mcp(mcp) => Upstream::Mcp {
                    server: mcp.server.clone(),
                    tool: mcp.tool.clone(),
                    arguments: mcp.call(arguments).shown,
                },
                _ => Upstream::None,
            },
            session: tool
                .manifest
                .backend()
                .bounds()
                .filter(|_| !tool.manifest.is_callback())
                .map(|_| SessionPart { id: part.session_id(request_id).to_string(), interactions: Vec::new() }),
        }
    }

    fn manifest(&self) -> Option<&str> {
        Some(&self.plan.tool.source)
    }

    fn is_idempotent(&self) -> bool {
        let manifest = &self.plan.tool.manifest;
        // A callback runs nothing. An interrupted session is not opened or continued again.
        manifest.is_callback() || (self.plan.part == Part::Whole && manifest.is_idempotent())
    }

    fn has_secrets(&self) -> bool {
        self.has_secrets
    }

    fn session_fault(&self, sessions: &Sessions, requester: &Requester) -> Option<Reason> {
        match &self.plan.part {
            Part::Whole => None,
            Part::Opens => sessions.fault(),
            Part::Continues { id, .. } => match sessions.find(id, &self.plan.terms(requester)) {
                Ok(session) => {
                    let lines = &self.plan.interactions;
                    session.fault(lines.len(), lines.iter().map(|interaction| interaction.line.len()).sum())
                }
                Err(reason) => Some(reason),
            },
        }
    }

    fn execute(&self, authorized: Authorized, context: &Context, place: &Place<'_>) -> Result<RunOutcome, Fault> {
        let plan = &self.plan;
        let manifest = &plan.tool.manifest;
        if manifest.is_callback() {
            return Ok(RunOutcome::delegated(self.invocation()));
        }
        let scan_id = authorized.scan_id().to_string();
        let call = match plan.call(context, &scan_id) {
            Ok(call) => call,
            Err(StepError::Fault(fault)) => return Err(fault),
            Err(StepError::Refused(reasons)) => return Ok(RunOutcome::not_started(self.invocation(), &reasons)),
        };
        if context.toolbox.files(manifest)? != plan.files {
            return Ok(RunOutcome::not_started(
                self.invocation(),
                &[changed(manifest.name(), "after the request was checked")],
            ));
        }
        let secrets = Confidential::new(call.secrets()).map_err(std::io::Error::other).on("prepare", place.work)?;
        let execution = Execution { context, plan, place, scan_id: &scan_id, secrets: &secrets };
        let mut outcome = match call {
            BackendCall::Command(call) => command::run(&execution, call, self.invocation())?,
            BackendCall::Http(call) => http::run(&execution, &call, self.invocation())?,
            BackendCall::Mcp(call) => mcp::run(&execution, &call, self.invocation())?,
            BackendCall::Session(session) => session::run(&execution, session, &authorized, self.invocation())?,
            BackendCall::Browser(browser, _) => {
                browser::run(&execution, browser, authorized.records(), self.invocation())?
            }
        };
        outcome.results =
            outcome.results.and_then(|results| unless_refused(results, manifest, outcome.ending.as_ref()));
        // The results of a session or browser are those of its interactions.
        if outcome.results.is_ok() && manifest.backend().bounds().is_none() {
            outcome.results = execution.results(&mut outcome)?;
        }
        // If no file changed since it was hashed, the hashed files ran.
        let unchanged = match with_retries(|| context.toolbox.files(manifest)) {
            Err(fault) if is_passing(&fault.source) => return Err(fault),
            files => files.is_ok_and(|files| files == plan.files),
        };
        if !unchanged {
            let Reason { message, hint, .. } = changed(manifest.name(), "while it ran");
            outcome.anomalies.push(message.clone());
            let failed = || Err(failure(FailureCode::ToolChanged, "wait", manifest.name(), message, &hint));
            outcome.results = outcome.results.and_then(|_| failed());
        }
        secrets.replace_in_words(&mut outcome);
        Ok(outcome)
    }
}

/// The same results, unless the network refused a destination that the tool needed.
fn unless_refused(results: Value, manifest: &Manifest, ending: Option<&Ending>) -> Result<Value, Failure> {
    if !manifest.sandbox().fails_when_refused || !ending.is_some_and(|ending| ending.network.has_refused()) {
        return Ok(results);
    }
    let message = "The network refused something that the tool asked for, so its output may be incomplete.".to_owned();
    let hint = "List in the request every destination that the tool needs, or make it ask for less; `refused_network = \"anomaly\"` in \
                the [sandbox] of its manifest lets such runs succeed.";
    Err(failure(FailureCode::NetworkRefused, "wait", manifest.name(), message, hint))
}

fn changed(tool: &str, when: &str) -> Reason {
    let message = format!("A program or script of the tool {tool} changed {when}.");
    Reason::new(
        Code::ToolChanged,
        message,
        "Ask the operator what changed it, then drop the request again under a new id.",
    )
}
