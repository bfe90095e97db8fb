//! The arguments of a command that exclude or require each other, from the parser. *Standards*: CLI Agent Spec, REQ-C-026.

use std::collections::BTreeSet;

use crate::cli::prelude::*;
use clap::{Arg, ArgGroup, Command};

/// A relation of arguments, each by its long name, or else by the name of its place.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub(super) enum Relation {
    /// No two of them can be given.
    Conflict { arguments: BTreeSet<String> },
    /// At least one of them has to be given.
    AtLeastOne { arguments: BTreeSet<String> },
}

/// All relations between the arguments of a built command.
pub(super) fn relations(command: &Command) -> BTreeSet<Relation> {
    let members = |group: &ArgGroup| -> BTreeSet<String> {
        command.get_arguments().filter(|one| group.get_args().any(|id| id == one.get_id())).map(name).collect()
    };
    let exclusive = command.get_groups().filter(|group| !(*group).clone().is_multiple()).map(members);
    let exclusive = exclusive.filter(|arguments| arguments.len() > 1);
    let pairs = command.get_arguments().flat_map(|one| {
        let others = command.get_arg_conflicts_with(one).into_iter();
        others.map(|other| BTreeSet::from([name(one), name(other)]))
    });
    let conflicts = exclusive.chain(pairs).map(|arguments| Relation::Conflict { arguments });
    let sets = command.get_groups().filter(|group| group.is_required_set()).map(members);
    conflicts.chain(sets.map(|arguments| Relation::AtLeastOne { arguments })).collect()
}

/// `--limit` is `limit`, and `<ID>` is `id`.
pub(super) fn name(argument: &Arg) -> String {
    argument.get_long().map_or_else(|| argument.get_id().to_string(), str::to_owned)
}
