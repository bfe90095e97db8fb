//! The program `gatepost-worker-monty`, as TOOL-EXEC starts it: arguments and files in, exit status, streams and a file out.

#![allow(clippy::disallowed_methods, reason = "a test starts what it tests")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::process::{Command, Output};

use gatepost_workers::monty::{INPUTS, Limits, PROGRAM, Status, VALUE};
use tempfile::TempDir;

const LIMITS: Limits = Limits { time_ms: 10_000, memory_bytes: 64 << 20, recursion: 200 };

fn interpret(code: &str) -> (Output, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    for name in ["in", "out"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join(PROGRAM), code).unwrap();
    fs::write(folder.path().join(INPUTS), r#"{"n": [1, 2]}"#).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gatepost-worker-monty"));
    (command.args(LIMITS.arguments()).current_dir(folder.path()).output().unwrap(), folder)
}

fn status(output: &Output) -> Option<Status> {
    Status::from_exit_code(output.status.code().unwrap())
}

#[test]
fn a_program_leaves_its_value_and_prints_its_text() {
    let (output, folder) = interpret("print('two')\nsum(inputs['n'])");
    assert_eq!((status(&output), &*output.stdout), (Some(Status::Finished), &b"two\n"[..]));
    assert_eq!(fs::read_to_string(folder.path().join(VALUE)).unwrap(), "3\n");
}

#[test]
fn each_failure_has_its_exit_status_and_leaves_no_value() {
    for (code, expected) in [
        ("1 / 0", Status::Exception),
        ("def f():\n    return f()\nf()", Status::RecursionLimit),
        ("{1}", Status::Unsuitable),
        ("text = 'x'\nwhile True:\n    text += text", Status::MemoryLimit),
    ] {
        let (output, folder) = interpret(code);
        assert_eq!(status(&output), Some(expected), "{code}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!folder.path().join(VALUE).exists(), "{code}");
    }
}

#[test]
fn other_arguments_are_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_gatepost-worker-monty")).arg("--help").output().unwrap();
    assert_eq!((status(&output), output.stdout.len()), (Some(Status::Fault), 0));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("gatepost-worker-monty failed: TOOL-EXEC starts"));
}
