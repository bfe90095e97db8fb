//! One call of a tool outside the mailbox: plan shows it, run carries it out and prints its evidence.

use std::cell::Cell;
use std::fs::{self, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use chrono::Utc;
use gatepost_documents::digest::{Digest, Hasher};
use gatepost_documents::evidence::{Completeness, Evidence, FailureCode, Limits};
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use serde::Serialize;

use crate::authorize::authorize;
use crate::bundle::Staging;
use crate::cli::exit;
use crate::cli::outcome::{Failure, Outcome, View};
use crate::cli::site::Open;
use crate::cli::submit::{parse_args, parse_network};
use crate::cli::watch::{context, try_sandbox};
use crate::context::Context;
use crate::evidence;
use crate::inputs::Inputs;
use crate::lane::Planned as _;
use crate::lane::clad;
use crate::lane::run::Place;
use crate::mailbox::INPUTS;
use crate::mailbox::claim::Claimed;
use crate::mailbox::record::Claim;
use crate::pipeline;
use crate::request::{self, Draft, Form, Input, Lane, Priority, Request};
use crate::sandbox;
use crate::shell;
use crate::step_error::StepError;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The tool.
    name: String,
    /// An argument of the tool; may be repeated.
    #[arg(long = "arg", value_name = "NAME=VALUE")]
    args: Vec<String>,
    /// An input file, which the tool finds in in/; may be repeated.
    #[arg(long = "input", value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// A destination that the tool may reach; may be repeated.
    #[arg(long = "network", value_name = "HOST:PORT")]
    destinations: Vec<String>,
}

#[derive(Serialize)]
struct Planned {
    tool: String,
    argv: Vec<String>,
    command: String,
    limits: Limits,
    needs_approval: bool,
}

impl View for Planned {
    fn text(&self) -> String {
        let approval = if self.needs_approval { "\nA request for this needs an approval." } else { "" };
        format!("{}\n\nNothing was run. Time limit {} s.{approval}\n", self.command, self.limits.time_ms / 1_000)
    }
}

#[derive(Serialize)]
struct Answer {
    _trusted: bool,
    evidence: Evidence,
}

impl View for Answer {
    fn text(&self) -> String {
        serde_json::to_string_pretty(&self.evidence).unwrap_or_default() + "\n"
    }
}

pub fn plan(open: Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    let context = context(open)?;
    let folder = CallFolder::new(arguments)?;
    let (request, claimed) = folder.request(&context, arguments)?;
    let prepared = match &request.lane {
        Lane::Clad(call) => clad::plan(&context, &request, call, &Inputs::claimed(&claimed))
            .and_then(|plan| plan.prepare(&context, "scan"))
            .map_err(|error| not_authorized(arguments, error))?,
        Lane::Era(_) | Lane::Monty(_) => return Err(Failure::usage("The call names no tool.", "Name one.")),
    };
    Ok(Outcome::done(&Planned {
        tool: arguments.name.clone(),
        command: shell::line(prepared.shown.iter().map(String::as_str)),
        needs_approval: prepared.needs_approval(),
        argv: prepared.shown,
        limits: prepared.plan.limits,
    }))
}

pub fn run(open: Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    sandbox::forbid_core_dumps()?;
    let mut context = context(open)?;
    try_sandbox(&mut context)?;
    if let Some(fault) = &context.sandbox_fault {
        let message = format!("Tools cannot be run at the sandbox level that the site requires: {fault}.");
        return Err(Failure::new(
            exit::GENERAL,
            "SANDBOX_UNAVAILABLE",
            "policy",
            message,
            "Provide what is missing; `gatepost doctor` shows it.",
        ));
    }
    let folder = CallFolder::new(arguments)?;
    let (request, claimed) = folder.request(&context, arguments)?;
    let (authorized, planned) =
        authorize(&context, &claimed, &request, context.scan_id()).map_err(|error| not_authorized(arguments, error))?;
    let announced = evidence::announce(&claimed, &request, &authorized, planned.invocation(), &context.kernel);
    let staging = Staging::at(folder.path.join("bundle"))?;
    let place = Place { work: &folder.path, staging: &staging, started: &Cell::new(false) };
    let executed = pipeline::execute(&context, &request, (authorized, planned.as_ref()), &place, announced)?;
    let (mut evidence, output_file) = executed.into_evidence();
    staging.complete(&mut evidence, output_file)?;
    let failure = evidence.error.clone();
    let answer = Answer { _trusted: false, evidence };
    Ok(match failure {
        None => Outcome::done(&answer),
        Some(error) => {
            let (exit, code) = match error.code {
                FailureCode::Timeout => (exit::TIMEOUT, "TIMEOUT"),
                _ => (exit::TOOL_FAILED, "TOOL_FAILED"),
            };
            Outcome::failed(
                &answer,
                Failure::new(exit, code, "runtime", error.message, error.hint)
                    .during("run_tool", arguments.name.clone()),
            )
        }
    })
}

