//! The permission to execute one request once.

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::evidence::{Approval, Completeness};

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

/// A request passed every check of [`super::authorize`], which alone makes this; executing it uses it up.
#[derive(Debug)]
pub struct Authorized {
    scan_id: ScanId,
    approvals: Vec<Approval>,
    completeness: Completeness,
}

impl Authorized {
    pub(super) fn new(scan_id: ScanId, approvals: Vec<Approval>, completeness: Completeness) -> Self {
        Self { scan_id, approvals, completeness }
    }

    /// The id of the execution.
    pub fn scan_id(&self) -> ScanId {
        self.scan_id
    }

    /// The approvals that hold.
    pub fn approvals(&self) -> &[Approval] {
        &self.approvals
    }

    /// How sure it is that the drop was whole, now that its inputs were read.
    pub fn completeness(&self) -> Completeness {
        self.completeness
    }
}
