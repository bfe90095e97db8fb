//! The process in which an MCP server's tool is called: gatepost itself, started again inside the sandbox.
//!
//! ```text
//! gatepost mcp-worker      stdin: the call, JSON      ▶      stdout: the result of tools/call, JSON      stderr: what went wrong
//!                                                            out/input_schema.json: what the server lists
//! ```
//!
//! The command is no part of the command line for people, and is not listed there. What it says is its exit status ([`Status`]).
//!
//! *Security*: holds the server's secrets; whatever this process does, the sandbox and its limits hold.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;

use gatepost_documents::evidence::INPUT_SCHEMA;
use rmcp::model::CallToolResult;

use super::{Call, Failure, Listener};
use crate::worker::say;

/// The only argument, which asks for the worker.
pub const COMMAND: &str = "mcp-worker";

/// What an exit status of the worker means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The tool gave a result.
    Finished,
    /// The tool says that it failed; what it says is on stdout.
    ToolError,
    /// There is no server to speak to.
    NoServer,
    /// It lists no such tool.
    NoTool,
    /// Its schema does not take the arguments.
    Unsuitable,
    /// Its schema is another than was pinned.
    Changed,
    /// The call was sent, and has no answer that could be used.
    Unanswered,
    /// The worker failed.
    Fault,
}

impl Status {
    const ALL: [Self; 8] = [
        Self::Finished,
        Self::ToolError,
        Self::NoServer,
        Self::NoTool,
        Self::Unsuitable,
        Self::Changed,
        Self::Unanswered,
        Self::Fault,
    ];

    /// As the exit status.
    pub const fn code(self) -> u8 {
        match self {
            Self::Finished => 0,
            Self::ToolError => 1,
            Self::NoServer => 3,
            Self::NoTool => 4,
            Self::Unsuitable => 5,
            Self::Changed => 6,
            Self::Unanswered => 7,
            Self::Fault => 70,
        }
    }

    /// What an exit status says; `None` when the worker has no such status.
    pub fn from_exit_code(exit_code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|status| i32::from(status.code()) == exit_code)
    }
}

impl From<&Failure> for Status {
    fn from(failure: &Failure) -> Self {
        match failure {
            Failure::Start(_) | Failure::Initialize(_) | Failure::Listing(_) => Self::NoServer,
            Failure::NoTool { .. } => Self::NoTool,
            Failure::Changed { .. } => Self::Changed,
            Failure::Arguments(_) => Self::Unsuitable,
            Failure::Store(_) => Self::Fault,
            Failure::Call(_) => Self::Unanswered,
        }
    }
}

/// Makes the call that stands on stdin.
pub fn main() -> ExitCode {
    let status = match serde_json::from_reader(io::stdin().lock()) {
        Ok(call) => make(&call),
        Err(error) => fault(&error),
    };
    ExitCode::from(status.code())
}

fn make(call: &Call<'_>) -> Status {
    let mut teller = Teller(Status::Fault);
    match super::call(call, &mut teller) {
        Ok(()) => teller.0,
        Err(failure) => {
            say(&failure);
            Status::from(&failure)
        }
    }
}

/// Keeps what the server lists, prints what its tool says, and holds what that means.
struct Teller(Status);

impl Listener for Teller {
    fn listed(&mut self, schema: &str) -> io::Result<()> {
        File::create_new(INPUT_SCHEMA)?.write_all(schema.as_bytes())
    }

    fn answered(&mut self, result: &CallToolResult) {
        self.0 = print(result).unwrap_or_else(|error| fault(&error));
    }
}

fn print(result: &CallToolResult) -> io::Result<Status> {
    let mut stdout = io::stdout().lock();
    serde_json::to_writer(&mut stdout, result)?;
    stdout.write_all(b"\n")?;
    stdout.flush()?;
    Ok(if result.is_error == Some(true) { Status::ToolError } else { Status::Finished })
}

fn fault(error: &dyn Display) -> Status {
    say(&format!("{COMMAND} failed: {error}"));
    Status::Fault
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_status_means_one_thing() {
        for status in Status::ALL {
            assert_eq!(Status::from_exit_code(status.code().into()), Some(status));
        }
        assert_eq!(Status::from_exit_code(-1), None);
    }
}
