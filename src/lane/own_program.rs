//! gatepost's own program, started again inside the sandbox: the workers that do what no program of the machine does.
//!
//! A worker is told what to do on its command line, or on stdin where that holds secrets ([`crate::process::Job::input`]).
//! What it says of itself is believed no more than what any other program says.

use std::io;
use std::path::{Path, PathBuf};

use gatepost_mailbox::fault::Fault;

use crate::lane::workplace::Workplace;

/// Where a worker finds its own program, in a root of its own.
const SHOWN: &str = "/gatepost";

/// The file of this program. One that was replaced while it runs is there no more: the request waits for a restart.
pub(super) fn find() -> Result<PathBuf, Fault> {
    let path = std::env::current_exe().and_then(|path| path.canonicalize());
    path.map_err(|error| {
        let hint = "gatepost's own executable was replaced or removed while it was running; restart gatepost";
        let source = io::Error::new(error.kind(), hint);
        Fault { operation: "find", path: PathBuf::from("/proc/self/exe"), source }
    })
}

/// Lets a worker find it; returns the name under which it does.
pub(super) fn show(program: &Path, workplace: &mut Workplace) -> PathBuf {
    workplace.show(program, Path::new(SHOWN))
}
