//! The limits that a request sets for itself.

use serde_json::Value;

/// As written in the request; absent ones are the site's.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct RequestedLimits {
    /// `cpu_limit`, cores.
    pub(crate) cpu_cores: Option<f64>,
    /// `memory_limit_mb`, MiB.
    pub(crate) memory_mb: Option<u64>,
    /// `time_limit_sec`, seconds.
    pub(crate) time_seconds: Option<u64>,
}

impl RequestedLimits {
    pub(super) fn read(fields: &Value) -> Self {
        Self {
            cpu_cores: fields.get("cpu_limit").and_then(cores),
            memory_mb: fields.get("memory_limit_mb").and_then(count),
            time_seconds: fields.get("time_limit_sec").and_then(count),
        }
    }
}

fn cores(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}
