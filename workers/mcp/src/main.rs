//! `gatepost-worker-mcp`: calls one tool of an MCP server. TOOL-EXEC starts it inside the sandbox.
//!
//! The contract with TOOL-EXEC is [`gatepost_workers::mcp`]. *Security*: holds the server's secrets; the sandbox and its limits hold
//! even if a server takes this process over.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;

use gatepost_documents::evidence::INPUT_SCHEMA;
use gatepost_worker_mcp::{CallToolResult, Failure, Listener, call};
use gatepost_workers::mcp::{Call, Status, WORKER};
use gatepost_workers::report_error;

fn main() -> ExitCode {
    let status = match serde_json::from_reader(io::stdin().lock()) {
        Ok(call) => make(&call),
        Err(error) => fault(&error),
    };
    ExitCode::from(status.code())
}

fn status_of(failure: &Failure) -> Status {
    match failure {
        Failure::Start(_) | Failure::Initialize(_) | Failure::Listing(_) => Status::NoServer,
        Failure::NoTool { .. } => Status::NoTool,
        Failure::Changed { .. } => Status::Changed,
        Failure::Arguments(_) => Status::Unsuitable,
        Failure::Store(_) => Status::Fault,
        Failure::Call(_) => Status::Unanswered,
    }
}

fn make(assignment: &Call<'_>) -> Status {
    let mut recorder = Recorder(Status::Fault);
    match call(assignment, &mut recorder) {
        Ok(()) => recorder.0,
        Err(failure) => {
            report_error(&failure);
            status_of(&failure)
        }
    }
}

/// Stores the listed schema, prints the tool's result, and keeps its status.
struct Recorder(Status);

impl Listener for Recorder {
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
    report_error(&format!("{WORKER} failed: {error}"));
    Status::Fault
}
