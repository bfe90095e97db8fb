//! `gatepost submit`: writes a request and puts it into the inbox in one step.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use chrono::{TimeDelta, Utc};
use gatepost_documents::digest::{Digest, Hasher};
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason, Severity};
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::OnPath;
use gatepost_mailbox::site::{STAGING, Site};
use serde::Serialize;

use super::exit;
use super::outcome::{Failure, Outcome, View};
use super::policy::foresee;
use super::site::Open;
use super::wait::until_judged;
use super::watch::context;
use crate::argument_value::ArgumentValue;
use crate::context::Context;
use crate::inputs;
use crate::lane::Plan;
use crate::lane::clad::own_destinations;
use crate::mailbox::{INPUTS, record};
use crate::manifest::{InputFiles, PathFault};
use crate::network::Destination;
use crate::request::{self, DeclaredApproval, Draft, Form, Input, InteractionCall, Lane, Network, Priority, Request};
use crate::step_error::gather;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A complete request, TR-….md or TR-….json.
    #[arg(conflicts_with_all = ["tool", "args"], required_unless_present = "tool")]
    file: Option<PathBuf>,
    /// Write a request that calls this tool.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// An argument of the tool; may be repeated.
    #[arg(long = "arg", value_name = "NAME=VALUE", requires = "tool")]
    args: Vec<String>,
    #[command(flatten)]
    session: SessionArguments,
    /// An input file, which the tool finds in in/; may be repeated.
    #[arg(long = "input", value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// A destination that the tool may reach; may be repeated.
    #[arg(long = "network", value_name = "HOST:PORT", requires = "tool")]
    destinations: Vec<String>,
    /// Why, in one line.
    #[arg(long, requires = "tool", default_value = "Submitted with gatepost submit")]
    purpose: String,
    /// Who makes the request.
    #[arg(long, requires = "tool", default_value = "human")]
    requested_by: String,
    /// Declare who approved it; counts only where the site trusts declarations.
    #[arg(long, requires = "tool", value_name = "WHO")]
    approved_by: Option<String>,
    /// Refuse it if it was not carried out within this many seconds.
    #[arg(long, requires = "tool", value_name = "SECONDS")]
    expires_in: Option<u32>,
    /// Its priority among waiting requests.
    #[arg(long, requires = "tool", default_value = "normal", value_parser = ["low", "normal", "high"])]
    priority: String,
    /// Wait for the verdict.
    #[arg(long)]
    wait: bool,
    /// With --wait: give up after this many seconds; 0 means never.
    #[arg(long, default_value_t = 300, value_name = "SECONDS")]
    timeout: u64,
    /// Check everything, but put nothing into the inbox.
    #[arg(long)]
    dry_run: bool,
}

/// What the request is to a session.
#[derive(Debug, clap::Args)]
struct SessionArguments {
    /// What to do in a session or with a browser: {"command": "NAME", "args": {…}}; may be repeated.
    #[arg(long = "interaction", value_name = "JSON", requires = "tool")]
    interactions: Vec<String>,
    /// Open a session that stays open; requests continue it by the id of this one.
    #[arg(long, requires = "tool", conflicts_with_all = ["session", "interactions"])]
    keep_open: bool,
    /// Continue the open session of this request.
    #[arg(long, value_name = "ID", requires = "tool")]
    session: Option<String>,
    /// With --session: close the session then.
    #[arg(long, requires = "session")]
    close: bool,
}

impl SessionArguments {
    fn keep_open(&self) -> Option<bool> {
        self.keep_open.then_some(true).or(self.close.then_some(false))
    }
}

impl Arguments {
    /// A call of a tool with arguments, `NAME=VALUE` each, and input files; whoever asks goes on to wait by himself.
    pub fn of_call(tool: &str, args: Vec<String>, inputs: Vec<PathBuf>, (requested_by, purpose): (&str, &str)) -> Self {
        Self {
            file: None,
            tool: Some(tool.to_owned()),
            args,
            session: SessionArguments { interactions: Vec::new(), keep_open: false, session: None, close: false },
            inputs,
            destinations: Vec::new(),
            purpose: purpose.to_owned(),
            requested_by: requested_by.to_owned(),
            approved_by: None,
            expires_in: None,
            priority: "normal".to_owned(),
            wait: false,
            timeout: 0,
            dry_run: false,
        }
    }
}

