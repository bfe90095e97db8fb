//! The program `gatepost-worker-http`, as TOOL-EXEC starts it: an assignment on stdin, exit status, streams and a file out.

#![allow(clippy::disallowed_methods, reason = "a test starts what it tests")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use gatepost_documents::evidence::RESPONSE_HEAD;
use gatepost_workers::FAULT;
use gatepost_workers::http::{Assignment, NO_RESPONSE, status};

fn carry_out(input: &[u8], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gatepost-worker-http"));
    command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn get(url: &str) -> Vec<u8> {
    let assignment = Assignment {
        method: "GET".into(),
        url: url.into(),
        headers: Vec::new(),
        body: None,
        answers: Vec::new().into(),
        ca_file: None,
        proxy: None,
    };
    assignment.to_json().to_vec()
}

#[test]
fn a_response_leaves_its_head_and_prints_its_body() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}/x", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 16];
        stream.read_exact(&mut head).unwrap();
        stream.write_all(b"HTTP/1.1 201 Created\r\ncontent-length: 4\r\nset-cookie: a=b\r\n\r\nbody").unwrap();
        head
    });
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("out")).unwrap();
    let output = carry_out(&get(&url), folder.path());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!((&*output.stdout, &server.join().unwrap()), (&b"body"[..], b"GET /x HTTP/1.1\r"));
    let head = fs::read_to_string(folder.path().join(RESPONSE_HEAD)).unwrap();
    assert_eq!(status(head.as_bytes()), Some(201));
    assert!(head.contains("set-cookie: [redacted]"), "{head}");
}

#[test]
fn a_server_that_is_not_there_and_an_assignment_that_is_none_have_their_exit_status() {
    let folder = tempfile::tempdir().unwrap();
    // A port that was free a moment ago.
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    for (input, code, begins) in [
        (get(&format!("http://{address}/")), NO_RESPONSE, "failed to get a response: "),
        (b"{}".to_vec(), FAULT, "gatepost-worker-http failed: "),
    ] {
        let output = carry_out(&input, folder.path());
        assert_eq!(output.status.code(), Some(code.into()));
        assert!(String::from_utf8(output.stderr).unwrap().starts_with(begins));
    }
}
