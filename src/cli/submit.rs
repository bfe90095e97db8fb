//! `gatepost submit`: writes a request and puts it into the inbox in one step.

mod call;
mod drop;
mod forgotten;
mod idempotency;
mod local_input;
mod ready;

use std::path::{Path, PathBuf};

use clap::ArgGroup;
use gatepost_contract::manifest::{InputFiles, PathFault};
use gatepost_contract::request::{Input, Lane};
use gatepost_exec::context::Context;
use gatepost_exec::inputs;
use gatepost_exec::step_error::gather;
use gatepost_mailbox::life::Results;
use gatepost_sandbox::network::Destination;

use super::policy::{Brought, foresee, secrets_missing};

use super::wait::{Waited, once, until_judged};
use super::watched;

use call::parse_pair;
pub(super) use call::{network, pair, parse_args, parse_destination};
pub(super) use local_input::{LocalInput, LocalInputs};
pub(super) use ready::request_form;

use crate::cli::prelude::*;
use drop::{Known, drop_into, known, location, taken};
use ready::ReadyRequest;

/// The failures of a call through the mailbox.
pub(super) const CALLING: &[ErrorCode] = &[
    ErrorCode::ConfigInvalid,
    ErrorCode::NotWatched,
    ErrorCode::SchemaViolation,
    ErrorCode::InputForgotten,
    ErrorCode::FileNotFound,
    ErrorCode::ToolNotFound,
    ErrorCode::OutOfScope,
    ErrorCode::PolicyDenied,
    ErrorCode::RequestRefused,
    ErrorCode::ResultRejected,
    ErrorCode::ResultNotFound,
    ErrorCode::ToolFailed,
];

/// `gatepost submit`
pub(super) const DECLARATION: Declaration = Declaration::mutating("submit", either::<Submitted, Waited>)
    .writes(&[Write::DROP])
    .about("request_id")
    .waits(300)
    .takes_stdin()
    .fails_like(CALLING)
    .fails(&[ErrorCode::InvalidJson, ErrorCode::AlreadyExists]);

/// The arguments that hold a complete request, which needs no others.
const COMPLETE: [&str; 3] = ["file", "input_file", "raw_payload"];
/// The arguments that exclude a call of a tool.
const NO_TOOL: [&str; 4] = ["file", "input_file", "raw_payload", "urls"];

#[derive(Debug, clap::Args)]
#[command(
    override_usage = "gatepost submit <FILE|--input-file F|--raw-payload J|--tool T|--url U>",
    group = ArgGroup::new("complete").args(COMPLETE),
    group = ArgGroup::new("request").args(["file", "input_file", "raw_payload", "tool", "urls"]).required(true),
    after_help = "Examples:\n  gatepost submit --tool line_count --arg file=app.log --input app.log --wait\n  gatepost submit --url https://example.org/ --wait\n  gatepost submit TR-20260209-160501Z-count/      \
    a folder with in/ and approvals/\n  gatepost submit - < TR-20260209-160501Z-count.md"
)]
pub(super) struct Arguments {
    /// A complete request: TR-….md, TR-….json, a folder TR-…/ with in/ and approvals/, or - for standard input.
    file: Option<PathBuf>,
    /// A complete request in a file of any name, or - for standard input, which holds at most 64 KiB.
    #[arg(long, value_name = "FILE")]
    input_file: Option<PathBuf>,
    /// A complete request as JSON.
    #[arg(long, value_name = "JSON")]
    raw_payload: Option<String>,
    /// Write a request that calls this tool.
    #[arg(long, value_name = "TOOL", value_parser = identifier::tool)]
    tool: Option<String>,
    /// Write a request for this page, if the site may get it; may be repeated.
    #[arg(long = "url", value_name = "URL")]
    urls: Vec<String>,
    #[command(flatten)]
    call: CallArguments,
    /// An input file, which the tool finds in in/; NAME=FILE names it there; may be repeated.
    #[arg(long = "input", value_name = "FILE", conflicts_with = "urls")]
    inputs: Vec<PathBuf>,
    /// Wait for the verdict.
    #[arg(long)]
    wait: bool,
    /// Check everything, but put nothing into the inbox.
    #[arg(long)]
    dry_run: bool,
}

