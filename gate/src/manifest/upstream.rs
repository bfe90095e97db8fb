//! `[http]` and `[mcp]`: what a call is sent to, and how its answer is taken.
//!
//! *Standards*: ToolClad, HTTP and MCP backends.

use std::collections::BTreeMap;

use gatepost_documents::destination::Destination;
use serde::Deserialize;

/// `[http]`
#[derive(Deserialize)]
pub(crate) struct Http {
    pub(crate) method: String,
    url: String,
    /// Empty where every one from 200 to 299 is.
    #[serde(default)]
    success_status: Vec<u16>,
    /// Those of an answer from which the caller may learn.
    #[serde(default)]
    pub(crate) error_status: Vec<u16>,
}

impl Http {
    /// Whether a status is a success.
    pub(crate) fn is_success(&self, status: u16) -> bool {
        match self.success_status.as_slice() {
            [] => (200..300).contains(&status),
            listed => listed.contains(&status),
        }
    }

    /// The only destination that a call reaches.
    pub(crate) fn destination(&self) -> Option<Destination> {
        Destination::of_url(&self.url)
    }
}

/// `[mcp]`: which tool of which server is called, and what its arguments are called there.
#[derive(Deserialize)]
pub(crate) struct Mcp {
    pub(crate) server: String,
    pub(crate) tool: String,
    #[serde(default)]
    pub(crate) field_map: BTreeMap<String, String>,
}