/// A folder of its own for one call, removed when it is over.
struct CallFolder {
    path: PathBuf,
    inputs: Vec<Input>,
}

impl CallFolder {
    fn new(arguments: &Arguments) -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("gatepost-{}", std::process::id()));
        fs::DirBuilder::new().mode(0o700).create(&path).on("create", &path)?;
        let mut folder = Self { path, inputs: Vec::new() };
        let inputs = folder.path.join(INPUTS);
        fs::create_dir(&inputs).on("create", &inputs)?;
        for path in &arguments.inputs {
            let input = copy_input(path, &inputs)?;
            folder.inputs.push(input);
        }
        Ok(folder)
    }

    /// The call as a request, as if it had been claimed.
    fn request(&self, context: &Context, arguments: &Arguments) -> Result<(Request, Claimed), Failure> {
        let now = Utc::now();
        let id = RequestId::new(now, "once").map_err(|error| Failure::usage(error.to_string(), ""))?;
        let draft = Draft {
            id: id.clone(),
            created: now,
            requested_by: "human".to_owned(),
            declared_approval: None,
            purpose: "One call from the command line".to_owned(),
            tool: arguments.name.clone(),
            args: parse_args(&arguments.args)?,
            inputs: self.inputs.clone(),
            network: parse_network(&arguments.destinations)?,
            expires: None,
            priority: Priority::Normal,
            idempotency_key: None,
            session_id: None,
        };
        let bytes = draft.to_markdown().into_bytes();
        let request = request::read(&bytes, Form::Markdown, id.as_str(), now);
        let request = request.map_err(|reasons| refused(arguments, reasons))?;
        // A tool that is not there is told apart from a call that is wrong.
        super::inspect::find(&context.toolbox, &arguments.name)?;
        let claim = Claim {
            request_id: id,
            request_sha256: Digest::of(&bytes),
            form: Form::Markdown,
            completeness: Completeness::Renamed,
            claimed_utc: String::new(),
        };
        Ok((request, Claimed { claim, folder: self.path.clone(), bytes }))
    }
}

impl Drop for CallFolder {
    fn drop(&mut self) {
        // What cannot be removed lies in the folder for temporary files, where it does no harm.
        let _ = durable::remove_tree(&self.path);
    }
}

fn copy_input(path: &Path, folder: &Path) -> Result<Input, Fault> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let target = folder.join(&name);
    fs::copy(path, &target).on("copy", path)?;
    let (sha256, _) = File::open(&target).and_then(Hasher::read).on("read", &target)?;
    Ok(Input { name, sha256 })
}

fn not_authorized(arguments: &Arguments, error: StepError) -> Failure {
    match error {
        StepError::Refused(reasons) => refused(arguments, reasons),
        StepError::Fault(fault) => fault.into(),
    }
}

/// A call that needs an approval cannot have one here.
fn refused(arguments: &Arguments, mut reasons: Vec<Reason>) -> Failure {
    let target = format!("The call of {}", arguments.name);
    let missing = reasons.iter_mut().find(|reason| reason.code == Code::ApprovalMissing);
    let Some(missing) = missing else { return Failure::refused(exit::USAGE, "SCHEMA_VIOLATION", &target, reasons) };
    "This tool needs an approval, and `gatepost tools run` cannot carry one.".clone_into(&mut missing.message);
    "Submit a request for it with `gatepost submit`, and have a person approve it.".clone_into(&mut missing.hint);
    Failure { kind: "policy", ..Failure::refused(exit::DENIED, "POLICY_DENIED", &target, reasons) }
}
