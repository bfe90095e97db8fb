//! Our own commands, as `show-command`, `command-graph`, `route` and `exec-command` know them.
//!
//! What a command is called, what it is for and what it takes are read off the definitions that parse the command line. What no definition
//! says, where its source is and whether it changes anything, stands in one table; a test holds the two against each other.

use clap::CommandFactory as _;
use serde::Serialize;

use crate::cli::Cli;

/// What carrying out a command may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Danger {
    /// It changes nothing, and comes to an end by itself.
    Safe,
    /// It makes or changes something, or has something done.
    Mutating,
    /// It ends or removes something for good.
    Destructive,
}

use Danger::{Destructive, Mutating, Safe};

/// Every command with its danger and its source.
const COMMANDS: [(&str, Danger, &str); 57] = [
    ("init", Mutating, "src/cli/init.rs"),
    ("up", Mutating, "src/cli/up.rs"),
    ("exec", Mutating, "src/cli/watch.rs"),
    ("gate", Mutating, "src/cli/watch.rs"),
    ("demo", Mutating, "src/cli/demo.rs"),
    ("submit", Mutating, "src/cli/submit.rs"),
    ("wait", Safe, "src/cli/wait.rs"),
    ("list", Safe, "src/cli/list.rs"),
    ("show", Safe, "src/cli/show.rs"),
    ("cat", Safe, "src/cli/cat.rs"),
    ("report", Mutating, "src/cli/report.rs"),
    ("serve", Mutating, "src/cli/serve.rs"),
    ("export", Mutating, "src/cli/export.rs"),
    ("import", Mutating, "src/cli/import.rs"),
    ("approve", Mutating, "src/cli/approve.rs"),
    ("deny", Destructive, "src/cli/decide.rs"),
    ("cancel", Destructive, "src/cli/decide.rs"),
    ("status", Safe, "src/cli/status.rs"),
    ("config", Safe, "src/cli/config.rs"),
    ("doctor", Safe, "src/cli/doctor.rs"),
    ("check", Safe, "src/cli/check.rs"),
    ("verify", Safe, "src/cli/verify.rs"),
    ("audit verify", Safe, "src/cli/audit/verify.rs"),
    ("audit checkpoint", Safe, "src/cli/audit/checkpoint.rs"),
    ("audit timeline", Safe, "src/cli/audit/timeline.rs"),
    ("policy check", Safe, "src/cli/policy/check.rs"),
    ("policy explain", Safe, "src/cli/policy/explain.rs"),
    ("sessions list", Safe, "src/cli/sessions.rs"),
    ("sessions show", Safe, "src/cli/sessions.rs"),
    ("sessions close", Destructive, "src/cli/sessions.rs"),
    ("quarantine list", Safe, "src/cli/quarantine/list.rs"),
    ("quarantine show", Safe, "src/cli/quarantine/show.rs"),
    ("quarantine release", Mutating, "src/cli/quarantine/release.rs"),
    ("quarantine purge", Destructive, "src/cli/quarantine/purge.rs"),
    ("quarantine reject-note", Mutating, "src/cli/quarantine/note.rs"),
    ("tools list", Safe, "src/cli/tools/inspect.rs"),
    ("tools show", Safe, "src/cli/tools/show.rs"),
    ("tools check", Safe, "src/cli/tools/check.rs"),
    ("tools pin", Mutating, "src/cli/tools/pin.rs"),
    ("tools plan", Safe, "src/cli/tools/call.rs"),
    ("tools schema", Safe, "src/cli/tools/inspect.rs"),
    ("tools run", Mutating, "src/cli/tools/call.rs"),
    ("tools init", Mutating, "src/cli/tools.rs"),
    ("tool-pool", Safe, "src/cli/claw/tools.rs"),
    ("show-tool", Safe, "src/cli/claw/tools.rs"),
    ("exec-tool", Mutating, "src/cli/claw/exec_tool.rs"),
    ("route", Safe, "src/cli/claw/route.rs"),
    ("list-sessions", Safe, "src/cli/claw/sessions.rs"),
    ("load-session", Safe, "src/cli/claw/sessions.rs"),
    ("flush-transcript", Safe, "src/cli/claw/sessions.rs"),
    ("delete-session", Destructive, "src/cli/claw/sessions.rs"),
    ("show-command", Safe, "src/cli/claw/graph.rs"),
    // It carries out what is safe, and never itself.
    ("exec-command", Mutating, "src/cli/claw/exec_command.rs"),
    ("command-graph", Safe, "src/cli/claw/graph.rs"),
    ("bootstrap", Mutating, "src/cli/claw/bootstrap.rs"),
    ("bootstrap-graph", Safe, "src/cli/claw/bootstrap_graph.rs"),
    ("version", Safe, "src/cli/version.rs"),
];

/// A command of ours.
#[derive(Debug, Clone, Serialize)]
pub struct Own {
    /// Its words.
    pub name: String,
    /// Its source.
    pub source_hint: &'static str,
    /// What it is for.
    pub responsibility: String,
    /// What carrying it out may do.
    pub danger_level: Danger,
    /// What it takes, but for what every command takes.
    #[serde(skip)]
    pub arguments: Vec<OwnArgument>,
}

/// What a command takes.
#[derive(Debug, Clone, Serialize)]
pub struct OwnArgument {
    /// As it is written: `--limit`, or `ID` where it stands alone.
    pub name: String,
    /// Whether it has to be given.
    pub required: bool,
    /// What it means.
    pub description: String,
}

/// Every command, sorted by name.
pub fn all() -> Vec<Own> {
    let mut found = Vec::new();
    collect(&Cli::command(), "", &mut found);
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

fn collect(command: &clap::Command, name: &str, found: &mut Vec<Own>) {
    if !command.has_subcommands() {
        // One that nobody has classified is carried out by nobody.
        let (_, danger_level, source_hint) =
            COMMANDS.into_iter().find(|(known, ..)| *known == name).unwrap_or(("", Mutating, "src/cli.rs"));
        let responsibility = command.get_about().map(ToString::to_string).unwrap_or_default();
        let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set()).map(argument).collect();
        found.push(Own { name: name.to_owned(), source_hint, responsibility, danger_level, arguments });
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

/// The command of these words, with spaces or dots between them.
pub fn find(name: &str) -> Option<Own> {
    let words = name.replace('.', " ");
    all().into_iter().find(|own| own.name == words)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_command_is_classified_once_and_nothing_else_is() {
        let mut classified: Vec<&str> = COMMANDS.iter().map(|(name, ..)| *name).collect();
        classified.sort_unstable();
        let commands: Vec<String> = all().into_iter().map(|own| own.name).collect();
        assert_eq!(commands, classified);
    }

    #[test]
    fn a_source_is_a_file_that_names_the_command_or_its_family() {
        for (name, _, source) in COMMANDS {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let family = name.split(' ').next().unwrap_or_default();
            let named = [format!("gatepost {name}"), format!("gatepost {family}")];
            assert!(named.iter().any(|name| text.contains(name)), "{source} does not say that it is {name}");
        }
    }

    #[test]
    fn every_command_says_what_it_is_for() {
        assert!(all().iter().all(|own| !own.responsibility.is_empty()), "{:?}", all());
    }
}
