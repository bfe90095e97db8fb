//! The effect of a command on its subject. *Standards*: CLI Agent Spec, REQ-C-003 and REQ-C-004.

use schemars::JsonSchema;
use serde::Serialize;

/// The change that was made, or with `--dry-run` would be.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Effect {
    /// It was made.
    Created,
    /// It was changed.
    Updated,
    /// It was removed.
    Deleted,
    /// Nothing had to change.
    #[default]
    Noop,
    /// It would be made.
    WouldCreate,
    /// It would be changed.
    WouldUpdate,
    /// It would be removed.
    WouldDelete,
}

impl Effect {
    /// The effect, or in a dry run its conditional form.
    pub(super) fn or_would(self, is_dry_run: bool) -> Self {
        match self {
            Self::Created if is_dry_run => Self::WouldCreate,
            Self::Updated if is_dry_run => Self::WouldUpdate,
            Self::Deleted if is_dry_run => Self::WouldDelete,
            other => other,
        }
    }

    /// The combined effect: the first one that changes anything.
    pub(super) fn of_all(effects: impl IntoIterator<Item = Self>) -> Self {
        effects.into_iter().find(|effect| *effect != Self::Noop).unwrap_or(Self::Noop)
    }
}
