//! The house rules that no compiler checks: which crate stands on which, what is pure, how long a file may be, how large the gate.
//!
//! Reads the sources as text. What Clippy can check (I/O by method, lengths of functions, unsafe code) is in `clippy.toml` and
//! in `Cargo.toml`.

use std::fs;
use std::path::{Path, PathBuf};

/// The most lines of a source file, its tests included.
const FILE_LINES_MAX: usize = 500;

/// The most lines of Rust without tests: whoever trusts the gate has to be able to read it.
const CONTENT_LINES_MAX: usize = 8_150;
const GATE_LINES_MAX: usize = 12_190;
const CLI_LINES_MAX: usize = 21_830;

/// What reaches beyond a process's own memory.
const WORLD: [&str; 12] = [
    "std::fs",
    "std::env",
    "std::process",
    "TcpStream",
    "TcpListener",
    "UdpSocket",
    "ToSocketAddrs",
    "std::thread",
    "std::os",
    "Instant::now",
    "SystemTime::now",
    "Utc::now",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Rust files below a folder of the repository, each with its text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let entries = walkdir::WalkDir::new(root().join(folder)).sort_by_file_name();
    let paths = entries.into_iter().map(|entry| entry.unwrap().into_path());
    let rust = paths.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let sources: Vec<_> = rust
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path.strip_prefix(root()).unwrap().to_owned(), text)
        })
        .collect();
    assert!(!sources.is_empty(), "{folder}");
    sources
}

/// The lines before the tests, but for comments, with their numbers.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines()).take_while(|(_, line)| !line.starts_with("#[cfg(test)]"));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests") || path.file_stem().is_some_and(|stem| stem == "tests")
}

/// The lines of code in a folder that name one of these.
fn naming(folder: &str, words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in sources(folder).iter().filter(|(path, _)| !is_test(path)) {
        let lines = code(text).filter(|(_, line)| words.iter().any(|word| line.contains(word)));
        found.extend(lines.map(|(number, line)| format!("{}:{number}: {}", path.display(), line.trim())));
    }
    found
}

/// The crates of ours on which each may depend; Cargo holds the sources to it.
const ARROWS: [(&str, &[&str]); 18] = [
    ("documents", &[]),
    ("signatures", &[]),
    ("ledger", &[]),
    ("workers/protocol", &["documents"]),
    ("workers/http", &["documents", "workers"]),
    ("workers/mcp", &["documents", "worker-http", "workers"]),
    ("workers/browser", &["documents", "workers"]),
    ("workers/monty", &["documents", "workers"]),
    ("contract", &["documents", "workers"]),
    ("mailbox", &["documents", "ledger", "signatures"]),
    ("events", &["mailbox"]),
    ("content", &["documents"]),
    ("sandbox", &["contract", "documents", "mailbox"]),
    ("exec", &["contract", "documents", "events", "mailbox", "sandbox", "signatures", "workers"]),
    ("gate", &["content", "documents", "ledger", "mailbox", "signatures"]),
    ("pages", &["documents", "mailbox"]),
    ("mcp", &["contract", "documents", "events", "mailbox"]),
    ("fleet", &["contract", "documents", "mailbox", "signatures"]),
];

#[test]
fn crates_depend_only_on_those_that_they_stand_on() {
    let mut found = Vec::new();
    for (folder, allowed) in ARROWS {
        let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let dependencies = manifest["dependencies"].as_table().unwrap().keys();
        let ours = dependencies.filter_map(|name| name.strip_prefix("gatepost-"));
        found.extend(ours.filter(|name| !allowed.contains(name)).map(|name| format!("{folder} depends on {name}")));
    }
    assert_eq!(found, Vec::<String>::new());
    let members = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members: toml::Table = members.parse().unwrap();
    for member in members["workspace"]["members"].as_array().unwrap() {
        let member = member.as_str().unwrap();
        let is_listed = ARROWS.iter().any(|(folder, _)| *folder == member);
        assert!(is_listed || [".", "workers/*"].contains(&member), "{member}");
    }
}

