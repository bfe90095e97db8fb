//! One argument in `COMMAND --schema`: what `manifest` shows, and everything else that the parser knows.
//!
//! It does not check values. *Standards*: CLI Agent Spec, REQ-C-020, and the failure modes 34, 42, 51 and 70.

use std::any::TypeId;
use std::path::PathBuf;

use clap::{Arg, ArgAction};

use super::{Flag, flag};
use crate::cli::prelude::*;

/// How a path argument is read: literally.
const LITERAL: &str = "literal";

/// The names of values in the usage that may hold a secret.
const SENSITIVE: [&str; 4] = ["NAME=VALUE", "JSON", "PAYLOAD", "PROMPT"];

/// An argument with all that is known of its values.
#[derive(Serialize, JsonSchema)]
pub(super) struct Parameter {
    #[serde(flatten)]
    flag: Flag,
    /// `0` for a flag, else `1`, `?` (at most one), `+` (one or more) or `*` (any number).
    nargs: &'static str,
    /// The name of the value in the usage.
    #[serde(skip_serializing_if = "Option::is_none")]
    value_name: Option<String>,
    /// Which of the arguments without dashes it is, from 1 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<usize>,
    /// A regular expression that the whole of an identifier matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<u64>,
    /// Whether a value may hold a secret, and belongs in no log.
    sensitive: bool,
    /// `literal` where the value is a path; gatepost expands no patterns.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'static str>,
    /// The environment variable that sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    environment: Option<String>,
    /// The separator between several values in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    delimiter: Option<char>,
    /// Whether every command has it.
    global: bool,
}

impl Parameter {
    pub(super) fn of(argument: &Arg) -> Self {
        let takes_value = argument.get_action().takes_values();
        let range = range(argument).filter(|_| takes_value);
        let name = argument.get_value_names().and_then(<[_]>::first).filter(|_| takes_value);
        let variable = argument.get_env().and_then(|name| name.to_str());
        Self {
            flag: flag(argument),
            nargs: nargs(argument),
            value_name: name.map(ToString::to_string),
            position: argument.get_index(),
            pattern: name.and_then(|name| identifier::pattern(name)),
            min: range.map(|(min, _)| min),
            max: range.map(|(_, max)| max),
            sensitive: name.is_some_and(|name| SENSITIVE.contains(&name.as_str())),
            path: (takes_value && is_path(argument)).then_some(LITERAL),
            environment: variable.map(str::to_owned),
            delimiter: argument.get_value_delimiter().filter(|_| takes_value),
            global: argument.is_global_set(),
        }
    }
}

/// Whether the values are paths. None is a pattern: gatepost expands nothing.
fn is_path(argument: &Arg) -> bool {
    // A request of `policy explain` is a path or an id.
    let names_request = argument.get_value_names().is_some_and(|names| names.iter().any(|name| name == "REQUEST"));
    argument.get_value_parser().type_id() == TypeId::of::<PathBuf>() || names_request
}

fn nargs(argument: &Arg) -> &'static str {
    let repeats = matches!(argument.get_action(), ArgAction::Append);
    match (argument.get_action().takes_values(), argument.is_required_set()) {
        (false, _) => "0",
        (true, true) if repeats => "+",
        (true, false) if repeats => "*",
        (true, false) if argument.is_positional() => "?",
        (true, false) if argument.get_num_args().is_some_and(|count| count.min_values() == 0) => "?",
        (true, _) => "1",
    }
}

/// The least and the greatest number; none if the value is no number.
pub(super) fn range(argument: &Arg) -> Option<(u64, u64)> {
    let ranges = [
        (TypeId::of::<u16>(), u64::from(u16::MAX)),
        (TypeId::of::<u32>(), u64::from(u32::MAX)),
        (TypeId::of::<u64>(), u64::MAX),
        (TypeId::of::<usize>(), usize::MAX as u64),
    ];
    let of = argument.get_value_parser().type_id();
    ranges.into_iter().find(|(integer, _)| of == *integer).map(|(_, max)| (0, max))
}
