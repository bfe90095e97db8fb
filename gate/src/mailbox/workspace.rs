//! The place where one submission is judged: `var/gate/judging/<name>/`, with the layout of the final item.
//!
//! ```text
//! attempt                       while it is read and judged
//! bundle/                       the copy
//! verdict.json                  accepted: beside the copy, and in it
//! untouched/ reasons.json …     rejected: the item of the quarantine
//! ```
//!
//! The copy's fixed name separates a stranger's bytes from the gate's own records beside it.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::original::KEPT_PAGE;
use crate::submission::{Kind, Submission};
use gatepost_documents::digest::Digest;
use gatepost_documents::verdict::{Decision, VERDICT_FILE, Verdict, reasons_markdown};
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::quarantine::{self, plain_name};
use gatepost_mailbox::site::Site;

/// The copy in a workspace.
pub(super) const COPY: &str = "bundle";

/// The name in CORE or the quarantine for the outbox entry with the plain name `plain`. A document gets the name of its
/// folder.
pub(super) fn final_name(verdict: &Verdict, plain: &str) -> String {
    if verdict.is_bare_document { plain_name(verdict.result_id.as_bytes()) } else { plain.to_owned() }
}

/// Lays a workspace out like the final item: the bundle with its verdict, or an item of the quarantine. Runs no fsync:
/// the caller syncs the whole workspace next. Returns the digest of the verdict's file.
pub(super) fn arrange(
    workspace: &Path,
    name: &OsStr,
    submission: &Submission,
    verdict: &Verdict,
) -> Result<Digest, Fault> {
    let copy = &workspace.join(COPY);
    let mut json = serde_json::to_vec_pretty(verdict).map_err(io::Error::from).on("write", workspace)?;
    json.push(b'\n');
    if verdict.verdict == Decision::Accept {
        write(&workspace.join(VERDICT_FILE), &json)?;
        write(&copy.join(VERDICT_FILE), &json)?;
        return Ok(Digest::of(&json));
    }
    let untouched = workspace.join(quarantine::UNTOUCHED);
    fs::create_dir(&untouched).on("create", &untouched)?;
    if submission.is_whole() {
        let place = untouched.join(plain_name(name.as_bytes()));
        match submission.kind() {
            Kind::Bundle => durable::rename_new(copy, &place)?,
            Kind::BareDocument => {
                durable::rename_new(&copy.join(name), &place)?;
                durable::remove_tree(copy)?;
            }
        }
    }
    write(&workspace.join(quarantine::RECORD), &json)?;
    write(&workspace.join(quarantine::PAGE), reasons_markdown(verdict).as_bytes())?;
    Ok(Digest::of(&json))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    durable::create_new(path)?.write_all(bytes).on("write", path)
}

/// The move that makes a verdict visible.
pub(super) fn settle(site: &Site, workspace: &Path, name: &str, decision: Decision) -> Result<PathBuf, Fault> {
    if decision == Decision::Reject {
        return quarantine::commit(site, workspace, name);
    }
    let place = site.core_inbound().join(name);
    durable::move_new(&workspace.join(COPY), &place)?;
    durable::remove_tree(workspace)?;
    Ok(place)
}

/// Whether a rejected item is complete: its bytes, or the record of where they are.
pub(super) fn is_laid_out(workspace: &Path) -> bool {
    let untouched = workspace.join(quarantine::UNTOUCHED);
    let holds_bytes = untouched.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    holds_bytes || workspace.join(KEPT_PAGE).symlink_metadata().is_ok()
}
