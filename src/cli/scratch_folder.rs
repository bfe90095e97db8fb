//! A folder for what one invocation needs for a while: copies, drafts, what a tool leaves.
//!
//! *Security*: it lies where everybody may make folders. Nobody can guess its name and take it beforehand, what a killed invocation left
//! stands in nobody's way, and only its owner can look into it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::cli::prelude::*;
use gatepost_mailbox::durable;
use gatepost_mailbox::quarantine::random_name;
use rustix::fs::Mode;

/// Those that there are now.
static IN_USE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The folder, removed when it is dropped.
#[derive(Debug)]
pub(super) struct ScratchFolder(PathBuf);

impl ScratchFolder {
    /// Makes one whose name begins so, in the folder for temporary files.
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

    /// Where it lies.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        in_use(|all| all.retain(|path| *path != self.0));
        // What cannot be removed does no harm where it lies.
        let _ = durable::remove_tree(&self.0);
    }
}

/// Removes them all, before a process ends of which no other thread will drop them.
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
