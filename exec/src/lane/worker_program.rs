//! The workers: programs of gatepost that TOOL-EXEC starts inside the sandbox, found beside its own program.
//!
//! A worker reads its assignment from its arguments, or from stdin if it holds secrets ([`gatepost_sandbox::process::Job::input`]).
//! TOOL-EXEC trusts a worker's report as little as the output of any other program.

use std::io;
use std::path::{Path, PathBuf};

use gatepost_documents::evidence::Worker;
use gatepost_documents::reason::{Code, Reason};
use gatepost_mailbox::fault::Fault;

use crate::context::Context;
use crate::lane::workplace::Workplace;

/// The worker of that name, and its entry in the evidence. Uses the present file, even if it was replaced since the start.
pub(super) fn identify(context: &Context, name: &str) -> Result<(PathBuf, Worker), Fault> {
    let path = beside(name)?;
    let found = path.canonicalize().map_err(|error| io::Error::new(error.kind(), hint(name)));
    let program = found.map_err(|source| Fault { operation: "find", path, source })?;
    let sha256 = context.toolbox.digest_of(&program)?;
    Ok((program, Worker { name: name.to_owned(), sha256 }))
}

/// Why a request that needs a worker is refused: its program is not installed. Code: `backend_unavailable`.
pub(super) fn missing(name: &str) -> Option<Reason> {
    if beside(name).is_ok_and(|path| path.is_file()) {
        return None;
    }
    let message = format!("The program {name} is not installed beside gatepost.");
    Some(Reason::new(Code::BackendUnavailable, message, format!("Ask the operator: {}.", hint(name))))
}

fn beside(name: &str) -> Result<PathBuf, Fault> {
    let this = std::env::current_exe();
    this.map(|path| path.with_file_name(name)).map_err(|source| Fault {
        operation: "find",
        path: PathBuf::from("/proc/self/exe"),
        source,
    })
}

fn hint(name: &str) -> String {
    format!("install {name} into the folder that holds gatepost (from the sources: cargo build --workspace)")
}

/// Makes a worker visible inside the sandbox; returns its path there.
pub(super) fn show(program: &Path, workplace: &mut Workplace) -> PathBuf {
    let name = program.file_name().unwrap_or_default();
    workplace.show(program, &Path::new("/").join(name))
}
