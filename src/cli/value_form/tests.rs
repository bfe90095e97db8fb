//! Every declared form of a value against the reader of such values, over hostile ones.

use std::net::SocketAddr;

use clap::CommandFactory as _;
use gatepost_contract::manifest::is_tool_name;
use gatepost_documents::artifact_name;
use regex::Regex;

use super::*;
use crate::cli::Cli;
use crate::cli::quarantine::list::code;
use crate::cli::show::parse_id;
use crate::cli::stdin::STDIN;

/// The reader of values that the usage calls so; none where any text will do.
fn reader(value_name: &str) -> Option<fn(&str) -> bool> {
    Some(match value_name {
        "ID" | "SESSION_ID" => |text| text == STDIN || parse_id(text).is_ok(),
        "SESSION" => |text| RequestId::parse(text).is_ok(),
        "ITEM" => |text| text == escape::path(text.as_bytes()) && !text.is_empty(),
        "TOOL" => is_tool_name,
        "NAME" => tools::is_new_tool,
        "COMMAND" => |text| claw::registry::find(text).is_some(),
        "ARTIFACT" => |text| text.split('/').all(|name| artifact_name::fault(name.as_bytes()).is_none()),
        "CODE" => |text| code(text).is_ok(),
        "LEVEL" => |text| text.parse::<Level>().is_ok(),
        "WHO" | "KEY" => |text| value::printable(text).is_some(),
        "WHY" => |text| value::purpose(text).is_some(),
        "AGE" => |text| age::age(text).is_ok(),
        "VERSION" => |text| changelog::version(text).is_ok(),
        "TIME" => |text| bounds::duration(text).is_ok(),
        "CURSOR" => |text| !text.is_empty() && pagination::decode(text).is_some(),
        "HOST:PORT" => |text| Destination::parse(text).is_some(),
        "ADDRESS:PORT" => |text| text.parse::<SocketAddr>().is_ok(),
        "exec=USER,gate=USER,group=GROUP" => |text| text.parse::<site_users::Users>().is_ok(),
        "NAME=VALUE" => |text| text.split_once('=').is_some_and(|(name, _)| manifest::is_argument_name(name)),
        _ => return None,
    })
}

fn arguments(command: &clap::Command, found: &mut Vec<(String, Arg)>) {
    found.extend(command.get_arguments().map(|argument| (command.get_name().to_owned(), argument.clone())));
    command.get_subcommands().for_each(|inner| arguments(inner, found));
}

fn all() -> Vec<(String, Arg)> {
    let mut root = Cli::command();
    root.build();
    let mut found = Vec::new();
    arguments(&root, &mut found);
    found.retain(|(command, argument)| {
        command != "help" && argument.get_action().takes_values() && argument.get_possible_values().is_empty()
    });
    found
}

fn value_names() -> Vec<String> {
    let mut names: Vec<String> =
        all().iter().map(|(_, argument)| argument.get_value_names().unwrap()[0].to_string()).collect();
    names.sort();
    names.dedup();
    names
}

