//! The guides in `docs/` and the schemas' prose show commands, files and links that exist.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::documents::documents;
use crate::site::{Request, Site};

/// The words of every `gatepost` call after a prompt.
fn calls(page: &str) -> Vec<Vec<String>> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("$ "));
    let commands = lines.flat_map(|line| line.split("&&")).map(str::trim);
    let words = commands.filter_map(|command| command.strip_prefix("gatepost "));
    words.map(|words| shlex::split(words).unwrap()).collect()
}

#[test]
fn every_command_of_a_guide_is_one_that_the_program_has() {
    let mut seen = 0;
    let guides = documents().into_iter().filter(|(path, _)| path.starts_with("docs/") || path.starts_with("schemas/"));
    for (path, text) in guides {
        for call in calls(&text) {
            let mut command = Command::new(env!("CARGO_BIN_EXE_gatepost"));
            // Every word is read, and the help is printed in place of the deed.
            let output = command.args(&call).arg("--help").output().unwrap();
            assert!(output.status.success(), "{path}: gatepost {}", call.join(" "));
            seen += 1;
        }
    }
    assert!(seen >= 20, "{seen}");
}

/// A line of output without what differs from site to site: ids, times, digests, numbers, names of people.
fn shape(line: &str) -> String {
    let line = line.split_once("dropped by ").map_or_else(
        || line.to_owned(),
        |(before, after)| format!("{before}dropped by somebody,{}", after.split_once(',').unwrap().1),
    );
    let word = |word: &str| {
        let (start, end) =
            (word.find(|c: char| c.is_ascii_alphanumeric()), word.trim_end_matches([',', ':', '.']).len());
        let Some(start) = start else { return word.to_owned() };
        let (bare, rest) = (&word[start..end.max(start)], &word[end.max(start)..]);
        let is_id = ["TR-", "TS-"].iter().any(|prefix| bare.contains(prefix));
        let is_number = bare.starts_with(|c: char| c.is_ascii_digit()) || bare.len() == 64;
        if is_id || is_number { format!("{}…{rest}", &word[..start]) } else { word.to_owned() }
    };
    line.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// What the guide shows below a command, which may go on with an id, up to the end of the block; of several the one at this place.
fn shown(page: &str, command: &str, nth: usize) -> Vec<String> {
    let is_it = |line: &str| {
        let rest = line.strip_prefix("$ ").and_then(|line| line.strip_prefix(command));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" TR-"))
    };
    let at = page.lines().enumerate().filter(|(_, line)| is_it(line)).nth(nth).unwrap().0;
    let below = page.lines().skip(at + 1).take_while(|line| !line.starts_with("```") && !line.starts_with("$ "));
    below.map(shape).collect()
}

#[test]
fn what_the_guide_for_auditors_shows_of_an_audit_is_what_is_printed() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/auditor.md")).unwrap();
    let site = Site::new().without_walls();
    let requests = ["one", "two"].map(Request::folder);
    for request in &requests {
        site.copy_in(request);
    }
    site.up();
    let printed = |arguments: &[&str]| {
        let printed = site.gatepost(&[arguments, &["--output=text"]].concat()).stdout();
        printed.lines().map(|line| shape(&line.replace("line_count", "errors_today"))).collect::<Vec<_>>()
    };
    assert_eq!(printed(&["audit", "verify"]), shown(&page, "gatepost audit verify", 0));
    assert_eq!(printed(&["audit", "timeline", &requests[0].id]), shown(&page, "gatepost audit timeline", 0));
    let result = &site.names("core/inbound")[0];
    fs::rename(site.path("core/inbound").join(result), site.path("taken")).unwrap();
    assert_eq!(printed(&["audit", "verify"]), shown(&page, "gatepost audit verify", 1));
}
