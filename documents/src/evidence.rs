//! The ToolClad evidence envelope of one execution: the content of `evidence.json`.
//!
//! TOOL-EXEC writes it, the gate reads it; both mean this type. It is written as pretty JSON with a final newline, keys
//! in the order of this file. Nothing here is believed: the gate compares it with the document, the artifacts and the
//! request. Standards: ToolClad, "Output & Evidence", "Envelope Fields"; the fields after `results` are gatepost's own.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::digest::Digest;
use crate::id::RequestId;
use crate::pins::ToolFile;
use crate::sandbox_level::SandboxLevel;

/// A kind with a fixed list of members, each with one text form, which is that in JSON. Any other text is refused.
macro_rules! kind {
    ($(#[$about:meta])* $name:ident { $($(#[$meaning:meta])+ $member:ident $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $name { $($(#[$meaning])+ #[serde(rename = $text)] $member,)+ }

        impl $name {
            /// The text form.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$member => $text,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

kind! {
    /// How an execution ended.
    Status {
        /// The tool ended with 0 and its results satisfy their schema.
        Success "success",
        /// The tool failed, its output broke its contract, or the request was refused.
        Error "error",
        /// The tool reached its time limit.
        Timeout "timeout",
        /// An MCP server was asked to do it.
        Delegated "delegated",
    }
}

kind! {
    /// Why an execution stopped.
    StopReason {
        /// It came to its own end, or never began.
        Completed "completed",
        /// Its time was up.
        Timeout "timeout",
        /// It was cancelled, or the machine stopped under it.
        Cancelled "cancelled",
        /// It reached a limit other than time.
        MaxBudgetReached "max_budget_reached",
        /// A session reached its number of turns.
        MaxTurnsReached "max_turns_reached",
    }
}

kind! {
    /// How sure it is that a drop was whole when it was claimed.
    Completeness {
        /// It was renamed into the inbox.
        Renamed "renamed",
        /// A folder whose declared inputs are all there with their digests.
        Verified "verified",
        /// It lay quiet for the settling time: a guess.
        Inferred "inferred",
    }
}

kind! {
    /// What carried a request out.
    Backend {
        /// The lane `clad`: a manifest.
        Clad "clad",
        /// The lane `ERA`: a command line.
        Era "ERA",
        /// The lane `monty`: a program in the Python subset.
        Monty "monty",
        /// Nothing: the request could not be read.
        None "none",
    }
}

kind! {
    /// How an approval was found to hold.
    ApprovalMode {
        /// The request's own two fields were believed.
        Declared "declared",
        /// A signature over the request's bytes was verified.
        Signature "signature",
    }
}

kind! {
    /// Whether requests must be signed.
    #[derive(Default)]
    Signatures {
        /// One is verified where there is one.
        #[default]
        Accepted "accepted",
        /// None is carried out without.
        Required "required",
    }
}

kind! {
    /// What the site's policies said of a request.
    PolicyDecision {
        /// It may be carried out.
        Permitted "permitted",
        /// It may be once more people approved it.
        NeedsApproval "needs_approval",
        /// It may not, whoever approves it.
        Denied "denied",
    }
}

kind! {
    /// The network that a tool had.
    NetworkUse {
        /// None.
        None "none",
        /// Listed destinations, and no others.
        Allowlist "allowlist",
    }
}

kind! {
    /// What held a tool: a level of the built-in sandbox, or a launcher in its place.
    EnforcedLevel {
        /// [`SandboxLevel::Full`]
        Full "full",
        /// [`SandboxLevel::Landlock`]
        Landlock "landlock",
        /// [`SandboxLevel::None`]
        None "none",
        /// A launcher.
        External "external",
    }
}

impl EnforcedLevel {
    /// The level of the built-in sandbox; absent where a launcher stood in its place.
    pub const fn built_in(self) -> Option<SandboxLevel> {
        match self {
            Self::Full => Some(SandboxLevel::Full),
            Self::Landlock => Some(SandboxLevel::Landlock),
            Self::None => Some(SandboxLevel::None),
            Self::External => None,
        }
    }
}

impl From<SandboxLevel> for EnforcedLevel {
    fn from(level: SandboxLevel) -> Self {
        match level {
            SandboxLevel::Full => Self::Full,
            SandboxLevel::Landlock => Self::Landlock,
            SandboxLevel::None => Self::None,
        }
    }
}

kind! {
    /// What went wrong, as a stable code.
    FailureCode {
        /// The request was refused, and nothing ran.
        RequestRefused "REQUEST_REFUSED",
        /// The tool did not start.
        SpawnFailed "SPAWN_FAILED",
        /// The tool ended with an exit status other than 0.
        ToolFailed "TOOL_FAILED",
        /// A file of the tool changed while it ran.
        ToolChanged "TOOL_CHANGED",
        /// A signal killed the tool.
        ToolKilled "TOOL_KILLED",
        /// It was stopped at its time limit.
        Timeout "TIMEOUT",
        /// It was stopped at its memory limit.
        MemoryLimit "MEMORY_LIMIT",
        /// It was stopped at its limit of processes and threads.
        ProcessLimit "PROCESS_LIMIT",
        /// It made more calls within calls than it may.
        RecursionLimit "RECURSION_LIMIT",
        /// It printed or left more than it may.
        OutputLimit "OUTPUT_LIMIT",
        /// Its output has no results of the declared format.
        OutputParseFailed "OUTPUT_PARSE_FAILED",
        /// Its results break the output schema.
        OutputSchemaViolation "OUTPUT_SCHEMA_VIOLATION",
        /// It was cancelled.
        Cancelled "CANCELLED",
        /// Nothing more was heard of it.
        Interrupted "INTERRUPTED",
    }
}

kind! {
    /// The sort of a failure, in the kinds of claw.
    FailureKind {
        /// Files and folders.
        Filesystem "filesystem",
        /// Credentials.
        Auth "auth",
        /// Sessions.
        Session "session",
        /// Output that cannot be read as what it should be.
        Parse "parse",
        /// The run itself.
        Runtime "runtime",
        /// MCP servers.
        Mcp "mcp",
        /// Handing over of results.
        Delivery "delivery",
        /// The call.
        Usage "usage",
        /// What the site forbids.
        Policy "policy",
        /// None of the others.
        Unknown "unknown",
    }
}

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

/// A signature over the request's bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The fingerprint of the key that made it, `SHA256:…`.
    pub key: String,
    /// Its path in the bundle, [`signature_path`].
    pub signature: String,
}

/// Where a signature lies in a bundle: under the beginning of the digest of its bytes.
pub fn signature_path(bytes: &[u8]) -> String {
    let digest = Digest::of(bytes).to_string();
    format!("approvals/{}.sig", digest.get(..16).unwrap_or_default())
}

/// Whether a text has the form of [`signature_path`].
pub fn is_signature_path(text: &str) -> bool {
    let name = text.strip_prefix("approvals/").and_then(|name| name.strip_suffix(".sig"));
    name.is_some_and(|name| name.len() == 16 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
}

/// Whether a text has the form of a key's fingerprint, `SHA256:` and 43 characters of base64.
pub fn is_fingerprint(text: &str) -> bool {
    let digest = text.strip_prefix("SHA256:");
    digest.is_some_and(|digest| {
        digest.len() == 43 && digest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte))
    })
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
    /// Whether there was one.
    pub used: NetworkUse,
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
    /// The argument vector, secrets replaced.
    pub argv: Vec<String>,
    /// The arguments of a manifest as they were bound, by name, as the tool got them; secrets and sensitive values replaced.
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
    /// The session that this belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_session_id: Option<String>,
}
