//! The house rules that no compiler checks: who may name whom, what is pure, how long a file may be, how large the gate.
//!
//! Reads the sources as text. What Clippy can check (I/O by method, lengths of functions, unsafe code) is in `clippy.toml` and
//! in `Cargo.toml`.

use std::fs;
use std::path::{Path, PathBuf};

/// The most lines of a source file, its tests included.
const FILE_LINES_MAX: usize = 500;

/// The most lines of Rust without tests: whoever trusts the gate has to be able to read it.
const CONTENT_LINES_MAX: usize = 8_150;
const GATE_LINES_MAX: usize = 11_420;

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

#[test]
fn only_the_command_line_names_the_gate() {
    let named = naming("src", &["gatepost_gate", "gatepost_content"]);
    let elsewhere: Vec<_> = named.iter().filter(|line| !line.starts_with("src/cli")).collect();
    assert!(!named.is_empty() && elsewhere.is_empty(), "{elsewhere:#?}");
}

#[test]
fn crates_name_only_those_that_they_stand_on() {
    for (folder, forbidden) in [
        ("signatures/src", &["gatepost_"][..]),
        ("ledger/src", &["gatepost_"]),
        (
            "documents/src",
            &["gatepost_contract", "gatepost_mailbox", "gatepost_content", "gatepost_gate", "gatepost::"][..],
        ),
        ("contract/src", &["gatepost_sandbox", "gatepost_mailbox", "gatepost_content", "gatepost_gate", "gatepost::"]),
        ("mailbox/src", &["gatepost_contract", "gatepost_sandbox", "gatepost_content", "gatepost_gate", "gatepost::"]),
        ("sandbox/src", &["gatepost_content", "gatepost_gate", "gatepost::", "gatepost_worker"]),
        ("content/src", &["gatepost_contract", "gatepost_mailbox", "gatepost_gate", "gatepost::"]),
        ("gate/src", &["gatepost_contract", "gatepost_sandbox", "gatepost::"]),
        ("workers", &["gatepost_mailbox", "gatepost_content", "gatepost_gate", "gatepost::"]),
        ("workers/protocol", &["gatepost_worker_"]),
        ("src", &["gatepost_worker_"]),
    ] {
        assert_eq!(naming(folder, forbidden), Vec::<String>::new(), "{folder}");
    }
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
        "content/src",
        "gate/src",
        "workers",
    ] {
        assert_eq!(naming(folder, &["unsafe "]), Vec::<String>::new(), "{folder}");
    }
    assert_eq!(naming("src", &["unsafe {", "unsafe fn", "unsafe impl"]), Vec::<String>::new());
}

#[test]
fn asynchronous_code_lies_where_its_library_needs_it() {
    let named = naming("src", &["async ", ".await;", ".await?", "tokio::"]);
    let elsewhere: Vec<_> = named.iter().filter(|line| !line.starts_with("src/cli/serve")).collect();
    assert!(!named.is_empty() && elsewhere.is_empty(), "{elsewhere:#?}");
}

#[test]
fn no_source_file_is_two_concepts_long() {
    for folder in [
        "src",
        "documents",
        "contract",
        "signatures",
        "ledger",
        "mailbox",
        "content",
        "gate",
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
fn the_gate_can_be_read_in_an_afternoon() {
    for (folder, most) in [("content/src", CONTENT_LINES_MAX), ("gate/src", GATE_LINES_MAX)] {
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
        ["src", "sandbox/src", "mailbox/src", "gate/src"].iter().flat_map(|at| naming(at, &["fs::read("])).collect();
    assert!(unbounded.is_empty(), "{unbounded:#?}");
}
