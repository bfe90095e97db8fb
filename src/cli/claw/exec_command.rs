//! `gatepost exec-command`: runs one of our read-only commands in this process.
//!
//! A command that changes something is refused, with the words to run instead: this surface permits an agent only to read. *Security*: the
//! registry selects the command before its words are parsed, and the parser has to select the same one.

use std::ffi::OsString;
use std::path::Path;

use clap::{CommandFactory as _, Parser as _};
use serde_json::Value;

use super::graph::unknown;
use super::registry::{self, Own};
use crate::cli::prelude::*;
use crate::cli::words::Words;
use crate::cli::{Cli, arguments, dispatch, is_help};

/// This command would never end if it ran itself.
const ITSELF: &str = "exec-command";

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The exit status is that of the command; 5: there is no such command; 7: the command may change something.\n\
    Example:\n  gatepost exec-command 'tools show' line_count"
)]
pub(crate) struct Arguments {
    /// The command: its words, with spaces or dots between them.
    #[arg(value_name = "COMMAND")]
    name: String,
    /// Its arguments, as a shell would read them.
    #[arg(default_value = "", hide_default_value = true, allow_hyphen_values = true)]
    prompt: String,
}

#[derive(Default, Serialize, JsonSchema)]
pub(super) struct Executed<'a> {
    name: &'a str,
    prompt: &'a str,
    handled: bool,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_hint: Option<&'static str>,
    /// The command to run, word by word.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    argv: Vec<String>,
    /// The own output of the command.
    #[serde(skip_serializing_if = "Value::is_null")]
    result: Value,
    #[serde(skip)]
    text: String,
}

impl View for Executed<'_> {
    fn text(&self) -> String {
        self.text.clone()
    }
}

pub(super) fn run(at: Option<&Path>, Arguments { name, prompt }: &Arguments, bounds: &Bounds) -> Outcome {
    let mut executed = Executed { name, prompt, ..Executed::default() };
    let failure = attempt(at, &mut executed, bounds).err();
    executed.handled = failure.is_none();
    Outcome::ended(&executed, failure)
}

/// Runs it, and records the progress in `executed`.
fn attempt(at: Option<&Path>, executed: &mut Executed<'_>, bounds: &Bounds) -> Result<(), Failure> {
    "there is no such command".clone_into(&mut executed.message);
    let own = registry::find(executed.name).ok_or_else(|| unknown(executed.name))?;
    executed.source_hint = Some(own.source_hint);
    "the arguments cannot be read".clone_into(&mut executed.message);
    executed.argv = words(&own, executed.prompt)?;
    if own.danger_level != Danger::Safe || own.watches || own.name == ITSELF {
        "not run, because it may change something".clone_into(&mut executed.message);
        return Err(refused(&own));
    }
    let outcome = carry_out(at, &own, &executed.argv, bounds);
    executed.message = format!("ended with status {}", outcome.exit());
    outcome.text().clone_into(&mut executed.text);
    let failure;
    (executed.result, failure) = outcome.into_parts();
    failure.map_or(Ok(()), Err)
}

/// The command line of the command.
fn words(own: &Own, prompt: &str) -> Result<Vec<String>, Failure> {
    let Some(arguments) = shlex::split(prompt) else {
        let message = "The prompt has an unclosed quotation mark.";
        return Err(Failure::usage(message, "Quote arguments as for a shell.").during("parse_prompt", "PROMPT"));
    };
    let own = std::iter::once("gatepost").chain(own.name.split(' ')).map(str::to_owned);
    Ok(own.chain(arguments).collect())
}

fn carry_out(at: Option<&Path>, own: &Own, words: &[String], bounds: &Bounds) -> Outcome {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let is_itself = Words::of(&Cli::command(), &words).path.replace('.', " ") == own.name;
    let mut cli = match Cli::try_parse_from(&words) {
        Ok(cli) if is_itself => cli,
        Err(error) if !is_help(&error) => return arguments::refuse(&Cli::command(), &words, error).into(),
        Ok(_) | Err(_) => {
            let message = format!("The prompt calls another command than {}, or asks for help.", own.name);
            let hint = format!("`gatepost show-command {}` lists its arguments.", quoted(&own.name));
            return Failure::usage(message, hint).during("parse_prompt", "PROMPT").into();
        }
    };
    if cli.command.has_many_documents() {
        return crate::cli::streams().into();
    }
    cli.site = cli.site.or_else(|| at.map(Path::to_owned));
    let embedded_bytes_max = Some(cli.presented.bytes_max());
    let bounds = Bounds { window: cli.presented.window(), timeout: cli.timeout.or(bounds.timeout), embedded_bytes_max };
    dispatch(cli, &bounds)
}

fn refused(own: &Own) -> Failure {
    let message =
        format!("gatepost {} may change something, and exec-command runs only commands that change nothing.", own.name);
    let hint = format!("Run `gatepost {}` directly; `argv` has all its words.", own.name);
    Failure::new(ErrorCode::PolicyDenied, FailureKind::Policy, message, hint).during("exec_command", own.name.clone())
}
