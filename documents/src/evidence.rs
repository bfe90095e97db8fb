//! The ToolClad evidence envelope of one execution: the content of `evidence.json`.
//!
//! TOOL-EXEC writes it, the gate reads it; both mean this type. It is written as pretty JSON with a final newline, keys
//! in the order of this file. Nothing here is believed: the gate compares it with the document, the artifacts and the
//! request. Standards: ToolClad, "Output & Evidence", "Envelope Fields"; the fields after `results` are gatepost's own.

mod interaction;
mod kind;
mod proof;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::digest::Digest;
use crate::id::RequestId;
use crate::pins::ToolFile;
pub use interaction::{INTERACTIONS_MAX, INTERACTIONS_SHOWN_MAX, Interaction, TRANSCRIPT_FILE};
pub use kind::*;
pub use proof::{Proof, is_fingerprint, is_signature_path, signature_path};

/// The path in a bundle of results that are too large for the evidence.
pub const RESULTS_FILE: &str = "artifacts/results.json";

/// The path below `artifacts/` of the head of the response to an HTTP call, which gatepost's own worker writes.
pub const RESPONSE_HEAD: &str = "out/response-head.txt";

/// The path below `artifacts/` of the schema that an MCP server lists for the tool that is called; the same of its worker.
pub const INPUT_SCHEMA: &str = "out/input_schema.json";

/// Bytes of the body of a response that [`Evidence::http_body`] holds, at most.
pub const HTTP_BODY_BYTES_MAX: usize = 16 << 10;

/// Bytes of results as compact JSON, at most, in that file.
pub const RESULTS_BYTES_MAX: usize = 16 << 20;

/// Why `status` is not success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// What went wrong.
    pub code: FailureCode,
    /// Its sort.
    pub kind: FailureKind,
    /// The step that failed: `read`, `authorize`, `spawn`, `wait`, `parse`, …
    pub operation: String,
    /// What it was done to.
    pub target: String,
    /// Whether the identical request under a new id may succeed.
    pub retryable: bool,
    /// A whole sentence.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// For a refusal: every reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<crate::reason::Reason>,
}

/// One person's approval of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// How it was found to hold.
    pub mode: ApprovalMode,
    /// Who approved.
    pub approved_by: String,
    /// When it was declared, or when its signature was received, RFC 3339, UTC.
    pub approved_utc: String,
    /// The signature, with the mode `signature` and only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

/// Who dropped a request, as the kernel says of its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Dropped {
    /// The owner's number.
    pub uid: u32,
    /// The owner's name, where `/etc/passwd` has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// When it was claimed, RFC 3339, UTC.
    pub utc: String,
}

/// What the site's policies said of the request before anything ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The decision.
    pub decision: PolicyDecision,
    /// The policies that decided, by their ids, sorted; empty when no policy permits the request.
    pub policies: Vec<String>,
    /// The digest of the set: of what `sha256sum policies/*.cedar` prints, the names in the order of their bytes.
    pub sha256: Digest,
}

/// What held the tool, as really enforced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sandbox {
    /// How strongly, in one word.
    pub level: EnforcedLevel,
    /// Every layer that was in force, in the order in which it was put on.
    pub layers: Vec<String>,
    /// The kernel's release.
    pub kernel: String,
    /// The launcher, at level `external` and only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launcher: Option<Launcher>,
}

/// A program that holds the tool in the place of the built-in sandbox: a virtual machine, for instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Launcher {
    /// Its path.
    pub program: String,
    /// The digest of the program that was executed.
    pub sha256: Digest,
    /// The first line that it prints when asked for its version; empty if it prints none.
    pub version: String,
}

/// A program of gatepost's own that TOOL-EXEC started inside the sandbox, in the place of a tool's program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Worker {
    /// Its name: `gatepost-worker-http`, `-mcp`, `-browser` or `-monty`.
    pub name: String,
    /// The digest of the program that was executed.
    pub sha256: Digest,
}

/// The limits in force. One that is absent was not set: what it bounds was bounded by the machine alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Wall-clock time, milliseconds.
    pub time_ms: u64,
    /// Processor time of one process, seconds.
    pub cpu_seconds: u64,
    /// Processors that its processes may run on at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpus: Option<u64>,
    /// Resident memory of the whole process tree, bytes; above it the tree is stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// Address space of one process, bytes.
    pub address_space_bytes: u64,
    /// Open files of one process.
    pub files: u64,
    /// Processes and threads of the whole process tree, at most.
    pub processes: u64,
    /// Largest file that may be written, bytes.
    pub file_bytes: u64,
    /// All that it may leave in `/out`, bytes; its `/tmp` holds as much.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_bytes: Option<u64>,
    /// Names that may stand in `/out`; its `/tmp` holds as many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_files: Option<u64>,
    /// Stdout kept, bytes; stderr has the same.
    pub stdout_bytes: u64,
}

/// What the tool really used.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Processor time of the whole tree, user and system, milliseconds.
    pub cpu_ms: u64,
    /// Peak resident memory, bytes: that of the largest process, or of the whole tree where it was seen to be higher;
    /// there a page that processes share may count for each.
    pub memory_bytes_peak: u64,
    /// Bytes of stdout as it is kept: those beyond the limit left out, secrets replaced.
    pub stdout_bytes: u64,
    /// Bytes of stderr, likewise.
    pub stderr_bytes: u64,
}

