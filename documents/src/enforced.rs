//! The confinement of the gate while it judged, as a verdict states it. The gate's crate enforces it.

use serde::{Deserialize, Serialize};

/// What confined the gate while it judged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Held"))]
#[serde(deny_unknown_fields)]
pub struct Enforced {
    /// The Landlock version in force: 3 controls files, 4 also TCP, 6 also abstract sockets and signals. Absent without Landlock.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub landlock_abi: Option<u32>,
    /// Whether a seccomp filter permitted only the system calls that the gate needs.
    pub seccomp: bool,
    /// Whether `no_new_privs` was set.
    pub no_new_privs: bool,
    /// Its limits; absent if the gate could not set them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub limits: Option<Limits>,
}

impl Enforced {
    /// The mechanisms in force, for people.
    pub fn names(&self) -> String {
        let names = [
            self.landlock_abi.map(|abi| format!("Landlock ABI {abi}")),
            self.seccomp.then(|| "seccomp".to_owned()),
            self.no_new_privs.then(|| "no_new_privs".to_owned()),
            self.limits.is_some().then(|| "resource limits".to_owned()),
        ];
        let names: Vec<String> = names.into_iter().flatten().collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    }
}

/// Limits in force; the gate's parent process may have set lower ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Memory that may be written, bytes.
    pub memory_bytes: u64,
    /// Open files.
    pub files: u64,
    /// Size of a core dump, bytes: a dump could contain secrets of foreign data.
    pub core_bytes: u64,
}
