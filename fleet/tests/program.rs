//! The program `gatepost-fleet`, as systemd units start it.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test arranges the world")]

use std::process::{Command, Output, Stdio};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gatepost-fleet"));
    command.args(arguments).env_remove("GATEPOST_SITE").current_dir("/").stdin(Stdio::null()).output().unwrap()
}

#[test]
fn it_says_its_version_and_carries_for_no_folder_that_is_no_site() {
    let version = run(&["--version"]);
    assert_eq!(String::from_utf8(version.stdout).unwrap(), concat!("gatepost-fleet ", env!("CARGO_PKG_VERSION"), "\n"));
    assert_eq!(run(&["elsewhere"]).status.code(), Some(2));
    let folder = tempfile::tempdir().unwrap();
    for role in ["home", "node", "key"] {
        let nowhere = run(&[role, "--site", folder.path().to_str().unwrap()]);
        let stderr = String::from_utf8(nowhere.stderr).unwrap();
        assert!(nowhere.status.code() == Some(4) && stderr.contains("is no gatepost site"), "{stderr}");
    }
}
