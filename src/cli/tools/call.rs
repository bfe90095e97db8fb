//! One call of a tool outside the mailbox: plan shows it, run executes it and prints its evidence.

use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use chrono::{SecondsFormat, Utc};
use gatepost_contract::request::{self, Draft, Form, Input, Request};
use gatepost_documents::digest::Hasher;
use gatepost_documents::evidence::{Completeness, Evidence, Limits};
use gatepost_exec::authorize::{Denied, authorize};
use gatepost_exec::bundle::{EVIDENCE, Staging};
use gatepost_exec::context::Context;
use gatepost_exec::evidence;
use gatepost_exec::inputs::Inputs;
use gatepost_exec::lane::run::Place;
use gatepost_exec::lane::{self, Plan};
use gatepost_exec::mailbox::INPUTS;
use gatepost_exec::mailbox::claim::Claimed;
use gatepost_exec::mailbox::record::Claim;
use gatepost_exec::pipeline;
use gatepost_exec::shell;
use gatepost_exec::step_error::StepError;
use gatepost_mailbox::durable;
use gatepost_sandbox::network::Destination;

use crate::cli::new_folder::NewFolder;
use crate::cli::policy::{Brought, foresee};
use crate::cli::prelude::*;
use crate::cli::scratch_folder::ScratchFolder;
use crate::cli::streams::Streams;
use crate::cli::submit::{LocalInput, LocalInputs, network, pair, parse_args, parse_destination};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The tool.
    #[arg(value_name = "TOOL", value_parser = identifier::tool)]
    name: String,
    /// An argument of the tool; NAME=@FILE sends the file along and names it, @@ means @; may be repeated.
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = pair)]
    args: Vec<String>,
    /// An input file, which the tool finds in in/; NAME=FILE names it there; may be repeated.
    #[arg(long = "input", value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// A destination that the tool may reach; may be repeated.
    #[arg(long = "network", value_name = "HOST:PORT", value_parser = parse_destination)]
    destinations: Vec<Destination>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunArguments {
    #[command(flatten)]
    call: Arguments,
    /// Keep evidence.json and the artifacts in this folder, which must not exist.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Validate the call and show the command, as `tools plan` does; nothing is run.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Planned {
    /// Of a run, which makes evidence.
    effect: Effect,
    tool: String,
    argv: Vec<String>,
    command_line: String,
    limits: Limits,
    /// What people must do before a request for this runs.
    missing: Vec<String>,
}

