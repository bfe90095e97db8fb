//! `[monty]`: the limits of a program in the Python subset.

use serde::{Deserialize, Serialize};

/// `[monty]`; lower values in `[limits]` apply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Monty {
    /// Wall-clock time, seconds; at least 1.
    #[schemars(range(min = 1))]
    pub time_seconds: u64,
    /// Memory of the program and the interpreter together, MiB; at least 64.
    #[schemars(range(min = 64))]
    pub memory_mb: u64,
    /// Depth of nested calls; 10 to 1000.
    #[schemars(range(min = 10, max = 1_000))]
    pub recursion: u32,
}

impl Default for Monty {
    fn default() -> Self {
        Self { time_seconds: 60, memory_mb: 512, recursion: 1_000 }
    }
}
