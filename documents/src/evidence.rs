//! The ToolClad evidence envelope of one execution: the content of `evidence.json`.
//!
//! TOOL-EXEC writes it, the gate reads it; both use this type. It is written as pretty JSON with a final newline, keys
//! in the order of this file. Nothing here is trusted: the gate compares it with the document, the artifacts and the
//! request. Standards: ToolClad, "Output & Evidence", "Envelope Fields"; the fields after `results` are gatepost's own.

mod interaction;
mod kind;
mod learn;
mod proof;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::digest::Digest;
use crate::id::RequestId;
use crate::pins::ToolFile;
pub use interaction::{INTERACTIONS_MAX, INTERACTIONS_SHOWN_MAX, Interaction, TRANSCRIPT_FILE};
pub use kind::*;
pub use learn::{Learn, NOT_ENFORCED_MAX, NotEnforced};
pub use proof::{Proof, is_fingerprint, is_signature_path, signature_path};

/// The path in a bundle of results that are too large for the evidence.
pub const RESULTS_FILE: &str = "artifacts/results.json";

/// The path below `artifacts/` of the head of the response to an HTTP call, which gatepost's own worker writes.
pub const RESPONSE_HEAD: &str = "out/response-head.txt";

/// The path below `artifacts/` of the schema that an MCP server lists for the tool that is called; the same of its worker.
pub const INPUT_SCHEMA: &str = "out/input_schema.json";

/// The maximum size of [`Evidence::http_body`], bytes.
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
    /// The kind of failure.
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

impl Failure {
    /// Whether somebody cancelled the request, before its tool ran or while it ran.
    pub fn is_cancellation(&self) -> bool {
        self.code == FailureCode::Cancelled
            || self.reasons.iter().any(|reason| reason.code == crate::reason::Code::RequestCancelled)
    }
}

/// One person's approval of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// How the approval was proved.
    pub mode: ApprovalMode,
    /// Who approved.
    pub approved_by: String,
    /// When it was declared, or when its signature was received, RFC 3339, UTC.
    pub approved_utc: String,
    /// The signature, with the mode `signature` and only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

/// Who dropped a request: the owner of its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Dropped {
    /// The owner's number.
    pub uid: u32,
    /// The owner's name, if `/etc/passwd` has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// When it was claimed, RFC 3339, UTC.
    pub utc: String,
}

/// The decision of the site's policies before the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The decision.
    pub decision: PolicyDecision,
    /// The sorted ids of the deciding policies; empty if no policy permits the request.
    pub policies: Vec<String>,
    /// The digest of the policy set: of the output of `sha256sum policies/*.cedar`, with names in byte order.
    pub sha256: Digest,
}

/// What confined the tool, as enforced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sandbox {
    /// The level.
    pub level: EnforcedLevel,
    /// Every enforced layer, in the order in which TOOL-EXEC applied it.
    pub layers: Vec<String>,
    /// The kernel's release.
    pub kernel: String,
    /// The launcher, at level `external` and only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launcher: Option<Launcher>,
}

/// A program that replaces the built-in sandbox: a virtual machine, for instance.
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

/// A program of gatepost that TOOL-EXEC started in the sandbox instead of a tool's program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Worker {
    /// Its name: `gatepost-worker-http`, `-mcp`, `-browser` or `-monty`.
    pub name: String,
    /// The digest of the program that was executed.
    pub sha256: Digest,
}

/// The machine of a fleet that ran the tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Its name in `keys/nodes`.
    pub name: String,
    /// How often the request had been assigned, with this time.
    pub attempt: u32,
    /// Digest of the order to run it, which the home signed.
    pub order_sha256: Digest,
    /// Digest of the `SHA256SUMS` of the bundle that the node sealed; absent if it sent none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256sums_sha256: Option<Digest>,
}

/// The limits in force. For an absent limit only the machine's bounds applied.
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
    /// Resident memory of the whole process tree, bytes; above it TOOL-EXEC stops the tree.
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
    /// Total size of `/out`, bytes; the limit of `/tmp` is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_bytes: Option<u64>,
    /// Names in `/out`; the limit of `/tmp` is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub out_files: Option<u64>,
    /// Size of stdout, bytes; the limit of stderr is the same.
    pub stdout_bytes: u64,
}

/// The tool's measured use.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Processor time of the whole tree, user and system, milliseconds.
    pub cpu_ms: u64,
    /// Peak resident memory, bytes: of the largest process, or of the whole tree if that was higher. In the tree a shared page can
    /// count once for each process.
    pub memory_bytes_peak: u64,
    /// Size of stdout as stored, bytes: cut at the limit, secrets replaced.
    pub stdout_bytes: u64,
    /// Size of stderr as stored, bytes.
    pub stderr_bytes: u64,
}

