//! How often the gate has begun to read a bundle and did not live to judge it: `attempt` in the bundle's workspace.
//!
//! ```text
//! workspace made, attempt written ▶ bundle read and judged ▶ attempt removed
//!                            └▶ died: it stays, and the next gate finds it; after the second death it reads no further
//! ```
//!
//! Several are read at a time, and a gate that dies counts against each of them; so what has a death to its name is read alone
//! from then on (`mailbox/queue.rs`), and the second is its own. It is never flushed, for it need not outlive the machine: what a process wrote is there when the process is killed. After a
//! power cut it may be there or not, so that it names the boot it was written in, and counts in no other: a power cut is no
//! death that a bundle could have caused. *Security*: it lies beside the copy, where no bundle's bytes come.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure;
use gatepost_documents::reason::Reason;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::regular_file;

/// From this many deaths on a bundle is rejected.
const DEATHS_MAX: u32 = 2;
/// In the place of the number: time ran out.
const EXCEEDED: &str = "exceeded";
const FILE: &str = "attempt";
const FILE_BYTES_MAX: u64 = 128;

/// The boot of this machine, by the kernel's word; empty where it says none, and then every death counts.
pub(super) fn boot() -> String {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

/// Makes the workspace anew, and notes that a bundle is being read there. The reason to reject it instead, if it brought down
/// earlier gates.
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

/// Whether an earlier gate did not live to judge what was read here.
pub(super) fn is_suspect(workspace: &Path, boot: &str) -> bool {
    read(workspace, boot).is_some()
}

/// The bundle was judged, or the world is at fault.
pub(super) fn end(workspace: &Path) -> Result<(), Fault> {
    durable::remove_tree(&file(workspace))
}

/// The bundle took too long: the next gate rejects it.
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
        // The third attempt of boot b, after two that did not end; it is not read again whatever befalls the gate now.
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
