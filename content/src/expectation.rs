//! Content that an operator expects of a tool, and that is no finding in its output.
//!
//! ```toml
//! [[content.tool]]
//! name = "read_source"
//! artifacts = ["script", "markup"]
//! ```
//!
//! Affects only rules that name the expected content, in the artifacts, excerpts and results of the tool; never in prose.

use serde::{Deserialize, Serialize};

use crate::place::Place;
use crate::rule::Rule;

/// What an operator may expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Expected {
    /// Scripts: interpreter lines and commands.
    Script,
    /// HTML and XML: script elements, event handlers, comments, attributes.
    Markup,
    /// Native programs.
    Program,
    /// Archives, compressed streams and documents that contain them.
    Archive,
}

/// One entry of `[[content.tool]]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The tool's name, as its manifest has it.
    pub name: String,
    /// What its artifacts, excerpts and results may contain.
    pub artifacts: Vec<Expected>,
}

impl Expectation {
    /// Whether what a rule found in a place of the tool's result is as expected.
    pub(crate) fn covers(&self, rule: &Rule, place: Place) -> bool {
        place != Place::Prose && rule.expected.is_some_and(|expected| self.artifacts.contains(&expected))
    }
}
