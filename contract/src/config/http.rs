//! `[http]`: what tools with the backend `http` trust.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// `[http]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Http {
    /// A file of certificates (PEM) that servers are verified against in the place of the machine's: an absolute path. Empty: the
    /// machine's.
    #[schemars(regex(pattern = "^(/.*)?$"))]
    pub ca_file: PathBuf,
}
