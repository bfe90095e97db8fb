//! The two logs of a site: owners, paths, and wording for auditors.

use std::path::PathBuf;

use crate::cli::prelude::*;
use gatepost_mailbox::tile_log::Place;

/// The owner of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Keeper {
    /// What the gate decided.
    Gate,
    /// What TOOL-EXEC did.
    Exec,
}

impl Keeper {
    pub(super) fn log(self, site: &Site) -> Place {
        match self {
            Self::Gate => Place::of_gate(site),
            Self::Exec => Place::of_exec(site),
        }
    }

    /// Whether a site has the log, or a file that proves that it had one. A key beside a log that is being created is
    /// no proof.
    pub(super) fn has_left(self, site: &Site) -> bool {
        let place = self.log(site);
        let is_there = |path: &PathBuf| path.symlink_metadata().is_ok();
        is_there(&place.folder) || is_there(&place.lines) || (is_there(&place.key) && !place.is_being_begun())
    }

    /// The path of a file of the log, relative to the site.
    pub(super) fn place(self, name: &str) -> String {
        match self {
            Self::Gate => format!("var/gate/log/{name}"),
            Self::Exec => format!("var/exec/log/{name}"),
        }
    }

    /// The noun for a leaf.
    pub(super) const fn leaf(self) -> &'static str {
        match self {
            Self::Gate => "decision of a gate",
            Self::Exec => "step of TOOL-EXEC",
        }
    }

    pub(super) const fn lines(self) -> &'static str {
        match self {
            Self::Gate => "var/gate/audit/verdicts.jsonl",
            Self::Exec => "var/exec/events.jsonl",
        }
    }

    pub(super) const fn restore(self) -> &'static str {
        match self {
            Self::Gate => "Compare it with a backup and restore it. Find out who could write to var/gate.",
            Self::Exec => "Compare it with a backup and restore it. Find out who could write to var/exec.",
        }
    }

    pub(super) const fn rewritten(self) -> &'static str {
        match self {
            Self::Gate => {
                "Compare the log with a backup from the time of the kept checkpoint. Find out who could write to var/gate and read \
                 var/gate/log.key."
            }
            Self::Exec => {
                "Compare the log with a backup from the time of the kept checkpoint. Find out who could write to var/exec and read \
                 var/exec/log.key."
            }
        }
    }

    pub(super) const fn remove_lines(self) -> &'static str {
        match self {
            Self::Gate => {
                "Remove it; the gate rebuilds the lines from the log when it starts. Find out who could write to var/gate/audit."
            }
            Self::Exec => {
                "Remove it; `gatepost exec` rebuilds the lines from the log when it starts. Find out who could write to var/exec."
            }
        }
    }

    pub(super) const fn remake(self) -> &'static str {
        match self {
            Self::Gate => {
                "The gate rebuilds the lines from the log when it starts. Find out who could write to var/gate/audit."
            }
            Self::Exec => {
                "`gatepost exec` rebuilds the lines from the log when it starts. Find out who could write to var/exec."
            }
        }
    }
}

/// Checks that a site has a log.
pub(super) fn demand_log(site: &Site, keeper: Keeper) -> Result<(), Failure> {
    if keeper.log(site).is_begun() {
        return Ok(());
    }
    let (message, hint) = match keeper {
        Keeper::Gate => {
            ("This site has no log of the gate's decisions: no gate has run here yet.", "Run `gatepost gate --once`.")
        }
        Keeper::Exec => {
            ("This site has no log of TOOL-EXEC: TOOL-EXEC has not run here yet.", "Run `gatepost exec --once`.")
        }
    };
    Err(Failure::not_found(ErrorCode::LogNotFound, FailureKind::LogNotFound, keeper.place(""), message, hint))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicBool, Ordering};

    use gatepost_mailbox::tile_log;

    use super::*;

    fn site() -> (tempfile::TempDir, Site) {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path().canonicalize().unwrap());
        fs::create_dir_all(site.root().join("var/exec")).unwrap();
        (folder, site)
    }

    #[test]
    fn a_key_without_a_log_is_a_lost_log() {
        let (_folder, site) = site();
        assert!(!Keeper::Exec.has_left(&site));
        tile_log::begin(&Keeper::Exec.log(&site), &[]).unwrap();
        assert!(Keeper::Exec.has_left(&site));
        fs::remove_dir_all(site.exec_log()).unwrap();
        assert!(Keeper::Exec.has_left(&site));
    }

    #[test]
    fn a_log_that_is_being_begun_is_never_a_lost_one() {
        for _ in 0..30 {
            let (_folder, site) = site();
            let (log, is_begun) = (Keeper::Exec.log(&site), AtomicBool::new(false));
            std::thread::scope(|scope| {
                let beginning = scope.spawn(|| {
                    tile_log::begin(&log, &[]).unwrap();
                    is_begun.store(true, Ordering::Release);
                });
                while !is_begun.load(Ordering::Acquire) {
                    assert!(!Keeper::Exec.has_left(&site) || log.is_begun());
                }
                beginning.join().unwrap();
            });
        }
    }
}
