//! The program `gatepost-gate` beside this one: whether it is there, and judges as this one would.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use gatepost_gate::cli::{NAME, version};

/// The program, or why it is not the gate.
pub fn beside_this() -> Result<PathBuf, String> {
    let this = std::env::current_exe().map_err(|error| format!("this program cannot be found: {error}"))?;
    let program = this.with_file_name(NAME);
    if !program.is_file() {
        return Err(format!("there is no {NAME} beside this program"));
    }
    let asked = Command::new(&program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output();
    let said = asked.map_err(|error| format!("{} cannot be started: {error}", program.display()))?.stdout;
    let (said, expected) = (String::from_utf8_lossy(&said), version());
    if said.trim_end() == expected {
        Ok(program)
    } else {
        let said = gatepost_documents::text::quoted(said.trim_end());
        Err(format!("{} is {said}, and this program needs {expected}", program.display()))
    }
}
