//! The gate's verdict: the content of `verdict.json`, and the same for a person in `REASONS.md`.
//!
//! The same bundle, knowledge and rules give the same bytes, `judged_utc` aside.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::reason::{Reason, Severity};

/// Accepted, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum Decision {
    /// CORE may see it.
    Accept,
    /// It is quarantined.
    Reject,
}

/// What was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Checks {
    /// Files read.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Stages entered, 1 to 6.
    pub stages: u8,
}

/// The verdict on one bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// Accepted, or not.
    pub verdict: Decision,
    /// The folder's name, escaped when it is no result id.
    pub result_id: String,
    /// The request in that name; empty when it is no result id.
    pub request_id: String,
    /// Digest over the sorted list of `path`, kind and digest of every entry, so that it names exactly these bytes.
    pub bundle_sha256: Digest,
    /// Version of the rules.
    pub rules_version: String,
    /// When, RFC 3339, UTC, whole seconds.
    pub judged_utc: String,
    /// Version of the gate.
    pub gate_version: String,
    /// Every reason of the stages that were entered.
    pub reasons: Vec<Reason>,
    /// What was looked at.
    pub checks: Checks,
}

impl Verdict {
    /// Accepts exactly when no reason rejects.
    pub fn decide(reasons: &[Reason]) -> Decision {
        if reasons.iter().any(|reason| reason.severity == Severity::Reject) {
            Decision::Reject
        } else {
            Decision::Accept
        }
    }
}
