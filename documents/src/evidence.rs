//! The ToolClad evidence envelope of one execution: the content of `evidence.json`.
//!
//! TOOL-EXEC writes it, the gate reads it; both mean this type. It is written as pretty JSON with a final newline, keys
//! in the order of this file. Nothing here is believed: the gate compares it with the document, the artifacts and the
//! request. Standards: ToolClad, "Output & Evidence", "Envelope Fields"; the fields after `results` are gatepost's own.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::digest::Digest;
use crate::id::RequestId;

/// How an execution ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The tool ended with 0 and its results satisfy their schema.
    Success,
    /// The tool failed, its output broke its contract, or the request was refused.
    Error,
    /// The tool reached its time limit.
    Timeout,
    /// An MCP server was asked to do it.
    Delegated,
}

impl Status {
    /// The text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Delegated => "delegated",
        }
    }
}

/// Why an execution stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It came to its own end, or never began.
    Completed,
    /// Its time was up.
    Timeout,
    /// It was cancelled, or the machine stopped under it.
    Cancelled,
    /// It reached a limit other than time.
    MaxBudgetReached,
    /// A session reached its number of turns.
    MaxTurnsReached,
}

/// How sure it is that a drop was whole when it was claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Completeness {
    /// It was renamed into the inbox.
    Renamed,
    /// A folder whose declared inputs are all there with their digests.
    Verified,
    /// It lay quiet for the settling time: a guess.
    Inferred,
}

impl Completeness {
    /// The text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Renamed => "renamed",
            Self::Verified => "verified",
            Self::Inferred => "inferred",
        }
    }
}

/// Why `status` is not success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// Stable, `UPPER_SNAKE`: `REQUEST_REFUSED`, `SPAWN_FAILED`, `TOOL_FAILED`, `TOOL_KILLED`, `TIMEOUT`, `MEMORY_LIMIT`,
    /// `PROCESS_LIMIT`, `RECURSION_LIMIT`, `OUTPUT_LIMIT`, `OUTPUT_PARSE_FAILED`, `OUTPUT_SCHEMA_VIOLATION`, `CANCELLED`,
    /// `INTERRUPTED`.
    pub code: String,
    /// One of the claw kinds: `filesystem auth session parse runtime mcp delivery usage policy unknown`.
    pub kind: String,
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

/// The manifest's approval as it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// `declared`: the request's own two fields were believed.
    pub mode: String,
    /// Who approved.
    pub approved_by: String,
    /// When, RFC 3339, UTC.
    pub approved_utc: String,
}

/// What held the tool, as really enforced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sandbox {
    /// `full`, `landlock` or `none`; `external` when a launcher stood in the place of the built-in sandbox.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["full", "landlock", "none", "external"])))]
    pub level: String,
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

/// What happened on the network. A destination is `host:port`, the host in lower case, an IPv6 address in brackets. A list
/// holds each once, sorted by its bytes, and at most 256.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// `none` when there was no network, else `allowlist`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["none", "allowlist"])))]
    pub used: String,
    /// Destinations really reached.
    pub destinations: Vec<String>,
    /// Destinations that the tool asked for and was denied: the request does not list them, or their names lead inward.
    pub refused: Vec<String>,
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
    /// HTTP response status, for the HTTP backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    /// HTTP request method, for the HTTP backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_method: Option<String>,
    /// Upstream server, for the MCP backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<String>,
    /// Upstream tool, for the MCP backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_tool: Option<String>,
    /// Mapped arguments, for the MCP backend.
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
    /// Digest of the manifest's bytes, on the clad lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest_sha256: Option<Digest>,
    /// The version of the manifest; where there is none, of the program; empty where that is unknown.
    pub tool_version: String,
    /// The lane: `clad`, `ERA` or `monty`; `none` when the request could not be read.
    pub backend: String,
    /// Who executed: `gatepost` and its version.
    pub executor: String,
    /// The argument vector, secrets replaced.
    pub argv: Vec<String>,
    /// The arguments of a manifest as they were bound, by name, as the tool got them; secrets and sensitive values replaced.
    pub arguments: Map<String, Value>,
    /// Why the request was made, in its own words; empty when that could not be read.
    pub purpose: String,
    /// Approvals that held.
    pub approvals: Vec<Approval>,
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
    /// The session that this belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<String>,
}
