//! The failure of a command: a code for scripts and text for people.
//!
//! Each failure has one code of the table in `error_code.rs`. Library errors become failures only here. *Security*:
//! message, hint and next steps are our own words; strangers' words appear only as quoted names. *Standards*: CLI Agent
//! Spec, REQ-C-013, REQ-C-014 and REQ-C-030.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use gatepost_documents::reason::{Code, Reason, Severity};
use gatepost_documents::text::quoted_name;
use gatepost_exec::watch;
use gatepost_gate::confinement::ConfinementError;
use gatepost_gate::mailbox::OpenError;
use gatepost_gate::watch::WatchError;
use gatepost_mailbox::fault::{Fault, OnPath as _, is_passing};
use gatepost_mailbox::lock::LockError;
use gatepost_mailbox::site::GATE_CONFIG_FILE;
use schemars::JsonSchema;
use serde::Serialize;

use super::access;
use super::error_code::ErrorCode;
use super::show::visible_text;
use super::style::{self, Tone};
use crate::cli::failure_kind::FailureKind;

/// The delay before a retry if another process holds a lock.
const RETRY_AFTER_MS: u64 = 1_000;

/// Why a command failed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Failure {
    /// Stable, `UPPER_SNAKE`.
    pub code: ErrorCode,
    /// `filesystem parse runtime mcp usage policy unknown` or `<entity>_not_found`.
    pub kind: FailureKind,
    /// The operation that failed.
    pub operation: &'static str,
    /// The target of the operation.
    pub target: String,
    /// Whether the identical call may succeed later.
    pub retryable: bool,
    /// A whole sentence.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// Milliseconds to wait before a retry of the identical call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// One safe command that fixes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix_command: Option<String>,
    /// Next steps with their commands, in the order of the items they concern.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<Next>,
    /// Every error in a document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Reason>,
    /// Every error in the arguments of the command.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub argument_errors: Vec<ArgumentError>,
    /// The exit status.
    #[serde(skip)]
    pub exit: u8,
}

/// One invalid argument of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct ArgumentError {
    /// The argument as the usage names it, `--limit <N>`.
    pub param: String,
    /// Its value; absent if none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The form of its values as a regular expression, if the value misses that form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// A whole sentence.
    pub message: String,
}

/// A next step after a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Next {
    /// What to do, in sentences.
    pub advice: String,
    /// The command that does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl Failure {
    /// A failure that is not retryable. `message` is a whole sentence; `hint` is the next step.
    pub(super) fn new(code: ErrorCode, kind: FailureKind, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            code,
            kind,
            operation: "run",
            target: String::new(),
            retryable: false,
            message: message.into(),
            hint: hint.into(),
            retry_after_ms: None,
            fix_command: None,
            next: Vec::new(),
            errors: Vec::new(),
            argument_errors: Vec::new(),
            exit: code.exit(),
        }
    }

    /// The same failure of an operation on a target.
    #[must_use]
    pub(super) fn during(mut self, operation: &'static str, target: impl Into<String>) -> Self {
        self.operation = operation;
        self.target = target.into();
        self
    }

    /// The arguments are invalid.
    pub(super) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorCode::ArgError, FailureKind::Usage, message, hint).during("parse_arguments", "")
    }

    /// The named thing does not exist.
    pub(super) fn not_found(
        code: ErrorCode,
        kind: FailureKind,
        target: impl Into<String>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self::new(code, kind, message, hint).during("find", target)
    }

    /// The hint for a missing thing: a suggestion, and the command that lists them.
    pub(super) fn did_you_mean(near: Option<&str>, list: &str) -> String {
        near.map_or_else(|| list.to_owned(), |near| format!("Did you mean {near}? {list}"))
    }

    /// The named file does not exist.
    pub(super) fn file_not_found(path: &Path) -> Self {
        let message = format!("{} does not exist.", quoted_name(path.as_os_str()));
        let hint = "Check the path.";
        Self::not_found(ErrorCode::FileNotFound, FailureKind::FileNotFound, path.display().to_string(), message, hint)
    }

    /// The path to create exists already.
    pub(super) fn already_exists(operation: &'static str, path: &Path, hint: &str) -> Self {
        let message = format!("{} already exists.", path.display());
        Self::new(ErrorCode::AlreadyExists, FailureKind::Usage, message, hint)
            .during(operation, path.display().to_string())
    }

    /// Checks that a named file exists.
    pub(super) fn unless_there(path: &Path) -> Result<(), Self> {
        Ok(path.metadata().map(drop).on("find", path)?)
    }

    /// A document was refused.
    pub(super) fn refused(code: ErrorCode, target: &str, mut errors: Vec<Reason>) -> Self {
        errors.retain(|reason| reason.severity == Severity::Reject);
        let message = match errors.as_slice() {
            [one] => {
                let place = one.place(str::to_owned).filter(|_| one.file.as_deref() == Some(target));
                format!("{}: {}", place.as_deref().unwrap_or(target), one.message)
            }
            many => format!("{target} breaks {} rules.", many.len()),
        };
        let hint = errors.first().map_or_else(String::new, |reason| reason.hint.clone());
        Self { errors, ..Self::new(code, FailureKind::Parse, message, hint).during("check", target) }
    }
}

impl Failure {
    /// For a person: the failure, all errors, and the next steps.
    pub(super) fn to_text(&self) -> String {
        let message: String = visible_text(&self.message);
        format!("{} {message}\n{}", style::paint_message(Tone::Bad, "error:"), self.details())
    }

