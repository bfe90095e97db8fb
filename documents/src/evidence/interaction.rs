//! One interaction of a session: its line, and its outcome.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Policy, Status};
use crate::id::RequestId;

/// The path in a bundle of the transcript of a session.
pub const TRANSCRIPT_FILE: &str = "artifacts/transcript.txt";

/// The most interactions of one request.
pub const INTERACTIONS_MAX: usize = 1_000;

/// The most interactions that are shown to a person, and lines of an answer.
pub const INTERACTIONS_SHOWN_MAX: usize = 20;
const LINES_SHOWN_MAX: usize = 10;

/// One interaction of a session. The envelope of the session applies wherever this says nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Interaction {
    /// The request that asked for it, if it is not this one: it continued the session that this request opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    /// Its own id, derived from the asking request's scan id: the same seconds, and 16 hexadecimal digits.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9]+-[0-9a-f]{16}$")))]
    pub scan_id: String,
    /// The command of the manifest.
    pub command: String,
    /// Its bound arguments, by name.
    pub arguments: Map<String, Value>,
    /// The line sent to the program, without its end.
    pub input: String,
    /// The decision of the site's policies before the input was sent.
    pub policy: Policy,
    /// `success` if the answer was whole, else `error` or `timeout`; never `delegated`.
    pub status: Status,
    /// When the input was sent, RFC 3339, UTC.
    pub timestamp: String,
    /// Time until the answer was whole or the wait ended, milliseconds.
    pub duration_ms: u64,
    /// Where the answer begins in `artifacts/stdout.txt`, bytes.
    pub output_offset: u64,
    /// Size of the answer there, bytes, with prompt and terminal sequences.
    pub output_bytes: u64,
    /// `sha256:` and the digest of these bytes.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^sha256:[0-9a-f]{64}$")))]
    pub output_hash: String,
    /// The parsed answer, which satisfies the manifest's output schema; null if the answer was not whole.
    pub results: Value,
}

impl Interaction {
    /// The first lines of the answer's text, or else of its results as JSON, and whether there are more.
    pub fn answer(&self) -> (Vec<String>, bool) {
        let text = match self.results.get("output").or(self.results.get("content")) {
            Some(Value::String(text)) => text.clone(),
            _ if self.results.is_null() => String::new(),
            _ => self.results.to_string(),
        };
        let lines = text.lines().take(LINES_SHOWN_MAX).map(str::to_owned).collect();
        (lines, text.lines().nth(LINES_SHOWN_MAX).is_some())
    }
}
