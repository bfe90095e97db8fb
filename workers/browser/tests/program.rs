//! The program `gatepost-worker-browser`, as TOOL-EXEC starts it: an assignment on stdin, an exit status out.

#![allow(clippy::disallowed_methods, reason = "a test starts what it tests")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use gatepost_workers::FAULT;
use gatepost_workers::browser::{Assignment, FAILED};

fn carry_out(input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gatepost-worker-browser"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_browser_that_is_none_and_an_assignment_that_is_none_have_their_exit_status() {
    let assignment = Assignment {
        program: "/bin/false".into(),
        proxy: None,
        startup_ms: 10_000,
        action_ms: 1_000,
        screenshots: false,
        actions: Vec::new(),
    };
    for (input, code, part) in [
        (assignment.to_json().into_bytes(), FAILED, "before its first interaction"),
        (b"{}".to_vec(), FAULT, "gatepost-worker-browser failed: "),
    ] {
        let output = carry_out(&input);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code.into()), "{stderr}");
        assert!(stderr.contains(part), "{stderr}");
    }
}
