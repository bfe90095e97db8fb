//! `[http]`: the certificates that tools with the backend `http` trust.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// `[http]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Http {
    /// The absolute path of a file of certificates (PEM) that verify servers instead of the machine's certificates. Empty: the
    /// machine's.
    #[schemars(regex(pattern = "^(/.*)?$"))]
    pub ca_file: PathBuf,
}
