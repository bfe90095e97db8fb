//! The parts of a tool's private root that the sandbox reserves: manifests and configuration may not use them.

use std::ffi::CStr;
use std::path::Path;

/// The root's own folders.
pub const OWN: [&CStr; 9] =
    [c"/dev", c"/in", c"/out", c"/proc", c"/tmp", c"/work", c"/work/in", c"/work/out", c"/work/tmp"];

/// Whether a private root has something of its own at a path, so that nothing can be mounted there.
pub fn keeps(path: &Path) -> bool {
    path.parent().is_none() || OWN.iter().any(|own| own.to_str().is_ok_and(|own| path.starts_with(own)))
}
