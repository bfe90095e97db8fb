//! The process that sends the request of a tool with the backend `http`: gatepost itself, started again inside the sandbox.
//!
//! ```text
//! gatepost http-worker   stdin: the assignment   ▶   out/response-head.txt   stdout: the body   stderr: what went wrong
//! ```
//!
//! The command is no part of the command line for people, and is not listed there. Its way out is the proxy of the run.
//! *Security*: reads what a hostile server sends; whatever this process does, the sandbox and its limits hold.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

use gatepost_documents::evidence::RESPONSE_HEAD;
use url::Url;
use zeroize::Zeroizing;

use super::{Assignment, HttpError, failure, head, send};
use crate::sandbox::PROXY_PORT;
use crate::worker::say;

/// The argument that asks for the worker.
pub const COMMAND: &str = "http-worker";

/// No whole response came back, or none that may be taken.
pub const NO_RESPONSE: u8 = 1;

/// The worker cannot do its work.
const FAULT: u8 = 70;

/// Does what stdin says.
pub fn main() -> ExitCode {
    let mut input = Zeroizing::new(Vec::new());
    let read = io::stdin().read_to_end(&mut input).map_err(serde_json::Error::io);
    match read.and_then(|_| serde_json::from_slice(&input)) {
        Err(error) => ended(FAULT, &format!("{COMMAND} failed: {error}")),
        Ok(assignment) => match carry_out(&assignment) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error @ HttpError::Store(_)) => ended(FAULT, &error),
            Err(error) => ended(NO_RESPONSE, &error),
        },
    }
}

fn ended(status: u8, why: &dyn Display) -> ExitCode {
    say(why);
    ExitCode::from(status)
}

fn carry_out(assignment: &Assignment<'_>) -> Result<(), HttpError> {
    let response = send(assignment, Some(&format!("http://127.0.0.1:{PROXY_PORT}")))?;
    let status = response.status().as_u16();
    if status > head::STATUS_MAX {
        return Err(HttpError::Status(status));
    }
    let head = head::text(&response);
    File::create_new(RESPONSE_HEAD).and_then(|mut file| file.write_all(head.as_bytes())).map_err(HttpError::Store)?;
    if let Some(coding) = head::coding(response.headers()) {
        return Err(HttpError::Compressed(coding));
    }
    if !head::is_framed(&response) {
        return Err(HttpError::Body("the response does not say where it ends".to_owned()));
    }
    let url = Url::parse(&assignment.url)?;
    let mut body = response.into_body().into_reader();
    // What was received is there at once, whatever happens next.
    let mut stdout = File::from(io::stdout().as_fd().try_clone_to_owned().map_err(HttpError::Store)?);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let count =
            body.read(&mut buffer).map_err(|error| HttpError::Body(failure::of_exchange(&error.into(), &url)))?;
        if count == 0 {
            return Ok(());
        }
        stdout.write_all(buffer.get(..count).unwrap_or_default()).map_err(HttpError::Store)?;
    }
}
