//! The table of all failure codes with their exit statuses.
//!
//! Programs branch on a code; its meaning never changes. *Standards*: CLI Agent Spec, REQ-F-001 and REQ-C-001.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use super::exit;

/// Generates [`ErrorCode`] from the table: each code with its name, its exit status, its meaning in a sentence, and general advice.
macro_rules! error_codes {
    ($($code:ident $name:literal $exit:ident: $meaning:literal, $advice:literal;)+) => {
        /// The code of a failure.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum ErrorCode {
            $(#[doc = $meaning] $code,)+
        }

        impl ErrorCode {
            /// All codes, by exit status.
            pub(super) const ALL: &[Self] = &[$(Self::$code),+];

            /// Its name, `UPPER_SNAKE`.
            pub(super) const fn as_str(self) -> &'static str {
                match self { $(Self::$code => $name,)+ }
            }

            /// The exit status of a command that fails with it; 3 instead if some of several items succeeded.
            pub(super) const fn exit(self) -> u8 {
                match self { $(Self::$code => exit::$exit,)+ }
            }

            /// Its meaning, as a sentence.
            pub(super) const fn meaning(self) -> &'static str {
                match self { $(Self::$code => $meaning,)+ }
            }

            /// General advice; a failure's own hint is more specific.
            pub(super) const fn advice(self) -> &'static str {
                match self { $(Self::$code => $advice,)+ }
            }
        }
    };
}

/// The backoff of retries, if the identical call may succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RetryStrategy {
    /// A constant delay: the awaited event comes by itself, and a retry is cheap.
    LinearBackoff,
    /// Doubles each time: many concurrent retries would block each other.
    ExponentialBackoff,
}

impl ErrorCode {
    /// The backoff of retries.
    pub(super) const fn retry_strategy(self) -> RetryStrategy {
        match self {
            Self::LockHeld | Self::GateBusy | Self::IoError => RetryStrategy::ExponentialBackoff,
            _ => RetryStrategy::LinearBackoff,
        }
    }

