//! How far the clocks behind the documents may be apart.

/// How far the clocks of requester, approver and TOOL-EXEC may be apart, seconds. TOOL-EXEC may be told to allow less, so
/// that no result of what it ran is refused for its times.
pub const SKEW_SECONDS_MAX: u32 = 300;
