//! What is wrong with the arguments of an invocation: all of it at once.
//!
//! The parser stops at the first fault, so what it refused is taken out and the rest is parsed again. *Standards*: CLI Agent Spec,
//! REQ-F-015 and REQ-C-006.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use gatepost_contract::nearest::nearest;

use super::failure::ArgumentError;
use crate::cli::prelude::*;

/// `help list` as `list --help`, behind which flags may stand as everywhere.
pub(super) fn with_flag_for_help(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.get(1).is_some_and(|word| word == "help") {
        arguments.remove(1);
        arguments.push("--help".into());
    }
    arguments
}

/// So many faults are told at most.
const FAULTS_MAX: usize = 20;

/// The failure of arguments that the parser refused with `first`.
pub(super) fn refuse(command: &Command, arguments: &[OsString], first: clap::Error) -> Failure {
    let failure = of(&first);
    let mut argument_errors = vec![argument_error(&first)];
    let mut left = arguments.to_vec();
    let mut error = first;
    while argument_errors.len() < FAULTS_MAX && take_out(&mut left, &error) {
        match command.clone().try_get_matches_from(&left) {
            Err(next) if next.use_stderr() && !is_consequence(&next) => {
                argument_errors.push(argument_error(&next));
                error = next;
            }
            _ => break,
        }
    }
    if argument_errors.len() == 1 {
        return Failure { argument_errors, ..failure };
    }
    let message = format!("{} arguments cannot be used.", argument_errors.len());
    Failure { message, argument_errors, ..failure }
}

/// What the reader of an argument's value says itself.
fn told(error: &clap::Error) -> Option<&Failure> {
    std::error::Error::source(error)?.downcast_ref()
}

fn of(error: &clap::Error) -> Failure {
    if let Some(failure) = told(error) {
        return failure.clone();
    }
    let is_unknown = error.kind() == ErrorKind::InvalidSubcommand;
    let (code, kind) =
        if is_unknown { ("UNKNOWN_COMMAND", FailureKind::CommandNotFound) } else { ("ARG_ERROR", FailureKind::Parse) };
    let target = named(error).unwrap_or_default();
    let target = target.split(' ').next().unwrap_or_default().to_owned();
    Failure { code, kind, target, ..Failure::usage(message(error), hint(error)) }
}

/// The first paragraph as a sentence.
fn message(error: &clap::Error) -> String {
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && error.kind() == ErrorKind::InvalidSubcommand
    {
        return format!("gatepost has no command {}.", quoted(word));
    }
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let words = first.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ");
    let mut characters = words.chars();
    let begin = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let words = begin + characters.as_str();
    if words.ends_with('.') { words } else { words + "." }
}

/// What was probably meant, and where to read on.
fn hint(error: &clap::Error) -> String {
    let kinds = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let typed =
        error.get(ContextKind::InvalidValue).map(ToString::to_string).or_else(|| named(error)).unwrap_or_default();
    let typed = typed.split([' ', '=']).next().unwrap_or_default();
    let candidates: Vec<String> = kinds.iter().filter_map(|kind| error.get(*kind)).flat_map(words).collect();
    let meant = nearest(typed, candidates.iter().map(String::as_str));
    let meant = meant.map_or_else(String::new, |meant| format!("Did you mean {meant}? "));
    // The parser knows no other flag of that name; of this one it is known what is meant.
    let json = named(error).is_some_and(|named| named == "--json");
    let meant = if json { "Write --output json. ".to_owned() } else { meant };
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let usage = usage.split_whitespace().collect::<Vec<_>>().join(" ");
    // The parser takes what the environment names for what must be given.
    let usage = usage.replace(" --site <DIR>", "");
    let usage = match usage.strip_prefix("Usage: ") {
        Some(usage) => format!("Usage: `{usage}`. "),
        None => String::new(),
    };
    format!("{meant}{usage}`--help` says more.")
}

fn words(value: &ContextValue) -> Vec<String> {
    match value {
        ContextValue::Strings(all) => all.clone(),
        one => vec![one.to_string()],
    }
}

fn argument_error(error: &clap::Error) -> ArgumentError {
    let param = named(error).unwrap_or_default();
    if let Some(failure) = told(error) {
        let value = error.get(ContextKind::InvalidValue).map(ToString::to_string);
        let pattern = failure.argument_errors.first().and_then(|error| error.pattern.clone());
        return ArgumentError { param, value, pattern, message: failure.message.clone() };
    }
    let value = error.get(ContextKind::InvalidValue).map(ToString::to_string).filter(|value| !value.is_empty());
    ArgumentError { param, value, pattern: None, message: message(error) }
}

/// What the parser refused.
fn named(error: &clap::Error) -> Option<String> {
    let kinds = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg];
    kinds.into_iter().find_map(|kind| error.get(kind)).map(|value| match value {
        ContextValue::Strings(all) => all.join(", "),
        one => one.to_string(),
    })
}

/// What is missing may be what was taken out.
fn is_consequence(error: &clap::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::MissingRequiredArgument
            | ErrorKind::MissingSubcommand
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    )
}

/// Takes out of the arguments what the parser refused; says whether anything was there to take out.
fn take_out(arguments: &mut Vec<OsString>, error: &clap::Error) -> bool {
    let Some(named) = named(error) else { return false };
    // `--limit <N>`, or `[STATE]`.
    let flag = named.split([' ', '=']).next().unwrap_or_default().to_owned();
    let value = error.get(ContextKind::InvalidValue).map(ToString::to_string).unwrap_or_default();
    let is = |argument: &OsString, text: &str| argument.to_str() == Some(text);
    let inline = format!("{flag}=");
    let place = arguments.iter().skip(1).position(|argument| {
        let is_flag = flag.starts_with('-') && is(argument, &flag);
        let is_inline = flag.starts_with('-') && argument.to_str().is_some_and(|text| text.starts_with(&inline));
        let is_value = !flag.starts_with('-') && !value.is_empty() && is(argument, &value);
        is_flag || is_inline || is_value
    });
    let Some(place) = place.map(|place| place + 1) else { return false };
    let has_value = !value.is_empty() && arguments.get(place + 1).is_some_and(|next| is(next, &value));
    arguments.drain(place..=place + usize::from(has_value));
    true
}
