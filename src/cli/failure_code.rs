//! Every code that a failure can have, with its exit status: the whole table, in one place.
//!
//! A code is for programs to branch on, and never changes its meaning. *Standards*: CLI Agent Spec, REQ-F-001 and REQ-C-001.

use super::exit;

/// What a code means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailureCode {
    /// `UPPER_SNAKE`.
    pub code: &'static str,
    /// The exit status of a command that fails with it. Where some of several things were done, it is 3 instead.
    pub exit: u8,
    /// A sentence.
    pub meaning: &'static str,
}

const fn code(code: &'static str, exit: u8, meaning: &'static str) -> FailureCode {
    FailureCode { code, exit, meaning }
}

/// All of them, by exit status.
pub const TABLE: &[FailureCode] = &[
    code("DEMO_FAILED", exit::GENERAL, "An item of the demonstration did not end as expected."),
    code("EXPORT_REFUSED", exit::GENERAL, "What was to be exported is not in order."),
    code("INTERNAL", exit::GENERAL, "gatepost itself is at fault."),
    code("IO_ERROR", exit::GENERAL, "The system refused to read or write something."),
    code("WATCHER_ENDED", exit::GENERAL, "A watcher ended that should go on."),
    code("ARG_ERROR", exit::USAGE, "Arguments cannot be used."),
    code("EMPTY_STDIN", exit::USAGE, "Standard input was to be read, and had nothing."),
    code("INPUT_FORGOTTEN", exit::USAGE, "An argument names a file that was not given."),
    code("INVALID_AGENT_INPUT", exit::USAGE, "An id has not the form of one."),
    code("INVALID_JSON", exit::USAGE, "JSON was expected."),
    code("SCHEMA_VIOLATION", exit::USAGE, "A request or a call breaks its rules."),
    code("STDIN_TOO_LARGE", exit::USAGE, "Standard input has more than is read of it."),
    code("STREAMING_NOT_SUPPORTED", exit::USAGE, "A watcher has no single outcome while it runs."),
    code("UNKNOWN_COMMAND", exit::USAGE, "There is no such command."),
    code("PARTIAL_FAILURE", exit::PARTIAL, "Some of several things were done."),
    code("CONFIG_INVALID", exit::PRECONDITION, "A file of the operator's cannot be used."),
    code("CONFINEMENT_UNAVAILABLE", exit::PRECONDITION, "The gate cannot confine itself as it must."),
    code("INIT_REQUIRED", exit::PRECONDITION, "There is no site here."),
    code("SANDBOX_UNAVAILABLE", exit::PRECONDITION, "The machine cannot hold tools as the site demands."),
    code("SITE_UNSOUND", exit::PRECONDITION, "The folders of the site are not as they must be."),
    code("STDIN_REQUIRED", exit::PRECONDITION, "Standard input was to be read, and is a terminal."),
    code("NOT_WATCHED", exit::PRECONDITION, "Nobody watches the site."),
    code("ARTIFACT_NOT_FOUND", exit::NOT_FOUND, "The result has no such artifact."),
    code("COMMAND_NOT_FOUND", exit::NOT_FOUND, "There is no such command."),
    code("FILE_NOT_FOUND", exit::NOT_FOUND, "There is no such file."),
    code("ITEM_NOT_FOUND", exit::NOT_FOUND, "The quarantine has no such item."),
    code("LOG_NOT_FOUND", exit::NOT_FOUND, "The site has no such log."),
    code("REQUEST_NOT_FOUND", exit::NOT_FOUND, "There is no such request."),
    code("RESULT_NOT_FOUND", exit::NOT_FOUND, "There is no such result."),
    code("SESSION_NOT_FOUND", exit::NOT_FOUND, "There is no such session."),
    code("TOOL_NOT_FOUND", exit::NOT_FOUND, "There is no such tool."),
    code("ALREADY_EXISTS", exit::CONFLICT, "It exists already, with other content."),
    code("CONCURRENT_MODIFICATION", exit::CONFLICT, "It changed meanwhile."),
    code("GATE_NOT_TRUSTED", exit::DENIED, "No key of the gate that judged it is listed."),
    code("OUT_OF_SCOPE", exit::DENIED, "The target is not one that may be aimed at."),
    code("PERMISSION_DENIED", exit::DENIED, "This user may not do that."),
    code("POLICY_DENIED", exit::DENIED, "The policy of the site denies it."),
    code("KEY_NOT_FOUND", exit::CREDENTIALS, "There is no key to sign with."),
    code("KEY_NOT_LISTED", exit::CREDENTIALS, "The key is not one that counts here."),
    code("KEY_NOT_VALID", exit::CREDENTIALS, "The key does not count now."),
    code("SIGNING_FAILED", exit::CREDENTIALS, "The signature was not made."),
    code("TIMEOUT", exit::TIMEOUT, "Time ran out."),
    code("ADDRESS_UNAVAILABLE", exit::UNAVAILABLE, "The address cannot be listened on."),
    code("GATE_BUSY", exit::UNAVAILABLE, "The gate decided something each time."),
    code("LOCK_HELD", exit::UNAVAILABLE, "Somebody else holds the lock."),
    code("BACKEND_UNAVAILABLE", exit::REJECTED, "What the tool needs cannot be had here."),
    code("BAG_INVALID", exit::REJECTED, "A bag is not whole, or not what it says."),
    code("DOCUMENT_REJECTED", exit::REJECTED, "A document breaks its rules."),
    code("REQUEST_REFUSED", exit::REJECTED, "The request was refused."),
    code("RESULT_REJECTED", exit::REJECTED, "The gate rejected the result, or would."),
    code("AUDIT_LOG_INVALID", exit::AUDIT, "A log does not verify, or something is not as it says."),
    code("TOOL_FAILED", exit::TOOL_FAILED, "The tool failed."),
    code("EXCHANGE_MISSING", exit::START_AGAIN, "TOOL-EXEC has not made its folder yet."),
    code("FOLDER_REPLACED", exit::START_AGAIN, "A folder of the site was replaced; a new gate can reach it."),
    code("CANCELLED", exit::INTERRUPTED, "A signal ended it: SIGINT; 143 for SIGTERM."),
];
