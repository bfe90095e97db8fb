//! Which arguments of a command exclude, need or replace each other.
//!
//! Exclusions are read off the parser. What it does not tell of itself is declared beside the arguments, and a test holds that against
//! what the parser refuses. *Standards*: CLI Agent Spec, REQ-C-026.

use std::collections::BTreeSet;

use clap::{Arg, ArgGroup, Command};
use schemars::JsonSchema;
use serde::Serialize;

/// What is declared of arguments, each by its long name, or else by the name of its place.
#[derive(Debug, Clone, Copy)]
pub enum Needs {
    /// The first cannot stand without the second.
    With(&'static str, &'static str),
    /// One of these has to be given.
    OneOf(&'static [&'static str]),
}

/// A relation of arguments, as it is told.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Relation {
    /// No two of them can be given.
    Conflict { arguments: Vec<String> },
    /// The argument cannot be given without the others.
    Requires { argument: String, requires: Vec<String> },
    /// At least one of them has to be given.
    AtLeastOne { arguments: Vec<String> },
}

/// All that holds between the arguments of a command, which is built.
pub fn relations(command: &Command, needs: &[Needs]) -> Vec<Relation> {
    let single = command.get_groups().filter(|group| !(*group).clone().is_multiple());
    let of_groups = single.flat_map(|group| pairs(&members(command, group)));
    let of_arguments = command.get_arguments().flat_map(|one| conflicts(command, one));
    let conflicts: BTreeSet<Vec<String>> = of_arguments.chain(of_groups).collect();
    let requires = needs.iter().filter_map(|needs| match needs {
        Needs::With(argument, other) => {
            Some(Relation::Requires { argument: (*argument).to_owned(), requires: vec![(*other).to_owned()] })
        }
        Needs::OneOf(_) => None,
    });
    let conflicts = conflicts.into_iter().map(|arguments| Relation::Conflict { arguments });
    let sets = sets(command, needs).into_iter().map(|arguments| Relation::AtLeastOne { arguments });
    conflicts.chain(requires).chain(sets).collect()
}

/// The sets of arguments of each of which one has to be given.
fn sets(command: &Command, needs: &[Needs]) -> Vec<Vec<String>> {
    let of_groups = command.get_groups().filter(|group| group.is_required_set());
    let declared = needs.iter().filter_map(|needs| match needs {
        Needs::OneOf(all) => Some(all.iter().map(|one| (*one).to_owned()).collect()),
        Needs::With(..) => None,
    });
    of_groups.map(|group| members(command, group)).chain(declared).collect()
}

fn members(command: &Command, group: &ArgGroup) -> Vec<String> {
    let ids: Vec<_> = group.get_args().collect();
    command.get_arguments().filter(|one| ids.contains(&one.get_id())).map(name).collect()
}

/// Every two of some.
fn pairs(all: &[String]) -> Vec<Vec<String>> {
    let of = |(at, one): (usize, &String)| {
        all.iter().skip(at + 1).map(|other| sorted(one.clone(), other.clone())).collect::<Vec<_>>()
    };
    all.iter().enumerate().flat_map(of).collect()
}

fn sorted(one: String, other: String) -> Vec<String> {
    if one < other { vec![one, other] } else { vec![other, one] }
}

/// The pairs of `one` and what it excludes, each in one order.
fn conflicts(command: &Command, one: &Arg) -> Vec<Vec<String>> {
    command.get_arg_conflicts_with(one).into_iter().map(|other| sorted(name(one), name(other))).collect()
}

/// `--limit` is `limit`, and `<ID>` is `id`.
pub fn name(argument: &Arg) -> String {
    argument.get_long().map_or_else(|| argument.get_id().to_string(), str::to_owned)
}

#[cfg(test)]
mod tests;
