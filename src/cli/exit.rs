//! The exit statuses of all programs, with their descriptions in help and `manifest`.

pub(super) use gatepost_documents::exit::*;

/// Every status that a command can end with.
pub(super) const MEANINGS: [(u8, &str); 17] = [
    (SUCCESS, "done"),
    (GENERAL, "failed"),
    (USAGE, "invalid arguments"),
    (PARTIAL, "partly done"),
    (PRECONDITION, "no site, program or sandbox, or an invalid configuration"),
    (NOT_FOUND, "not found"),
    (CONFLICT, "conflict"),
    (DENIED, "denied by policy or scope"),
    (CREDENTIALS, "no key"),
    (TIMEOUT, "timeout"),
    (UNAVAILABLE, "lock held or address taken"),
    (REJECTED, "rejected"),
    (AUDIT, "the audit log does not verify"),
    (TOOL_FAILED, "the tool failed"),
    (START_AGAIN, "start it again"),
    (INTERRUPTED, "interrupted"),
    (TERMINATED, "terminated"),
];

/// The short description of a status.
pub(super) fn meaning(status: u8) -> &'static str {
    MEANINGS.iter().find(|(known, _)| *known == status).map_or("failed", |(_, meaning)| meaning)
}
