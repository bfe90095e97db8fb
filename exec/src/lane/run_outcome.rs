//! The report of a lane about a run: the invocation, its end, and its results.
//!
//! Only [`crate::evidence`] makes evidence from it.

use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{
    Failure, FailureCode, INPUT_SCHEMA, Interaction, Launcher, Limits, Network, RESPONSE_HEAD, Sandbox, StopReason,
    Usage, Worker,
};
use gatepost_documents::pins::ToolFile;
use gatepost_documents::reason::Reason;
use serde_json::{Map, Value};

use crate::lane::ending::failure;

/// The invocation for the evidence, with secrets replaced.
#[derive(Debug)]
pub struct Invocation {
    /// The manifest's name; without one, the program's.
    pub tool: String,
    /// Its version; empty while that is unknown.
    pub tool_version: String,
    /// The argument vector.
    pub argv: Vec<String>,
    /// The arguments of a manifest, by name.
    pub arguments: Map<String, Value>,
    /// The digest of the manifest.
    pub manifest_sha256: Option<Digest>,
    /// The other files of the tool.
    pub programs: Vec<ToolFile>,
    /// The worker that runs in the place of a program.
    pub worker: Option<Worker>,
    /// Its limits.
    pub limits: Limits,
    /// The launcher that replaces the built-in sandbox.
    pub launcher: Option<Launcher>,
    /// The target of its backend.
    pub upstream: Upstream,
    /// The interactions so far of a session or browser.
    pub session: Option<SessionPart>,
}

impl Invocation {
    /// An invocation without a manifest: of a program or a worker.
    pub(super) fn without_manifest(tool: String, argv: Vec<String>, limits: Limits) -> Self {
        Self {
            tool,
            tool_version: String::new(),
            argv,
            arguments: Map::new(),
            manifest_sha256: None,
            programs: Vec::new(),
            worker: None,
            limits,
            launcher: None,
            upstream: Upstream::None,
            session: None,
        }
    }
}

/// The remote target of a manifest's backend, if any.
#[derive(Debug, Clone, PartialEq)]
pub enum Upstream {
    /// None.
    None,
    /// An HTTP server.
    Http {
        /// The method of the request.
        method: &'static str,
        /// The status of the response, once there is one.
        status: Option<u16>,
    },
    /// A tool of an MCP server.
    Mcp {
        /// The server's name in the site's configuration.
        server: String,
        /// Its tool.
        tool: String,
        /// The arguments under the tool's own names for them.
        arguments: Map<String, Value>,
    },
}

impl Upstream {
    /// The files that our own worker writes about the call, below `artifacts/`.
    pub fn own_file(&self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Http { .. } => Some(RESPONSE_HEAD),
            Self::Mcp { .. } => Some(INPUT_SCHEMA),
        }
    }

    /// The one of these whose first line is the status of the response.
    pub fn head(&self) -> Option<&'static str> {
        self.own_file().filter(|_| matches!(self, Self::Http { .. }))
    }
}

/// The end of a program.
#[derive(Debug, Clone)]
pub struct Ending {
    /// Its exit status; −1 if it did not end by itself.
    pub exit_code: i32,
    /// The stop reason.
    pub stop_reason: StopReason,
    /// Wall-clock time, milliseconds.
    pub duration_ms: u64,
    /// Its usage.
    pub usage: Usage,
    /// The effective limits.
    pub limits: Limits,
    /// Its confinement.
    pub sandbox: Sandbox,
    /// Its network record.
    pub network: Network,
}

/// The interactions of a session or browser.
#[derive(Debug, Clone)]
pub struct SessionPart {
    /// The session, by the request that opened it.
    pub id: String,
    /// The interactions.
    pub interactions: Vec<Interaction>,
}

/// The outcome of a run.
#[derive(Debug)]
pub struct RunOutcome {
    /// The invocation, completed with facts from the run.
    pub invocation: Invocation,
    /// Its end; absent if it did not start.
    pub ending: Option<Ending>,
    /// Its results (null on a lane without any), or its failure. If it neither started nor failed, the caller carries it
    /// out.
    pub results: Result<Value, Failure>,
    /// The report of a worker about a failed run; null on lanes without such a report.
    pub report: Value,
    /// Its own output file below `artifacts/`, if it wrote one; else stdout is its output.
    pub output_file: Option<&'static str>,
    /// The anomalies, a sentence each.
    pub anomalies: Vec<String>,
    /// Whether it may have failed because the machine was out of something that connections need.
    pub was_short: bool,
}

impl RunOutcome {
    /// An outcome with these results, without output file and anomalies.
    pub(super) fn new(invocation: Invocation, ending: Option<Ending>, results: Result<Value, Failure>) -> Self {
        let (report, output_file, anomalies) = (Value::Null, None, Vec::new());
        Self { invocation, ending, results, report, output_file, anomalies, was_short: false }
    }

    /// The outcome of a checked call that the caller carries out.
    pub(super) fn delegated(invocation: Invocation) -> Self {
        Self::new(invocation, None, Ok(Value::Null))
    }

    /// The outcome of an authorized run that could not start for new reasons.
    pub(super) fn not_started(invocation: Invocation, reasons: &[Reason]) -> Self {
        let (message, hint) = reasons.first().map_or(("", ""), |reason| (&reason.message, &reason.hint));
        let failure = failure(FailureCode::SpawnFailed, "spawn", &invocation.tool, message.to_owned(), hint);
        Self::new(invocation, None, Err(failure))
    }
}
