//! The front matter of a result document, as a value whose parts are each valid.
//!
//! Read in two steps: each key is checked against its rule, so that all faults are listed; then the lines must equal
//! the printed form of the values, so that one value has one spelling. Stage 5 checks whether the values are true.
//! Standards: ThreeGate tool-result schema, version 1; `schemas/result.schema.md`, Front matter.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use gatepost_documents::artifact_name;
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::Status;
use gatepost_documents::front_matter::{Document, Entry, Node, Value};
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

pub(crate) mod value;

use value::{artifacts, destinations, digest, exactly, integer, network_used, one_of, optional_digest, seconds, text};

/// The front matter of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ResultDocument {
    /// `tool_result`
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["tool_result"])))]
    pub result_type: String,
    /// 1
    #[cfg_attr(feature = "schema", schemars(extend("enum" = [1])))]
    pub schema_version: i64,
    /// The name of the folder.
    pub result_id: ResultId,
    /// When the result was sealed, RFC 3339, UTC, whole seconds: the time in `result_id`.
    #[cfg_attr(
        feature = "schema",
        schemars(regex(pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"))
    )]
    pub created_utc: String,
    /// The request that is answered.
    pub request_id: RequestId,
    /// `tool-exec`
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["tool-exec"])))]
    pub executor: String,
    /// The lane: `clad`, `ERA` or `monty`; `none` if the request was unreadable.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["clad", "ERA", "monty", "fetch", "none"])))]
    pub backend: String,
    /// The tool's exit status; −1 on timeout, after a signal, or if nothing ran.
    pub exit_code: i32,
    /// Wall-clock time of the tool in seconds, with three decimals.
    pub runtime_sec: f64,
    /// `none` or `allowlist`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["none", "allowlist"])))]
    pub network_used: String,
    /// Destinations that were reached, `host:port`.
    pub network_destinations: Vec<String>,
    /// Every file below `artifacts/`, by the bytes of its path.
    pub artifacts: Vec<Artifact>,
    /// Digest of `artifacts/stdout.txt`.
    pub stdout_sha256: Digest,
    /// Digest of `artifacts/stderr.txt`.
    pub stderr_sha256: Digest,
    /// The requester; empty if unreadable.
    pub requested_by: String,
    /// The outcome of the execution.
    pub status: Status,
    /// The manifest's or program's name; empty if the request names none.
    pub tool: String,
    /// The manifest's or program's version; empty if unknown.
    pub tool_version: String,
    /// Digest of the manifest, or empty.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^([0-9a-f]{64})?$")))]
    pub manifest_sha256: String,
    /// Digest of the request's bytes as claimed.
    pub request_sha256: Digest,
    /// Digest of `evidence.json`.
    pub evidence_sha256: Digest,
    /// The enforced sandbox: `full`, `landlock`, `none` or `external`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["full", "landlock", "none", "external"])))]
    pub sandbox: String,
    /// Who approved first, or empty.
    pub approved_by: String,
}

/// One artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// Its path below `artifacts/`.
    pub path: String,
    /// The digest of its bytes.
    pub sha256: Digest,
}

/// The required form of a key's value.
struct Rule {
    key: &'static str,
    expected: &'static str,
    holds: fn(&Value) -> bool,
}

const fn rule(key: &'static str, expected: &'static str, holds: fn(&Value) -> bool) -> Rule {
    Rule { key, expected, holds }
}

/// The keys that only TOOL-EXEC's documents have, after those of `ThreeGate`: each refers to another part of the bundle.
pub(crate) const SEALED_KEYS: [&str; 9] = [
    "requested_by",
    "status",
    "tool",
    "tool_version",
    "manifest_sha256",
    "request_sha256",
    "evidence_sha256",
    "sandbox",
    "approved_by",
];

const DIGEST: &str = "a SHA-256 digest in 64 lower-case hexadecimal digits";
const LEVELS: [&str; 4] = ["full", "landlock", "none", "external"];
const TEXT: &str = "a text of at most 128 printable characters";

