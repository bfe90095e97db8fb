//! The outcome of a request, in one word.

use gatepost_documents::evidence::{FailureCode, Status};
use serde::Serialize;

use super::progress::Progress;
use super::state::RequestState;

/// How a request came out, for whoever counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The tool did what it was asked for, and CORE has the result.
    Succeeded,
    /// The tool failed, and CORE has the result.
    Failed,
    /// The request was refused, or the gate rejected the result.
    Refused,
    /// It is on its way.
    #[default]
    Open,
    /// There is nothing left that tells, or there never was: removed, missing, or a bare document.
    Unknown,
}

impl Class {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Succeeded, Self::Failed, Self::Refused, Self::Open, Self::Unknown];

    /// In one word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::Open => "open",
            Self::Unknown => "unknown",
        }
    }

    /// The outcome with the class before it, where that is no success.
    pub fn label(self, outcome: &str) -> String {
        match self {
            Self::Failed | Self::Refused if outcome.is_empty() => self.as_str().to_owned(),
            Self::Failed | Self::Refused => format!("{}: {outcome}", self.as_str()),
            Self::Succeeded | Self::Open | Self::Unknown => outcome.to_owned(),
        }
    }

    /// How a request came out that is so far.
    pub fn of(progress: &Progress) -> Self {
        let ended = progress.evidence.as_ref();
        match progress.state {
            RequestState::Rejected | RequestState::Quarantined => Self::Refused,
            state if !state.is_final() => Self::Open,
            state if !state.is_in_core() => Self::Unknown,
            _ => match ended.map(|evidence| (evidence.status, evidence.error.as_ref().map(|error| error.code))) {
                Some((Status::Success | Status::Delegated, _)) => Self::Succeeded,
                Some((_, Some(FailureCode::RequestRefused))) => Self::Refused,
                Some(_) => Self::Failed,
                None => Self::Unknown,
            },
        }
    }
}
