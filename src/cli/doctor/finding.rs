//! A finding about a machine or a site, for the operator.

use crate::cli::prelude::*;

/// The status of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// As it should be, or of no consequence.
    Ok,
    /// Not possible for this user or on this machine; nothing that this user sees needs it.
    Unavailable,
    /// Requests still run, with less protection, or something may fail later.
    Warning,
    /// Requests are refused, or a wrong user can change what gatepost trusts.
    Failure,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Finding {
    /// The name of the check: `group.name`, stable.
    pub check: String,
    /// Its status.
    pub status: Status,
    /// The finding with its figures; not a sentence.
    pub found: String,
    /// The cause of a problem, in whole sentences; absent without a problem, or if the cause is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What to do about it, in whole sentences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// The fix as one command line for a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix_command: Option<String>,
}

impl Finding {
    /// Nothing to do.
    pub(crate) fn ok(check: impl Into<String>, found: impl Into<String>) -> Self {
        let (check, found) = (check.into(), found.into());
        Self { check, status: Status::Ok, found, why: None, fix: None, fix_command: None }
    }

    /// Not tested, or not available.
    pub(crate) fn unavailable(check: impl Into<String>, found: impl Into<String>) -> Self {
        Self { status: Status::Unavailable, ..Self::ok(check, found) }
    }

    /// A warning. `why` and `fix` are whole sentences.
    pub(crate) fn warning(
        check: impl Into<String>,
        found: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        let (why, fix) = (Some(why.into()), Some(fix.into()));
        Self { status: Status::Warning, why, fix, ..Self::ok(check, found) }
    }

    /// A failure. `why` and `fix` are whole sentences.
    pub(crate) fn failure(
        check: impl Into<String>,
        found: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { status: Status::Failure, ..Self::warning(check, found, why, fix) }
    }

    /// Adds a command that fixes it.
    #[must_use]
    pub(crate) fn run(self, command: impl Into<String>) -> Self {
        Self { fix_command: Some(command.into()), ..self }
    }
}
