//! Drops a request as a folder: hands it to TOOL-EXEC, syncs it, and renames it into the inbox.
//!
//! *Commit point*: the rename, and the fsync of the inbox after it. The staging folder holds only the requester's own files.

use std::ffi::OsStr;
use std::io;

use crate::fault::Fault;
use crate::folder::{Folder, Staged};

/// Drops a staged folder under a name; false if the inbox already has that name.
pub fn publish(staged: &Staged, inbox: &Folder, name: impl AsRef<OsStr>) -> Result<bool, Fault> {
    leave_to_group(staged.folder())?;
    staged.folder().sync_tree()?;
    match staged.move_to(inbox, name) {
        Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        moved => moved.map(|()| true),
    }
}

/// If the inbox is setgid, TOOL-EXEC is in its group, and must be able to remove what it claimed.
pub fn leave_to_group(staging: &Folder) -> Result<(), Fault> {
    const SETGID: u32 = 0o2000;
    if staging.stat()?.st_mode & SETGID == 0 {
        return Ok(());
    }
    for name in staging.names()? {
        if staging.is_folder(&name)? {
            staging.folder(&name)?.set_mode(0o2775)?;
        }
    }
    staging.set_mode(0o2775)
}
