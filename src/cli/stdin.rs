//! Standard input of a command: a document, or an id.
//!
//! It never waits for a person to type. *Standards*: CLI Agent Spec, REQ-F-009, REQ-F-054 and REQ-O-006.

use crate::cli::prelude::*;
use std::io::{IsTerminal as _, Read as _};
use std::path::Path;

/// The argument that stands for standard input.
pub(super) const STDIN: &str = "-";

/// The most bytes that are read.
pub(super) const BYTES_MAX: u64 = 64 * 1024;

/// All of standard input; `hint` explains how to pass `what`.
pub(super) fn read(what: &str, hint: &str) -> Result<Vec<u8>, Failure> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let message = format!("{what} cannot be read from standard input: it is a terminal.");
        return Err(Failure::new(ErrorCode::StdinRequired, FailureKind::Usage, message, hint).during("read", STDIN));
    }
    let mut bytes = Vec::new();
    stdin.lock().take(BYTES_MAX + 1).read_to_end(&mut bytes).on("read", Path::new("/dev/stdin"))?;
    if bytes.is_empty() {
        return Err(Failure::new(ErrorCode::EmptyStdin, FailureKind::Usage, "Standard input is empty.", hint)
            .during("read", STDIN));
    }
    if bytes.len() as u64 > BYTES_MAX {
        let message = format!("Standard input has more than {BYTES_MAX} bytes.");
        return Err(Failure::new(ErrorCode::StdinTooLarge, FailureKind::Usage, message, hint).during("read", STDIN));
    }
    Ok(bytes)
}
