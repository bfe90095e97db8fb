//! Which program judged, as a verdict names it.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// A program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// The name of its file: `gatepost-gate` or `gatepost`.
    pub name: String,
    /// SHA-256 of the file's bytes. The program computes it before it reads foreign data.
    pub sha256: Digest,
}
