//! Reports all errors in the arguments of an invocation at once.
//!
//! The parser stops at the first error, so the refused argument is removed and the rest is parsed again. *Standards*:
//! CLI Agent Spec, REQ-F-015 and REQ-C-006.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use gatepost_contract::nearest::nearest;

use super::failure::ArgumentError;
use crate::cli::prelude::*;

/// Turns `help list` into `list --help`, so that flags may follow; `help options` into `--help`, which lists all flags.
pub(super) fn with_flag_for_help(mut arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.ends_with(&["help".into(), "options".into()]) {
        arguments.truncate(arguments.len() - 2);
        arguments.push("--help".into());
    } else if arguments.get(1).is_some_and(|word| word == "help") {
        arguments.remove(1);
        arguments.push("--help".into());
    }
    arguments
}

/// The most reported errors.
const FAULTS_MAX: usize = 20;

/// The failure of arguments that the parser refused with `first`.
pub(super) fn refuse(command: &Command, arguments: &[OsString], first: clap::Error) -> Failure {
    let failure = of(&first);
    let mut argument_errors = argument_errors_of(&first);
    let mut left = arguments.to_vec();
    let mut error = first;
    while argument_errors.len() < FAULTS_MAX && take_out(command, &mut left, &error) {
        match command.clone().try_get_matches_from(&left) {
            Err(next) if next.use_stderr() && !is_consequence(&next) => {
                argument_errors.extend(argument_errors_of(&next));
                error = next;
            }
            _ => break,
        }
    }
    if argument_errors.iter().all(|error| error.message == argument_errors[0].message) {
        return Failure { argument_errors, ..failure };
    }
    let message = format!("{} arguments are invalid.", argument_errors.len());
    Failure { message, argument_errors, ..failure }
}

/// The argument without the form of its value; all of them if one of several is missing.
fn target(error: &clap::Error) -> String {
    let named = named(error).unwrap_or_default();
    if named.contains('|') { named } else { named.split(' ').next().unwrap_or_default().to_owned() }
}

/// The failure that the parser of the argument's value reported.
fn of_reader(error: &clap::Error) -> Option<&Failure> {
    std::error::Error::source(error)?.downcast_ref()
}

fn of(error: &clap::Error) -> Failure {
    if let Some(failure) = of_reader(error) {
        let target = if failure.target.is_empty() { target(error) } else { failure.target.clone() };
        return Failure { target, ..failure.clone() };
    }
    let is_unknown = error.kind() == ErrorKind::InvalidSubcommand;
    let (code, kind) = if is_unknown {
        (ErrorCode::UnknownCommand, FailureKind::CommandNotFound)
    } else {
        (ErrorCode::ArgError, FailureKind::Parse)
    };
    let target = target(error);
    Failure { code, kind, target, ..Failure::usage(message(error), hint(error)) }
}

/// The first paragraph as a sentence.
fn message(error: &clap::Error) -> String {
    if let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand)
        && error.kind() == ErrorKind::InvalidSubcommand
    {
        let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
        let path = usage.trim_start_matches("Usage: ").split(['[', '<']).next().map_or("", str::trim);
        let path = if path.starts_with("gatepost ") { path } else { "gatepost" };
        return format!("{path} has no command {}.", quoted(word));
    }
    if let (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
        && !missing.is_empty()
    {
        // `--reason <TEXT>` is shown by its name, `<ID>...` in full.
        let name = |usage: &str| {
            let end = usage.find([' ', '=']).filter(|_| usage.starts_with("--")).unwrap_or(usage.len());
            usage[..end].to_owned()
        };
        let names: Vec<String> = missing.iter().map(|usage| name(usage)).collect();
        return format!("{} {} missing.", names.join(", "), if names.len() == 1 { "is" } else { "are" });
    }
    let text = error.render().to_string();
    let first = text.split("\n\n").next().unwrap_or_default();
    let words = first.trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ");
    let mut characters = words.chars();
    let begin = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let words = begin + characters.as_str();
    if words.ends_with('.') { words } else { words + "." }
}