/// What only a request that is written here can be told.
#[derive(Debug, Default, clap::Args)]
struct CallArguments {
    /// With --tool: an argument; NAME=@FILE sends the file along and names it, @@ means @; may be repeated.
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = pair, conflicts_with_all = NO_TOOL)]
    args: Vec<String>,
    /// With --tool: what to do in a session or with a browser, {"command": "NAME", "args": {…}}; may be repeated.
    #[arg(long = "interaction", value_name = "JSON", conflicts_with_all = NO_TOOL)]
    interactions: Vec<String>,
    /// With --tool: open a session that stays open; requests continue it by the id of this one.
    #[arg(long, conflicts_with_all = ["session", "interactions", "file", "input_file", "raw_payload", "urls"])]
    keep_open: bool,
    /// With --tool: continue the open session of this request.
    #[arg(long, value_name = "SESSION", conflicts_with_all = NO_TOOL)]
    session: Option<String>,
    /// With --session: close the session afterwards.
    #[arg(long, requires = "session", conflicts_with_all = NO_TOOL)]
    close: bool,
    /// With --tool: a destination that the tool may reach; may be repeated.
    #[arg(long = "network", value_name = "HOST:PORT", value_parser = parse_destination, conflicts_with_all = NO_TOOL)]
    destinations: Vec<Destination>,
    /// With --tool or --url: why, in one line; without it, the request says that it was submitted here.
    #[arg(long, value_name = "WHY", conflicts_with_all = COMPLETE)]
    purpose: Option<String>,
    /// With --tool or --url: who makes the request; without it, the user who runs this.
    #[arg(long, value_name = "WHO", conflicts_with_all = COMPLETE)]
    requested_by: Option<String>,
    /// With --tool: declare who approved it; counts only if the site trusts declarations.
    #[arg(long, value_name = "WHO", conflicts_with_all = NO_TOOL)]
    approved_by: Option<String>,
    /// With --tool: refuse it if it has not run within this many seconds.
    #[arg(long, value_name = "SECONDS", conflicts_with_all = NO_TOOL)]
    expires_in: Option<u32>,
    /// With --tool: its priority among waiting requests; without it, normal.
    #[arg(long, value_parser = ["low", "normal", "high"], conflicts_with_all = NO_TOOL)]
    priority: Option<String>,
    /// With --tool or --url: a key of your own; a repeated call with the same key gets the answer of the first request.
    #[arg(long, value_name = "KEY", conflicts_with_all = COMPLETE)]
    idempotency_key: Option<String>,
}

impl Arguments {
    /// A call of a tool with arguments, `NAME=VALUE` each, and input files; the caller waits itself.
    pub(super) fn of_call(
        tool: &str,
        args: &[String],
        inputs: Vec<PathBuf>,
        (requested_by, purpose): (&str, &str),
    ) -> Self {
        let call = CallArguments {
            // None of these values is a file.
            args: args.iter().map(|pair| local_input::literal(pair)).collect(),
            purpose: Some(purpose.to_owned()),
            requested_by: Some(requested_by.to_owned()),
            ..CallArguments::default()
        };
        Self {
            file: None,
            input_file: None,
            raw_payload: None,
            tool: Some(tool.to_owned()),
            urls: Vec::new(),
            call,
            inputs,
            wait: false,
            dry_run: false,
        }
    }

    /// The same call, or only a check of it.
    pub(super) fn or_dry_run(self, dry_run: bool) -> Self {
        Self { dry_run, ..self }
    }
}

/// How to get the answer of a request later. *Standards*: CLI Agent Spec, REQ-C-022.
#[derive(Serialize, JsonSchema)]
struct Job {
    job_id: RequestId,
    /// `submitted`, `known` or `none`.
    status: &'static str,
    /// Whether the request is finished; only the status command can say so.
    terminal: bool,
    status_command: String,
    wait_command: String,
    cancel_command: String,
    poll_interval_ms: u64,
}

impl Job {
    fn of(id: &RequestId, effect: Effect) -> Self {
        let status = match effect {
            Effect::Created => "submitted",
            Effect::Noop => "known",
            _ => "none",
        };
        Self {
            job_id: id.clone(),
            status,
            terminal: false,
            status_command: format!("gatepost show {id}"),
            wait_command: format!("gatepost wait {id}"),
            cancel_command: format!("gatepost cancel {id}"),
            poll_interval_ms: 1_000,
        }
    }
}

