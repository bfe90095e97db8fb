//! The strength of a tool's isolation, in one word: TOOL-EXEC states it, and gate, site and manifest demand it.

use serde::{Deserialize, Serialize};

/// How strongly a tool is confined, the weakest level first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum SandboxLevel {
    /// Namespaces (own process tree, no network), no privileges, resource limits. The tool sees the machine's files.
    None,
    /// No namespaces: Landlock, a strict seccomp filter, no privileges, resource limits. The tool reads the system's folders and
    /// its own, writes only its own, and reaches no other process and no network.
    Landlock,
    /// Namespaces, a private root, Landlock, a seccomp filter, no privileges, resource limits.
    #[default]
    Full,
}

impl SandboxLevel {
    /// Every level, the weakest first.
    pub const ALL: [Self; 3] = [Self::None, Self::Landlock, Self::Full];

    /// Reads its name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == text)
    }

    /// Its name in evidence, configuration and manifests.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Landlock => "landlock",
            Self::Full => "full",
        }
    }
}
