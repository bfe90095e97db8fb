//! The program `gatepost-exec`, as `gatepost up` and a unit of systemd start it.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test arranges the world")]

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gatepost-exec"));
    command.args(arguments).env_remove("GATEPOST_SITE").current_dir("/").output().unwrap()
}

#[test]
fn it_says_its_version_and_refuses_to_serve_what_is_no_site() {
    let version = run(&["--version"]);
    assert_eq!(String::from_utf8(version.stdout).unwrap(), concat!("gatepost-exec ", env!("CARGO_PKG_VERSION"), "\n"));
    let folder = tempfile::tempdir().unwrap();
    let nowhere = run(&["--site", folder.path().to_str().unwrap()]);
    assert_eq!(nowhere.status.code(), Some(4));
    let stderr = String::from_utf8(nowhere.stderr).unwrap();
    assert!(stderr.contains("gatepost.toml") && nowhere.stdout.is_empty(), "{stderr}");
    assert_eq!(run(&["--onec"]).status.code(), Some(2));
}

#[test]
fn a_file_of_the_operator_that_is_not_in_order_is_named_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("gatepost.toml"), "[inbox]\nsettle = 1\n").unwrap();
    let refused = run(&["--site", folder.path().to_str().unwrap(), "--once"]);
    assert_eq!(refused.status.code(), Some(4));
    let stderr = String::from_utf8(refused.stderr).unwrap();
    assert!(stderr.contains("gatepost.toml is not valid") && stderr.contains("settle"), "{stderr}");
}