/// The outcome of a submission.
#[derive(Serialize, JsonSchema)]
pub(super) struct Submitted {
    /// How to continue.
    job: Job,
    pub request_id: RequestId,
    pub effect: Effect,
    path: PathBuf,
    request_sha256: Option<Digest>,
    /// Whether it needs an approval that it does not have.
    needs_approval: bool,
    /// What people must do before it runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<Reason>,
}

impl View for Submitted {
    fn text(&self) -> String {
        let missing: Vec<String> =
            self.missing.iter().map(|reason| format!("  {}\n  {}\n", reason.message, reason.hint)).collect();
        let placed = match self.effect {
            Effect::Created => format!("{}\n  is in {}\n", self.request_id, self.path.display()),
            Effect::Noop => {
                format!("{}\n  was submitted before; one result answers both.\n", self.request_id)
            }
            _ => format!("{}\n  would be placed in {}\n", self.request_id, self.path.display()),
        };
        placed + &missing.concat()
    }
}

/// The files that come with the request.
struct OfferedInputs<'a>(&'a [(Input, PathBuf)]);

impl InputFiles for OfferedInputs<'_> {
    fn input_file(&self, relative: &str) -> Result<(), PathFault> {
        if self.0.iter().any(|(input, _)| input.name == relative) { Ok(()) } else { Err(PathFault::Missing) }
    }
}

pub(super) fn run(open: Open, arguments: &Arguments, bounds: &Bounds) -> Result<Outcome, Failure> {
    let site = open.site.clone();
    let submitted = place(open, arguments)?;
    if !arguments.wait || arguments.dry_run {
        return Ok(Outcome::done(&submitted));
    }
    let id = &submitted.request_id;
    if !Results::of(&site, id)?.progress(&site, id)?.is_some_and(|progress| progress.is_final()) {
        watched::check(&site, "The request was submitted before.")?;
    }
    Ok(until_judged(&site, id, bounds.timeout)?.failing(|failure| once(id, failure)))
}

/// Checks everything, and drops the request unless it is in the inbox already.
pub(super) fn place(open: Open, arguments: &Arguments) -> Result<Submitted, Failure> {
    refuse_inputs_of_folder(arguments)?;
    let mut call = LocalInputs::read(&arguments.call.args, &arguments.inputs)?;
    let inputs = call.hashed(open.config.inbox.inputs_bytes_max)?;
    let context = Context::new(open.site, open.config)?;
    call.rename(&context, arguments.tool.as_deref().unwrap_or_default());
    let ready = ready(&context, arguments, &call.args, &inputs)?;
    let site = &context.site;
    let request_sha256 = Digest::of(&ready.bytes);
    let before = before(site, &ready, arguments)?;
    // An earlier request is not checked again: it may have expired, and its answer may exist.
    if let Some((id, known)) = before.as_ref().filter(|_| !arguments.dry_run) {
        return Ok(known_before(id, known));
    }
    check_inputs(&ready, arguments, &inputs)?;
    let missing = check_call(&context, &ready, &inputs, arguments.dry_run)?;
    let submitted = |effect, path| Submitted {
        job: Job::of(&ready.id, effect),
        request_id: ready.id.clone(),
        effect,
        path,
        request_sha256: Some(request_sha256),
        needs_approval: missing.iter().any(|reason| reason.code == Code::ApprovalMissing),
        missing: missing.clone(),
    };
    if let Some((id, known)) = &before {
        return Ok(known_before(id, known));
    }
    let path = location(site, &ready, &inputs);
    if arguments.dry_run {
        return Ok(submitted(Effect::WouldCreate, path));
    }
    if arguments.wait {
        watched::check(site, "Nothing was submitted.")?;
    }
    let effect = if drop_into(site, &ready, &inputs, &path)? {
        Effect::Created
    } else {
        // Another process was faster.
        self::before(site, &ready, arguments)?.ok_or_else(|| taken(&ready.id))?;
        Effect::Noop
    };
    Ok(submitted(effect, path))
}

/// The outcome for a request that was submitted before.
fn known_before(id: &RequestId, known: &Known) -> Submitted {
    Submitted {
        job: Job::of(id, Effect::Noop),
        request_id: id.clone(),
        effect: Effect::Noop,
        path: known.path.clone(),
        request_sha256: known.sha256,
        needs_approval: false,
        missing: Vec::new(),
    }
}

