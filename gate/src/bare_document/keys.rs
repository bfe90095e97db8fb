//! The front matter of a bare document: ten required keys, four optional ones, and no others.
//!
//! The reader of front matter is the one for all documents, so two YAML readers cannot disagree. Here each key is
//! checked against its rule. Order and spelling are free. Later stages decide whether the values are true. *Standards*:
//! `ThreeGate` tool-result schema, "Required Front Matter".

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDateTime, Utc};

use crate::result_document::value::{
    destinations, digest, exactly, exit_code, integer, is_path, network_used, one_of, text, time,
};
use crate::result_document::{Artifact, SEALED_KEYS};
use gatepost_documents::digest::Digest;
use gatepost_documents::front_matter::{Document, Entry, Node, ScalarKind, Value};
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

/// The longest accepted run, seconds.
const RUNTIME_SECONDS_MAX: f64 = 1e9;

/// The parts of the front matter that later stages need.
pub(super) struct Keys {
    pub(super) result_id: ResultId,
    pub(super) created: DateTime<Utc>,
    pub(super) request_id: RequestId,
    pub(super) backend: String,
    /// Whether a network was used, and the destinations reached.
    pub(super) network: Option<Vec<String>>,
    /// Absent without the key: then the document states nothing about artifacts.
    pub(super) artifacts: Option<Vec<Artifact>>,
    pub(super) stdout_sha256: Option<Digest>,
    pub(super) stderr_sha256: Option<Digest>,
}

/// The required form of a key's value.
struct Rule {
    key: &'static str,
    expected: &'static str,
    is_required: bool,
    holds: fn(&Value) -> bool,
}

const fn required(key: &'static str, expected: &'static str, holds: fn(&Value) -> bool) -> Rule {
    Rule { key, expected, is_required: true, holds }
}

const fn optional(key: &'static str, expected: &'static str, holds: fn(&Value) -> bool) -> Rule {
    Rule { key, expected, is_required: false, holds }
}

const DIGEST: &str = "a SHA-256 digest in 64 lower-case hexadecimal digits";

const RULES: [Rule; 14] = [
    required("result_type", "tool_result", |value| exactly(value, "tool_result").is_some()),
    required("schema_version", "1", |value| integer(value) == Some(1) || exactly(value, "1").is_some()),
    required("result_id", "a result id", |value| result_id(value).is_some()),
    required("created_utc", "a time of the form \"YYYY-MM-DDTHH:MM:SSZ\", in quotes", |value| time(value).is_some()),
    required("request_id", "a request id", |value| request_id(value).is_some()),
    required("executor", "tool-exec", |value| exactly(value, "tool-exec").is_some()),
    required("backend", "ERA or monty", |value| backend(value).is_some()),
    required("exit_code", "an integer of 32 bits", |value| exit_code(value).is_some()),
    required("runtime_sec", "a number of seconds, 0 or more", is_runtime),
    required("network_used", "none or allowlist", |value| network_used(value).is_some()),
    optional("network_destinations", "a list of host:port", |value| destinations(value).is_some()),
    optional("artifacts", "a list of path and sha256, each path once", |value| artifacts(value).is_some()),
    optional("stdout_sha256", DIGEST, |value| digest(value).is_some()),
    optional("stderr_sha256", DIGEST, |value| digest(value).is_some()),
];

const KEYS_HINT: &str = "Write the keys of ThreeGate's tool result, with values of their form.";

impl Keys {
    /// Reads the front matter of `document`, which `file` names in the reasons.
    pub(super) fn read(document: &Document<'_>, file: &str) -> Result<Self, Vec<Reason>> {
        let mut reasons = faults(&document.entries);
        reasons.extend(unused_destinations(&document.entries));
        if reasons.is_empty() {
            match Self::build(&document.entries) {
                Some(keys) => return Ok(keys),
                None => reasons.push(Reason::new(Code::ValueInvalid, "A value has no valid form.", KEYS_HINT)),
            }
        }
        Err(reasons.into_iter().map(|reason| reason.in_file(file)).collect())
    }

