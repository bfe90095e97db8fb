//! Values that have not the form of what they are to name: refused before anything is looked up, all of them at once.
//!
//! Whether there is what they name is for the command to say. *Security*: a path, an escape or a piece of a shell's language never
//! reaches a lookup. *Standards*: CLI Agent Spec, REQ-F-045, REQ-C-006 and REQ-C-020.

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use gatepost_contract::manifest::is_tool_name;
use gatepost_documents::artifact_name;
use gatepost_documents::text::quoted;

use super::failure::{ArgumentError, Failure};
use super::show::parse_id;
use super::stdin::STDIN;
use super::submit::{parse_destination, parse_pair};
use super::value_form::ValueForm;

/// Refuses the values among those given to `command` that are malformed.
pub fn check(command: &Command, matches: &ArgMatches) -> Result<(), Failure> {
    let failures: Vec<(ArgumentError, Failure)> =
        command.get_arguments().flat_map(|argument| faults(argument, matches)).collect();
    let argument_errors: Vec<ArgumentError> = failures.iter().map(|(error, _)| error.clone()).collect();
    let count = argument_errors.len();
    let Some((_, first)) = failures.into_iter().next() else { return Ok(()) };
    let message = if count == 1 { first.message.clone() } else { format!("{count} arguments cannot be used.") };
    Err(Failure { message, argument_errors, ..first })
}

/// What is wrong with the values of one argument.
fn faults(argument: &Arg, matches: &ArgMatches) -> Vec<(ArgumentError, Failure)> {
    let id = argument.get_id().as_str();
    let name = argument.get_value_names().and_then(<[_]>::first);
    // What another command has for its own is unknown here.
    let is_given =
        matches!(matches.try_contains_id(id), Ok(true)) && matches.value_source(id) == Some(ValueSource::CommandLine);
    let Some(name) = name.filter(|_| is_given && argument.get_action().takes_values()) else { return Vec::new() };
    let values = matches.get_raw(id).into_iter().flatten().map(|value| value.to_string_lossy());
    let of = |text: String| {
        let failure = fault(name, &text)?;
        let pattern = ValueForm::named(name).and_then(|form| form.pattern);
        let message = failure.message.clone();
        let error = ArgumentError { param: argument.to_string(), value: Some(text), pattern, message };
        Some((error, failure))
    };
    values.filter_map(|value| of(value.into_owned())).collect()
}

/// What is wrong with a value that the usage calls `value_name`.
fn fault(value_name: &str, text: &str) -> Option<Failure> {
    match value_name {
        "ID" if text != STDIN => parse_id(text).err(),
        "TOOL" if !is_tool_name(text) => {
            let message = format!("{} is not the name of a tool.", quoted(text));
            let hint = "Such a name is 1 to 64 letters, digits, dots, hyphens and underscores, and begins with a letter or digit; \
                        `gatepost tools list` shows those that there are.";
            Some(Failure::usage(message, hint).during("parse_arguments", text))
        }
        "ARTIFACT" if text.split('/').any(|name| artifact_name::fault(name.as_bytes()).is_some()) => {
            let message = format!("{} is not the path of an artifact.", quoted(text));
            let hint = "Such a path is names with slashes between them, as `gatepost show` lists them.";
            let failure = Failure::usage(message, hint).during("parse_arguments", text);
            Some(Failure { code: "INVALID_AGENT_INPUT", ..failure })
        }
        "HOST:PORT" => parse_destination(text).err(),
        "NAME=VALUE" => parse_pair(text).err(),
        _ => None,
    }
}
