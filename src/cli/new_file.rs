//! A file that a command makes for its user.

use std::io;
use std::path::Path;

use gatepost_mailbox::durable;

use super::failure::Failure;

/// What happens to a file that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Existing {
    /// It stays, and the command fails.
    Keep,
    /// It is replaced, whole.
    Replace,
}

impl Existing {
    /// As `--force` says.
    pub(super) fn forced(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

/// Writes the file; a dry run only says whether it could. `hint` is for a file that is there and stays.
pub(super) fn write(
    path: &Path,
    bytes: &[u8],
    existing: Existing,
    is_dry_run: bool,
    hint: &str,
) -> Result<(), Failure> {
    let exists = || Failure::already_exists("write", path, hint);
    match existing {
        Existing::Keep if is_dry_run && path.symlink_metadata().is_ok() => Err(exists()),
        _ if is_dry_run => Ok(()),
        Existing::Replace => Ok(durable::replace(path, bytes)?),
        Existing::Keep => match durable::write_new(path, bytes) {
            Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
            written => Ok(written?),
        },
    }
}
