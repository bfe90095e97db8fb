//! A file that a command creates for its user.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use gatepost_mailbox::durable;
use gatepost_mailbox::folder::Folder;

use super::failure::Failure;

/// The treatment of an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Existing {
    /// It stays, and the command fails.
    Keep,
    /// It is replaced atomically.
    Replace,
}

impl Existing {
    /// From `--force`.
    pub(super) fn forced(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

/// Writes the file; a dry run only checks whether it could. `hint` is for an existing file that stays.
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
        Existing::Replace if path.symlink_metadata().is_ok_and(|found| !found.is_file()) => Err(not_regular(path)),
        _ if is_dry_run => Ok(()),
        Existing::Replace => replace(path, bytes),
        Existing::Keep => match durable::write_new(path, bytes) {
            Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
            written => Ok(written?),
        },
    }
}

/// Replaces the existing file and keeps its restrictions on readers.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mode = path.symlink_metadata().map_or(0o644, |found| found.mode() & 0o644);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok(Folder::open(folder)?.replace(path.file_name().unwrap_or_default(), bytes, mode)?)
}

fn not_regular(path: &Path) -> Failure {
    Failure::already_exists("write", path, "It is no regular file, which --force does not replace: give another name.")
}
