//! The files of a tool, and their digests as an operator pinned them: `keys/pins.toml`.
//!
//! ```toml
//! [tool.sha256_sum]
//! manifest_sha256 = "d2a8…"
//!
//! [[tool.sha256_sum.programs]]
//! role = "binary"
//! path = "/usr/bin/sha256sum"
//! sha256 = "9f86…"
//! ```
//!
//! If a file differs from its pin, TOOL-EXEC refuses the tool, and the gate, by its own comparison, rejects the result. Neither
//! writes the file. The files that a program loads (libraries, modules, a script's interpreter) are not files of the tool.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// What a file is to a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The program that runs.
    Binary,
    /// The script that runs instead of a program.
    Executor,
    /// The script that parses the output.
    Parser,
    /// The custom types of arguments, which every manifest of the site may use.
    Types,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Binary => "binary",
            Self::Executor => "executor",
            Self::Parser => "parser",
            Self::Types => "types",
        })
    }
}

/// A file that decides, beside the manifest, what a tool does.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ToolFile {
    /// What it is to the tool.
    pub role: Role,
    /// Its path: absolute, or relative to the site.
    pub path: String,
    /// The digest of its bytes.
    pub sha256: Digest,
}

/// A tool as it was pinned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The digest of its manifest.
    pub manifest_sha256: Digest,
    /// Its other files, in the order of their roles.
    pub programs: Vec<ToolFile>,
}

/// The pins of a site, by the names of the tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pins {
    /// `[tool.NAME]`
    #[serde(default)]
    pub tool: BTreeMap<String, Pin>,
}

/// Whether a tool without a pin may run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Demand {
    /// An unpinned tool may run; a pinned tool must match its pin.
    #[default]
    Accepted,
    /// An unpinned tool is refused.
    Required,
}