/// The keys, in their order.
const RULES: [Rule; 23] = [
    rule("result_type", "tool_result", |value| exactly(value, "tool_result").is_some()),
    rule("schema_version", "1", |value| integer(value) == Some(1)),
    rule("result_id", "a result id", |value| text(value).is_some_and(|text| ResultId::parse(text).is_ok())),
    rule("created_utc", "a time of the form YYYY-MM-DDTHH:MM:SSZ", |value| value::time(value).is_some()),
    rule("request_id", "a request id", |value| text(value).is_some_and(|text| RequestId::parse(text).is_ok())),
    rule("executor", "tool-exec", |value| exactly(value, "tool-exec").is_some()),
    rule("backend", "clad, ERA, monty, fetch or none", |value| {
        one_of(value, &["clad", "ERA", "monty", "fetch", "none"]).is_some()
    }),
    rule("exit_code", "an integer of 32 bits", |value| value::exit_code(value).is_some()),
    rule("runtime_sec", "seconds with three decimals", |value| seconds(value).is_some()),
    rule("network_used", "none or allowlist", |value| network_used(value).is_some()),
    rule("network_destinations", "a list of host:port", |value| destinations(value).is_some()),
    rule("artifacts", "a list of path and sha256", |value| artifacts(value).is_some()),
    rule("stdout_sha256", DIGEST, |value| digest(value).is_some()),
    rule("stderr_sha256", DIGEST, |value| digest(value).is_some()),
    rule("requested_by", TEXT, |value| value::name(value).is_some()),
    rule("status", "success, error, timeout or delegated", |value| value::status(value).is_some()),
    rule("tool", TEXT, |value| value::name(value).is_some()),
    rule("tool_version", TEXT, |value| value::name(value).is_some()),
    rule("manifest_sha256", "a SHA-256 digest, or nothing", |value| optional_digest(value).is_some()),
    rule("request_sha256", DIGEST, |value| digest(value).is_some()),
    rule("evidence_sha256", DIGEST, |value| digest(value).is_some()),
    rule("sandbox", "full, landlock, none or external", |value| one_of(value, &LEVELS).is_some()),
    rule("approved_by", TEXT, |value| value::name(value).is_some()),
];

impl ResultDocument {
    /// Reads the front matter of `document`, whose whole text is `source`; `file` is its name in the reasons.
    pub fn read(document: &Document<'_>, source: &str, file: &str) -> Result<Self, Vec<Reason>> {
        let mut reasons = faults(&document.entries);
        if reasons.is_empty() {
            let read = Self::build(&document.entries);
            match read.map(|read| (read.misspelled(source), read)) {
                Some((None, read)) => return Ok(read),
                Some((Some(reason), _)) => reasons.push(reason),
                None => reasons.push(Reason::new(Code::ValueInvalid, "A value has no valid form.", HINT)),
            }
        }
        Err(reasons.into_iter().map(|reason| reason.in_file(file)).collect())
    }

    fn build(entries: &[Entry]) -> Option<Self> {
        let of = |key: &str| entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node.value);
        let name = |key| value::name(of(key)?).map(str::to_owned);
        Some(Self {
            result_type: exactly(of("result_type")?, "tool_result")?.to_owned(),
            schema_version: integer(of("schema_version")?)?,
            result_id: ResultId::parse(text(of("result_id")?)?).ok()?,
            created_utc: value::time(of("created_utc")?)?.to_owned(),
            request_id: RequestId::parse(text(of("request_id")?)?).ok()?,
            executor: name("executor")?,
            backend: name("backend")?,
            exit_code: value::exit_code(of("exit_code")?)?,
            runtime_sec: seconds(of("runtime_sec")?)?,
            network_used: name("network_used")?,
            network_destinations: destinations(of("network_destinations")?)?,
            artifacts: artifacts(of("artifacts")?)?,
            stdout_sha256: digest(of("stdout_sha256")?)?,
            stderr_sha256: digest(of("stderr_sha256")?)?,
            requested_by: name("requested_by")?,
            status: value::status(of("status")?)?,
            tool: name("tool")?,
            tool_version: name("tool_version")?,
            manifest_sha256: name("manifest_sha256")?,
            request_sha256: digest(of("request_sha256")?)?,
            evidence_sha256: digest(of("evidence_sha256")?)?,
            sandbox: name("sandbox")?,
            approved_by: name("approved_by")?,
        })
    }

    /// The first line whose spelling differs from the printed form of its value.
    fn misspelled(&self, source: &str) -> Option<Reason> {
        let expected = self.to_string();
        let mut found = source.split('\n').zip(1_u32..);
        expected.lines().find_map(|expected| match found.next() {
            Some((line, _)) if line == expected => None,
            found => {
                let (line, number) = found.unwrap_or_default();
                let message = format!("The line {} should be {}.", quoted(line), quoted(expected));
                let hint = "Write the keys in their order, one line each, texts in double quotes and numbers bare.";
                Some(Reason::new(Code::ValueInvalid, message, hint).at(number, 1))
            }
        })
    }
}

