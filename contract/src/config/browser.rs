//! `[browser]`: the browser that tools with the backend `browser` drive.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// `[browser]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Browser {
    /// The program's absolute path: Chromium's headless shell, because the full browser makes requests of its own. Do not name the
    /// start script: it reads settings of the machine.
    #[schemars(regex(pattern = "^/"))]
    pub program: PathBuf,
}

impl Default for Browser {
    fn default() -> Self {
        Self { program: "/usr/lib/chromium/chromium-headless-shell".into() }
    }
}