/// The likely intention, and where to find more.
fn hint(error: &clap::Error) -> String {
    let kinds = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let typed =
        error.get(ContextKind::InvalidValue).map(ToString::to_string).or_else(|| named(error)).unwrap_or_default();
    let typed = typed.split([' ', '=']).next().unwrap_or_default();
    let candidates: Vec<String> = kinds.iter().filter_map(|kind| error.get(*kind)).flat_map(words).collect();
    let begun = || candidates.iter().map(String::as_str).find(|word| !typed.is_empty() && word.starts_with(typed));
    let meant = nearest(typed, candidates.iter().map(String::as_str)).or_else(begun);
    let meant = meant.map_or_else(String::new, |meant| format!("Did you mean {meant}? "));
    // The parser knows no other flag of that name; this one's intention is clear.
    let json = named(error).is_some_and(|named| named == "--json");
    let meant = if json { "Write --output json. ".to_owned() } else { meant };
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let usage = usage.split_whitespace().collect::<Vec<_>>().join(" ");
    // The parser counts variables from the environment as required arguments.
    let given = [" --site <DIR>", " --output <FORMAT>", " --output-format <FORMAT>"];
    let usage = given.iter().fold(usage, |usage, option| usage.replace(option, ""));
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

/// One error for each refused argument: beside a positional argument, the flags are too many.
fn argument_errors_of(error: &clap::Error) -> Vec<ArgumentError> {
    let others = error.get(ContextKind::PriorArg).map(words).unwrap_or_default();
    let is_conflict = error.kind() == ErrorKind::ArgumentConflict;
    match named(error) {
        Some(named) if is_conflict && !named.starts_with('-') => {
            others.into_iter().map(|flag| argument_error(error, flag)).collect()
        }
        named => vec![argument_error(error, named.unwrap_or_default())],
    }
}

fn argument_error(error: &clap::Error, param: String) -> ArgumentError {
    if let Some(failure) = of_reader(error) {
        let value = error.get(ContextKind::InvalidValue).map(ToString::to_string);
        let pattern = failure.argument_errors.first().and_then(|error| error.pattern.clone());
        return ArgumentError { param, value, pattern, message: failure.message.clone() };
    }
    let value = error.get(ContextKind::InvalidValue).map(ToString::to_string).filter(|value| !value.is_empty());
    ArgumentError { param, value, pattern: None, message: message(error) }
}

/// The argument that the parser refused.
fn named(error: &clap::Error) -> Option<String> {
    let kinds = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg];
    kinds.into_iter().find_map(|kind| error.get(kind)).map(|value| match value {
        ContextValue::Strings(all) => all.join(", "),
        one => one.to_string(),
    })
}

/// A missing argument may be one that was removed.
fn is_consequence(error: &clap::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::MissingRequiredArgument
            | ErrorKind::MissingSubcommand
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
    )
}

/// Removes the refused argument, a flag with its value. Returns whether there was anything to remove.
fn take_out(command: &Command, arguments: &mut Vec<OsString>, error: &clap::Error) -> bool {
    let Some(named) = named(error) else { return false };
    // `--limit <N>`, or `[STATE]`.
    let flag = named.split([' ', '=']).next().unwrap_or_default();
    let value = error.get(ContextKind::InvalidValue).map(ToString::to_string).unwrap_or_default();
    let is = |argument: Option<&OsString>, text: &str| argument.is_some_and(|argument| argument == text);
    let inline = |argument: &OsString| {
        let value_of = argument.to_str().and_then(|text| text.strip_prefix(flag)?.strip_prefix('='));
        value_of.is_some_and(|own| value.is_empty() || own == value)
    };
    let mut taken = None;
    for place in 1..arguments.len() {
        let (this, next) = (&arguments[place], arguments.get(place + 1));
        taken = if !flag.starts_with('-') {
            (!value.is_empty() && is(Some(this), &value)).then_some(place..=place)
        } else if inline(this) {
            Some(place..=place)
        } else if is(Some(this), flag) && (value.is_empty() || is(next, &value)) {
            let has_value = next.is_some() && (!value.is_empty() || takes_value(command, arguments, flag));
            Some(place..=place + usize::from(has_value))
        } else {
            None
        };
        if taken.is_some() {
            break;
        }
    }
    // A value that the parser shows in another form is not found.
    let taken = taken.or_else(|| arguments.iter().position(|one| one == flag).map(|place| place..=place));
    taken.map(|taken| drop(arguments.drain(taken))).is_some()
}

/// Whether a flag of the named command takes a value.
fn takes_value(command: &Command, arguments: &[OsString], flag: &str) -> bool {
    let named = |command: &'_ Command, word: &OsString| command.find_subcommand(word).cloned();
    let own = arguments.iter().skip(1).fold(command.clone(), |command, word| named(&command, word).unwrap_or(command));
    let long = flag.trim_start_matches('-');
    let is_it = |argument: &&clap::Arg| argument.get_long() == Some(long);
    own.get_arguments().find(is_it).is_some_and(|argument| argument.get_action().takes_values())
}
