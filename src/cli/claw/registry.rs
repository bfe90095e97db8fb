//! Our own commands, for `show-command`, `command-graph`, `route` and `exec-command`.
//!
//! Names, purposes and arguments come from the definitions of the parser. The source file and the danger level are
//! declared beside each command's code.

use clap::CommandFactory as _;

use crate::cli::Cli;
use crate::cli::declarations;
use crate::cli::prelude::*;

/// A command of ours.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Own {
    /// Its words.
    pub name: String,
    /// Its source.
    pub source_hint: &'static str,
    /// Its purpose.
    pub responsibility: String,
    /// What running it may do.
    pub danger_level: Danger,
    /// Whether it runs until it is stopped.
    #[serde(skip)]
    pub watches: bool,
    /// Its own arguments, without those that every command takes.
    #[serde(skip)]
    pub arguments: Vec<OwnArgument>,
}

/// An argument of a command.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct OwnArgument {
    /// As it is written: `--limit`, or `ID` for an argument without dashes.
    pub name: String,
    /// Whether it is required.
    pub required: bool,
    /// Its meaning.
    pub description: String,
}

/// Every command, sorted by name.
pub(crate) fn all() -> Vec<Own> {
    let mut found = Vec::new();
    collect(&Cli::command(), "", &mut found);
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

fn collect(command: &clap::Command, name: &str, found: &mut Vec<Own>) {
    if !command.has_subcommands() {
        // A command without a declaration is never run.
        let declaration = declarations::find(&name.replace(' ', "."));
        let (danger_level, source_hint) = declaration
            .map_or((Danger::Mutating, "src/cli.rs"), |declaration| (declaration.danger, declaration.source));
        let watches = declaration.is_some_and(|declaration| declaration.watches);
        let responsibility = command.get_about().map(ToString::to_string).unwrap_or_default();
        let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set()).map(argument).collect();
        found.push(Own { name: name.to_owned(), source_hint, responsibility, danger_level, watches, arguments });
    }
    for below in command.get_subcommands() {
        collect(below, [name, below.get_name()].join(" ").trim_start(), found);
    }
}

fn argument(argument: &clap::Arg) -> OwnArgument {
    let name = match (argument.get_long(), argument.get_value_names()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some([name, ..])) => name.to_string(),
        (None, _) => argument.get_id().as_str().to_uppercase(),
    };
    let description = argument.get_help().map(ToString::to_string).unwrap_or_default();
    OwnArgument { name, required: argument.is_required_set(), description }
}

/// The command with these words, separated by spaces or dots.
pub(crate) fn find(name: &str) -> Option<Own> {
    let words = name.replace('.', " ");
    all().into_iter().find(|own| own.name == words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_says_what_it_is_for() {
        assert!(all().iter().all(|own| !own.responsibility.is_empty()), "{:?}", all());
    }
}
