//! The states of a request: each is a folder of the site, or follows from its absence.

use std::fmt;

use serde::Serialize;

use crate::record::State;

/// The state of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RequestState {
    /// It lies in `inbox/`.
    #[default]
    Dropped,
    /// TOOL-EXEC has a private copy.
    Claimed,
    /// It waits for people.
    Pending,
    /// Its tool may have started.
    Running,
    /// It was answered, and the gate has not decided.
    Judging,
    /// CORE has the result.
    Accepted,
    /// CORE has the result, because a person overrode the gate.
    Released,
    /// The gate rejected the result.
    Rejected,
    /// TOOL-EXEC refused the drop before it was a request.
    Quarantined,
    /// Its rejected result was removed.
    Removed,
    /// Its result was judged, and is gone.
    Missing,
}

impl RequestState {
    /// All of them, in the order of a request's life.
    pub const ALL: [Self; 11] = [
        Self::Dropped,
        Self::Claimed,
        Self::Pending,
        Self::Running,
        Self::Judging,
        Self::Accepted,
        Self::Released,
        Self::Rejected,
        Self::Quarantined,
        Self::Removed,
        Self::Missing,
    ];

    /// In one word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dropped => "dropped",
            Self::Claimed => "claimed",
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Judging => "judging",
            Self::Accepted => "accepted",
            Self::Released => "released",
            Self::Rejected => "rejected",
            Self::Quarantined => "quarantined",
            Self::Removed => "removed",
            Self::Missing => "missing",
        }
    }

    /// Whether nothing more will happen.
    pub const fn is_final(self) -> bool {
        match self {
            Self::Dropped | Self::Claimed | Self::Pending | Self::Running | Self::Judging => false,
            Self::Accepted | Self::Released | Self::Rejected | Self::Quarantined | Self::Removed | Self::Missing => {
                true
            }
        }
    }

    /// Whether CORE has the result.
    pub const fn is_in_core(self) -> bool {
        matches!(self, Self::Accepted | Self::Released)
    }
}

/// The state of a request for each place where TOOL-EXEC keeps it.
impl From<State> for RequestState {
    fn from(state: State) -> Self {
        match state {
            State::Claimed => Self::Claimed,
            State::Pending => Self::Pending,
            State::Running => Self::Running,
            State::Done => Self::Judging,
        }
    }
}

impl fmt::Display for RequestState {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_has_one_spelling() {
        for state in RequestState::ALL {
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
            assert_eq!(state.to_string(), state.as_str());
        }
    }

    #[test]
    fn what_core_has_is_final_and_what_tool_exec_keeps_is_not() {
        assert!(RequestState::ALL.iter().all(|state| !state.is_in_core() || state.is_final()));
        assert!(State::ALL.iter().all(|state| !RequestState::from(*state).is_final()));
    }
}
