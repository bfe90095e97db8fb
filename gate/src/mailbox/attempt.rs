//! Counts how often the gate began to read a bundle and died before judging it: `attempt` in the bundle's workspace.
//!
//! ```text
//! workspace made, attempt written ▶ bundle read and judged ▶ attempt removed
//!                            └▶ died: it stays, and the next gate finds it; after the second death it reads no further
//! ```
//!
//! Several bundles are read at a time, and a gate that dies counts against each of them. So a bundle with one death is read alone
//! from then on (`mailbox/queue.rs`), and the second death is its own. The file gets no fsync, because it need not survive a
//! power cut: a write survives the kill of its process. It names the boot in which it was written, and counts in no other: a
//! power cut is not the bundle's fault. *Security*: the file is beside the copy, where no bundle's bytes come.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure;
use gatepost_documents::reason::Reason;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::regular_file;

/// A bundle is rejected after this many deaths.
const DEATHS_MAX: u32 = 2;
/// Replaces the number: the deadline passed.
const EXCEEDED: &str = "exceeded";
const FILE: &str = "attempt";
const FILE_BYTES_MAX: u64 = 128;

/// The boot id of the kernel; empty if it has none, and then every death counts.
pub(super) fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

/// Creates the workspace again, and records that a bundle is being read there. Returns the reason to reject it instead,
/// if it brought down earlier gates.
pub(super) fn begin(workspace: &Path, boot: &str) -> Result<Option<Reason>, Fault> {
    let earlier = read(workspace, boot);
    durable::remove_tree(workspace)?;
    fs::create_dir(workspace).on("create", workspace)?;
    match earlier {
        Some(Earlier::Exceeded) => exceed(workspace, boot).map(|()| Some(failure::exceeded())),
        Some(Earlier::Deaths(deaths)) if deaths >= DEATHS_MAX => {
            write(workspace, &deaths.to_string(), boot).map(|()| Some(failure::died(deaths)))
        }
        Some(Earlier::Deaths(deaths)) => write(workspace, &deaths.saturating_add(1).to_string(), boot).map(|()| None),
        None => write(workspace, "1", boot).map(|()| None),
    }
}

/// Whether an earlier gate died before it judged this bundle.
pub(super) fn is_suspect(workspace: &Path, boot: &str) -> bool {
    read(workspace, boot).is_some()
}

/// The bundle was judged, or the system failed.
pub(super) fn end(workspace: &Path) -> Result<(), Fault> {
    durable::remove_tree(&file(workspace))
}

/// The bundle exceeded its deadline: the next gate rejects it.
pub(super) fn exceed(workspace: &Path, boot: &str) -> Result<(), Fault> {
    write(workspace, EXCEEDED, boot)
}

enum Earlier {
    Deaths(u32),
    Exceeded,
}

fn read(workspace: &Path, boot: &str) -> Option<Earlier> {
    let text = String::from_utf8(regular_file::read(&file(workspace), FILE_BYTES_MAX).ok()?).ok()?;
    let (count, written_in) = text.strip_suffix('\n')?.split_once(' ')?;
    match count {
        EXCEEDED => Some(Earlier::Exceeded),
        deaths if written_in == boot => deaths.parse().ok().map(Earlier::Deaths),
        _ => None,
    }
}

fn write(workspace: &Path, count: &str, boot: &str) -> Result<(), Fault> {
    let path = file(workspace);
    fs::write(&path, format!("{count} {boot}\n")).on("write", &path)
}

fn file(workspace: &Path) -> PathBuf {
    workspace.join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_deaths_in_one_boot_are_too_many_and_a_power_cut_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("workspace");
        for boot in ["a", "a", "b", "b"] {
            assert_eq!(begin(&workspace, boot).unwrap(), None, "{boot}");
        }
        // The third attempt of boot b, after two deaths: the bundle is not read again, whatever happens to the gate now.
        for _ in 0..2 {
            assert!(begin(&workspace, "b").unwrap().unwrap().message.contains("died 2 times"));
        }
    }

    #[test]
    fn what_ended_is_not_counted_and_what_took_too_long_is_rejected_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("workspace");
        for _ in 0..4 {
            assert_eq!(begin(&workspace, "a").unwrap(), None);
            end(&workspace).unwrap();
        }
        exceed(&workspace, "a").unwrap();
        assert!(begin(&workspace, "b").unwrap().unwrap().message.contains("exceeded its time limit"));
    }
}