/// A package is built with the oldest versions that it allows, wherever another crate keeps them back: these are the tested ones.
#[test]
fn each_dependency_asks_for_the_version_that_is_tested() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap().parse::<toml::Table>().unwrap();
    let lock = read("Cargo.lock");
    let locked: Vec<(&str, &str)> = lock["package"].as_array().unwrap().iter().map(name_and_version).collect();
    let mut found = Vec::new();
    for folder in ARROWS.iter().map(|(folder, _)| *folder).chain(["."]) {
        let manifest = read(&format!("{folder}/Cargo.toml"));
        let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
        for (name, dependency) in tables.iter().filter_map(|table| manifest.get(*table)?.as_table()).flatten() {
            let asked = dependency.as_str().or_else(|| dependency.get("version")?.as_str());
            let package = dependency.get("package").and_then(toml::Value::as_str).unwrap_or(name);
            let Some(asked) = asked.map(|asked| asked.trim_start_matches(['=', '~'])) else { continue };
            let is_tested =
                |(name, version): &(&str, &str)| *name == package && version.split('+').next() == Some(asked);
            if !locked.iter().any(is_tested) {
                found.push(format!("{folder}/Cargo.toml asks for {package} {asked}"));
            }
        }
    }
    assert_eq!(found, Vec::<String>::new());
}

fn name_and_version(package: &toml::Value) -> (&str, &str) {
    (package["name"].as_str().unwrap(), package["version"].as_str().unwrap())
}

#[test]
fn documents_contract_signatures_ledger_and_content_touch_nothing_but_what_they_are_given() {
    for folder in ["documents/src", "contract/src", "signatures/src", "ledger/src", "content/src"] {
        assert_eq!(naming(folder, &WORLD), Vec::<String>::new(), "{folder}");
        assert_eq!(naming(folder, &["rustix", "libc::"]), Vec::<String>::new(), "{folder}");
    }
}

#[test]
fn unsafe_code_lies_in_the_sandbox_alone() {
    for folder in [
        "documents/src",
        "contract/src",
        "signatures/src",
        "ledger/src",
        "mailbox/src",
        "events/src",
        "content/src",
        "gate/src",
        "mcp/src",
        "fleet/src",
        "pages/src",
        "workers",
    ] {
        assert_eq!(naming(folder, &["unsafe "]), Vec::<String>::new(), "{folder}");
    }
    for folder in ["src", "exec/src"] {
        assert_eq!(naming(folder, &["unsafe {", "unsafe fn", "unsafe impl"]), Vec::<String>::new(), "{folder}");
    }
}

#[test]
fn asynchronous_code_lies_where_its_library_needs_it() {
    let named = |folder| naming(folder, &["async ", ".await;", ".await?", "tokio::"]);
    for of in ["pages/src", "mcp/src"] {
        let (lines, serve) = (named(of), format!("{of}/serve"));
        let elsewhere: Vec<_> = lines.iter().filter(|line| !line.starts_with(&serve)).collect();
        assert!(!lines.is_empty() && elsewhere.is_empty(), "{elsewhere:#?}");
    }
    for folder in ["src", "exec/src", "mailbox/src", "gate/src"] {
        assert_eq!(named(folder), Vec::<String>::new());
    }
}

#[test]
fn no_source_file_is_two_concepts_long() {
    for folder in [
        "src",
        "exec",
        "documents",
        "contract",
        "signatures",
        "ledger",
        "mailbox",
        "events",
        "sandbox",
        "content",
        "gate",
        "pages",
        "mcp",
        "fleet",
        "workers",
        "tests",
        "benches",
    ] {
        for (path, text) in
            sources(folder).iter().filter(|(path, _)| !path.components().any(|part| part.as_os_str() == "target"))
        {
            let lines = text.lines().count();
            assert!(lines <= FILE_LINES_MAX, "{} has {lines} lines", path.display());
        }
    }
}

#[test]
fn the_gate_can_be_read_in_an_afternoon_and_the_command_line_does_not_grow() {
    for (folder, most) in [("content/src", CONTENT_LINES_MAX), ("gate/src", GATE_LINES_MAX), ("src/cli", CLI_LINES_MAX)]
    {
        let files = sources(folder);
        let lines = |text: &str| text.lines().take_while(|line| !line.starts_with("#[cfg(test)]")).count();
        let total: usize = files.iter().filter(|(path, _)| !is_test(path)).map(|(_, text)| lines(text)).sum();
        assert!(total <= most, "{folder} has {total} lines of Rust without tests; {most} are allowed");
    }
}

/// `std::fs::read` waits for a pipe and reads a device without end: whoever owns the folder decides what a name in it is.
#[test]
fn files_are_read_within_limits() {
    let unbounded: Vec<_> =
        ["src", "exec/src", "sandbox/src", "mailbox/src", "gate/src", "pages/src", "mcp/src", "fleet/src"]
            .iter()
            .flat_map(|at| naming(at, &["fs::read("]))
            .collect();
    assert!(unbounded.is_empty(), "{unbounded:#?}");
}