/// What happened on the network. A destination is `host:port`, the host in lower case, an IPv6 address in brackets; or a host alone, for
/// any port of it and ICMP. A list holds each once, sorted by its bytes, and at most 256.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Whether there was one.
    pub used: NetworkUse,
    /// Destinations really reached.
    pub destinations: Vec<String>,
    /// Destinations that the tool asked for and was denied: the request does not list them, or their names lead inward.
    pub refused: Vec<String>,
    /// How often something else was refused: what is no destination, holds a secret, or finds no room in the list.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused_unnamed: u64,
}

impl Network {
    /// Whether the tool was refused anything.
    pub fn has_refused(&self) -> bool {
        !self.refused.is_empty() || self.refused_unnamed > 0
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The envelope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// How it ended.
    pub status: Status,
    /// `<unix seconds>-<16 hexadecimal digits>`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9]+-[0-9a-f]{16}$")))]
    pub scan_id: String,
    /// The manifest's name; where there is no manifest, the program's; empty where the request named none.
    pub tool: String,
    /// The argument vector as one line, quoted as a POSIX shell would need it; secrets replaced. Empty if none was made.
    pub command: String,
    /// Wall-clock time of the tool, milliseconds.
    pub duration_ms: u64,
    /// When the tool started (or the refusal was decided), RFC 3339, UTC.
    pub timestamp: String,
    /// The tool's exit status; −1 on timeout, when a signal ended it, or when nothing ran.
    pub exit_code: i32,
    /// The beginning of stderr, at most 64 KiB, invalid UTF-8 replaced.
    pub stderr: String,
    /// The raw output's path in the bundle.
    pub output_file: String,
    /// `sha256:` and the digest of that file.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^sha256:[0-9a-f]{64}$")))]
    pub output_hash: String,
    /// Parsed and schema-valid output, or null.
    pub results: Value,
    /// Where they lie when they are too large for this file: [`RESULTS_FILE`]. Then `results` is null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results_file: Option<String>,
    /// HTTP response status, for the HTTP backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    /// HTTP request method, for the HTTP backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_method: Option<String>,
    /// The beginning of the body of a response whose status is an error, at most 16 KiB, invalid UTF-8 replaced; absent where it is
    /// empty, and where the status is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_body: Option<String>,
    /// The MCP server, where the manifest has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<String>,
    /// Its tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_tool: Option<String>,
    /// The arguments under the tool's own names, sensitive values replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_args: Option<Map<String, Value>>,
    /// `sha256:` and the digest of `artifacts/stderr.txt`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^sha256:[0-9a-f]{64}$")))]
    pub stderr_hash: String,
    /// Why the status is not success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// The request that was answered.
    pub request_id: RequestId,
    /// Digest of its bytes as claimed.
    pub request_sha256: Digest,
    /// Who asked, in the request's own words; empty when those could not be read.
    pub requested_by: String,
    /// What proves that; without it, it is only said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester_proof: Option<Proof>,
    /// Who dropped the request.
    pub dropped: Dropped,
    /// Digest of the manifest's bytes, on the clad lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest_sha256: Option<Digest>,
    /// The other files of the tool, as they were when it started, on the clad lane.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ToolFile>,
    /// The version of the manifest; where there is none, of the program; empty where that is unknown.
    pub tool_version: String,
    /// The lane.
    pub backend: Backend,
    /// Who executed: `gatepost` and its version.
    pub executor: String,
    /// What called the server, drove the browser or ran the Python subset. Absent where nothing of these was to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<Worker>,
    /// The argument vector, secrets replaced.
    pub argv: Vec<String>,
    /// The arguments of a manifest as they were bound, by name, as the tool got them; secrets and sensitive values replaced. A
    /// refusal has them, with the manifest, if the call passed the checks of its manifest and they are short; else none.
    pub arguments: Map<String, Value>,
    /// Why the request was made, in its own words; empty when that could not be read.
    pub purpose: String,
    /// Approvals that held.
    pub approvals: Vec<Approval>,
    /// What the policies said; absent when they were not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// What held the tool.
    pub sandbox: Sandbox,
    /// The limits in force.
    pub limits: Limits,
    /// What was used.
    pub usage: Usage,
    /// What happened on the network.
    pub network: Network,
    /// How sure it is that the drop was whole.
    pub completeness: Completeness,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// Everything unusual, a sentence each, in the order in which it was seen.
    pub anomalies: Vec<String>,
    /// The session that this belongs to, by the request that opened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<String>,
    /// What was done in it, in its order; what was not reached any more is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interactions: Vec<Interaction>,
}

impl Evidence {
    /// Whether an HTTP server answered with a status that is no success.
    pub fn is_http_error(&self) -> bool {
        let code = self.error.as_ref().map(|error| &error.code);
        matches!(code, Some(FailureCode::HttpErrorStatus | FailureCode::HttpUnexpectedStatus))
    }
}
