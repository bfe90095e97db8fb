//! The budget of crates: to trust the gate is to trust these, so no new one may come in unnoticed.

use std::collections::BTreeSet;
use std::process::Command;

/// The direct dependencies of the gate, the mailbox, the signatures and the documents, each with the reason to trust it.
const DIRECT: &[&str] = &[
    "base64ct",            // envelopes of attestations; RustCrypto's, which ssh-key stands on too
    "chrono",              // times
    "gatepost-content",    // what the text of a result says
    "gatepost-documents",  // the vocabulary
    "gatepost-ledger",     // the log of what was decided
    "gatepost-mailbox",    // folders and durable moves
    "gatepost-signatures", // whose signatures count
    "jsonschema",          // the output schema of a manifest
    "landlock", // the gate's own confinement: the kernel's interface in safe words, by its kernel maintainers
    "libc",     // numbers of system calls, for the filter
    "memchr",   // line ends
    "pulldown-cmark", // the second opinion on the structure
    "rustix",   // descriptors and flags that std does not offer
    "seccompiler", // the gate's own confinement: filters of system calls, as in Firecracker
    "serde",    // evidence and verdict
    "serde_json", // evidence and verdict
    "sha2",     // digests
    "signal-hook", // signals, into a pipe
    "signature", // what an Ed25519 pair of ssh-key signs by
    "ssh-key",  // SSH signatures: the arithmetic of RustCrypto, 45 crates of the whole
    "thiserror", // errors
    "toml",     // manifests
];

/// The most crates in the whole tree, the gate itself not counted.
const CRATES_MAX: usize = 150;

/// The crates that one of ours is built from, to a depth.
fn tree(package: &str, depth: &str) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["tree", "--offline", "--locked", "-p", package, "-e", "normal", "--prefix", "none"];
    let output = Command::new(cargo)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .args(["--depth", depth, "--format", "{p}"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text.lines().filter_map(|line| line.split(' ').next()).filter(|name| *name != package);
    names.map(str::to_owned).collect()
}

#[test]
fn a_new_direct_dependency_is_noticed() {
    let ours = ["gatepost-gate", "gatepost-mailbox", "gatepost-signatures", "gatepost-documents"];
    let found: BTreeSet<String> = ours.iter().flat_map(|package| tree(package, "1")).collect();
    assert_eq!(found, DIRECT.iter().map(|name| (*name).to_owned()).collect());
}

#[test]
fn the_whole_tree_stays_within_its_budget() {
    let crates = tree("gatepost-gate", "64");
    assert!(crates.len() <= CRATES_MAX, "{} crates: {crates:?}", crates.len());
}

#[test]
fn nothing_that_could_reach_the_network_is_linked() {
    let crates = tree("gatepost-gate", "64");
    for forbidden in ["tokio", "reqwest", "hyper", "ureq", "rustls", "openssl", "socket2", "mio"] {
        assert!(!crates.contains(forbidden), "{forbidden}");
    }
}