/// The tool's use of the network. A destination is `host:port`, the host in lower case, an IPv6 address in brackets; or a host
/// alone, for any port and ICMP. A list has at most 256 entries, each once, sorted by bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// Whether there was one.
    pub used: NetworkUse,
    /// Destinations that were reached.
    pub destinations: Vec<String>,
    /// Destinations that the tool asked for and did not get: not listed by the request, or without a public address.
    pub refused: Vec<String>,
    /// How many other refusals there were: not a destination, contains a secret, or no room in the list.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused_unnamed: u64,
}

impl Network {
    /// Whether the tool was refused anything.
    pub fn has_refused(&self) -> bool {
        !self.refused.is_empty() || self.refused_unnamed > 0
    }
}

/// Whether a count is left out of a document.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
pub(crate) fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The envelope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The outcome.
    pub status: Status,
    /// `<unix seconds>-<16 hexadecimal digits>`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9]+-[0-9a-f]{16}$")))]
    pub scan_id: String,
    /// The manifest's name, or the program's without a manifest; empty if the request names none.
    pub tool: String,
    /// The argument vector as one line, quoted for a POSIX shell; secrets replaced. Empty without an argument vector.
    pub command: String,
    /// Wall-clock time of the tool, milliseconds.
    pub duration_ms: u64,
    /// When the tool started or the request was refused, RFC 3339, UTC.
    pub timestamp: String,
    /// The tool's exit status; −1 on timeout, after a signal, or if nothing ran.
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
    /// `artifacts/results.json`, for results that are too large for this file; then `results` is null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results_file: Option<String>,
    /// HTTP response status, for the HTTP backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    /// HTTP request method, for the HTTP backend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_method: Option<String>,
    /// The beginning of the body of an error response, at most 16 KiB, invalid UTF-8 replaced. Absent for an empty body and for
    /// other responses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http_body: Option<String>,
    /// The MCP server, if the manifest names one.
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
    /// The requester, in the request's own words; empty if unreadable.
    pub requested_by: String,
    /// The signature that proves the requester; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester_proof: Option<Proof>,
    /// Who dropped the request.
    pub dropped: Dropped,
    /// Digest of the manifest's bytes, on the clad lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest_sha256: Option<Digest>,
    /// The tool's other files at its start, on the clad lane.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ToolFile>,
    /// The version of the manifest, or of the program without a manifest; empty if unknown.
    pub tool_version: String,
    /// The lane.
    pub backend: Backend,
    /// The executor: `gatepost` and its version.
    pub executor: String,
    /// The program that called the server, drove the browser or ran the Python subset; else absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<Worker>,
    /// The machine of a fleet that ran it; absent for this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<Node>,
    /// The argument vector, secrets replaced.
    pub argv: Vec<String>,
    /// The manifest's arguments by name, as the tool got them; secrets and sensitive values replaced. A refusal has them, with the
    /// manifest, only if the call passed the manifest's checks and they are short.
    pub arguments: Map<String, Value>,
    /// The purpose, in the request's own words; empty if unreadable.
    pub purpose: String,
    /// Approvals that counted.
    pub approvals: Vec<Approval>,
    /// Digest of the text that the approvers were shown, made anew when the run was authorized; absent without approvals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_sha256: Option<Digest>,
    /// The policies' decision; absent if they were not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// What learn mode did not enforce; absent in mode `enforce`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learn: Option<Learn>,
    /// What confined the tool.
    pub sandbox: Sandbox,
    /// The limits in force.
    pub limits: Limits,
    /// What was used.
    pub usage: Usage,
    /// What happened on the network.
    pub network: Network,
    /// How TOOL-EXEC knew that the drop was complete.
    pub completeness: Completeness,
    /// Why it stopped.
    pub stop_reason: StopReason,
    /// Everything unusual, a sentence each, in the order in which TOOL-EXEC noticed it.
    pub anomalies: Vec<String>,
    /// The session of this run: the id of the request that opened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<String>,
    /// The interactions, in order; those that did not begin are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interactions: Vec<Interaction>,
}

impl Evidence {
    /// The interactions of the request itself, in their order; without those that other requests added to its session.
    pub fn own_interactions(&self) -> impl Iterator<Item = &Interaction> {
        self.interactions.iter().filter(|interaction| interaction.request_id.is_none())
    }

    /// Whether an HTTP server answered with a status that is no success.
    pub fn is_http_error(&self) -> bool {
        let code = self.error.as_ref().map(|error| &error.code);
        matches!(code, Some(FailureCode::HttpErrorStatus | FailureCode::HttpUnexpectedStatus))
    }
}
