//! `[browser]`: what tools with the backend `browser` drive.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// `[browser]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Browser {
    /// The program: an absolute path. Chromium's headless shell, as the whole browser fetches things of its own accord; not the script
    /// that starts it, which reads settings of the machine.
    #[schemars(regex(pattern = "^/"))]
    pub program: PathBuf,
}

impl Default for Browser {
    fn default() -> Self {
        Self { program: "/usr/lib/chromium/chromium-headless-shell".into() }
    }
}
