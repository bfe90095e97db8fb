//! How far the clocks behind the documents may be apart.

/// How old a request may be by default for its signed approvals to count, hours. A week.
pub const APPROVAL_AGE_HOURS: u32 = 168;

/// The maximum difference between the clocks of requester, approver and TOOL-EXEC, seconds. TOOL-EXEC may be configured
/// to allow less, so that the gate never rejects its results because of their times.
pub const SKEW_SECONDS_MAX: u32 = 300;