/// What became of a submission.
#[derive(Serialize)]
pub struct Submitted {
    pub request_id: RequestId,
    effect: &'static str,
    path: PathBuf,
    request_sha256: Digest,
    /// Whether it needs an approval that it does not have.
    needs_approval: bool,
    /// What people would have to do before it is carried out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<Reason>,
}

impl View for Submitted {
    fn text(&self) -> String {
        let missing: Vec<String> =
            self.missing.iter().map(|reason| format!("  {}\n  {}\n", reason.message, reason.hint)).collect();
        let placed = match self.effect {
            "created" => format!("{}\n  is in {}\n", self.request_id, self.path.display()),
            "noop" => {
                format!("{}\n  was submitted before with the same bytes; one result answers both.\n", self.request_id)
            }
            _ => format!("{}\n  would be placed in {}\n", self.request_id, self.path.display()),
        };
        placed + &missing.concat()
    }
}

/// A request that is ready to be dropped.
struct ReadyRequest {
    id: RequestId,
    form: Form,
    bytes: Vec<u8>,
    request: Request,
}

/// The files that come with the request.
struct OfferedInputs<'a>(&'a [(Input, PathBuf)]);

impl InputFiles for OfferedInputs<'_> {
    fn input_file(&self, relative: &str) -> Result<(), PathFault> {
        if self.0.iter().any(|(input, _)| input.name == relative) { Ok(()) } else { Err(PathFault::Missing) }
    }
}

pub fn run(open: Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    let site = open.site.clone();
    let submitted = place(open, arguments)?;
    if arguments.wait && !arguments.dry_run {
        until_judged(&site, &submitted.request_id, arguments.timeout)
    } else {
        Ok(Outcome::done(&submitted))
    }
}

/// Checks everything, and puts the request into the inbox unless it is there already.
pub fn place(open: Open, arguments: &Arguments) -> Result<Submitted, Failure> {
    let inputs = read_inputs(&arguments.inputs)?;
    let context = context(open)?;
    let ready = match &arguments.file {
        Some(file) => read_file(&context, file)?,
        None => write_draft(&context, arguments, &inputs)?,
    };
    check_inputs(&ready, &inputs)?;
    let missing = check_call(&context, &ready, &inputs, arguments.dry_run)?;
    let request_sha256 = Digest::of(&ready.bytes);
    let site = &context.site;
    let submitted = |effect, path| Submitted {
        request_id: ready.id.clone(),
        effect,
        path,
        request_sha256,
        needs_approval: missing.iter().any(|reason| reason.code == Code::ApprovalMissing),
        missing: missing.clone(),
    };
    if let Some((state, known)) = record::locate(site, &ready.id)? {
        if known.request_sha256 != request_sha256 {
            let message = format!("The id {} was used before by a request with different bytes.", ready.id);
            let failure =
                Failure::new(exit::CONFLICT, "ALREADY_EXISTS", "usage", message, "Give the request its own id.");
            return Err(failure.during("submit", ready.id.as_str()));
        }
        let path = state.folder(site).join(ready.id.as_str());
        return Ok(submitted("noop", path));
    }
    let name =
        if inputs.is_empty() { format!("{}.{}", ready.id, ready.form.extension()) } else { ready.id.to_string() };
    let path = site.inbox().join(name);
    if arguments.dry_run {
        return Ok(submitted("would_create", path));
    }
    drop_into(site, &ready, &inputs, &path)?;
    Ok(submitted("created", path))
}

/// The files that come along must be those that the request declares.
fn check_inputs(ready: &ReadyRequest, inputs: &[(Input, PathBuf)]) -> Result<(), Failure> {
    let offered = inputs.iter().map(|(input, _)| (input.name.clone(), input.sha256)).collect();
    let reasons = inputs::differences(&ready.request, offered, "Give it with --input FILE.");
    if reasons.is_empty() {
        Ok(())
    } else {
        Err(Failure::refused(exit::USAGE, "SCHEMA_VIOLATION", "The request", reasons))
    }
}

