//! Finds the command of an invocation, from its words, before they are parsed.
//!
//! Errors in the arguments are then reported under the name of the command.

use std::ffi::OsString;

use clap::{Arg, ArgMatches, Command};

/// The words of an invocation that select a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    /// The command's words, separated by dots.
    pub path: String,
    /// The first word that is not a flag, whether it is a command or not.
    pub first: String,
}

impl Words {
    /// Flags may occur anywhere, with or without a value; words after the command are arguments.
    pub(super) fn of(root: &Command, arguments: &[OsString]) -> Self {
        let (mut at, mut path, mut first) = (root, Vec::new(), None);
        let mut words = arguments.iter().skip(1).map(|argument| argument.to_string_lossy());
        while let Some(word) = words.next() {
            if word.starts_with('-') {
                if takes_next(root, at, &word) {
                    words.next();
                }
            } else if let Some(command) = at.find_subcommand(word.as_ref()) {
                at = command;
                path.push(command.get_name());
            } else {
                first = Some(word.into_owned());
                break;
            }
        }
        let first = path.first().map(|word| (*word).to_owned()).or(first).unwrap_or_default();
        Self { path: path.join("."), first }
    }
}

/// The matches of the innermost subcommand.
pub(super) fn innermost(matches: &ArgMatches) -> &ArgMatches {
    matches.subcommand().map_or(matches, |(_, inner)| innermost(inner))
}

/// Whether the value of a flag is the next word.
fn takes_next(root: &Command, at: &Command, flag: &str) -> bool {
    let is_it = |argument: &&Arg| match flag.strip_prefix("--") {
        Some(long) => argument.get_long() == Some(long),
        None => argument.get_short() == flag.chars().nth(1) && flag.chars().count() == 2,
    };
    let found = root.get_arguments().chain(at.get_arguments()).find(is_it);
    found.is_some_and(|argument| argument.get_action().takes_values())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn a_command_is_found_among_its_flags_and_before_its_arguments() {
        let words = |line: &str| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let Words { path, first } = Words::of(&crate::cli::Cli::command(), &arguments);
            (path, first)
        };
        let are = |path: &str, first: &str| (path.to_owned(), first.to_owned());
        assert_eq!(words("gatepost --site list tools -o json list show"), are("tools.list", "tools"));
        assert_eq!(words("gatepost --site=x --quiet list --state up"), are("list", "list"));
        assert_eq!(words("gatepost lsit up"), are("", "lsit"));
        assert_eq!(words("gatepost --nonsense"), are("", ""));
    }
}
