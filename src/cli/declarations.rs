//! The declarations of all commands.
//!
//! A test compares them with the parser's commands: both lists have to match.

use super::declaration::Declaration;
use super::{
    approve, audit, batch, cat, check, check_permissions, claw, command_tree, completions, config, decide, demo,
    doctor, errors, export, import, init, list, man, mcp, policy, quarantine, report, serve, sessions, show, status,
    submit, tools, up, verify, version, wait, watch,
};

/// The declarations of every module.
const ALL: &[&[Declaration]] = &[
    &[approve::DECLARATION],
    &audit::DECLARATIONS,
    &[batch::DECLARATION],
    &[cat::DECLARATION],
    &[check::DECLARATION],
    &[check_permissions::DECLARATION],
    &claw::DECLARATIONS,
    &[command_tree::DECLARATION],
    &[completions::DECLARATION],
    &[config::DECLARATION],
    &decide::DECLARATIONS,
    &[demo::DECLARATION],
    &[doctor::DECLARATION],
    &[errors::DECLARATION],
    &[export::DECLARATION],
    &[import::DECLARATION],
    &[init::DECLARATION],
    &[list::DECLARATION],
    &[man::DECLARATION],
    &[mcp::DECLARATION],
    &policy::DECLARATIONS,
    &quarantine::DECLARATIONS,
    &[report::DECLARATION],
    &[serve::DECLARATION],
    &sessions::DECLARATIONS,
    &[show::DECLARATION],
    &[status::DECLARATION],
    &[submit::DECLARATION],
    &tools::DECLARATIONS,
    &[up::DECLARATION],
    &[verify::DECLARATION],
    &[version::DECLARATION],
    &[wait::DECLARATION],
    &watch::DECLARATIONS,
];

/// Every declaration.
pub(super) fn all() -> impl Iterator<Item = &'static Declaration> {
    ALL.iter().flat_map(|some| some.iter())
}

/// The declaration of the command with these words, separated by dots; none if there is no such command.
pub(super) fn find(path: &str) -> Option<&'static Declaration> {
    all().find(|declaration| declaration.path == path)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use serde_json::Value;

    use super::*;
    use crate::cli::declaration::Danger;

    /// Every command of the parser without subcommands.
    fn leaves(command: &clap::Command, path: &str, found: &mut Vec<String>) {
        for child in command.get_subcommands() {
            let path =
                if path.is_empty() { child.get_name().to_owned() } else { format!("{path}.{}", child.get_name()) };
            if child.has_subcommands() { leaves(child, &path, found) } else { found.push(path) }
        }
    }

    #[test]
    fn every_command_is_declared_once_and_nothing_else_is() {
        let mut commands = Vec::new();
        leaves(&crate::cli::Cli::command(), "", &mut commands);
        commands.sort_unstable();
        let mut declared: Vec<&str> = all().map(|declaration| declaration.path).collect();
        declared.sort_unstable();
        assert_eq!(commands, declared);
    }

    #[test]
    fn the_source_of_a_command_is_a_file() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        for declaration in all() {
            assert!(root.join(declaration.source).is_file(), "{}: {}", declaration.path, declaration.source);
        }
    }

    /// Whether every form of the data has a member of this name.
    fn has_member(schema: &Value, root: &Value, name: &str) -> bool {
        if let Some(reference) = schema["$ref"].as_str() {
            return root.pointer(reference.trim_start_matches('#')).is_some_and(|there| has_member(there, root, name));
        }
        match schema["anyOf"].as_array() {
            Some(forms) => forms.iter().all(|form| has_member(form, root, name)),
            None => schema["properties"].get(name).is_some(),
        }
    }

    #[test]
    fn what_changes_something_says_what_it_did_and_can_say_what_it_would_do() {
        let root = crate::cli::Cli::command();
        for declaration in all().filter(|declaration| declaration.danger != Danger::Safe && !declaration.watches) {
            let command = command_tree::find(&root, declaration.path).unwrap();
            // A demonstration has no dry run.
            assert!(declaration.path == "demo" || command_tree::has_dry_run(command), "{}", declaration.path);
            // `init` has templates, `submit` its verdict, `batch` one document per line.
            let schema = declaration.data_schema();
            let is_other = ["batch", "init", "submit"].contains(&declaration.path);
            assert!(is_other || has_member(&schema, &schema, "effect"), "{}", declaration.path);
        }
    }
}
