//! Finds the program `gatepost-gate` beside this one, and compares its version.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gatepost_documents::text::quoted;
use gatepost_gate::cli::{NAME, version};
use gatepost_mailbox::fault::OnPath as _;

use super::exit;
use super::failure::Failure;

/// The program. Fails with `PROGRAM_MISSING` if there is none, or if it would judge by other rules than this version's.
pub fn find() -> Result<PathBuf, Failure> {
    let this = std::env::current_exe().on("find", Path::new("/proc/self/exe"))?;
    let program = this.with_file_name(NAME);
    if !program.is_file() {
        return Err(missing(&program, format!("{} does not exist.", program.display())));
    }
    let asked = Command::new(&program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    let said = asked.on("start", &program)?.stdout;
    let (said, expected) = (String::from_utf8_lossy(&said), version());
    if said.trim_end() == expected {
        return Ok(program);
    }
    let said = quoted(said.trim_end());
    Err(missing(&program, format!("{} is {said}; this gatepost needs {expected}.", program.display())))
}

fn missing(program: &Path, message: String) -> Failure {
    let hint = "Install gatepost-gate of the same version beside gatepost; from the sources: cargo build --workspace.";
    let failure = Failure::new(exit::PRECONDITION, "PROGRAM_MISSING", "runtime", message, hint);
    failure.during("start", program.display().to_string())
}
