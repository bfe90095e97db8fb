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
        "Run it again with --verbose, and see what the watchers say.",
    ),
    code(
        "EXPORT_REFUSED",
        exit::GENERAL,
        "What was to be exported is not in order.",
        "Read `errors`: mend or leave out what is named there.",
    ),
    code(
        "INTERNAL",
        exit::GENERAL,
        "gatepost itself is at fault.",
        "Report it with the command line and the message; the site is as the last whole step left it.",
    ),
    code(
        "IO_ERROR",
        exit::GENERAL,
        "The system refused to read or write something.",
        "Fix what the message names (rights, space, the path), and try again.",
    ),
    code(
        WARNINGS_AS_ERRORS,
        exit::GENERAL,
        "It was done, with warnings, and --warnings-as-errors was given.",
        "Read `warnings`; what was done is in `data`.",
    ),
    code(
        "WATCHER_ENDED",
        exit::GENERAL,
        "A watcher ended that should go on.",
        "Read the log of the watcher that is named, mend the cause, and start it again.",
    ),
    code(
        "ARG_ERROR",
        exit::USAGE,
        "Arguments cannot be used.",
        "Mend the arguments that `errors` names; `--help` and `--schema` say what each takes.",
    ),
    code(
        "EMPTY_STDIN",
        exit::USAGE,
        "Standard input was to be read, and had nothing.",
        "Pipe something in, or give the value as an argument.",
    ),
    code(
        "INPUT_FORGOTTEN",
        exit::USAGE,
        "An argument names a file that was not given.",
        "Give the file with --input; the hint has the whole command.",
    ),
    code(
        "INVALID_AGENT_INPUT",
        exit::USAGE,
        "An id or a name is malformed.",
        "Use an id as `gatepost list -o id` prints it, or a name as `gatepost tools list -o id` does.",
    ),
    code(
        "INVALID_JSON",
        exit::USAGE,
        "JSON was expected.",
        "Mend the JSON at the line and column that the message names.",
    ),
    code(
        "SCHEMA_VIOLATION",
        exit::USAGE,
        "A request or a call breaks its rules.",
        "Mend what `errors` names, each with its place; `gatepost tools show` tells the form of a call.",
    ),
    code(
        "STDIN_TOO_LARGE",
        exit::USAGE,
        "Standard input exceeds what is read of it.",
        "Write it into a file, and name that with --input-file.",
    ),
    code(
        "STREAMING_NOT_SUPPORTED",
        exit::USAGE,
        "A watcher while it runs, and a batch, have no single outcome.",
        "Give a watcher --once, or leave --output-format out.",
    ),
    code(
        "UNKNOWN_COMMAND",
        exit::USAGE,
        "There is no such command.",
        "Take the command that the hint names; `gatepost help` lists all.",
    ),
    code(
        "PARTIAL_FAILURE",
        exit::PARTIAL,
        "Some of several things were done.",
        "Read the outcome of each item in `data`, and repeat the command with those that failed.",
    ),
    code(
        "CONFIG_INVALID",
        exit::PRECONDITION,
        "A file of the operator's cannot be used.",
        "Mend the file and line that `errors` names; `gatepost config` shows what holds.",
    ),
    code(
        "CONFINEMENT_UNAVAILABLE",
        exit::PRECONDITION,
        "The gate cannot confine itself as it must.",
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
        "A program of gatepost is not installed beside it, or is of another version.",
        "Install the program that the message names; from the sources: cargo build --workspace.",
    ),
    code(
        "SANDBOX_UNAVAILABLE",
        exit::PRECONDITION,
        "The machine cannot hold tools as the site demands.",
        "Run `gatepost doctor`; it says what the machine lacks, and what to do.",
    ),
    code(
        "SITE_UNSOUND",
        exit::PRECONDITION,
        "The folders of the site are not as they must be.",
        "Run `gatepost doctor`, and do what it says of the folders.",
    ),
    code(
        "STDIN_REQUIRED",
        exit::PRECONDITION,
        "Standard input was to be read, and is a terminal.",
        "Pipe the value in, or give it as an argument.",
    ),
    code(
        "NOT_WATCHED",
        exit::PRECONDITION,
        "Nobody watches the site.",
        "Start the watchers: `gatepost up`. Then repeat the command.",
    ),
    code(
        "ARTIFACT_NOT_FOUND",
        exit::NOT_FOUND,
        "The result has no such artifact.",
        "Take one of the names in `data.artifacts`.",
    ),
    code("COMMAND_NOT_FOUND", exit::NOT_FOUND, "There is no such command.", "`gatepost command-graph` lists all."),
    code("FILE_NOT_FOUND", exit::NOT_FOUND, "There is no such file.", "Check how the path is written."),
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
        "Look into a backup: a site whose watchers ran has the log.",
    ),
    code("REQUEST_NOT_FOUND", exit::NOT_FOUND, "There is no such request.", "`gatepost list` shows every request."),
    code(
        "RESULT_NOT_FOUND",
        exit::NOT_FOUND,
        "There is no such result.",
        "Look into a backup: the result was judged, and lies in no folder any more.",
    ),
    code(
        "SESSION_NOT_FOUND",
        exit::NOT_FOUND,
        "There is no such session.",
        "`gatepost sessions list` shows those that are open.",
    ),
    code("TOOL_NOT_FOUND", exit::NOT_FOUND, "There is no such tool.", "`gatepost tools list` shows every tool."),
    code(
        "ALREADY_EXISTS",
        exit::CONFLICT,
        "It exists already, with other content.",
        "Choose another name; nothing is written over.",
    ),
    code(
        "CONCURRENT_MODIFICATION",
        exit::CONFLICT,
        "It changed meanwhile.",
        "Look at it with `gatepost show`, and decide anew.",
    ),
    code(
        "GATE_NOT_TRUSTED",
        exit::DENIED,
        "No key of the gate that judged it is listed.",
        "Ask the operator whether the key of that gate belongs in keys/gates.",
    ),
    code(
        "OUT_OF_SCOPE",
        exit::DENIED,
        "The target is not one that may be aimed at.",
        "Name a target that scope/ allows, or ask the operator.",
    ),
    code(
        "PERMISSION_DENIED",
        exit::DENIED,
        "This user may not do that.",
        "Run it as a user who may, or ask the operator.",
    ),
    code(
        "POLICY_DENIED",
        exit::DENIED,
        "The policy of the site denies it.",
        "`gatepost policy explain` says which policy, and whether approvals would help.",
    ),
    code(
        "KEY_NOT_FOUND",
        exit::CREDENTIALS,
        "There is no key to sign with.",
        "Name your key with --key, or load it into your agent.",
    ),
    code(
        "KEY_NOT_LISTED",
        exit::CREDENTIALS,
        "The key is not one that counts here.",
        "Ask the operator to list your public key in keys/.",
    ),
    code(
        "KEY_NOT_VALID",
        exit::CREDENTIALS,
        "The key does not count now.",
        "Use a key whose time has come and is not over.",
    ),
    code(
        "SIGNING_FAILED",
        exit::CREDENTIALS,
        "The signature was not made.",
        "Read what ssh-keygen said; sign with another key.",
    ),
    code("TIMEOUT", exit::TIMEOUT, "Time ran out.", "Wait again: `gatepost wait ID`, or give more --timeout."),
    code(
        "ADDRESS_UNAVAILABLE",
        exit::UNAVAILABLE,
        "The address cannot be listened on.",
        "Choose another port with --listen, or end what listens there.",
    ),
    code(
        "GATE_BUSY",
        exit::UNAVAILABLE,
        "The gate decided something each time.",
        "Try again when the gate decides less.",
    ),
    code(
        "LOCK_HELD",
        exit::UNAVAILABLE,
        "Somebody else holds the lock.",
        "Wait until the other one is done, and run the command again.",
    ),
    code(
        "BACKEND_UNAVAILABLE",
        exit::REJECTED,
        "What the tool needs cannot be had here.",
        "Take another tool, or ask the operator to install what `errors` names.",
    ),
    code(
        "BAG_INVALID",
        exit::REJECTED,
        "A bag is not whole, or not what it says.",
        "Have the folder exported and copied again.",
    ),
    code(
        "DOCUMENT_REJECTED",
        exit::REJECTED,
        "A document breaks its rules.",
        "Mend what `errors` names, each with its place.",
    ),
    code(
        "REQUEST_REFUSED",
        exit::REJECTED,
        "The request was refused.",
        "Read `data.reasons`; the identical request meets the same end.",
    ),
    code(
        "RESULT_REJECTED",
        exit::REJECTED,
        "The gate rejected the result, or would.",
        "Read `data.reasons`; the identical request meets the same end.",
    ),
    code(
        "AUDIT_LOG_INVALID",
        exit::AUDIT,
        "A log does not verify, or something is not as it says.",
        "Compare the site with a backup and a checkpoint kept elsewhere; find out who could write to it.",
    ),
    code(
        "TOOL_FAILED",
        exit::TOOL_FAILED,
        "The tool failed.",
        "Read `data.evidence`: the status, and what the tool printed.",
    ),
    code(
        "EXCHANGE_MISSING",
        exit::START_AGAIN,
        "TOOL-EXEC has not made its folder yet.",
        "Start TOOL-EXEC: `gatepost up`, or `gatepost exec` beside the gate.",
    ),
    code(
        "FOLDER_REPLACED",
        exit::START_AGAIN,
        "A folder of the site was replaced; a new gate can reach it.",
        "Start the watcher again.",
    ),
    code(
        "CANCELLED",
        exit::INTERRUPTED,
        "A signal ended it: SIGINT; 143 for SIGTERM.",
        "Repeat what changes nothing; look with `gatepost list` before you submit again.",
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