/// A folder contains its inputs.
fn refuse_inputs_of_folder(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.inputs.is_empty() || !arguments.file.as_deref().is_some_and(Path::is_dir) {
        return Ok(());
    }
    let hint = "Leave it out and put the file into in/ of the folder, or name a tool with --tool.";
    Err(Failure::usage("--input does nothing here: a folder brings its inputs.", hint)
        .during("parse_arguments", "--input"))
}

fn ready(
    context: &Context,
    arguments: &Arguments,
    args: &[String],
    inputs: &[(Input, PathBuf)],
) -> Result<ReadyRequest, Failure> {
    match arguments {
        Arguments { file: Some(path), .. } => ready::from_path(context, path, arguments.dry_run),
        Arguments { input_file: Some(path), .. } => ready::from_document(context, path),
        Arguments { raw_payload: Some(payload), .. } => ready::from_payload(context, payload),
        Arguments { tool: None, .. } => call::write_pages(context, arguments),
        _ => {
            let inputs: Vec<Input> = inputs.iter().map(|(input, _)| input.clone()).collect();
            forgotten::in_call(context, arguments, args, &inputs)?;
            call::write(context, arguments, args, &inputs)
        }
    }
}

/// An earlier request that answers this one: the same bytes, or the same key.
fn before(site: &Site, ready: &ReadyRequest, arguments: &Arguments) -> Result<Option<(RequestId, Known)>, Failure> {
    if let Some(key) = &arguments.call.idempotency_key {
        return idempotency::first(site, &ready.request, key);
    }
    match known(site, &ready.id)? {
        Some(found) if found.sha256 == Some(Digest::of(&ready.bytes)) => Ok(Some((ready.id.clone(), found))),
        Some(_) => Err(taken(&ready.id)),
        None => Ok(None),
    }
}

/// The attached files must be those that the request declares.
fn check_inputs(ready: &ReadyRequest, arguments: &Arguments, inputs: &[(Input, PathBuf)]) -> Result<(), Failure> {
    let reasons = if let Some(folder) = &ready.folder {
        let mut reasons = Vec::new();
        gather(folder.inputs().check(&ready.request), &mut reasons)?;
        reasons
    } else {
        let offered = inputs.iter().map(|(input, _)| (input.name.clone(), input.sha256)).collect();
        let given: Vec<Input> = inputs.iter().map(|(input, _)| input.clone()).collect();
        let hint = forgotten::hint(&ready.request, arguments.file.as_deref(), &given);
        inputs::differences(&ready.request, offered, &hint)
    };
    if reasons.is_empty() { Ok(()) } else { Err(Failure::refused(ErrorCode::SchemaViolation, "The request", reasons)) }
}

/// Refuses before the drop what TOOL-EXEC would refuse. Returns the remaining steps of people.
/// `with_secrets`: a secret that is missing here also refuses it, although TOOL-EXEC may have it.
fn check_call(
    context: &Context,
    ready: &ReadyRequest,
    inputs: &[(Input, PathBuf)],
    with_secrets: bool,
) -> Result<Vec<Reason>, Failure> {
    let of_folder = ready.folder.as_ref().map(|folder| (folder.inputs(), folder.signatures.as_slice()));
    let offered = OfferedInputs(inputs);
    let brought = match &of_folder {
        Some((inputs, signatures)) => Brought { inputs, signatures, bytes: &ready.bytes },
        None => Brought { inputs: &offered, signatures: &[], bytes: &ready.bytes },
    };
    let (plan, mut reasons) = foresee(context, &ready.request, &brought)?;
    if with_secrets {
        reasons.extend(secrets_missing(context, plan)?);
    }
    if reasons.iter().all(|reason| reason.severity == Severity::Flag) {
        return Ok(reasons);
    }
    Err(match (reasons.as_slice(), &ready.request.lane) {
        ([reason], Lane::Clad(call)) if reason.code == Code::ToolUnknown => {
            let (message, hint) = (reason.message.clone(), reason.hint.clone());
            Failure::not_found(ErrorCode::ToolNotFound, FailureKind::ToolNotFound, call.tool.clone(), message, hint)
        }
        _ => Failure::not_authorized("The request", reasons),
    })
}
