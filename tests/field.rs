//! False refusals in the field: files of packages that no rule was written against, and what everyday commands print.
//!
//! ```text
//! tests/field/fetch                            downloads the packages and makes the material, below target/field
//! cargo test --test field -- --nocapture       prints the figures, too
//! ```
//!
//! Not among the tests that `cargo test` runs by itself: it needs Debian's archive and some of its programs, which `.ci/proof`
//! installs. Nobody chose the files: they are those with the smallest digests.

#![allow(clippy::disallowed_methods, reason = "tests arrange the world, and start what they test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "it prints its figures")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use site::{Request, Site};

#[path = "field/everyday.rs"]
mod everyday;
#[allow(dead_code, unused_imports, reason = "other tests use the rest of it")]
mod site;

/// How many files are looked at, and how many of them may be refused: 21 are, where 15 are the goal.
const FILES: usize = 1_000;
const REFUSED_FILES_MAX: usize = 25;
/// How many of the outputs may be refused.
const REFUSED_OUTPUTS_MAX: usize = 2;

fn material() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/field");
    assert!(folder.join("files").is_dir(), "run tests/field/fetch first");
    folder
}

#[test]
fn of_files_of_packages_that_nobody_tuned_on_few_are_refused() {
    let mut files: Vec<PathBuf> =
        site::names(&material().join("files")).iter().map(|name| material().join("files").join(name)).collect();
    files.sort();
    assert_eq!(files.len(), FILES);
    let site = Site::new();
    let paths: Vec<&str> = files.iter().map(|path| path.to_str().unwrap()).collect();
    let ran = site.gatepost(&[&["check", "--output", "json"], &paths[..]].concat());
    let outcome: Value = serde_json::from_slice(&ran.0.stdout).unwrap();
    let checked = outcome["data"]["results"].as_array().unwrap_or_else(|| panic!("{outcome}"));
    assert_eq!(checked.len(), FILES);
    let refused: Vec<&Value> = checked.iter().filter(|file| file["ok"] == false).collect();
    let flagged = checked.iter().filter(|file| !file["reasons"].as_array().unwrap().is_empty()).count() - refused.len();
    for file in &refused {
        println!("refused {}: {}", file["path"], rules(&file["reasons"]).join(" "));
    }
    println!("{FILES} files of packages: {} refused, {flagged} flagged", refused.len());
    assert!(refused.len() <= REFUSED_FILES_MAX, "{} of {FILES} files are refused", refused.len());
}

/// The rules that refuse.
fn rules(reasons: &Value) -> Vec<String> {
    let refusing = reasons.as_array().unwrap().iter().filter(|reason| reason["severity"] == "reject");
    refusing.map(|reason| reason["rule"].as_str().unwrap_or("?").to_owned()).collect()
}

#[test]
fn of_the_outputs_of_everyday_commands_at_most_two_are_refused() {
    let site = Site::with_config("[limits]\nstdout_bytes = 67108864\nmemory_mb = 1024\n[inbox]\nsettle_ms = 0\n");
    let material = fs::read(material().join("everyday.tar")).unwrap();
    let mut requests = Vec::new();
    for (number, command) in (1..).zip(everyday::COMMANDS) {
        let name = format!("everyday_{number:02}");
        let script = format!(
            "#!/bin/sh\ntar -xf in/material.tar -C /tmp && cd /tmp || exit 9\nexport LC_ALL=C.UTF-8 HOME=/tmp\n{command}\n"
        );
        site.tool(&name, "timeout_seconds = 60\n[args.material]\ntype = \"path\"", &script);
        let request = Request::call(&format!("everyday-{number:02}"), &name);
        let request = request.arg("material", "material.tar").input("material.tar", &material);
        site.copy_in(&request);
        requests.push((request.id, command));
    }
    site.gatepost(&["exec", "--once"]);
    site.gatepost(&["gate", "--once"]);
    let mut refused = 0;
    for (id, command) in requests {
        let accepted = site.results(&id);
        if let [bundle] = accepted.as_slice() {
            let printed = fs::read(bundle.join("artifacts/stdout.txt")).unwrap();
            let complaint = fs::read_to_string(bundle.join("artifacts/stderr.txt")).unwrap_or_default();
            assert!(printed.len() > 20, "{command} printed {} bytes; {complaint}", printed.len());
            continue;
        }
        refused += 1;
        let items = site.names("quarantine");
        let item = items.iter().find(|item| item.contains(&id)).unwrap_or_else(|| panic!("no answer to {command}"));
        let record: Value =
            serde_json::from_slice(&fs::read(site.path("quarantine").join(item).join("reasons.json")).unwrap())
                .unwrap();
        println!("refused {command}: {}", rules(&record["reasons"]).join(" "));
    }
    println!("{} outputs of everyday commands: {refused} refused", everyday::COMMANDS.len());
    assert!(refused <= REFUSED_OUTPUTS_MAX, "{refused} outputs are refused");
}
