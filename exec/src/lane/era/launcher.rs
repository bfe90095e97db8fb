//! The confinement of a command: the built-in sandbox, or the site's launcher inside a sandbox of level none.
//!
//! The operator trusts the launcher to confine the command. Time, output, processes and the network are bounded around it as around
//! every tool.

use std::ffi::OsString;
use std::fs::File;
use std::path::Path;

use gatepost_contract::config::{Launcher, Values};
use gatepost_documents::digest::Hasher;
use gatepost_documents::evidence::{self, Limits};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::Fault;

use super::Plan;
use crate::context::Context;
use crate::lane::workplace::Workplace;

/// The memory of a launcher in addition to the command's.
const OVERHEAD_BYTES: u64 = 256 << 20;

impl Plan {
    /// The folders of a run in `folder`.
    pub(super) fn workplace(&self, context: &Context, folder: &Path) -> Result<Workplace, Fault> {
        let level = self.launcher.program().map_or(context.sandbox_level, |_| SandboxLevel::None);
        Workplace::make(folder, level)
    }

    /// The argument vector that runs `command`.
    pub(super) fn argv(&self, workplace: &Workplace, command: &[String]) -> Vec<OsString> {
        if self.launcher.program().is_none() {
            return command.iter().map(OsString::from).collect();
        }
        let values = Values {
            input: &workplace.folder().join("in"),
            output: &workplace.folder().join("out"),
            cpus: self.limits.cpus.unwrap_or_else(processors),
            memory_mb: self.limits.memory_bytes.map_or(0, |bytes| bytes >> 20),
            time_seconds: self.limits.time_ms.div_ceil(1_000),
            network: "none",
        };
        self.launcher.argv(&values, command)
    }

    /// The limits around the confinement of the command.
    pub(super) fn limits_around(&self) -> Limits {
        let overhead = if self.launcher.program().is_some() { OVERHEAD_BYTES } else { 0 };
        let memory_bytes = self.limits.memory_bytes.map(|bytes| bytes.saturating_add(overhead));
        Limits { memory_bytes, ..self.limits.clone() }
    }
}

/// The launcher for the evidence, if there is one; its version is queried when it runs.
pub(super) fn identify(launcher: &Launcher) -> Result<Option<evidence::Launcher>, Reason> {
    let Some(path) = launcher.program() else { return Ok(None) };
    let (sha256, _) = File::open(path).and_then(Hasher::read).map_err(|error| {
        let message = format!("The site's launcher {} cannot be read: {error}.", path.display());
        Reason::new(Code::SandboxUnavailable, message, "Ask the operator to fix [era] launcher.")
    })?;
    Ok(Some(evidence::Launcher { program: path.display().to_string(), sha256, version: String::new() }))
}

fn processors() -> u64 {
    std::thread::available_parallelism().map_or(1, |count| count.get() as u64)
}
