//! `gatepost bootstrap`: facts of this machine, tools that fit a prompt, and one turn with the best tool if it is callable.
//!
//! A tool is callable if nobody has to approve it and the prompt has a `name=value` word for each required argument. No
//! model reads the prompt, and nothing is guessed. *Security*: `turn.output` is the tool's output.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use gatepost_contract::manifest::Manifest;
use gatepost_documents::evidence::Status;
use gatepost_exec::toolbox::Toolbox;
use serde_json::Value;

use super::execution::{Call, Execution, execute};
use super::payload::named_values;
use super::route::{self, Match};
use crate::cli::prelude::*;
use crate::cli::tools::find;
use crate::cli::watched;

const PURPOSE: &str = "Called with gatepost bootstrap";
/// The command that tests the machine.
const TEST_COMMAND: &str = "gatepost doctor";
/// The built-in interpreter, used if the machine has no other.
const OWN_IMPLEMENTATION: &str = "Monty";
const ASK_PYTHON: &str = "import platform; print(platform.python_version(), platform.python_implementation())";

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The turn's stop_reason is completed, timeout, cancelled or failed after a run, else why nothing was run: no_match, \
    not_a_tool, approval_needed, arguments_needed, interactions_needed, not_watched or refused; dry_run with --dry-run.\n\
    Example:\n  gatepost bootstrap 'fail_with status=0'"
)]
pub(crate) struct Arguments {
    /// The task, in words; arguments as name=value.
    prompt: String,
    /// An input file, which the tool finds in in/; may be repeated.
    #[arg(long = "input", value_name = "FILE")]
    inputs: Vec<PathBuf>,
    /// Rank, and check the call; run nothing.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Bootstrapped<'a> {
    /// The output of the turn comes from the tool.
    _trusted: bool,
    prompt: &'a str,
    setup: Setup,
    routed_matches: Vec<Match>,
    turn: Turn<'a>,
    /// The change to the inbox.
    effect: Effect,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    /// The path of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    persisted_session_path: Option<PathBuf>,
}

/// Facts about this machine.
#[derive(Serialize, JsonSchema)]
pub(super) struct Setup {
    /// The version of `python3`; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    python_version: Option<String>,
    /// The implementation of `python3`; without one, the built-in interpreter.
    implementation: String,
    platform_name: &'static str,
    test_command: &'static str,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Turn<'a> {
    prompt: &'a str,
    output: String,
    stop_reason: &'static str,
    cancel_observed: bool,
}

impl View for Bootstrapped<'_> {
    fn text(&self) -> String {
        let mut text = format!("Platform:  {}\n", self.setup.platform_name);
        text.extend(self.routed_matches.iter().map(|one| format!("{:.2}  {} {}\n", one.score, one.kind, one.name)));
        text += &format!("Turn:      {}\n", self.turn.stop_reason);
        text.extend(self.persisted_session_path.iter().map(|path| format!("Files:     {}\n", path.display())));
        text
    }
}

pub(super) fn run(open: Open, arguments: &Arguments, bounds: &Bounds) -> Result<Outcome, Failure> {
    let Arguments { prompt, inputs, dry_run: is_dry_run } = arguments;
    let mut routed_matches = route::matches(Some(&open.site), prompt)?;
    let (execution, failure, stop_reason) = match tool_to_call(&open.site, prompt, routed_matches.first())? {
        Err(stop_reason) => (Execution::default(), None, stop_reason),
        Ok(name) => {
            let (args, inputs) = (named_values(prompt), inputs.clone());
            let call =
                Call { tool: &name, args, inputs, purpose: PURPOSE, is_dry_run: *is_dry_run, timeout: bounds.timeout };
            let (execution, failure) = execute(open, call);
            let stop_reason = stop_reason(&execution, failure.as_ref());
            (execution, failure, stop_reason)
        }
    };
    routed_matches.truncate(bounds.window.limit);
    let output = if execution.results.is_null() { String::new() } else { output(&execution.results) };
    let turn = Turn { prompt, output, stop_reason, cancel_observed: execution.was_cancelled };
    let Execution { effect, request_id, path: persisted_session_path, .. } = execution;
    let bootstrapped = Bootstrapped {
        _trusted: false,
        prompt,
        setup: Setup::of_this_machine(),
        routed_matches,
        turn,
        effect,
        request_id,
        persisted_session_path,
    };
    Ok(Outcome::ended(&bootstrapped, failure))
}

/// The tool of the best match, or why it is not called.
fn tool_to_call(site: &Site, prompt: &str, best: Option<&Match>) -> Result<Result<String, &'static str>, Failure> {
    let Some(best) = best else { return Ok(Err("no_match")) };
    if best.kind != "tool" {
        return Ok(Err("not_a_tool"));
    }
    let tool = find(&Toolbox::at(site), &best.name)?;
    let is_watched = watched::is_watched(site);
    let verdict = match obstacle(&tool.manifest, &named_values(prompt)) {
        Some(obstacle) => Err(obstacle),
        None if !is_watched => Err("not_watched"),
        None => Ok(best.name.clone()),
    };
    Ok(verdict)
}

/// Why a tool is not callable with only these arguments, `NAME=VALUE` each.
fn obstacle(manifest: &Manifest, args: &[String]) -> Option<&'static str> {
    let given: BTreeSet<&str> = args.iter().filter_map(|arg| Some(arg.split_once('=')?.0)).collect();
    let is_missing = |name: &str| !given.contains(name);
    if manifest.backend().bounds().is_some() {
        Some("interactions_needed")
    } else if manifest.approvers() > 0 {
        Some("approval_needed")
    } else if manifest.arguments().iter().any(|argument| argument.required && is_missing(&argument.name)) {
        Some("arguments_needed")
    } else {
        None
    }
}

fn stop_reason(execution: &Execution, failure: Option<&Failure>) -> &'static str {
    match failure {
        None if execution.effect == Effect::WouldCreate => "dry_run",
        None => "completed",
        Some(_) if execution.was_cancelled => "cancelled",
        Some(_) if execution.status == Some(Status::Timeout) => "timeout",
        Some(failure) if failure.code == ErrorCode::Timeout => "timeout",
        Some(_) if execution.request_id.is_none() => "refused",
        Some(_) => "failed",
    }
}

/// Text unchanged, everything else as JSON.
fn output(results: &Value) -> String {
    let text = results.as_object().filter(|members| members.len() == 1).and_then(|members| members.get("raw_output"));
    text.and_then(Value::as_str).map_or_else(|| results.to_string(), str::to_owned)
}

impl Setup {
    fn of_this_machine() -> Self {
        let (python_version, implementation) = python().unzip();
        let implementation = implementation.unwrap_or_else(|| OWN_IMPLEMENTATION.to_owned());
        Self { python_version, implementation, platform_name: std::env::consts::OS, test_command: TEST_COMMAND }
    }
}

/// Version and implementation of the machine's `python3`, which ignores the environment and user modules.
fn python() -> Option<(String, String)> {
    let mut command = Command::new("python3");
    command.args(["-I", "-S", "-c", ASK_PYTHON]).stdin(Stdio::null()).stderr(Stdio::null()).env("LC_ALL", "C");
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (version, implementation) = text.trim().split_once(' ')?;
    let is_word = |word: &str| word.len() <= 64 && word.chars().all(|one| one.is_ascii_graphic());
    (is_word(version) && is_word(implementation)).then(|| (version.to_owned(), implementation.to_owned()))
}
