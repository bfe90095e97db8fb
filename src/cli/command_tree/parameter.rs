//! One argument as `COMMAND --schema` tells it: what `manifest` has room for, and all else that the parser knows.
//!
//! It does not check values. *Standards*: CLI Agent Spec, REQ-C-020, and the failure modes 34, 42, 51, 55 and 70.

use std::any::TypeId;

use clap::{Arg, ArgAction};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Flag, flag};
use crate::cli::value_form::{ValueForm, is_path};

/// How a path argument is read: as it is written.
const LITERAL: &str = "literal";

/// An argument with all that is known of its values.
#[derive(Serialize, JsonSchema)]
pub(super) struct Parameter {
    #[serde(flatten)]
    flag: Flag,
    /// `0` for a flag, else `1`, `?` (at most one), `+` (one or more) or `*` (any number).
    nargs: &'static str,
    /// What the usage calls the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    value_name: Option<String>,
    /// Which of the arguments without dashes it is, from 1 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<usize>,
    /// A regular expression that the whole value matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    /// The most characters of a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<u64>,
    /// Whether a value may hold a secret, and belongs in no log.
    sensitive: bool,
    /// `literal` where the value is a path; gatepost expands no patterns.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'static str>,
    /// The variable that says the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    environment: Option<String>,
    /// What stands between several values in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    delimiter: Option<char>,
    /// Whether every command has it.
    global: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<&'static str>,
}

impl Parameter {
    pub(super) fn of(argument: &Arg) -> Self {
        let takes_value = argument.get_action().takes_values();
        let form = ValueForm::of(argument).unwrap_or_default();
        let range = range(argument).filter(|_| takes_value);
        let name = argument.get_value_names().and_then(<[_]>::first).filter(|_| takes_value);
        let variable = argument.get_env().and_then(|name| name.to_str());
        Self {
            flag: flag(argument),
            nargs: nargs(argument),
            value_name: name.map(ToString::to_string),
            position: argument.get_index(),
            pattern: form.pattern,
            max_length: form.max_length,
            min: range.map(|(min, _)| min),
            max: range.map(|(_, max)| max),
            sensitive: form.sensitive,
            path: (takes_value && is_path(argument)).then_some(LITERAL),
            environment: variable.map(str::to_owned),
            delimiter: argument.get_value_delimiter().filter(|_| takes_value),
            global: argument.is_global_set(),
            example: Some(form.example).filter(|example| !example.is_empty()),
        }
    }
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

/// The least and the greatest number; none of what is no number.
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