impl View for Planned {
    fn text(&self) -> String {
        let note = format!("Nothing was run. Time limit {} s.", self.limits.time_ms / 1_000);
        let notes = [&[note], &self.missing[..]].concat();
        format!("{}\n\n{}\n", self.command_line, notes.join("\n"))
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Answer {
    _trusted: bool,
    effect: Effect,
    evidence: Evidence,
    /// The output of a tool that failed.
    #[serde(flatten)]
    streams: Streams,
    /// The folder with the raw output, if it could not be parsed into results.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<PathBuf>,
}

impl View for Answer {
    fn text(&self) -> String {
        serde_json::to_string_pretty(&self.evidence).unwrap_or_default() + "\n" + &self.streams.text(None)
    }
}

pub(super) fn plan(open: Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    let context = Context::new(open.site, open.config)?;
    let mut folder = CallFolder::new(arguments)?;
    let (request, claimed) = folder.request(&context, arguments)?;
    let inputs = Inputs::claimed(&claimed);
    let brought = Brought { inputs: &inputs, signatures: &[], bytes: &claimed.bytes };
    let (plan, reasons) = foresee(&context, &request, &brought)?;
    let plan = match plan {
        Some(Plan::Clad(plan)) if reasons.iter().all(|reason| reason.severity == Severity::Flag) => plan,
        _ => return Err(refused(arguments, reasons)),
    };
    let prepared = plan.prepare(&context, "scan").map_err(|error| match error {
        StepError::Refused(reasons) => refused(arguments, reasons),
        StepError::Fault(fault) => fault.into(),
    })?;
    Ok(Outcome::done(&Planned {
        effect: Effect::WouldCreate,
        tool: arguments.name.clone(),
        command_line: shell::line(prepared.shown.iter().map(String::as_str)),
        missing: reasons.into_iter().map(|reason| reason.message).collect(),
        argv: prepared.shown,
        limits: prepared.plan.limits,
    }))
}

pub(super) fn run(
    open: Open,
    RunArguments { call: arguments, out, dry_run }: &RunArguments,
) -> Result<Outcome, Failure> {
    if *dry_run {
        return plan(open, arguments);
    }
    let kept = out.as_deref().map(|out| NewFolder::begin(&open.site, out)).transpose()?;
    gatepost_sandbox::forbid_core_dumps()?;
    let mut context = Context::new(open.site, open.config)?;
    context.try_sandbox()?;
    if let Some(fault) = &context.sandbox_fault {
        let message = format!("Tools cannot be run at the sandbox level that the site requires: {fault}.");
        let hint = "Provide what is missing; `gatepost doctor` shows it.";
        return Err(Failure::new(ErrorCode::SandboxUnavailable, FailureKind::Policy, message, hint));
    }
    let mut folder = CallFolder::new(arguments)?;
    let (request, claimed) = folder.request(&context, arguments)?;
    let (authorized, planned) =
        authorize(&context, &claimed, &request, context.scan_id()).map_err(|denied| denied_call(arguments, denied))?;
    let invocation = lane::invocation(planned.as_ref(), &context)?;
    let announced = evidence::announce(&claimed, &request, &authorized, invocation, &context.kernel);
    let bundle = kept.as_ref().map_or_else(|| folder.path().join("bundle"), |kept| kept.staged.clone());
    let staging = Staging::at(bundle.clone())?;
    let place = Place {
        work: folder.path(),
        staging: &staging,
        started: &Cell::new(false),
        ended: &RefCell::new(None),
        cancel: context.runs.all(),
    };
    let executed = pipeline::execute(&context, &request, (authorized, planned.as_ref()), &place, announced)?;
    let (mut evidence, output_file) = executed.into_evidence();
    staging.complete(&mut evidence, output_file)?;
    let bundle = match kept {
        Some(kept) => finish(kept, &evidence)?,
        None => bundle,
    };
    let failure = evidence.error.clone();
    let mut answer =
        Answer { _trusted: false, effect: Effect::Created, evidence, streams: Streams::default(), kept: None };
    Ok(match failure {
        None => Outcome::done(&answer),
        Some(mut error) => {
            answer.streams = Streams::of(&bundle);
            if error.operation == "parse" && out.is_none() {
                let kept = keep(&bundle)?;
                error.hint = format!("The raw output is kept in {}.", kept.display());
                answer.evidence.error = Some(error.clone());
                answer.kept = Some(kept);
            }
            let failure = Failure::new(ErrorCode::ToolFailed, error.kind.into(), error.message, error.hint);
            Outcome::failed(&answer, failure.during("run_tool", arguments.name.clone()))
        }
    })
}

/// Adds the evidence to a kept call, and renames its folder to the final name.
fn finish(kept: NewFolder, evidence: &Evidence) -> Result<PathBuf, Failure> {
    let path = kept.staged.join(EVIDENCE);
    let mut bytes = serde_json::to_vec_pretty(evidence).map_err(io::Error::from).on("write", &path)?;
    bytes.push(b'\n');
    durable::write_new(&path, &bytes)?;
    kept.publish()
}

/// Copies the artifacts of a call to a permanent folder.
fn keep(bundle: &Path) -> Result<PathBuf, Failure> {
    let folder = ScratchFolder::new("gatepost-output-")?;
    let artifacts = bundle.join("artifacts");
    fs::rename(&artifacts, folder.path().join("artifacts")).on("keep", &artifacts)?;
    Ok(folder.keep().join("artifacts"))
}

/// The scratch folder of one call.
struct CallFolder {
    folder: ScratchFolder,
    call: LocalInputs,
    inputs: Vec<Input>,
}

impl CallFolder {
    fn new(arguments: &Arguments) -> Result<Self, Failure> {
        let call = LocalInputs::read(&arguments.args, &arguments.inputs)?;
        let folder = ScratchFolder::new("gatepost-")?;
        let into = folder.path().join(INPUTS);
        fs::create_dir(&into).on("create", &into)?;
        let inputs = call.files.iter().map(|file| copy_input(file, &into)).collect::<Result<_, _>>()?;
        Ok(Self { folder, call, inputs })
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The call as a request, as after its claim.
    fn request(&mut self, context: &Context, arguments: &Arguments) -> Result<(Request, Claimed), Failure> {
        self.call.rename(context, &arguments.name);
        let now = Utc::now();
        let id = RequestId::new(now, "once").map_err(|error| Failure::usage(error.to_string(), ""))?;
        let draft = Draft {
            args: parse_args(&self.call.args)?,
            inputs: self.inputs.clone(),
            network: network(context, &arguments.name, &arguments.destinations),
            ..Draft::call(id.clone(), now, "human", "One call from the command line", &arguments.name)
        };
        let bytes = draft.to_markdown().into_bytes();
        let request = request::read(&bytes, Form::Markdown, id.as_str(), now);
        let request = request.map_err(|reasons| refused(arguments, reasons))?;
        // An unknown tool is a different failure than an invalid call.
        super::inspect::find(&context.toolbox, &arguments.name)?;
        let claim = Claim {
            request_id: id,
            request_sha256: Digest::of(&bytes),
            form: Form::Markdown,
            completeness: Completeness::Renamed,
            claimed_utc: now.to_rfc3339_opts(SecondsFormat::Secs, true),
            uid: rustix::process::getuid().as_raw(),
            faults: Vec::new(),
        };
        Ok((request, Claimed { claim, folder: self.path().to_owned(), bytes }))
    }
}

fn copy_input(LocalInput { name, path }: &LocalInput, folder: &Path) -> Result<Input, Fault> {
    let target = folder.join(name);
    fs::copy(path, &target).on("copy", path)?;
    let (sha256, _) = File::open(&target).and_then(Hasher::read).on("read", &target)?;
    Ok(Input { name: name.clone(), sha256 })
}

fn denied_call(arguments: &Arguments, denied: Denied) -> Failure {
    match denied {
        Denied::Refused(refusal) => refused(arguments, refusal.reasons),
        Denied::Waits(waiting, _) => refused(arguments, waiting.missing),
        Denied::Fault(fault) => fault.into(),
    }
}

/// A call that needs people cannot wait for them here.
fn refused(arguments: &Arguments, mut reasons: Vec<Reason>) -> Failure {
    let target = format!("The call of {}", arguments.name);
    let is_peoples = |reason: &&mut Reason| matches!(reason.code, Code::ApprovalMissing | Code::SignatureMissing);
    for missing in reasons.iter_mut().filter(is_peoples) {
        let what = if missing.code == Code::ApprovalMissing { "an approval" } else { "a signature" };
        missing.message = format!("This call needs {what}, and `gatepost tools run` cannot take one.");
        "Submit a request for it with `gatepost submit`, and have a person approve or sign it."
            .clone_into(&mut missing.hint);
    }
    // The only key that a draft may lack is the list of interactions.
    for missing in reasons.iter_mut().filter(|reason| reason.code == Code::KeyMissing) {
        "Write a request with interactions, and submit it with `gatepost submit FILE`.".clone_into(&mut missing.hint);
    }
    Failure::not_authorized(&target, reasons)
}
