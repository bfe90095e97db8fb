//! The program `gatepost-mcp`, as started by `gatepost mcp`, a forced command and a systemd unit.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test arranges the world")]

use std::process::{Command, Output, Stdio};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gatepost-mcp"));
    command.args(arguments).env_remove("GATEPOST_SITE").current_dir("/").stdin(Stdio::null()).output().unwrap()
}

#[test]
fn it_says_its_version_and_refuses_to_serve_what_is_no_site() {
    let version = run(&["--version"]);
    assert_eq!(String::from_utf8(version.stdout).unwrap(), concat!("gatepost-mcp ", env!("CARGO_PKG_VERSION"), "\n"));
    let folder = tempfile::tempdir().unwrap();
    let nowhere = run(&["--site", folder.path().to_str().unwrap()]);
    let stderr = String::from_utf8(nowhere.stderr).unwrap();
    assert!(!nowhere.status.success() && nowhere.stdout.is_empty(), "{stderr}");
    assert!(stderr.contains("gatepost.toml") || stderr.contains("site"), "{stderr}");
    assert_eq!(run(&["--no-such-flag"]).status.code(), Some(2));
}
