//! Finds the program that an argument vector names.
//!
//! The search path is fixed: the caller's `PATH` does not decide what a tool is.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::ProcessError;

/// The search path for a name without a slash, in this order.
pub(super) const SEARCH_PATH: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// The path to execute. A path with a slash is used unchanged; the kernel decides whether it is executable.
pub fn find(argv: &[OsString]) -> Result<PathBuf, ProcessError> {
    let name = argv.first().filter(|name| !name.is_empty()).ok_or(ProcessError::NoProgram)?;
    if name.as_bytes().contains(&b'/') {
        return Ok(PathBuf::from(name));
    }
    installed(name).ok_or_else(|| ProcessError::NotFound { program: name.clone() })
}

/// The path of a program name without a slash; `None` if it is missing or cannot be executed.
pub fn installed(name: &OsStr) -> Option<PathBuf> {
    SEARCH_PATH
        .iter()
        .map(|directory| Path::new(directory).join(name))
        .find(|path| path.is_file() && access(path, Access::EXEC_OK).is_ok())
}