/// What TOOL-EXEC would refuse is refused here already, before anything is dropped. What people still have to do.
/// `with_secrets`: a secret that is missing here refuses it, too, though TOOL-EXEC may have it.
fn check_call(
    context: &Context,
    ready: &ReadyRequest,
    inputs: &[(Input, PathBuf)],
    with_secrets: bool,
) -> Result<Vec<Reason>, Failure> {
    let (plan, mut reasons) = foresee(context, &ready.request, &OfferedInputs(inputs))?;
    if let Some(Plan::Clad(plan)) = plan.filter(|_| with_secrets) {
        gather(plan.prepare(context, "scan"), &mut reasons)?;
    }
    if reasons.iter().all(|reason| reason.severity == Severity::Flag) {
        return Ok(reasons);
    }
    Err(match (reasons.as_slice(), &ready.request.lane) {
        ([reason], Lane::Clad(call)) if reason.code == Code::ToolUnknown => {
            let (message, hint) = (reason.message.clone(), reason.hint.clone());
            Failure::not_found("TOOL_NOT_FOUND", "tool_not_found", call.tool.clone(), message, hint)
        }
        _ => Failure::not_authorized("The request", reasons),
    })
}

/// Writes everything in the inbox's staging place, and renames it in: whoever watches sees all of it or nothing.
fn drop_into(site: &Site, ready: &ReadyRequest, inputs: &[(Input, PathBuf)], path: &Path) -> Result<(), Failure> {
    let staging = site.inbox().join(STAGING).join(format!("submit-{}-{}", std::process::id(), ready.id));
    durable::remove_tree(&staging)?;
    if inputs.is_empty() {
        durable::write_new(&staging, &ready.bytes)?;
    } else {
        let folder = staging.join(INPUTS);
        fs::create_dir_all(&folder).on("create", &folder)?;
        durable::write_new(&staging.join(format!("{}.{}", ready.id, ready.form.extension())), &ready.bytes)?;
        for (input, source) in inputs {
            let mut from = File::open(source).on("open", source)?;
            let target = folder.join(&input.name);
            std::io::copy(&mut from, &mut durable::create_new(&target)?).on("copy to", &target)?;
        }
        leave_to_group(&staging)?;
        durable::sync_tree(&staging)?;
    }
    durable::move_new(&staging, path).map_err(|fault| {
        if fault.source.kind() == std::io::ErrorKind::AlreadyExists {
            let message = format!("{} is already in the inbox.", ready.id);
            return Failure::new(
                exit::CONFLICT,
                "ALREADY_EXISTS",
                "usage",
                message,
                "Wait until it is claimed, or use another id.",
            );
        }
        fault.into()
    })
}

/// Where the inbox hands its group down, whoever claims a folder is of that group, and has to be able to remove it.
fn leave_to_group(staging: &Path) -> Result<(), Failure> {
    const SETGID: u32 = 0o2000;
    if staging.metadata().on("look at", staging)?.mode() & SETGID != 0 {
        for folder in [staging.to_owned(), staging.join(INPUTS)] {
            fs::set_permissions(&folder, Permissions::from_mode(0o2775)).on("set the mode of", &folder)?;
        }
    }
    Ok(())
}

fn read_inputs(paths: &[PathBuf]) -> Result<Vec<(Input, PathBuf)>, Failure> {
    let read = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let (sha256, _) = File::open(path).and_then(Hasher::read).on("read", path)?;
        Ok((Input { name, sha256 }, path.clone()))
    };
    paths.iter().map(read).collect()
}

fn read_file(context: &Context, file: &Path) -> Result<ReadyRequest, Failure> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let form = request_form(file)?;
    let bytes = fs::read(file).on("read", file)?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let request = check(context, &bytes, form, &stem, &name)?;
    Ok(ReadyRequest { id: request.id.clone(), form, bytes, request })
}

/// The form that the name of a request's file says.
pub fn request_form(file: &Path) -> Result<Form, Failure> {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("md") => Ok(Form::Markdown),
        Some("json") => Ok(Form::Json),
        _ => {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let message = format!("{name} ends in neither .md nor .json.");
            Err(Failure::usage(message, "Name a TR-….md or TR-….json."))
        }
    }
}

