//! `gatepost-worker-http`: sends the request of a tool with the backend `http`; with the argument `fetch`, gets the pages of a request
//! of that lane. TOOL-EXEC starts it inside the sandbox.
//!
//! The contract with TOOL-EXEC is [`gatepost_workers::http`] and [`gatepost_workers::fetch`]. *Security*: reads what a hostile server sends; the sandbox and its
//! limits hold even if a server takes this process over.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

use gatepost_documents::evidence::RESPONSE_HEAD;
use gatepost_worker_http::{HttpError, failure, head, send};
use gatepost_workers::http::{Assignment, NO_RESPONSE, STATUS_MAX, WORKER};
use gatepost_workers::{FAULT, fetch, report_error};
use url::Url;
use zeroize::Zeroizing;

/// A status whose response has no body.
const RESET_CONTENT: u16 = 205;

fn main() -> ExitCode {
    let mut input = Zeroizing::new(Vec::new());
    let read = io::stdin().read_to_end(&mut input).map_err(serde_json::Error::io);
    if std::env::args_os().nth(1).is_some_and(|argument| argument == fetch::ARGUMENT) {
        let assignment = read.and_then(|_| serde_json::from_slice(&input)).map_err(|error| error.to_string());
        let fetched = assignment.and_then(|assignment| {
            gatepost_worker_http::fetch::fetch(&assignment, &mut io::stdout()).map_err(|error| error.to_string())
        });
        return fetched.map_or_else(|error| ended(FAULT, &format!("{WORKER} failed: {error}")), |()| ExitCode::SUCCESS);
    }
    match read.and_then(|_| serde_json::from_slice(&input)) {
        Err(error) => ended(FAULT, &format!("{WORKER} failed: {error}")),
        Ok(assignment) => match carry_out(&assignment) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error @ HttpError::Store(_)) => ended(FAULT, &error),
            Err(error) => ended(NO_RESPONSE, &error),
        },
    }
}

fn ended(status: u8, why: &dyn Display) -> ExitCode {
    report_error(why);
    ExitCode::from(status)
}

fn carry_out(assignment: &Assignment<'_>) -> Result<(), HttpError> {
    let response = send(assignment)?;
    let status = response.status().as_u16();
    if status > STATUS_MAX {
        return Err(HttpError::Status(status));
    }
    let head = head::text(&response);
    File::create_new(RESPONSE_HEAD).and_then(|mut file| file.write_all(head.as_bytes())).map_err(HttpError::Store)?;
    if let Some(coding) = head::coding(response.headers()) {
        return Err(HttpError::Compressed(coding));
    }
    // No body follows this status (RFC 9110 section 15.3.6), but not every server states its length.
    if status == RESET_CONTENT {
        return Ok(());
    }
    if !head::is_framed(&response) {
        return Err(HttpError::Body("the response does not say where it ends".to_owned()));
    }
    let url = Url::parse(&assignment.url)?;
    let mut body = response.into_body().into_reader();
    // Received bytes are visible at once, even if a later step fails.
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
