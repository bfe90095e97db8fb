//! Every code that a failure can have, with its exit status: the whole table, in one place.
//!
//! A code is for programs to branch on, and never changes its meaning. *Standards*: CLI Agent Spec, REQ-F-001 and REQ-C-001.

use serde::Serialize;

use super::exit;

/// What a code means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FailureCode {
    /// `UPPER_SNAKE`.
    pub code: &'static str,
    /// The exit status of a command that fails with it. Where some of several things were done, it is 3 instead.
    pub exit: u8,
    /// A sentence.
    pub meaning: &'static str,
    /// What to do, in general; a failure's own hint knows more of it.
    pub advice: &'static str,
}

const fn code(code: &'static str, exit: u8, meaning: &'static str, advice: &'static str) -> FailureCode {
    FailureCode { code, exit, meaning, advice }
}

/// How the time between tries is to grow, where the identical call may succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RetryStrategy {
    /// It need not: what is waited for comes by itself, and a try costs little.
    LinearBackoff,
    /// Each time twice as long: many who try at once would keep each other from it.
    ExponentialBackoff,
}

impl FailureCode {
    /// How to try again.
    pub(super) fn retry_strategy(&self) -> RetryStrategy {
        match self.code {
            "LOCK_HELD" | "GATE_BUSY" | "IO_ERROR" => RetryStrategy::ExponentialBackoff,
            _ => RetryStrategy::LinearBackoff,
        }
    }

    /// Where the project's documents explain it.
    pub(super) fn docs(&self) -> String {
        format!("{DOCS}#{}", self.code.to_ascii_lowercase())
    }
}

/// The page of all codes.
const DOCS: &str = "docs/failures.md";

/// The code of that name.
pub(super) fn find(code: &str) -> Option<&'static FailureCode> {
    TABLE.iter().find(|one| one.code == code)
}

/// The code of a success that a caller does not want, for it has warnings; every command can end with it.
pub(super) const WARNINGS_AS_ERRORS: &str = "WARNINGS_AS_ERRORS";

