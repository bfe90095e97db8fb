//! `AGENTS.md` says what is true of this version, and its recipes run.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::carry::packaging::commands;
use crate::site::{GATEPOST, Site};

const AGENTS: &str = include_str!("../../AGENTS.md");

/// What stands in blocks for a shell.
fn recipes() -> Vec<&'static str> {
    AGENTS.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// What stands between backticks in a line.
fn spans() -> Vec<&'static str> {
    let lines = AGENTS.lines().filter(|line| !line.starts_with("```"));
    lines.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

fn help(words: &[String]) -> String {
    let mut command = Command::new(GATEPOST);
    let output = command.args(words).arg("--help").env("GATEPOST_OUTPUT", "text").output().unwrap();
    assert!(output.status.success(), "gatepost {}", words.join(" "));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn it_is_about_this_version_and_has_four_sections() {
    let version = format!("<!-- gatepost {} -->", env!("CARGO_PKG_VERSION"));
    assert_eq!(AGENTS.lines().next(), Some(version.as_str()));
    assert_eq!(AGENTS.lines().filter(|line| line.starts_with("## ")).count(), 4);
}

#[test]
fn every_command_and_flag_that_it_names_is_one_that_the_program_has() {
    let known = commands();
    let helps: String = known.iter().map(|words| help(words)).collect();
    let flags: BTreeSet<&str> = helps.split([' ', ',', '=', '\n', '[']).filter(|word| word.starts_with("--")).collect();
    let lines = recipes().into_iter().flat_map(str::lines);
    let mut seen = BTreeSet::new();
    for call in lines.chain(spans()) {
        let words: Vec<&str> = call.split_whitespace().collect();
        // Of cargo's flags it names two.
        if words.first() == Some(&"cargo") {
            continue;
        }
        for flag in words.iter().filter(|word| word.starts_with("--")) {
            assert!(flags.contains(flag), "{flag} in {call}");
        }
        if let Some(["gatepost", rest @ ..]) = words.get(..).filter(|words| words.len() > 1) {
            // A place to fill in, an option or an operand ends the words of a command.
            let is_known = |count: &usize| {
                rest.len() >= *count
                    && known.iter().any(|words| words.len() == *count && words.iter().eq(&rest[..*count]))
            };
            assert!([2, 1].iter().any(is_known) || rest[0] == "COMMAND", "{call}");
            seen.insert(rest[0]);
        }
    }
    assert!(seen.len() >= 12, "{seen:?}");
}

/// The printed lines, JSON over many short ones.
fn readable(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    let lines = said.lines().map(|line| match serde_json::from_str::<serde_json::Value>(line) {
        Ok(value) => format!("{value:#}"),
        Err(_) => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn its_recipes_run_one_after_the_other_in_a_new_site() {
    let site = Site::new();
    let _watchers = site.watch("up");
    site.is_watched();
    let bin = site.path("../bin");
    fs::create_dir(&bin).unwrap();
    symlink(GATEPOST, bin.join("gatepost")).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    assert!(recipes().len() >= 3);
    for recipe in recipes() {
        let mut shell = Command::new("sh");
        shell.args(["-euc", recipe]).current_dir(&site.root).env("PATH", &path).env_remove("GATEPOST_SITE");
        let output = shell.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        assert!(output.status.success(), "{recipe}\n{}", readable(&said));
    }
}

#[test]
fn every_exit_status_in_its_table_is_one_that_the_program_declares() {
    let declared = help(&[]);
    let rows = AGENTS.lines().skip_while(|line| !line.starts_with("| status")).skip(2);
    let mut seen = 0;
    for row in rows.take_while(|line| line.starts_with('|')) {
        for status in row.split('|').nth(1).unwrap().split(',').map(str::trim) {
            let is_declared = declared.split(|c: char| !c.is_ascii_digit()).any(|number| number == status);
            assert!(is_declared, "{status}");
            seen += 1;
        }
    }
    assert!(seen >= 12, "{seen}");
}
