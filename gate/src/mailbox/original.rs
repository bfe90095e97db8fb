//! The bundle as its sender published it, and its removal from the outbox.
//!
//! ```text
//! outbox/TS-… → outbox/.judged-<16 hex>     judged: removed, by the gate or, where it may not, by the owner
//! outbox/TS-… → outbox/.kept-<16 hex>       neither copied whole nor movable: kept, and the item in quarantine names it
//! ```
//!
//! Renaming within the outbox needs no permission on another user's folder; moving it elsewhere does.
//! *Security*: another bundle may have taken the name since; it is put back and judged in its turn.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use gatepost_documents::digest::Digest;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::outbox::JUDGED_PREFIX;
use gatepost_mailbox::quarantine::{self, UNTOUCHED};

use super::workspace::COPY;

/// Beside the reasons of an item whose bytes could not be moved into quarantine.
pub(super) const KEPT_PAGE: &str = "KEPT.md";
const KEPT: &str = ".kept-";

/// An outbox entry.
pub(super) struct Original {
    path: PathBuf,
    /// Device and inode.
    identity: (u64, u64),
    /// 16 hexadecimal digits of the SHA-256 of its name.
    hex: String,
}

impl Original {
    pub(super) fn find(outbox: &Path, name: &OsStr) -> Result<Self, Fault> {
        let path = outbox.join(name);
        let hex = Digest::of(name.as_bytes()).to_string().chars().take(16).collect();
        Ok(Self { identity: identity(&path)?, path, hex })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it, after its bytes are safe elsewhere. Needs no fsync: the ledger recognises an original that comes
    /// back. If the gate may not remove it, its owner does, perhaps at the same time.
    pub(super) fn retire(&self) -> Result<(), Fault> {
        let Some(aside) = self.set_aside(JUDGED_PREFIX)? else { return Ok(()) };
        match durable::remove_tree(&aside) {
            Err(fault) if is_denied(&fault) || is_being_swept(&fault) => Ok(()),
            result => result,
        }
    }

    /// Moves it into a quarantine item in a workspace. If that is denied, puts the partial copy there instead, and
    /// keeps the original aside.
    pub(super) fn move_to(&self, workspace: &Path, plain: &str) -> Result<(), Fault> {
        match durable::move_new(&self.path, &workspace.join(UNTOUCHED).join(plain)) {
            Err(fault) if is_denied(&fault) => self.keep(workspace, plain),
            result => result.and_then(|()| durable::remove_tree(&workspace.join(COPY))),
        }
    }

    /// Puts the partial copy into the item, and the original aside.
    pub(super) fn keep(&self, workspace: &Path, plain: &str) -> Result<(), Fault> {
        let (copy, place) = (workspace.join(COPY), workspace.join(UNTOUCHED).join(plain));
        let kept = self.set_aside(KEPT)?.unwrap_or_else(|| self.path.clone());
        if copy.symlink_metadata().is_ok() {
            durable::move_new(&copy, &place)?;
        }
        let name = kept.file_name().unwrap_or_default().to_string_lossy();
        let page = format!(
            "The gate had no permission to move this item here. `untouched/` contains what it could copy; the complete item \
             is in the outbox as `{name}`.\n"
        );
        durable::write_new(&workspace.join(KEPT_PAGE), page.as_bytes())?;
        durable::sync_folder(workspace)
    }

    /// Renames it in place; does nothing if it is gone or if another bundle has its name.
    fn set_aside(&self, prefix: &str) -> Result<Option<PathBuf>, Fault> {
        let mut aside = self.path.with_file_name(format!("{prefix}{}", self.hex));
        let mut result = durable::rename_new(&self.path, &aside);
        while result.as_ref().is_err_and(|fault| fault.source.kind() == io::ErrorKind::AlreadyExists) {
            // An earlier one of this name, which its owner has not removed yet.
            aside = self.path.with_file_name(format!("{prefix}{}-{:08x}", self.hex, quarantine::random()?));
            result = durable::rename_new(&self.path, &aside);
        }
        match result {
            Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => return Ok(None),
            result => result?,
        }
        match identity(&aside) {
            Ok(found) if found == self.identity => return Ok(Some(aside)),
            Err(fault) if is_being_swept(&fault) => return Ok(None),
            found => _ = found?,
        }
        durable::rename_new(&aside, &self.path)?;
        Ok(None)
    }
}

fn identity(path: &Path) -> Result<(u64, u64), Fault> {
    let found = path.symlink_metadata().on("look at", path)?;
    Ok((found.dev(), found.ino()))
}

fn is_being_swept(fault: &Fault) -> bool {
    matches!(fault.source.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty)
}

fn is_denied(fault: &Fault) -> bool {
    fault.source.kind() == io::ErrorKind::PermissionDenied
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use gatepost_mailbox::outbox::sweep_judged;
    use gatepost_mailbox::site::Site;

    use super::*;

    #[test]
    fn what_its_owner_sweeps_at_the_same_moment_is_gone_and_no_fault() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        fs::create_dir(site.outbox()).unwrap();
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    sweep_judged(&site);
                }
            });
            let retired: Vec<_> = (0..2_000)
                .map(|number| {
                    let name = format!("TS-{number}");
                    let bundle = site.outbox().join(&name);
                    fs::create_dir_all(bundle.join("artifacts")).unwrap();
                    fs::write(bundle.join("artifacts/a"), "x").unwrap();
                    Original::find(&site.outbox(), OsStr::new(&name)).unwrap().retire()
                })
                .collect();
            is_over.store(true, Ordering::Relaxed);
            assert!(retired.iter().all(Result::is_ok), "{:?}", retired.iter().find(|retired| retired.is_err()));
        });
    }
}
