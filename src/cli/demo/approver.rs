//! The approver of the demo: its own key, valid during the demo, used if the site lists no approver.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use chrono::{TimeDelta, Utc};
use gatepost_mailbox::durable;
use gatepost_mailbox::keys;
use gatepost_signatures::Namespace;

use crate::cli::approve;
use crate::cli::prelude::*;
use crate::cli::scratch_folder::ScratchFolder;

/// The line in `keys/approvers` expires after this time, even if the demo cannot remove it.
const VALID: TimeDelta = TimeDelta::minutes(10);

pub(super) struct Approver {
    folder: ScratchFolder,
    list: PathBuf,
}

impl Approver {
    /// None if the operator has approvers already, or if ssh-keygen is missing.
    pub(super) fn new(site: &Site) -> Result<Option<Self>, Failure> {
        let list = keys::path(site, Namespace::Approval);
        if list.exists() {
            return Ok(None);
        }
        let approver = Self { folder: ScratchFolder::new("gatepost-demo-")?, list };
        let mut ssh_keygen = Command::new("ssh-keygen");
        ssh_keygen.args(["-q", "-t", "ed25519", "-N", "", "-C", "demo", "-f"]).arg(approver.key());
        let made = ssh_keygen.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !made.is_ok_and(|status| status.success()) {
            return Ok(None);
        }
        let public = approver.key().with_extension("pub");
        let public = fs::read_to_string(&public).on("read", &public)?;
        let until = (Utc::now() + VALID).format("%Y%m%d%H%M%SZ");
        let line = format!("demo valid-before=\"{until}\" {public}");
        durable::write_new(&approver.list, line.as_bytes())?;
        Ok(Some(approver))
    }

    fn key(&self) -> PathBuf {
        self.folder.path().join("id")
    }

    /// Approves like any user.
    pub(super) fn approve(&self, site: &Site, id: &RequestId) -> Result<(), Failure> {
        approve::run(site::open(Some(site.root()))?, &approve::Arguments::of(id, self.key())).map(|_| ())
    }
}

impl Drop for Approver {
    fn drop(&mut self) {
        // A line that remains expires after ten minutes.
        let _ = durable::remove_tree(&self.list);
    }
}
