//! The limits that a manifest sets: `timeout_seconds` of `[tool]`, or the total in `[session]` or `[browser]`, and `[limits]`.

use toml::{Table, Value};

use super::session::Kind;

/// The defaults of a manifest.
const TIMEOUT_SECONDS: u64 = 60;

/// As written in the manifest; absent ones are the site's.
#[derive(Debug)]
pub(crate) struct DeclaredLimits {
    pub(crate) timeout_seconds: u64,
    pub(crate) cpu_seconds: Option<u64>,
    pub(crate) memory_mb: Option<u64>,
    pub(crate) files: Option<u64>,
    pub(crate) stdout_bytes: Option<u64>,
}

impl DeclaredLimits {
    pub(super) fn read(manifest: &Table) -> Self {
        let count = |section: &str, key: &str| {
            let number = manifest.get(section)?.get(key).and_then(Value::as_integer)?;
            u64::try_from(number).ok()
        };
        // The tool's timeout is an interaction's, if there are any.
        let timeout_seconds = match Kind::of(manifest) {
            Some(kind) => count(kind.as_str(), "session_timeout_seconds").unwrap_or(kind.defaults().1),
            None => count("tool", "timeout_seconds").unwrap_or(TIMEOUT_SECONDS),
        };
        Self {
            timeout_seconds,
            cpu_seconds: count("limits", "cpu"),
            memory_mb: count("limits", "memory_mb"),
            files: count("limits", "files"),
            stdout_bytes: count("limits", "stdout_bytes"),
        }
    }
}
