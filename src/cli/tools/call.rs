//! One call of a tool outside the mailbox: plan shows it, run carries it out and prints its evidence.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use chrono::Utc;
use gatepost_documents::digest::{Digest, Hasher};
use gatepost_documents::evidence::{Completeness, Evidence, Limits};
use gatepost_documents::id::RequestId;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use serde::Serialize;

use crate::bundle::Staging;
use crate::cli::exit;
use crate::cli::outcome::{Failure, Outcome, View};
use crate::cli::site::Open;
use crate::cli::submit::{parse_args, parse_network};
use crate::cli::watch::{context, try_sandbox};
use crate::evidence;
use crate::inputs::Inputs;
use crate::lane::Planned as _;
use crate::lane::clad::{self, Plan};
use crate::lane::run::Place;
use crate::mailbox::INPUTS;
use crate::mailbox::claim::Claimed;
use crate::mailbox::record::Claim;
use crate::pipeline::Context;
use crate::request::{self, CladCall, Draft, Form, Input, Lane, Priority, Request};
use crate::shell;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The tool.
    name: String,
    /// An argument of the tool; may be given many times.
    #[arg(long = "arg", value_name = "NAME=VALUE")]
    args: Vec<String>,
    /// An input file; the tool finds it in in/. May be given many times.
    #[arg(long = "input", value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// A destination that the tool shall reach. May be given many times.
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
struct Ran {
    _trusted: bool,
    evidence: Evidence,
}

impl View for Ran {
    fn text(&self) -> String {
        serde_json::to_string_pretty(&self.evidence).unwrap_or_default() + "\n"
    }
}

pub fn plan(open: Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    let context = context(open)?;
    let desk = Desk::new(arguments)?;
    let Wish { plan, .. } = desk.wish(&context, arguments)?;
    let prepared = plan.prepare("scan").map_err(|reasons| refused(arguments, reasons))?;
    Ok(Outcome::done(&Planned {
        tool: arguments.name.clone(),
        command: shell::quoted_line(&prepared.call.shown),
        needs_approval: prepared.needs_approval(),
        argv: prepared.call.shown,
        limits: prepared.plan.limits,
    }))
}

pub fn run(open: Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    let mut context = context(open)?;
    try_sandbox(&mut context);
    if let Some(fault) = &context.sandbox_fault {
        let message = format!("Tools cannot be run at the level that the site demands: {fault}.");
        return Err(Failure::new(
            exit::GENERAL,
            "SANDBOX_UNAVAILABLE",
            "policy",
            message,
            "Let gatepost make what is missing; `gatepost doctor` names it.",
        ));
    }
    let desk = Desk::new(arguments)?;
    let Wish { plan, request, claimed } = desk.wish(&context, arguments)?;
    let occasion = context.occasion();
    let prepared = plan.prepare(&occasion.scan_id()).map_err(|reasons| refused(arguments, reasons))?;
    let mut evidence = evidence::begin(&claimed, Some(&request), occasion, &context.kernel);
    prepared.describe(&mut evidence);
    let staging = Staging::at(desk.folder.join("bundle"))?;
    let place = Place { work: &desk.folder, staging: &staging };
    let output_file = prepared.execute(&context, &place, &mut evidence)?;
    staging.complete(&mut evidence, output_file)?;
    let failure = evidence.error.clone();
    let ran = Ran { _trusted: false, evidence };
    Ok(match failure {
        None => Outcome::done(&ran),
        Some(error) => {
            let (exit, code) =
                if error.code == "TIMEOUT" { (exit::TIMEOUT, "TIMEOUT") } else { (exit::TOOL_FAILED, "TOOL_FAILED") };
            Outcome::failed(
                &ran,
                Failure::new(exit, code, "runtime", error.message, error.hint).of("run_tool", arguments.name.clone()),
            )
        }
    })
}

/// A folder of its own for one call, removed when it is over.
struct Desk {
    folder: PathBuf,
    inputs: Vec<Input>,
}

/// The call as a request, checked.
struct Wish {
    plan: Plan,
    request: Request,
    claimed: Claimed,
}

impl Desk {
    fn new(arguments: &Arguments) -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("gatepost-{}", std::process::id()));
        fs::create_dir(&folder).on("create", &folder)?;
        let mut desk = Self { folder, inputs: Vec::new() };
        let inputs = desk.folder.join(INPUTS);
        fs::create_dir(&inputs).on("create", &inputs)?;
        for path in &arguments.inputs {
            let input = copy_input(path, &inputs)?;
            desk.inputs.push(input);
        }
        Ok(desk)
    }

    fn wish(&self, context: &Context, arguments: &Arguments) -> Result<Wish, Failure> {
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
        let call: &CladCall = match &request.lane {
            Lane::Clad(call) => call,
            Lane::Era(_) | Lane::Monty(_) => return Err(Failure::usage("The call names no tool.", "Name one.")),
        };
        super::inspect::find(&context.toolbox, &call.tool)?;
        let plan = clad::plan(context, &request, call, &Inputs::at(self.folder.join(INPUTS)))?;
        let plan = plan.map_err(|reasons| refused(arguments, reasons))?;
        let claim = Claim {
            request_id: id,
            request_sha256: Digest::of(&bytes),
            form: Form::Markdown,
            completeness: Completeness::Renamed,
            claimed_utc: String::new(),
        };
        Ok(Wish { plan, request, claimed: Claimed { claim, folder: self.folder.clone(), bytes } })
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // What cannot be removed lies in the folder for temporary files, where it does no harm.
        let _ = durable::remove_tree(&self.folder);
    }
}

fn copy_input(path: &Path, folder: &Path) -> Result<Input, Fault> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let target = folder.join(&name);
    fs::copy(path, &target).on("copy", path)?;
    let (sha256, _) = File::open(&target).and_then(Hasher::read).on("read", &target)?;
    Ok(Input { name, sha256 })
}

fn refused(arguments: &Arguments, reasons: Vec<gatepost_documents::reason::Reason>) -> Failure {
    Failure::refused(exit::USAGE, "SCHEMA_VIOLATION", &format!("The call of {}", arguments.name), reasons)
}
