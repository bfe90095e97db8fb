//! Exit statuses of the programs: the whole table, in one place.
//!
//! *Standards*: CLI Agent Spec, exit code taxonomy (0 to 13; 79 to 125 are a program's own).

/// Done.
pub const SUCCESS: u8 = 0;
/// Failed, and no code below fits better.
pub const GENERAL: u8 = 1;
/// The arguments were refused; nothing changed.
pub const USAGE: u8 = 2;
/// Some of it was done, and some not.
pub const PARTIAL: u8 = 3;
/// Something has to be there first: a site.
pub const PRECONDITION: u8 = 4;
/// The named thing does not exist.
pub const NOT_FOUND: u8 = 5;
/// It exists already, with other content.
pub const CONFLICT: u8 = 6;
/// Not permitted.
pub const DENIED: u8 = 7;
/// No key or credential that would do it.
pub const CREDENTIALS: u8 = 8;
/// Time ran out.
pub const TIMEOUT: u8 = 10;
/// It is in use now.
pub const UNAVAILABLE: u8 = 12;
/// A document or result was rejected.
pub const REJECTED: u8 = 79;
/// The audit log does not verify, or an object differs from its record.
pub const AUDIT: u8 = 80;
/// The tool failed.
pub const TOOL_FAILED: u8 = 81;
/// A restart would repair it; nothing else is wrong.
pub const START_AGAIN: u8 = 82;
/// Ended by SIGINT.
pub const INTERRUPTED: u8 = 130;
/// Ended by SIGTERM.
pub const TERMINATED: u8 = 143;