/// What an enemy or a confused agent would write, and what is nearly right.
const HOSTILE: &[&str] = &[
    "",
    " ",
    "../x",
    "../../etc/passwd",
    "a%2Fb",
    "%2e%2e",
    "a?b=1",
    "a#b",
    "a b",
    " a",
    "a\n",
    "\na",
    "a\nb",
    "a\tb",
    "a\0b",
    "a\u{1b}[31m",
    "$(id)",
    "`id`",
    "; touch x",
    "&& id",
    "| id",
    "<script>",
    "a/../b",
    "/a",
    "a//b",
    "./a",
    ".a",
    "-a",
    "--a",
    "-",
    "undefined",
    "null",
    "é",
    "а",
    "\u{202e}a",
    "TR-",
    "TR-20260209-160501Z-",
    "TR-20260209-160501Z-A",
    "TR-20260209-160501Z-.a",
    "TR-20260209-160501Z-a/b",
    "TR-20260209-160501Z-a\n",
    "tr-20260209-160501z-a",
    "TR-20260209-160501-a",
    "TS-20260209-160501Z-a",
    "x TR-20260209-160501Z-a",
    "7 d",
    "7y",
    "d",
    "-7d",
    "1.5s",
    "30 s",
    "1d",
    "99",
    "2026-02-09",
    "2026-02-09T16:05:01",
    "SECRET",
    "secret ",
    "trace",
    "a:443",
    "a:0",
    "a:",
    ":443",
    "a.:443",
    "http://a:443",
    "[::1]",
    "127.0.0.1",
    "a=",
    "=a",
    "A=1",
    "a",
    "exec=1,gate=2",
    "exec=,gate=,group=",
    "\"",
    "'a'",
    "a\\b",
    "TOOLS SHOW",
    "tools  show",
    "tools show ",
    "nosuch",
    "a==",
    "a.b",
    "TR-20260209-160501Z-a",
    "TS-20260209-161030Z-TR-20260209-160501Z-a",
    "TR-20260209T160501Z-a",
    "TR-20260209-a",
    "+5d",
    "2026-02-09T16:05:01Z",
    "2026-02-09T16:05:01.5+02:00",
    "500ms",
    "0",
    "[2001:db8::1]:8080",
    "192.0.2.7:80",
    "[::1]:1",
    "0.0.0.0:0",
    "file=\n",
    "a=b=c",
    "out/a%20b.txt",
    "_-+=@,",
];

/// Well formed, and refused for what it means: a command that there is not, an escape that is not needed.
fn is_about_meaning(value_name: &str, text: &str) -> bool {
    match value_name {
        "COMMAND" => Regex::new(claw::registry::WORDS).unwrap().is_match(text) && claw::registry::find(text).is_none(),
        "ARTIFACT" => text.contains('%'),
        // Base64 has no text of any length.
        "CURSOR" => pagination::decode(text).is_none(),
        _ => false,
    }
}

#[test]
fn each_declared_pattern_accepts_what_the_reader_accepts_and_refuses_what_it_refuses() {
    let mut wrong = Vec::new();
    for name in value_names() {
        let form = ValueForm::named(&name).unwrap_or_else(|| panic!("{name} has no form"));
        assert_eq!(form.pattern.is_some(), reader(&name).is_some(), "{name}");
        let (Some(pattern), Some(reads)) = (form.pattern, reader(&name)) else { continue };
        assert!(pattern.starts_with('^') && pattern.ends_with('$'), "{name}: {pattern}");
        let matches = Regex::new(&pattern).unwrap();
        for text in HOSTILE.iter().chain([&form.example]) {
            if matches.is_match(text) != reads(text) && !is_about_meaning(&name, text) {
                wrong.push(format!("{name} {text:?}: pattern {}, reader {}", matches.is_match(text), reads(text)));
            }
        }
        let is_declared = matches.is_match(form.example) && form.max_length.is_none_or(|max| form.example.len() <= max);
        assert!(is_declared, "{name}: {}", form.example);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_longest_value_is_read_and_a_longer_one_is_not() {
    let slug = |length: usize| "a".repeat(length);
    for (name, prefix) in [
        ("ID", "TS-20260209-161030Z-TR-20260209-160501Z-"),
        ("SESSION", "TR-20260209-160501Z-"),
        ("TOOL", ""),
        ("NAME", ""),
        ("WHO", ""),
        ("KEY", ""),
        ("WHY", ""),
    ] {
        let (max, reads) = (ValueForm::named(name).unwrap().max_length.unwrap(), reader(name).unwrap());
        assert!(reads(&format!("{prefix}{}", slug(max - prefix.len()))), "{name}");
        assert!(!reads(&format!("{prefix}{}", slug(max - prefix.len() + 1))), "{name}");
    }
    let max = ValueForm::named("TEXT").unwrap().max_length.unwrap();
    let fault = |length| gatepost_mailbox::order::reason_fault(&slug(length));
    assert_eq!((fault(max), fault(max + 1).is_some()), (None, true));
}

#[test]
fn an_argument_that_takes_a_path_has_the_name_of_one_and_no_other_has() {
    for (command, argument) in all() {
        let name = argument.get_value_names().unwrap()[0].to_string();
        let named = ["FILE", "DIR", "FOLDER", "BUNDLE", "REQUEST"].contains(&name.as_str());
        assert_eq!(is_path(&argument), named, "{command} {name}");
    }
}
