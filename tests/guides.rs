//! The guides in `docs/` and the schemas' prose show commands, files and links that exist.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The pages that people read.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = ["docs", "schemas"].map(|folder| root.join(folder).read_dir().unwrap());
    let paths = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = paths.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    pages.sort();
    pages
}

/// The words of every `gatepost` call after a prompt.
fn calls(page: &str) -> Vec<Vec<String>> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("$ "));
    let commands = lines.flat_map(|line| line.split("&&")).map(str::trim);
    let words = commands.filter_map(|command| command.strip_prefix("gatepost "));
    words.map(|words| words.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn every_command_of_a_guide_is_one_that_the_program_has() {
    let mut seen = 0;
    for path in pages() {
        for call in calls(&fs::read_to_string(&path).unwrap()) {
            let mut command = Command::new(env!("CARGO_BIN_EXE_gatepost"));
            // Every word is read, and the help is printed in place of the deed.
            let output = command.args(&call).arg("--help").output().unwrap();
            assert!(output.status.success(), "{}: gatepost {}", path.display(), call.join(" "));
            seen += 1;
        }
    }
    assert!(seen >= 20, "{seen}");
}

#[test]
fn every_link_of_a_guide_leads_to_a_file() {
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        for rest in page.split("](").skip(1) {
            let target = rest.split(')').next().unwrap();
            assert!(path.parent().unwrap().join(target).is_file(), "{}: {target}", path.display());
        }
    }
}
