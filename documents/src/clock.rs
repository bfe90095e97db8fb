//! How far the clocks behind the documents may be apart.

/// How old a request may be by default for its signed approvals to count, hours. A week.
pub const APPROVAL_AGE_HOURS: u32 = 168;

/// How far the clocks of requester, approver and TOOL-EXEC may be apart, seconds. TOOL-EXEC may be told to allow less, so
/// that no result of what it ran is refused for its times.
pub const SKEW_SECONDS_MAX: u32 = 300;
