//! What could not be checked of a bare document because the rest of a bundle is not there.
//!
//! ```json
//! {"stage": "integrity", "rules": ["artifact_missing", "sums_mismatch", "…"], "values": ["exit_code", "runtime_sec", "…"]}
//! ```

use serde::{Deserialize, Serialize};

use crate::reason::{Code, Stage};

/// What was left out of one stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NotChecked {
    /// The stage.
    pub stage: Stage,
    /// The rules of a bundle that could not be run, by their codes.
    pub rules: Vec<Code>,
    /// The keys of the front matter whose values are the sender's word alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// Rules that need evidence, request, artifacts or the list of digests.
const INTEGRITY: [Code; 8] = [
    Code::ArtifactMissing,
    Code::SumsMismatch,
    Code::EvidenceInvalid,
    Code::EvidenceMismatch,
    Code::ExcerptMismatch,
    Code::RequestMismatch,
    Code::LimitExceeded,
    Code::OutputUnexpected,
];

/// Rules that need evidence, request or manifest.
const AUTHORITY: [Code; 6] = [
    Code::RequestUnknown,
    Code::ManifestUnknown,
    Code::OutputSchemaViolation,
    Code::ApprovalMissing,
    Code::SandboxBelowMinimum,
    Code::NetworkNotAllowed,
];

/// What nothing in a document bears out.
const VALUES: [&str; 6] = ["exit_code", "runtime_sec", "network_used", "artifacts", "stdout_sha256", "stderr_sha256"];

/// What was left out, but for the digests under the keys `held`, and, where a site is known, for what it knows.
pub(crate) fn of(held: &[&str], has_site: bool) -> Vec<NotChecked> {
    let values = VALUES.iter().filter(|key| !held.contains(key)).map(|key| (*key).to_owned()).collect();
    let mut authority = AUTHORITY.to_vec();
    authority.extend((!has_site).then_some(Code::DuplicateResult));
    vec![
        NotChecked { stage: Stage::Integrity, rules: INTEGRITY.to_vec(), values },
        NotChecked { stage: Stage::Authority, rules: authority, values: Vec::new() },
    ]
}

impl std::fmt::Display for NotChecked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rules: Vec<&str> = self.rules.iter().map(|code| code.as_str()).collect();
        write!(f, "{}: {}", self.stage, rules.join(", "))?;
        if self.values.is_empty() {
            return Ok(());
        }
        write!(f, "; by the sender's word alone: {}", self.values.join(", "))
    }
}
