//! Finds the programs of both watchers, of the pages and of the MCP server beside this one, and compares their versions.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cli::prelude::*;
use gatepost_gate::cli as gate;

/// `gatepost-gate`. Fails with `PROGRAM_MISSING` if it is missing, or if its rules differ from this version's.
pub(super) fn gate() -> Result<PathBuf, Failure> {
    find(gate::NAME, &gate::version())
}

/// TOOL-EXEC.
pub(super) const EXEC: &str = "gatepost-exec";
/// The pages of a site.
pub(super) const PAGES: &str = "gatepost-pages";
/// The MCP server.
pub(super) const MCP: &str = "gatepost-mcp";

/// One of these three. Fails with `PROGRAM_MISSING` if this version of it is missing.
pub(super) fn program(name: &str) -> Result<PathBuf, Failure> {
    find(name, &format!("{name} {}", env!("CARGO_PKG_VERSION")))
}

/// Both watchers.
pub(super) fn watchers() -> Result<(), Failure> {
    program(EXEC)?;
    gate().map(drop)
}

fn find(name: &str, expected: &str) -> Result<PathBuf, Failure> {
    let this = std::env::current_exe().on("find", Path::new("/proc/self/exe"))?;
    let program = this.with_file_name(name);
    if !program.is_file() {
        return Err(missing(&program, format!("{} does not exist.", program.display())));
    }
    let output = Command::new(&program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    let version = output.on("start", &program)?.stdout;
    let version = String::from_utf8_lossy(&version);
    if version.trim_end() == expected {
        return Ok(program);
    }
    let version = quoted(version.trim_end());
    Err(missing(&program, format!("{} is {version}; this gatepost needs {expected}.", program.display())))
}

fn missing(program: &Path, message: String) -> Failure {
    let hint = "Install all programs of one version beside each other; from the sources: `cargo build --workspace`.";
    let failure = Failure::new(ErrorCode::ProgramMissing, FailureKind::Runtime, message, hint);
    failure.during("start", program.display().to_string())
}
