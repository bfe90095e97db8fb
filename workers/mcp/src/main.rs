//! `gatepost-worker-mcp`: calls one tool of an MCP server. TOOL-EXEC starts it inside the sandbox.
//!
//! The contract with TOOL-EXEC is [`gatepost_workers::mcp`]. *Security*: holds the server's secrets; the sandbox and its limits hold
//! even if a server takes this process over.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::process::ExitCode;

use gatepost_documents::evidence::INPUT_SCHEMA;
use gatepost_worker_mcp::{Answer, Failure, Listener, call};
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
        Failure::Start(_) | Failure::Initialize(_) | Failure::Listing(_) | Failure::Schema(_) => Status::NoServer,
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

    fn answered(&mut self, result: &Answer, unfit: Option<&str>) {
        if let Some(unfit) = unfit {
            report_error(&format!("the result does not fit the server's own output schema: {unfit}"));
        }
        self.0 = match print(&result.bytes) {
            Err(error) => fault(&error),
            Ok(()) if result.is_error() => Status::ToolError,
            Ok(()) if unfit.is_some() => Status::Unfit,
            Ok(()) => Status::Finished,
        };
    }
}

fn print(result: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(result)?;
    stdout.flush()
}

fn fault(error: &dyn Display) -> Status {
    report_error(&format!("{WORKER} failed: {error}"));
    Status::Fault
}
