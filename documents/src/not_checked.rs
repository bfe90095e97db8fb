//! The checks that are impossible for a bare document because the rest of a bundle is missing.
//!
//! ```json
//! {"stage": "integrity", "rules": ["artifact_missing", "sums_mismatch", "…"], "values": ["exit_code", "runtime_sec", "…"]}
//! ```

use serde::{Deserialize, Serialize};

use crate::reason::{Code, Stage};

/// The unchecked part of one stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NotChecked {
    /// The stage.
    pub stage: Stage,
    /// The codes of the rules that the gate could not run.
    pub rules: Vec<Code>,
    /// The front matter keys whose values the gate could not verify.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
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
