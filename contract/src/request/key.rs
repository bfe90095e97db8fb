//! The keys of a request: one table for the reader, which knows and demands these keys, and for the published schema.

use gatepost_documents::evidence::INTERACTIONS_MAX;
use gatepost_documents::sources::URLS_MAX;
use serde_json::{Map, Value, json};

use super::Version;

/// Whether a version of the document has a key.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Presence {
    Required,
    Optional,
    Unknown,
}

/// One key.
pub(super) struct Key {
    pub(super) name: &'static str,
    v1: Presence,
    v2: Presence,
    /// The form of its value, as the end of "expected …".
    pub(super) form: &'static str,
    /// An example of its value, valid as YAML and JSON.
    pub(super) example: &'static str,
    /// Its meaning, as one sentence.
    meaning: &'static str,
}

use Presence::{Optional as O, Required as R, Unknown as U};

const fn key(
    name: &'static str,
    v1: Presence,
    v2: Presence,
    form: &'static str,
    example: &'static str,
    meaning: &'static str,
) -> Key {
    Key { name, v1, v2, form, example, meaning }
}

const UTC: &str = "an RFC 3339 time in UTC";

/// Every key, in the order in which a document is written.
#[rustfmt::skip]
pub(super) const KEYS: &[Key] = &[
    key("request_type", R, R, "tool_request", "\"tool_request\"", "Says what the document is."),
    key("schema_version", R, R, "1 or 2", "2", "The version whose rules the document follows."),
    key("request_id", R, R, "a request id, equal to the file's name without its ending", "\"TR-20260209-160501Z-python-stats\"", "Identifies the request permanently."),
    key("created_utc", R, R, UTC, "\"2026-02-09T16:05:01Z\"", "When the request was written."),
    key("requested_by", R, R, "1 to 128 printable characters", "\"human\"", "Who makes the request."),
    key("approved_by", R, O, "at most 128 printable characters", "\"alice\"", "Who approved, as declared; empty when nobody did."),
    key("approved_utc", R, O, UTC, "\"2026-02-09T16:06:00Z\"", "When it was approved, as declared; empty when it was not."),
    key("purpose", R, R, "one line of 1 to 1000 characters", "\"Count lines\"", "Why the tool is run."),
    key("backend", O, R, "clad or fetch (version 2 only), ERA or monty", "\"clad\"", "The lane; a version 1 document without it means ERA."),
    key("language", R, O, "python, node, ts, go or ruby", "\"python\"", "The language of the command or program."),
    key("network", R, O, "none or allowlist", "\"none\"", "The network that the tool gets; none by default."),
    key("network_allowlist", O, O, "a list of host:port", "[\"api.example.org:443\"]", "The destinations that the tool may reach."),
    key("cpu_limit", R, O, "a number of cores above 0", "\"1\"", "Cores, at most; capped by the site."),
    key("memory_limit_mb", R, O, "a whole number above 0", "512", "Memory in MiB, at most; capped by the site."),
    key("time_limit_sec", R, O, "a whole number above 0", "60", "Wall-clock time in seconds, at most; capped by the site."),
    key("inputs", O, O, "a list of maps of name (1 to 255 of A-Z a-z 0-9 . _ - + = @ , not beginning with a dot; every other byte as %XX) and sha256 (64 lower-case hexadecimal digits), each name once", "[]", "The input files in the folder in/."),
    key("outputs_expected", O, O, "a list of maps of path (relative to /out, without ..) and description (one line)", "[]", "The files that the tool will leave under /out."),
    key("constraints", O, O, "a list of one-line sentences", "[]", "Carried into the result without effect."),
    key("tool", U, O, "a manifest's name: a lower-case letter, then at most 63 of a-z 0-9 _ -", "\"line_count\"", "The tool of the clad lane."),
    key("args", U, O, "a map of argument names to text, numbers, true or false", "{}", "The arguments of the clad lane."),
    key("interactions", U, O, "a list of 1 to 1000 maps of command (a name: a letter, then at most 63 of a-z 0-9 _) and, if it has any, args (a map as args)", "[{\"command\": \"query\", \"args\": {\"command\": \"select 1;\"}}]", "What is done in a session, one after the other."),
    key("urls", U, O, "a list of 1 to 8 URLs of https or http: printable ASCII, at most 2048 characters, without user and fragment, each once", "[\"https://docs.example.org/page\"]", "The pages of the fetch lane."),
    key("size_limit_kb", U, O, "a whole number above 0", "100", "Kilobytes of 1000 bytes of one page of the fetch lane, at most; capped by the site."),
    key("expires_utc", U, O, UTC, "\"2026-02-10T00:00:00Z\"", "The request is refused after this time."),
    key("priority", U, O, "low, normal or high", "\"normal\"", "Which of several waiting requests runs first; normal by default."),
    key("idempotency_key", U, O, "1 to 128 printable characters", "\"nightly-42\"", "Links repeats of the same request."),
    key("session_id", U, O, "1 to 128 of A-Z a-z 0-9 . _ -", "\"TR-20260209-160501Z-console\"", "The open session to continue: the id of the request that opened it."),
    key("keep_open", U, O, "true or false", "true", "Whether the session stays open after the request; false by default, and true where session_id is given."),
];

