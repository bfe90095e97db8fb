//! `[policy]`: whether the refusals of policies and scope are enforced.

use serde::{Deserialize, Serialize};

/// `[policy]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Whether the refusals of policies and scope are enforced.
    pub mode: Mode,
}

/// The mode of policies and scope.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A refused request does not run.
    #[default]
    Enforce,
    /// It runs all the same, and its evidence names the refusals. Everything else is enforced.
    Learn,
}

impl Policy {
    /// Whether refusals are recorded and not enforced.
    pub fn is_learning(&self) -> bool {
        self.mode == Mode::Learn
    }
}
