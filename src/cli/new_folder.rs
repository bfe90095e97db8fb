//! A folder that a command makes for its user: made beside its name, and renamed when it is complete.

use std::fs;
use std::path::{Path, PathBuf};

use gatepost_mailbox::durable;
use gatepost_mailbox::quarantine::random;

use crate::cli::prelude::*;

/// The folder while it is filled. Unless it is published, it is removed.
pub(super) struct NewFolder {
    /// Where it is filled; nothing is there yet.
    pub staged: PathBuf,
    out: PathBuf,
    is_complete: bool,
}

impl NewFolder {
    /// A folder that is to appear at `out`, which must not exist and not be in the site: its folders are of the watchers, and what is in
    /// them counts.
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

    /// Gives the folder its name.
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