    fn build(entries: &[Entry]) -> Option<Self> {
        let of = |key| value_of(entries, key);
        let created = NaiveDateTime::parse_from_str(time(of("created_utc")?)?, "%Y-%m-%dT%H:%M:%SZ").ok()?;
        let reached = of("network_destinations").and_then(destinations).unwrap_or_default();
        Some(Self {
            result_id: result_id(of("result_id")?)?,
            created: created.and_utc(),
            request_id: request_id(of("request_id")?)?,
            backend: backend(of("backend")?)?.to_owned(),
            network: (network_used(of("network_used")?)? != "none").then_some(reached),
            artifacts: of("artifacts").and_then(artifacts),
            stdout_sha256: of("stdout_sha256").and_then(digest),
            stderr_sha256: of("stderr_sha256").and_then(digest),
        })
    }
}

fn value_of<'a>(entries: &'a [Entry], key: &str) -> Option<&'a Value> {
    entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node.value)
}

fn result_id(value: &Value) -> Option<ResultId> {
    ResultId::parse(text(value)?).ok()
}

fn request_id(value: &Value) -> Option<RequestId> {
    RequestId::parse(text(value)?).ok()
}

fn backend(value: &Value) -> Option<&str> {
    one_of(value, &["ERA", "monty"])
}

fn is_runtime(value: &Value) -> bool {
    let Value::Scalar { kind, .. } = value else { return false };
    match kind {
        ScalarKind::Integer(seconds) => {
            u32::try_from(*seconds).is_ok_and(|seconds| f64::from(seconds) <= RUNTIME_SECONDS_MAX)
        }
        ScalarKind::Float(seconds) => (0.0..=RUNTIME_SECONDS_MAX).contains(seconds),
        ScalarKind::Text | ScalarKind::Boolean(_) => false,
    }
}

/// Artifacts in any order, each path once.
fn artifacts(value: &Value) -> Option<Vec<Artifact>> {
    let Value::List(items) = value else { return None };
    let artifacts = items.iter().map(|item| artifact(&item.value)).collect::<Option<Vec<_>>>()?;
    let paths: BTreeSet<&str> = artifacts.iter().map(|artifact| artifact.path.as_str()).collect();
    (paths.len() == artifacts.len()).then_some(artifacts)
}

fn artifact(value: &Value) -> Option<Artifact> {
    let Value::Map(entries) = value else { return None };
    let path = text(value_of(entries, "path")?).filter(|path| is_path(path))?.to_owned();
    let sha256 = digest(value_of(entries, "sha256")?)?;
    (entries.len() == 2).then_some(Artifact { path, sha256 })
}

/// Every key that is missing, unknown or has a value of the wrong form.
fn faults(entries: &[Entry]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for Rule { key, expected, is_required, holds } in &RULES {
        match entries.iter().find(|entry| entry.key == *key) {
            None if *is_required => {
                reasons.push(Reason::new(Code::KeyMissing, format!("The key {key} is missing."), KEYS_HINT).at(1, 1));
            }
            Some(Entry { node: Node { value, line, column }, .. }) if !holds(value) => {
                let message = format!("The value of {key} is not {expected}.");
                let reason = Reason::new(Code::ValueInvalid, message, KEYS_HINT).at(*line, *column);
                reasons.push(match value {
                    Value::Scalar { text, .. } => reason.quoting(text),
                    Value::Null | Value::List(_) | Value::Map(_) => reason,
                });
            }
            _ => {}
        }
    }
    let is_unknown = |entry: &&Entry| !RULES.iter().any(|rule| rule.key == entry.key);
    reasons.extend(entries.iter().filter(is_unknown).map(unknown));
    reasons
}

fn unknown(Entry { key, line, column, .. }: &Entry) -> Reason {
    let hint = if SEALED_KEYS.contains(&key.as_str()) {
        "This is a document of TOOL-EXEC, which the gate judges only with its bundle: publish the whole folder TS-…."
    } else {
        KEYS_HINT
    };
    let message = format!("A bare result has no key {}.", quoted(key));
    Reason::new(Code::KeyUnknown, message, hint).at(*line, *column)
}

/// Without a network, no destination can be reached.
fn unused_destinations(entries: &[Entry]) -> Option<Reason> {
    let entry = entries.iter().find(|entry| entry.key == "network_destinations")?;
    let is_none = value_of(entries, "network_used").and_then(network_used) == Some("none");
    let is_empty = destinations(&entry.node.value).is_none_or(|reached| reached.is_empty());
    let message = "network_destinations lists destinations, but network_used says that no network was used.";
    (is_none && !is_empty).then(|| Reason::new(Code::ValueInvalid, message, KEYS_HINT).at(entry.line, 1))
}