fn check(context: &Context, bytes: &[u8], form: Form, stem: &str, shown: &str) -> Result<Request, Failure> {
    request::read(bytes, form, stem, Utc::now() + context.config.inbox.clock_skew())
        .map_err(|reasons| Failure::refused(exit::USAGE, "SCHEMA_VIOLATION", shown, reasons))
}

fn write_draft(context: &Context, arguments: &Arguments, inputs: &[(Input, PathBuf)]) -> Result<ReadyRequest, Failure> {
    let tool = arguments.tool.as_deref().unwrap_or_default();
    let now = Utc::now();
    let mut random = [0; 4];
    let _ = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty());
    // Cut so that the slug stays within its 64 characters.
    let short: String = tool.replace('_', "-").chars().take(50).collect();
    let slug = format!("{short}-{:08x}", u32::from_ne_bytes(random));
    let id = RequestId::new(now, &slug)
        .map_err(|error| Failure::usage(format!("{tool} cannot be part of a request id: it {error}."), ""))?;
    let draft = Draft {
        created: now,
        requested_by: arguments.requested_by.clone(),
        declared_approval: arguments.approved_by.clone().map(|by| DeclaredApproval { by, utc: now }),
        purpose: arguments.purpose.clone(),
        tool: tool.to_owned(),
        args: parse_args(&arguments.args)?,
        inputs: inputs.iter().map(|(input, _)| input.clone()).collect(),
        network: network(context, tool, &arguments.destinations)?,
        expires: arguments.expires_in.map(|seconds| now + TimeDelta::seconds(seconds.into())),
        priority: match arguments.priority.as_str() {
            "low" => Priority::Low,
            "high" => Priority::High,
            _ => Priority::Normal,
        },
        idempotency_key: None,
        interactions: interactions(&arguments.session.interactions)?,
        session_id: arguments.session.session.clone(),
        keep_open: arguments.session.keep_open(),
        id,
    };
    let bytes = draft.to_markdown().into_bytes();
    let request = check(context, &bytes, Form::Markdown, draft.id.as_str(), "The request")?;
    Ok(ReadyRequest { id: draft.id, form: Form::Markdown, bytes, request })
}

/// `name=value` pairs as texts; the manifest's types say what they mean.
pub fn parse_args(pairs: &[String]) -> Result<BTreeMap<String, ArgumentValue>, Failure> {
    let mut args = BTreeMap::new();
    for pair in pairs {
        let Some((name, value)) = pair.split_once('=') else {
            let message = format!("{} is not NAME=VALUE.", gatepost_documents::text::quoted(pair));
            return Err(Failure::usage(message, "Write --arg name=value."));
        };
        if args.insert(name.to_owned(), ArgumentValue::Text(value.to_owned())).is_some() {
            return Err(Failure::usage(format!("The argument {name} is given twice."), "Give it once."));
        }
    }
    Ok(args)
}

fn interactions(texts: &[String]) -> Result<Vec<InteractionCall>, Failure> {
    let parse = |text: &String| {
        InteractionCall::from_json(text).ok_or_else(|| {
            let message = format!("{} is not an interaction.", gatepost_documents::text::quoted(text));
            Failure::usage(message, "Write --interaction '{\"command\": \"NAME\", \"args\": {}}'.")
        })
    };
    texts.iter().map(parse).collect()
}

/// The network to these destinations; where none are given to those that the tool reaches by itself, if there are any, or to what its
/// arguments aim at.
pub fn network(context: &Context, tool: &str, destinations: &[String]) -> Result<Network, Failure> {
    if destinations.is_empty() {
        // That there is no such tool is said when the request is checked.
        let Ok(tool) = context.toolbox.find(tool) else { return Ok(Network::None) };
        return Ok(match own_destinations(&context.config, &tool.manifest) {
            Some(own) => Network::to(own),
            None if tool.manifest.aims_by_route() => Network::Allowlist(Vec::new()),
            None => Network::None,
        });
    }
    let parse = |text: &String| {
        Destination::parse(text).ok_or_else(|| {
            let message = format!("{} is not HOST:PORT.", gatepost_documents::text::quoted(text));
            Failure::usage(message, "Write --network api.example.org:443, with IPv6 addresses in brackets.")
        })
    };
    destinations.iter().map(parse).collect::<Result<_, _>>().map(Network::to)
}
