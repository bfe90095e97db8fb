//! Proves that a log contains a decision: the leaf, and the hashes from it to a signed checkpoint.
//!
//! ```text
//! {"leaf": "{\"result_id\":\"TS-…\",…}", "index": 7, "size": 12, "hashes": ["…"], "checkpoint": "gatepost/…\n12\n…", "verifier_key": "gatepost/…+…"}
//! ```
//!
//! Is beside each exported result, and in the verdict on an imported result. Does not identify the owner of the key.
//! *Standards*: RFC 6962, section 2.1.1; C2SP signed-note and tlog-checkpoint.

use serde::{Deserialize, Serialize};

/// A proof of inclusion, with everything needed to check it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LogProof {
    /// The decision, exactly as logged.
    pub leaf: String,
    /// Its number in the log, from 0.
    pub index: u64,
    /// How many decisions the checkpoint covers.
    pub size: u64,
    /// The hashes of the inclusion proof, from the leaf upwards, in base64.
    pub hashes: Vec<String>,
    /// The signed note.
    pub checkpoint: String,
    /// The key that verifies it.
    pub verifier_key: String,
}

impl LogProof {
    /// The name of the log, which its key begins with (C2SP signed-note).
    pub fn origin(&self) -> &str {
        self.verifier_key.split('+').next().unwrap_or_default()
    }
}
