//! A file that a command makes where nothing was, and that replaces nothing.

use std::io;
use std::path::Path;

use gatepost_mailbox::durable;

use super::failure::Failure;

/// Makes the file; in a dry run only says whether it could. `hint` is for whoever finds something there.
pub(super) fn write(path: &Path, bytes: &[u8], is_dry_run: bool, hint: &str) -> Result<(), Failure> {
    let exists = || Failure::already_exists("write", path, hint);
    if is_dry_run {
        return if path.symlink_metadata().is_ok() { Err(exists()) } else { Ok(()) };
    }
    match durable::write_new(path, bytes) {
        Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
        written => Ok(written?),
    }
}