/// The front matter with its fences, as printed.
impl std::fmt::Display for ResultDocument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let destinations: Vec<_> = self.network_destinations.iter().map(|text| in_quotes(text)).collect();
        let mut artifacts = String::new();
        for Artifact { path, sha256 } in &self.artifacts {
            write!(artifacts, "\n  - path: {}\n    sha256: \"{sha256}\"", in_quotes(path))?;
        }
        writeln!(f, "---\nresult_type: {}\nschema_version: {}", self.result_type, self.schema_version)?;
        writeln!(f, "result_id: \"{}\"\ncreated_utc: \"{}\"", self.result_id, self.created_utc)?;
        writeln!(f, "request_id: \"{}\"\nexecutor: \"{}\"", self.request_id, self.executor)?;
        writeln!(f, "backend: \"{}\"\nexit_code: {}", self.backend, self.exit_code)?;
        writeln!(f, "runtime_sec: {:.3}\nnetwork_used: \"{}\"", self.runtime_sec, self.network_used)?;
        writeln!(f, "network_destinations: [{}]\nartifacts:{artifacts}", destinations.join(", "))?;
        writeln!(f, "stdout_sha256: \"{}\"\nstderr_sha256: \"{}\"", self.stdout_sha256, self.stderr_sha256)?;
        writeln!(f, "requested_by: {}\nstatus: \"{}\"", in_quotes(&self.requested_by), self.status.as_str())?;
        writeln!(f, "tool: {}", in_quotes(&self.tool))?;
        writeln!(f, "tool_version: {}", in_quotes(&self.tool_version))?;
        writeln!(f, "manifest_sha256: \"{}\"\nrequest_sha256: \"{}\"", self.manifest_sha256, self.request_sha256)?;
        writeln!(f, "evidence_sha256: \"{}\"\nsandbox: \"{}\"", self.evidence_sha256, self.sandbox)?;
        writeln!(f, "approved_by: {}\n---", in_quotes(&self.approved_by))
    }
}

fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

const HINT: &str = "Write exactly the keys of the result format, in their order, with values of their form.";

/// Every key that is missing, unknown or has a value of the wrong form.
fn faults(entries: &[Entry]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for Rule { key, expected, holds } in &RULES {
        match entries.iter().find(|entry| entry.key == *key) {
            None => reasons.push(Reason::new(Code::KeyMissing, format!("The key {key} is missing."), HINT).at(1, 1)),
            Some(Entry { node: Node { value, line, column }, .. }) if !holds(value) => {
                let message = format!("The value of {key} is not {expected}.");
                let reason = Reason::new(Code::ValueInvalid, message, HINT).at(*line, *column);
                reasons.push(match value {
                    Value::Scalar { text, .. } => reason.quoting(text),
                    Value::Null | Value::List(_) | Value::Map(_) => reason,
                });
            }
            Some(_) => {}
        }
    }
    for Entry { key, line, column, .. } in entries {
        if !RULES.iter().any(|rule| rule.key == key) {
            let message = format!("A result has no key {}.", quoted(key));
            reasons.push(Reason::new(Code::KeyUnknown, message, HINT).at(*line, *column));
        }
    }
    reasons
}
