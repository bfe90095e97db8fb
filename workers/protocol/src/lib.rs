//! The messages between TOOL-EXEC and its workers: assignments, exit statuses, reports.
//!
//! A worker is a program of its own that TOOL-EXEC starts inside the sandbox. It reads its assignment from stdin or from its
//! arguments, and reports by its exit status, its streams and the files that it writes below `out/`. Nothing here does any work.
//!
//! *Security*: an assignment may hold secrets, so its JSON is built in one allocation that is wiped. TOOL-EXEC trusts a report as
//! little as the output of any other program.

pub mod browser;
pub mod fetch;
pub mod http;
pub mod mcp;
pub mod monty;

use std::fmt::Display;
use std::io::{self, Write};

/// Every worker, by the name of its program.
pub const PROGRAMS: [&str; 4] = [browser::WORKER, http::WORKER, mcp::WORKER, monty::WORKER];

/// Exit status of a worker that failed for a cause other than the assignment or its counterpart.
pub const FAULT: u8 = 70;

/// Writes one line to stderr. If that fails, the exit status still reports the outcome.
pub fn report_error(error: &dyn Display) {
    let _ = writeln!(io::stderr(), "{error}");
}

/// Counts the bytes that are written to it.
struct Length(usize);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A value as JSON, in one allocation of the exact size, which is wiped when it is dropped.
fn wiped_json(value: &impl serde::Serialize) -> zeroize::Zeroizing<Vec<u8>> {
    let mut length = Length(0);
    // Texts, numbers and lists of them always serialize, and the writer cannot fail.
    let _ = serde_json::to_writer(&mut length, value);
    let mut json = zeroize::Zeroizing::new(Vec::with_capacity(length.0));
    let _ = serde_json::to_writer(&mut *json, value);
    json
}
