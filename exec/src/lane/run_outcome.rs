//! The report of a lane about a run: what was to run, how it ended, and its results.
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

/// What runs, as evidence may name it: secrets are replaced.
#[derive(Debug)]
pub struct Invocation {
    /// The manifest's name; where there is none, the program's.
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
    /// The limits that it is given.
    pub limits: Limits,
    /// What holds it in the place of the built-in sandbox.
    pub launcher: Option<Launcher>,
    /// What its backend calls.
    pub upstream: Upstream,
    /// Of a session or browser, what was done so far.
    pub session: Option<SessionPart>,
}

impl Invocation {
    /// One without a manifest: of a program or a worker.
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

/// What the backend of a manifest calls beyond this machine, if it is made for that.
#[derive(Debug, Clone, PartialEq)]
pub enum Upstream {
    /// Nothing.
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
    /// What our own worker writes of the call, below `artifacts/`.
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

/// How a program ended.
#[derive(Debug, Clone)]
pub struct Ending {
    /// Its exit status; −1 when it did not come to its own end.
    pub exit_code: i32,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// Wall-clock time, milliseconds.
    pub duration_ms: u64,
    /// What it used.
    pub usage: Usage,
    /// The limits that were in force.
    pub limits: Limits,
    /// Its confinement.
    pub sandbox: Sandbox,
    /// What happened on the network.
    pub network: Network,
}

/// What was done in a session, or with a browser.
#[derive(Debug, Clone)]
pub struct SessionPart {
    /// The session, by the request that opened it.
    pub id: String,
    /// What was done.
    pub interactions: Vec<Interaction>,
}

/// What ran.
#[derive(Debug)]
pub struct RunOutcome {
    /// What it was, with what came to be known only when it ran.
    pub invocation: Invocation,
    /// How it ended; absent if it did not start.
    pub ending: Option<Ending>,
    /// Its results, null on a lane that has none; or why it failed. What did not start and did not fail either is the caller's to carry
    /// out.
    pub results: Result<Value, Failure>,
    /// What a worker of our own reports of a run that failed; null on the lanes without such a report.
    pub report: Value,
    /// Its own output file below `artifacts/`, if it wrote one; else stdout is its output.
    pub output_file: Option<&'static str>,
    /// Everything unusual, a sentence each.
    pub anomalies: Vec<String>,
}

impl RunOutcome {
    /// One with these results, no output file and nothing unusual.
    pub(super) fn new(invocation: Invocation, ending: Option<Ending>, results: Result<Value, Failure>) -> Self {
        Self { invocation, ending, results, report: Value::Null, output_file: None, anomalies: Vec::new() }
    }

    /// What was checked, and is the caller's to carry out.
    pub(super) fn delegated(invocation: Invocation) -> Self {
        Self::new(invocation, None, Ok(Value::Null))
    }

    /// What was allowed to run, and could not be started for reasons that came up since.
    pub(super) fn not_started(invocation: Invocation, reasons: &[Reason]) -> Self {
        let (message, hint) = reasons.first().map_or(("", ""), |reason| (&reason.message, &reason.hint));
        let failure = failure(FailureCode::SpawnFailed, "spawn", &invocation.tool, message.to_owned(), hint);
        Self::new(invocation, None, Err(failure))
    }
}