    /// The section of the project's documents on it.
    pub(super) fn docs(self) -> String {
        format!("{DOCS}#{}", self.as_str().to_ascii_lowercase())
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// In schemas a code is any string: a program written for one version has to accept the codes of the next.
impl JsonSchema for ErrorCode {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ErrorCode".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// The page of all codes.
const DOCS: &str = "docs/failures.md";

error_codes! {
    DemoFailed "DEMO_FAILED" GENERAL:
        "An item of the demonstration did not end as expected.",
        "Run it again with --verbose and read the log of the watchers.";
    ExportRefused "EXPORT_REFUSED" GENERAL:
        "An item cannot be exported.",
        "Read `errors`: correct the items that it names, or leave them out.";
    Internal "INTERNAL" GENERAL:
        "gatepost has a bug.",
        "Report the command line and the message. The site is in the state after the last complete step.";
    IoError "IO_ERROR" GENERAL:
        "The system refused a read or a write.",
        "Fix what the message names (permissions, disk space, the path), then retry.";
    WarningsAsErrors "WARNINGS_AS_ERRORS" GENERAL:
        "The command succeeded with warnings, and --warnings-as-errors was given.",
        "Read `warnings`; `data` has the outcome.";
    WatcherEnded "WATCHER_ENDED" GENERAL:
        "A watcher ended unexpectedly.",
        "Read the log of the named watcher, fix the cause, and start it again.";
    ArgError "ARG_ERROR" USAGE:
        "Arguments are invalid.",
        "Correct the arguments that `errors` names; `--help` and `--schema` describe each.";
    EmptyStdin "EMPTY_STDIN" USAGE:
        "Standard input is empty.",
        "Pipe the value in, or give it as an argument.";
    InputForgotten "INPUT_FORGOTTEN" USAGE:
        "An argument names a local file that --input does not pass.",
        "Pass the file with --input; the hint has the complete command.";
    InvalidAgentInput "INVALID_AGENT_INPUT" USAGE:
        "An id or a name is malformed.",
        "Use an id that `gatepost list -o id` prints, or a name that `gatepost tools list -o id` prints.";
    InvalidJson "INVALID_JSON" USAGE:
        "The input is not the expected JSON.",
        "Correct the JSON at the line and column that the message names.";
    SchemaViolation "SCHEMA_VIOLATION" USAGE:
        "A request or a call is invalid.",
        "Correct each place that `errors` names; `gatepost tools show` describes the arguments of a tool.";
    StdinTooLarge "STDIN_TOO_LARGE" USAGE:
        "Standard input is larger than 64 KiB.",
        "Write it to a file, and name the file with --input-file.";
    StreamingNotSupported "STREAMING_NOT_SUPPORTED" USAGE:
        "A running watcher and a batch have no single outcome.",
        "Give a watcher --once, or leave out --output-format.";
    UnknownCommand "UNKNOWN_COMMAND" USAGE:
        "There is no such command.",
        "Use the command that the hint names; `gatepost help` lists all commands.";
    PartialFailure "PARTIAL_FAILURE" PARTIAL:
        "Some items succeeded and others failed.",
        "Read the outcome of each item in `data`, and repeat the command for the failed ones.";
    ConfigInvalid "CONFIG_INVALID" PRECONDITION:
        "A file of the operator is invalid.",
        "Correct the file and line that `errors` names; `gatepost config` shows the values in force.";
    ConfinementUnavailable "CONFINEMENT_UNAVAILABLE" PRECONDITION:
        "The gate cannot confine itself as gate.toml requires.",
        "Run `gatepost doctor`; it says what the machine lacks.";
    InitRequired "INIT_REQUIRED" PRECONDITION:
        "There is no site here, or one of a form that this version does not know.",
        "Name the site with --site, or make one: `gatepost init`.";
    ProgramMissing "PROGRAM_MISSING" PRECONDITION:
        "A program of gatepost is missing beside it, or has another version.",
        "Install the program that the message names; from the sources: `cargo build --workspace`.";
    SandboxUnavailable "SANDBOX_UNAVAILABLE" PRECONDITION:
        "The machine cannot confine tools as the site requires.",
        "Run `gatepost doctor`; it says what the machine lacks and what to do.";
    SiteUnsound "SITE_UNSOUND" PRECONDITION:
        "The site or its folders fail a check.",
        "Run `gatepost doctor`, and follow its advice for each failure.";
    StdinRequired "STDIN_REQUIRED" PRECONDITION:
        "Standard input is a terminal.",
        "Pipe the value in, or give it as an argument.";
    NotWatched "NOT_WATCHED" PRECONDITION:
        "No watcher serves the site.",
        "Start the watchers with `gatepost up`, then repeat the command.";
    ArtifactNotFound "ARTIFACT_NOT_FOUND" NOT_FOUND:
        "The result has no such artifact.",
        "Use one of the names in `data.artifacts`.";
    CommandNotFound "COMMAND_NOT_FOUND" NOT_FOUND:
        "There is no such command.",
        "`gatepost command-graph` lists all commands.";
    FileNotFound "FILE_NOT_FOUND" NOT_FOUND:
        "There is no such file.",
        "Check the path.";
    ItemNotFound "ITEM_NOT_FOUND" NOT_FOUND:
        "The quarantine has no such item.",
        "`gatepost quarantine list` shows every item.";
    LogNotFound "LOG_NOT_FOUND" NOT_FOUND:
        "The site has no such log.",
        "If the watchers have run here, restore the log from a backup; otherwise run them once.";
    RequestNotFound "REQUEST_NOT_FOUND" NOT_FOUND:
        "There is no such request.",
        "`gatepost list` shows every request.";
    ResultNotFound "RESULT_NOT_FOUND" NOT_FOUND:
        "There is no such result.",
        "Restore it from a backup: the gate judged the result, but no folder has it now.";
    SessionNotFound "SESSION_NOT_FOUND" NOT_FOUND:
        "There is no such session.",
        "`gatepost sessions list` shows the open sessions.";
    ToolNotFound "TOOL_NOT_FOUND" NOT_FOUND:
        "There is no such tool.",
        "`gatepost tools list` shows every tool.";
    AlreadyExists "ALREADY_EXISTS" CONFLICT:
        "The target already exists, with other content.",
        "Choose another name; gatepost overwrites nothing.";
    ConcurrentModification "CONCURRENT_MODIFICATION" CONFLICT:
        "The state of the request does not allow this decision now.",
        "Look at it with `gatepost show`, and decide again.";
    GateNotTrusted "GATE_NOT_TRUSTED" DENIED:
        "keys/gates lists no key of the gate that judged the result.",
        "Ask the operator whether keys/gates should list the key of that gate.";
    OutOfScope "OUT_OF_SCOPE" DENIED:
        "The target is out of scope.",
        "Name a target that scope/ allows, or ask the operator.";
    PermissionDenied "PERMISSION_DENIED" DENIED:
        "This user lacks a permission.",
        "Run it as a user who has the permission, or ask the operator.";
    PolicyDenied "POLICY_DENIED" DENIED:
        "The policies of the site deny it.",
        "`gatepost policy explain` shows which policy denies it, and whether approvals would help.";
    KeyNotFound "KEY_NOT_FOUND" CREDENTIALS:
        "There is no key to sign with.",
        "Name your key with --key, or load it into your ssh-agent.";
    KeyNotListed "KEY_NOT_LISTED" CREDENTIALS:
        "The site does not list the key.",
        "Ask the operator to list your public key in keys/.";
    KeyNotValid "KEY_NOT_VALID" CREDENTIALS:
        "The key is not valid now.",
        "Use a key within its validity period.";
    SigningFailed "SIGNING_FAILED" CREDENTIALS:
        "ssh-keygen made no signature.",
        "Read the message of ssh-keygen, or sign with another key.";
    Timeout "TIMEOUT" TIMEOUT:
        "The time limit passed.",
        "Wait again with `gatepost wait ID`, or raise --timeout.";
    AddressUnavailable "ADDRESS_UNAVAILABLE" UNAVAILABLE:
        "gatepost cannot listen on the address.",
        "Choose another port with --listen, or stop the process that listens there.";
    GateBusy "GATE_BUSY" UNAVAILABLE:
        "The gate's log changed during each attempt.",
        "Retry when the gate is less busy.";
    LockHeld "LOCK_HELD" UNAVAILABLE:
        "Another process holds the lock.",
        "Wait until that process ends, then run the command again.";
    BackendUnavailable "BACKEND_UNAVAILABLE" REJECTED:
        "The backend of the tool is not available here.",
        "Use another tool, or ask the operator to install what `errors` names.";
    BagInvalid "BAG_INVALID" REJECTED:
        "A bag is incomplete, or differs from its own digests.",
        "Export the folder and copy it again.";
    DocumentRejected "DOCUMENT_REJECTED" REJECTED:
        "A document is invalid.",
        "Correct each place that `errors` names.";
    RequestRefused "REQUEST_REFUSED" REJECTED:
        "The request was refused.",
        "Read `data.reasons`; the identical request fails again.";
    ResultRejected "RESULT_REJECTED" REJECTED:
        "The gate rejected the result, or would.",
        "Read `data.reasons`; the identical request fails again.";
    AuditLogInvalid "AUDIT_LOG_INVALID" AUDIT:
        "A log does not verify, or the site differs from it.",
        "Compare the site with a backup and a checkpoint kept elsewhere. Find out who could write to it.";
    ToolFailed "TOOL_FAILED" TOOL_FAILED:
        "The tool failed.",
        "Read `data.evidence`: the exit status and the output of the tool.";
    ExchangeMissing "EXCHANGE_MISSING" START_AGAIN:
        "TOOL-EXEC has not made its exchange folder yet.",
        "Start TOOL-EXEC: `gatepost up`, or `gatepost exec` beside the gate.";
    FolderReplaced "FOLDER_REPLACED" START_AGAIN:
        "A folder of the site was replaced; only a restarted gate can open it.",
        "Start the watcher again.";
    Cancelled "CANCELLED" INTERRUPTED:
        "SIGINT ended the command; after SIGTERM the status is 143.",
        "Repeat a command that changes nothing; check `gatepost list` before you submit again.";
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::path::Path;

    use super::*;

    /// The page of all codes; `docs/failures.md` is a copy of it.
    fn page() -> String {
        let mut page = format!("{HEAD}\n");
        for code in ErrorCode::ALL {
            let (name, exit, meaning, advice) = (code.as_str(), code.exit(), code.meaning(), code.advice());
            let _ = write!(page, "\n## {name}\n\nExit status {exit}. {meaning}\n\n{advice}\n");
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
        A test generates this page from `src/cli/error_code.rs` (`GATEPOST_TESTS_WRITE=1`).";

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
        for (at, code) in ErrorCode::ALL.iter().enumerate() {
            assert!(ErrorCode::ALL.iter().skip(at + 1).all(|other| other.as_str() != code.as_str()), "{code:?}");
            for text in [code.meaning(), code.advice()] {
                assert!(text.contains(' ') && text.ends_with('.'), "{text}");
            }
        }
    }
}
