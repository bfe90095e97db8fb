//! The category of a failure, for programs that do not know its code. *Standards*: the claw contract, `error.kind`.

use gatepost_documents::evidence;
use schemars::JsonSchema;
use serde::Serialize;

/// What a failure is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum FailureKind {
    Auth,
    Delivery,
    Mcp,
    Session,
    Filesystem,
    Parse,
    Runtime,
    Usage,
    Policy,
    Unknown,
    ArtifactNotFound,
    CommandNotFound,
    FileNotFound,
    ItemNotFound,
    LogNotFound,
    RequestNotFound,
    ResultNotFound,
    SessionNotFound,
    ToolNotFound,
}

impl From<evidence::FailureKind> for FailureKind {
    fn from(kind: evidence::FailureKind) -> Self {
        match kind {
            evidence::FailureKind::Filesystem => Self::Filesystem,
            evidence::FailureKind::Auth => Self::Auth,
            evidence::FailureKind::Session => Self::Session,
            evidence::FailureKind::Parse => Self::Parse,
            evidence::FailureKind::Runtime => Self::Runtime,
            evidence::FailureKind::Mcp => Self::Mcp,
            evidence::FailureKind::Delivery => Self::Delivery,
            evidence::FailureKind::Usage => Self::Usage,
            evidence::FailureKind::Policy => Self::Policy,
            evidence::FailureKind::Unknown => Self::Unknown,
        }
    }
}

impl FailureKind {
    /// Whether it means that a named thing does not exist.
    pub(super) const fn is_not_found(self) -> bool {
        matches!(
            self,
            Self::ArtifactNotFound
                | Self::CommandNotFound
                | Self::FileNotFound
                | Self::ItemNotFound
                | Self::LogNotFound
                | Self::RequestNotFound
                | Self::ResultNotFound
                | Self::SessionNotFound
                | Self::ToolNotFound
        )
    }
}