impl Key {
    pub(super) fn presence(&self, version: Version) -> Presence {
        match version {
            Version::V1 => self.v1,
            Version::V2 => self.v2,
        }
    }

    /// The key of this name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }
}

/// The keys that only the lane clad has.
pub(super) const CLAD_KEYS: [&str; 3] = ["tool", "args", "interactions"];

/// The keys that only the lane fetch has.
pub(super) const FETCH_KEYS: [&str; 2] = ["urls", "size_limit_kb"];

/// The published schema (JSON Schema 2020-12) of a request: the front matter of its markdown form in both versions, and
/// the JSON form, which exists only in version 2. It names the keys and their types; their descriptions state the full
/// rules.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tool request",
        "description": "The front matter of TR-….md, and TR-….json, which is version 2 alone.",
        "oneOf": [{ "$ref": "#/$defs/version_1" }, { "$ref": "#/$defs/version_2" }],
        "$defs": { "version_1": of_version(Version::V1), "version_2": of_version(Version::V2) },
    })
}

fn of_version(version: Version) -> Value {
    let known = || KEYS.iter().filter(move |key| key.presence(version) != U);
    let required: Vec<_> = known().filter(|key| key.presence(version) == R).map(|key| key.name).collect();
    let properties: Map<String, Value> = known().map(|key| (key.name.to_owned(), property(key, version))).collect();
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if version == Version::V2 {
        let lane = |backend: &str, required: &str, keys: &[&str]| {
            let others: Vec<Value> = keys.iter().map(|name| json!({ "required": [name] })).collect();
            json!({
                "if": { "properties": { "backend": { "const": backend } } },
                "then": { "required": [required] },
                "else": { "not": { "anyOf": others } },
            })
        };
        schema["allOf"] = json!([lane("clad", "tool", &CLAD_KEYS), lane("fetch", "urls", &FETCH_KEYS)]);
    }
    schema
}

fn args() -> Value {
    json!({ "type": "object", "additionalProperties": { "type": ["string", "number", "boolean"] } })
}

fn property(key: &Key, version: Version) -> Value {
    let text = || json!({ "type": "string" });
    let pair = |one: &str, other: &str| {
        let properties: Map<String, Value> = [one, other].map(|name| (name.to_owned(), text())).into_iter().collect();
        json!({ "type": "object", "properties": properties, "required": [one, other], "additionalProperties": false })
    };
    let mut property = match (key.name, version) {
        ("request_type", _) => json!({ "const": "tool_request" }),
        ("schema_version", Version::V1) => json!({ "enum": [1, "1"] }),
        ("schema_version", Version::V2) => json!({ "enum": [2, "2"] }),
        ("backend", Version::V1) => json!({ "enum": ["ERA", "monty"] }),
        ("backend", Version::V2) => json!({ "enum": ["clad", "ERA", "monty", "fetch"] }),
        ("language", _) => json!({ "enum": ["python", "node", "ts", "go", "ruby"] }),
        ("network", _) => json!({ "enum": ["none", "allowlist"] }),
        ("priority", _) => json!({ "enum": ["low", "normal", "high"] }),
        ("approved_by" | "approved_utc", _) => json!({ "type": ["string", "null"] }),
        ("keep_open", _) => json!({ "type": "boolean" }),
        ("cpu_limit" | "memory_limit_mb" | "time_limit_sec" | "size_limit_kb", _) => {
            json!({ "type": ["number", "string"] })
        }
        ("inputs", _) => json!({ "type": "array", "items": pair("name", "sha256") }),
        ("outputs_expected", _) => json!({ "type": "array", "items": pair("path", "description") }),
        ("network_allowlist" | "constraints", _) => json!({ "type": "array", "items": text() }),
        ("urls", _) => json!({ "type": "array", "minItems": 1, "maxItems": URLS_MAX, "items": text() }),
        ("args", _) => args(),
        ("interactions", _) => json!({
            "type": "array",
            "minItems": 1,
            "maxItems": INTERACTIONS_MAX,
            "items": {
                "type": "object",
                "properties": { "command": text(), "args": args() },
                "required": ["command"],
                "additionalProperties": false,
            },
        }),
        _ => text(),
    };
    property["description"] = format!("{} Form: {}.", key.meaning, key.form).into();
    property
}