/// All of them, by exit status.
pub(super) const TABLE: &[FailureCode] = &[
    code(
        "DEMO_FAILED",
        exit::GENERAL,
        "An item of the demonstration did not end as expected.",
        "Run it again with --verbose and read the log of the watchers.",
    ),
    code(
        "EXPORT_REFUSED",
        exit::GENERAL,
        "An item cannot be exported.",
        "Read `errors`: correct the items that it names, or leave them out.",
    ),
    code(
        "INTERNAL",
        exit::GENERAL,
        "gatepost has a bug.",
        "Report the command line and the message. The site is in the state after the last complete step.",
    ),
    code(
        "IO_ERROR",
        exit::GENERAL,
        "The system refused a read or a write.",
        "Fix what the message names (permissions, disk space, the path), then retry.",
    ),
    code(
        WARNINGS_AS_ERRORS,
        exit::GENERAL,
        "The command succeeded with warnings, and --warnings-as-errors was given.",
        "Read `warnings`; `data` has the outcome.",
    ),
    code(
        "WATCHER_ENDED",
        exit::GENERAL,
        "A watcher ended unexpectedly.",
        "Read the log of the named watcher, fix the cause, and start it again.",
    ),
    code(
        "ARG_ERROR",
        exit::USAGE,
        "Arguments are invalid.",
        "Correct the arguments that `errors` names; `--help` and `--schema` describe each.",
    ),
    code("EMPTY_STDIN", exit::USAGE, "Standard input is empty.", "Pipe the value in, or give it as an argument."),
    code(
        "INPUT_FORGOTTEN",
        exit::USAGE,
        "An argument names a local file that --input does not pass.",
        "Pass the file with --input; the hint has the complete command.",
    ),
    code(
        "INVALID_AGENT_INPUT",
        exit::USAGE,
        "An id or a name is malformed.",
        "Use an id that `gatepost list -o id` prints, or a name that `gatepost tools list -o id` prints.",
    ),
    code(
        "INVALID_JSON",
        exit::USAGE,
        "The input is not the expected JSON.",
        "Correct the JSON at the line and column that the message names.",
    ),
    code(
        "SCHEMA_VIOLATION",
        exit::USAGE,
        "A request or a call is invalid.",
        "Correct each place that `errors` names; `gatepost tools show` describes the arguments of a tool.",
    ),
    code(
        "STDIN_TOO_LARGE",
        exit::USAGE,
        "Standard input is larger than 64 KiB.",
        "Write it to a file, and name the file with --input-file.",
    ),
    code(
        "STREAMING_NOT_SUPPORTED",
        exit::USAGE,
        "A running watcher and a batch have no single outcome.",
        "Give a watcher --once, or leave out --output-format.",
    ),
    code(
        "UNKNOWN_COMMAND",
        exit::USAGE,
        "There is no such command.",
        "Use the command that the hint names; `gatepost help` lists all commands.",
    ),
    code(
        "PARTIAL_FAILURE",
        exit::PARTIAL,
        "Some items succeeded and others failed.",
        "Read the outcome of each item in `data`, and repeat the command for the failed ones.",
    ),
    code(
        "CONFIG_INVALID",
        exit::PRECONDITION,
        "A file of the operator is invalid.",
        "Correct the file and line that `errors` names; `gatepost config` shows the values in force.",
    ),
    code(
        "CONFINEMENT_UNAVAILABLE",
        exit::PRECONDITION,
        "The gate cannot confine itself as gate.toml requires.",
        "Run `gatepost doctor`; it says what the machine lacks.",
    ),
    code(
        "INIT_REQUIRED",
        exit::PRECONDITION,
        "There is no site here.",
        "Name the site with --site, or make one: `gatepost init`.",
    ),
    code(
        "PROGRAM_MISSING",
        exit::PRECONDITION,
        "A program of gatepost is missing beside it, or has another version.",
        "Install the program that the message names; from the sources: `cargo build --workspace`.",
    ),
    code(
        "SANDBOX_UNAVAILABLE",
        exit::PRECONDITION,
        "The machine cannot confine tools as the site requires.",
        "Run `gatepost doctor`; it says what the machine lacks and what to do.",
    ),
    code(
        "SITE_UNSOUND",
        exit::PRECONDITION,
        "The site or its folders fail a check.",
        "Run `gatepost doctor`, and follow its advice for each failure.",
    ),
    code(
        "STDIN_REQUIRED",
        exit::PRECONDITION,
        "Standard input is a terminal.",
        "Pipe the value in, or give it as an argument.",
    ),
    code(
        "NOT_WATCHED",
        exit::PRECONDITION,
        "No watcher serves the site.",
        "Start the watchers with `gatepost up`, then repeat the command.",
    ),
    code(
        "ARTIFACT_NOT_FOUND",
        exit::NOT_FOUND,
        "The result has no such artifact.",
        "Use one of the names in `data.artifacts`.",
    ),
    code(
        "COMMAND_NOT_FOUND",
        exit::NOT_FOUND,
        "There is no such command.",
        "`gatepost command-graph` lists all commands.",
    ),
    code("FILE_NOT_FOUND", exit::NOT_FOUND, "There is no such file.", "Check the path."),
    code(
        "ITEM_NOT_FOUND",
        exit::NOT_FOUND,
        "The quarantine has no such item.",
        "`gatepost quarantine list` shows every item.",
    ),
    code(
        "LOG_NOT_FOUND",
        exit::NOT_FOUND,
        "The site has no such log.",
        "If the watchers have run here, restore the log from a backup; otherwise run them once.",
    ),
    code("REQUEST_NOT_FOUND", exit::NOT_FOUND, "There is no such request.", "`gatepost list` shows every request."),
    code(
        "RESULT_NOT_FOUND",
        exit::NOT_FOUND,
        "There is no such result.",
        "Restore it from a backup: the gate judged the result, but no folder has it now.",
    ),
    code(
        "SESSION_NOT_FOUND",
        exit::NOT_FOUND,
        "There is no such session.",
        "`gatepost sessions list` shows the open sessions.",
    ),
    code("TOOL_NOT_FOUND", exit::NOT_FOUND, "There is no such tool.", "`gatepost tools list` shows every tool."),
    code(
        "ALREADY_EXISTS",
        exit::CONFLICT,
        "The target already exists, with other content.",
        "Choose another name; gatepost overwrites nothing.",
    ),
    code(
        "CONCURRENT_MODIFICATION",
        exit::CONFLICT,
        "The state of the request does not allow this decision now.",
        "Look at it with `gatepost show`, and decide again.",
    ),
    code(
        "GATE_NOT_TRUSTED",
        exit::DENIED,
        "keys/gates lists no key of the gate that judged the result.",
        "Ask the operator whether keys/gates should list the key of that gate.",
    ),
    code(
        "OUT_OF_SCOPE",
        exit::DENIED,
        "The target is out of scope.",
        "Name a target that scope/ allows, or ask the operator.",
    ),
    code(
        "PERMISSION_DENIED",
        exit::DENIED,
        "This user lacks a permission.",
        "Run it as a user who has the permission, or ask the operator.",
    ),
    code(
        "POLICY_DENIED",
        exit::DENIED,
        "The policies of the site deny it.",
        "`gatepost policy explain` shows which policy denies it, and whether approvals would help.",
    ),
    code(
        "KEY_NOT_FOUND",
        exit::CREDENTIALS,
        "There is no key to sign with.",
        "Name your key with --key, or load it into your ssh-agent.",
    ),
    code(
        "KEY_NOT_LISTED",
        exit::CREDENTIALS,
        "The site does not list the key.",
        "Ask the operator to list your public key in keys/.",
    ),
    code("KEY_NOT_VALID", exit::CREDENTIALS, "The key is not valid now.", "Use a key within its validity period."),
    code(
        "SIGNING_FAILED",
        exit::CREDENTIALS,
        "ssh-keygen made no signature.",
        "Read the message of ssh-keygen, or sign with another key.",
    ),
    code("TIMEOUT", exit::TIMEOUT, "The time limit passed.", "Wait again with `gatepost wait ID`, or raise --timeout."),
    code(
        "ADDRESS_UNAVAILABLE",
        exit::UNAVAILABLE,
        "gatepost cannot listen on the address.",
        "Choose another port with --listen, or stop the process that listens there.",
    ),
    code(
        "GATE_BUSY",
        exit::UNAVAILABLE,
        "The gate's log changed during each attempt.",
        "Retry when the gate is less busy.",
    ),
    code(
        "LOCK_HELD",
        exit::UNAVAILABLE,
        "Another process holds the lock.",
        "Wait until that process ends, then run the command again.",
    ),
    code(
        "BACKEND_UNAVAILABLE",
        exit::REJECTED,
        "The backend of the tool is not available here.",
        "Use another tool, or ask the operator to install what `errors` names.",
    ),
    code(
        "BAG_INVALID",
        exit::REJECTED,
        "A bag is incomplete, or differs from its own digests.",
        "Export the folder and copy it again.",
    ),
    code("DOCUMENT_REJECTED", exit::REJECTED, "A document is invalid.", "Correct each place that `errors` names."),
    code(
        "REQUEST_REFUSED",
        exit::REJECTED,
        "The request was refused.",
        "Read `data.reasons`; the identical request fails again.",
    ),
    code(
        "RESULT_REJECTED",
        exit::REJECTED,
        "The gate rejected the result, or would.",
        "Read `data.reasons`; the identical request fails again.",
    ),
    code(
        "AUDIT_LOG_INVALID",
        exit::AUDIT,
        "A log does not verify, or the site differs from it.",
        "Compare the site with a backup and a checkpoint kept elsewhere. Find out who could write to it.",
    ),
    code(
        "TOOL_FAILED",
        exit::TOOL_FAILED,
        "The tool failed.",
        "Read `data.evidence`: the exit status and the output of the tool.",
    ),
    code(
        "EXCHANGE_MISSING",
        exit::START_AGAIN,
        "TOOL-EXEC has not made its exchange folder yet.",
        "Start TOOL-EXEC: `gatepost up`, or `gatepost exec` beside the gate.",
    ),
    code(
        "FOLDER_REPLACED",
        exit::START_AGAIN,
        "A folder of the site was replaced; only a restarted gate can open it.",
        "Start the watcher again.",
    ),
    code(
        "CANCELLED",
        exit::INTERRUPTED,
        "SIGINT ended the command; after SIGTERM the status is 143.",
        "Repeat a command that changes nothing; check `gatepost list` before you submit again.",
    ),
];

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use super::*;

    /// The page of all codes, of which `docs/failures.md` is a copy.
    fn page() -> String {
        let mut page = format!("{HEAD}\n");
        for FailureCode { code, exit, meaning, advice } in TABLE {
            let _ = write!(page, "\n## {code}\n\nExit status {exit}. {meaning}\n\n{advice}\n");
        }
        page
    }

    const HEAD: &str = "# Failure codes\n\n\
        Each failure has a code, `error.code`, with a fixed meaning. `error.docs` names its section here.\n\
        The message says what failed, and the hint how to fix it.\n\n\
        If `error.retryable` is true, the identical call may succeed after `error.retry_after_ms`.\n\
        `error.retry_strategy` says whether the delay stays (`linear_backoff`) or doubles\n\
        (`exponential_backoff`). Other failures recur. `gatepost COMMAND --schema` lists the codes of a\n\
        command.\n\n\
        A test generates this page from `src/cli/failure_code.rs` (`GATEPOST_TESTS_WRITE=1`).";

    #[test]
    fn the_page_of_all_codes_says_what_the_table_and_the_declarations_say() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DOCS);
        if std::env::var_os("GATEPOST_TESTS_WRITE").is_some() {
            std::fs::write(&path, page()).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), page());
    }

    #[test]
    fn no_two_codes_are_the_same_and_each_is_explained_in_sentences() {
        for (at, code) in TABLE.iter().enumerate() {
            assert!(TABLE.iter().skip(at + 1).all(|other| other.code != code.code), "{}", code.code);
            for text in [code.meaning, code.advice] {
                assert!(text.contains(' ') && text.ends_with('.'), "{text}");
            }
        }
    }
}
