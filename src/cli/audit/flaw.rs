//! What is wrong with a record, or with what it speaks of.

use crate::cli::prelude::*;

/// In which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// It was there, by the record, and is not.
    Missing,
    /// It is not what it was.
    Altered,
    /// It is there, and the record knows nothing of it.
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

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Flaw {
    pub kind: Kind,
    /// The file or folder, from the site on.
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