    /// The text after the message, escaped for terminals, because it may contain a stranger's paths.
    fn details(&self) -> String {
        let mut text = String::new();
        // The message already reports a single error.
        if self.argument_errors.len() > 1 {
            text.extend(self.argument_errors.iter().map(|error| format!("  - {}\n", error.message)));
        }
        // The message already reports a single error, unless the next steps are listed separately.
        if self.errors.len() > 1 || !self.next.is_empty() {
            let mut printed = BTreeSet::new();
            for reason in &self.errors {
                text += &format!("  - {reason}\n");
                if printed.insert(&reason.hint) {
                    text += &format!("    {}\n", reason.hint);
                }
            }
        } else if !self.hint.is_empty() {
            text += &format!("  {}\n", self.hint);
        }
        if let Some(fix) = &self.fix_command {
            text += &format!("  Try: {fix}\n");
        }
        for Next { advice, command } in &self.next {
            text += &format!("next: {advice}\n");
            text.extend(command.as_ref().map(|command| format!("  {command}\n")));
        }
        text.split('\n').map(visible_text).collect::<Vec<_>>().join("\n")
    }

    /// A refused request: denied if only rights are missing, else its own fault.
    pub(super) fn not_authorized(target: &str, reasons: Vec<Reason>) -> Self {
        let all = |codes: &[Code]| reasons.iter().all(|reason| codes.contains(&reason.code));
        let (code, kind) = if all(&[Code::OutOfScope]) {
            (ErrorCode::OutOfScope, FailureKind::Policy)
        } else if all(&[Code::OutOfScope, Code::PolicyDenied, Code::ApprovalMissing]) {
            (ErrorCode::PolicyDenied, FailureKind::Policy)
        } else {
            (ErrorCode::SchemaViolation, FailureKind::Parse)
        };
        Self { kind, ..Self::refused(code, target, reasons) }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        if let Some(reason) = fault.as_unusable() {
            let file = reason.file.clone().unwrap_or_default();
            return Self::refused(ErrorCode::ConfigInvalid, &file, vec![reason.clone()]);
        }
        let hint = match fault.source.kind() {
            std::io::ErrorKind::NotFound if fault.operation == "find" => return Self::file_not_found(&fault.path),
            std::io::ErrorKind::NotFound if fault.path.ends_with("var/gate/log.key") => {
                "Restore it from a backup, or move var/gate/log/ aside."
            }
            std::io::ErrorKind::NotFound => {
                "Check the path, and that the folder exists; `gatepost init` makes the folders of a site."
            }
            std::io::ErrorKind::PermissionDenied => &access::hint(&fault),
            std::io::ErrorKind::StorageFull => "Free some space, then retry.",
            _ => "Check the path, fix the cause, then retry.",
        };
        let message = format!("gatepost failed to {fault}.");
        let (operation, target) = (fault.operation, fault.path.display().to_string());
        Self {
            retryable: is_passing(&fault.source),
            ..Self::new(ErrorCode::IoError, FailureKind::Filesystem, message, hint).during(operation, target)
        }
    }
}

impl From<watch::WatchError> for Failure {
    fn from(error: watch::WatchError) -> Self {
        match error {
            watch::WatchError::Invalid(file, reasons) => Self::refused(ErrorCode::ConfigInvalid, &file, reasons),
            watch::WatchError::Lock(error) => error.into(),
            watch::WatchError::Fault(fault) => fault.into(),
        }
    }
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Fault(fault) => fault.into(),
            LockError::Held { ref path, .. } => {
                let target = path.display().to_string();
                let hint = if path.is_dir() {
                    "Wait until that process ends, then run the command again."
                } else {
                    "Only one watcher can serve a site. Stop the other one, or leave the work to it."
                };
                let failure = Self::new(ErrorCode::LockHeld, FailureKind::Runtime, format!("{error}."), hint);
                Self { retryable: true, retry_after_ms: Some(RETRY_AFTER_MS), ..failure.during("lock", target) }
            }
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Lock(error) => error.into(),
            OpenError::Fault(fault) => fault.into(),
            OpenError::Policy(reason) => {
                // `gate.toml`, or a file of the site's own rules.
                let file = reason.file.clone().unwrap_or_else(|| GATE_CONFIG_FILE.to_owned());
                Self::refused(ErrorCode::ConfigInvalid, &file, vec![reason])
            }
        }
    }
}

impl From<ConfinementError> for Failure {
    fn from(error: ConfinementError) -> Self {
        let message =
            format!("The gate cannot confine itself as {GATE_CONFIG_FILE} requires, so it judges nothing: {error}.");
        Self::new(ErrorCode::ConfinementUnavailable, FailureKind::Runtime, message, error.means.hint())
    }
}

impl From<WatchError> for Failure {
    fn from(error: WatchError) -> Self {
        let exit = error.exit();
        let failure = match error {
            WatchError::Open(error) => error.into(),
            WatchError::Confinement(error) => error.into(),
            WatchError::Fault(fault) => fault.into(),
            WatchError::NoExchange(_) => {
                let hint = "Start TOOL-EXEC: `gatepost up`, or `gatepost exec` beside the gate.";
                let failure = Self::new(ErrorCode::ExchangeMissing, FailureKind::Filesystem, format!("{error}."), hint);
                Self { retryable: true, ..failure }
            }
        };
        Self { exit, ..failure }
    }
}
