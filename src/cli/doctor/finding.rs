//! What was found out about a machine or a site, for whoever has to mend it.

use crate::cli::prelude::*;

/// How something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// As it should be, or of no consequence.
    Ok,
    /// It could not be tried by this user, or cannot be had here; nothing that this user sees needs it.
    Unavailable,
    /// Requests are carried out all the same; less protects them, or something may go wrong later.
    Warning,
    /// Requests will be refused, or whoever should not can change what gatepost believes.
    Failure,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Finding {
    /// What was looked at: `group.name`, stable.
    pub check: String,
    /// How it was found.
    pub status: Status,
    /// What was found, with its figures; no sentence.
    pub found: String,
    /// Why it is not as it should be, in whole sentences; absent when it is, or when nobody can tell.
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

    /// Not tried, or not to be had.
    pub(crate) fn unavailable(check: impl Into<String>, found: impl Into<String>) -> Self {
        Self { status: Status::Unavailable, ..Self::ok(check, found) }
    }

    /// Worth knowing. `why` and `fix` are whole sentences.
    pub(crate) fn warning(
        check: impl Into<String>,
        found: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        let (why, fix) = (Some(why.into()), Some(fix.into()));
        Self { status: Status::Warning, why, fix, ..Self::ok(check, found) }
    }

    /// To be mended. `why` and `fix` are whole sentences.
    pub(crate) fn failure(
        check: impl Into<String>,
        found: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { status: Status::Failure, ..Self::warning(check, found, why, fix) }
    }

    /// The same with a command that mends it.
    #[must_use]
    pub(crate) fn run(self, command: impl Into<String>) -> Self {
        Self { fix_command: Some(command.into()), ..self }
    }
}
