//! A flaw in a record, or in the files that it covers.

use crate::cli::prelude::*;

/// The kind of flaw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// The record has it, but it is missing.
    Missing,
    /// It differs from the record.
    Altered,
    /// It is there, but the record does not have it.
    Added,
}

impl Kind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Altered => "altered",
            Self::Added => "added",
        }
    }
}

/// One flaw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Flaw {
    pub kind: Kind,
    /// The file or folder, relative to the site.
    pub place: String,
    /// A whole sentence.
    pub message: String,
    /// What to do about it.
    pub hint: &'static str,
}

impl Flaw {
    pub(super) fn new(kind: Kind, place: impl Into<String>, message: impl Into<String>, hint: &'static str) -> Self {
        Self { kind, place: place.into(), message: message.into(), hint }
    }
}
