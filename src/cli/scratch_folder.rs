//! A temporary folder of one invocation: copies, drafts, tool output.
//!
//! *Security*: it is in a folder where everybody may create folders. Its name is random, so nobody can occupy it and
//! leftovers of a killed invocation do not collide. Only its owner can open it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::cli::prelude::*;
use gatepost_mailbox::durable;
use gatepost_mailbox::quarantine::random_name;
use rustix::fs::Mode;

/// The existing scratch folders.
static IN_USE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The folder, removed on drop.
#[derive(Debug)]
pub(super) struct ScratchFolder(PathBuf);

impl ScratchFolder {
    /// Creates a folder with this prefix in the folder for temporary files.
    pub(super) fn new(prefix: &str) -> Result<Self, Fault> {
        let path = std::env::temp_dir().join(format!("{prefix}{}", random_name()?));
        rustix::fs::mkdir(&path, Mode::RWXU).on("create", &path)?;
        in_use(|all| all.push(path.clone()));
        Ok(Self(path))
    }

    /// Leaves the folder in place, for a person who wants its content.
    pub(super) fn keep(self) -> PathBuf {
        let path = self.0.clone();
        in_use(|all| all.retain(|other| *other != path));
        std::mem::forget(self);
        path
    }

    /// Its path.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        in_use(|all| all.retain(|path| *path != self.0));
        // A folder that cannot be removed is harmless.
        let _ = durable::remove_tree(&self.0);
    }
}

/// Removes all of them before an exit on which other threads drop nothing.
pub(super) fn remove_all() {
    in_use(|all| {
        for path in all.drain(..) {
            let _ = durable::remove_tree(&path);
        }
    });
}

fn in_use<T>(work: impl FnOnce(&mut Vec<PathBuf>) -> T) -> T {
    work(&mut IN_USE.lock().unwrap_or_else(PoisonError::into_inner))
}
