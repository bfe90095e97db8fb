//! A folder that a command creates for its user: filled under a temporary name, then renamed.

use std::fs;
use std::path::{Path, PathBuf};

use gatepost_mailbox::durable;
use gatepost_mailbox::quarantine::random;

use crate::cli::prelude::*;

/// The folder while it is filled; removed unless it is published.
pub(super) struct NewFolder {
    /// The temporary path; nothing exists there yet.
    pub staged: PathBuf,
    out: PathBuf,
    is_complete: bool,
}

impl NewFolder {
    /// Prepares a folder that will appear at `out`, which must not exist. It must also be outside the site, because
    /// watchers process every file in the site's folders.
    pub(super) fn begin(site: &Site, out: &Path) -> Result<Self, Failure> {
        let Some(name) = out.file_name() else {
            return Err(Failure::usage("The folder to make has no name.", "Write --out DIR."));
        };
        if out.symlink_metadata().is_ok() {
            return Err(Failure::already_exists("create", out, "Name another folder, or move it away."));
        }
        let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let parent = parent.canonicalize().on("find", parent)?;
        if site.root().canonicalize().is_ok_and(|root| parent.starts_with(root)) {
            let message = format!("Cannot make {}: that is in the site.", out.display());
            return Err(Failure::usage(message, "Name a folder outside of the site."));
        }
        let staged = parent.join(format!("{}.{:08x}.part", name.to_string_lossy(), random()?));
        Ok(Self { staged, out: parent.join(name), is_complete: false })
    }

    /// Renames the folder to its final name.
    pub(super) fn publish(mut self) -> Result<PathBuf, Failure> {
        durable::move_new(&self.staged, &self.out)?;
        self.is_complete = true;
        Ok(self.out.clone())
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        if !self.is_complete {
            let _ = fs::remove_dir_all(&self.staged);
        }
    }
}
