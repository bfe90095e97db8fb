//! The declarations of all commands.
//!
//! A test walks the parser's commands and these, and neither may have one that the other lacks.

use super::declaration::Declaration;
use super::{
    approve, audit, cat, check, claw, command_tree, completions, config, decide, demo, doctor, export, import, init,
    list, man, policy, quarantine, report, serve, sessions, show, status, submit, tools, up, verify, version, wait,
    watch,
};

/// Those of every module.
const ALL: &[&[Declaration]] = &[
    &[approve::DECLARATION],
    &audit::DECLARATIONS,
    &[cat::DECLARATION],
    &[check::DECLARATION],
    &claw::DECLARATIONS,
    &[command_tree::DECLARATION],
    &[completions::DECLARATION],
    &[config::DECLARATION],
    &decide::DECLARATIONS,
    &[demo::DECLARATION],
    &[doctor::DECLARATION],
    &[export::DECLARATION],
    &[import::DECLARATION],
    &[init::DECLARATION],
    &[list::DECLARATION],
    &[man::DECLARATION],
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
pub fn all() -> impl Iterator<Item = &'static Declaration> {
    ALL.iter().flat_map(|some| some.iter())
}

/// That of the command with these words, a dot between; none where they name no command.
pub fn find(path: &str) -> Option<&'static Declaration> {
    all().find(|declaration| declaration.path == path)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// Every command of the parser that others do not follow.
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
    fn a_command_declares_only_codes_that_there_are_and_its_source_is_a_file() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        for declaration in all() {
            assert!(root.join(declaration.source).is_file(), "{}: {}", declaration.path, declaration.source);
            let unknown: Vec<&&str> = declaration.unknown_codes().collect();
            assert!(unknown.is_empty(), "{}: {unknown:?}", declaration.path);
        }
    }
}
