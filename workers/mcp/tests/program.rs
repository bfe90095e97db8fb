//! The program `gatepost-worker-mcp`, as TOOL-EXEC starts it: a call on stdin, an exit status out.

#![allow(clippy::disallowed_methods, reason = "a test starts what it tests")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::borrow::Cow;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use gatepost_workers::mcp::{Call, Server, Status};
use serde_json::Map;

fn carry_out(input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gatepost-worker-mcp"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_server_that_does_not_start_and_a_call_that_is_none_have_their_exit_status() {
    let argv = ["/nonexistent/server".to_owned()];
    let call = Call {
        server: Server::Stdio { argv: Cow::Borrowed(&argv), environment: [].into() },
        tool: "t".into(),
        arguments: Cow::Owned(Map::new()),
        schema_sha256: None,
    };
    for (input, expected, begins) in [
        (call.to_json().to_vec(), Status::NoServer, "the server did not start: /nonexistent/server"),
        (b"{}".to_vec(), Status::Fault, "gatepost-worker-mcp failed: "),
    ] {
        let output = carry_out(&input);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(Status::from_exit_code(output.status.code().unwrap()), Some(expected), "{stderr}");
        assert!(stderr.starts_with(begins), "{stderr}");
    }
}
