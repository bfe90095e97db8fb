//! The id of an execution. Pure: time and randomness are passed in. *Standards*: ToolClad, "Envelope Fields".

use chrono::{DateTime, SecondsFormat, Utc};

/// The id of one execution: `<unix seconds>-<16 hexadecimal digits>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanId {
    /// When it began.
    pub started: DateTime<Utc>,
    /// 64 random bits.
    pub random: u64,
}

impl ScanId {
    /// When it began, as evidence says it.
    pub fn timestamp(self) -> String {
        self.started.to_rfc3339_opts(SecondsFormat::Secs, true)
    }
}

impl std::fmt::Display for ScanId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{:016x}", self.started.timestamp(), self.random)
    }
}
