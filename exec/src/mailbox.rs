//! The mailbox of TOOL-EXEC: claim once, publish whole, durable on return.
//!
//! ```text
//! inbox/X ──claim──▶ claimed/<id> ──start──▶ running/<id> ──publish──▶ outbox/TS-… ──finish──▶ done/<id>
//!    │                 ▲      └─set aside─▶ pending/<id>
//!    │                 └──a signature, an order, time──┘
//!    └─ no request ──▶ quarantine/
//! ```
//!
//! A state is a folder and a move is one rename that never replaces. Identity is (id, digest of the raw bytes).

pub mod claim;
pub mod claims;
pub mod exchange;
pub mod exec_log;
mod folder_drop;
pub mod inbox;
pub mod pending;
pub mod record;
pub mod recovery;
pub mod refuse;
mod settling;
pub mod signature_drop;
pub mod signatures;

pub use gatepost_mailbox::decision;

pub use folder_drop::{FolderDrop, INPUTS, copy_before_drop};

use std::path::PathBuf;

use gatepost_mailbox::durable;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::site::Site;

use claim::Claimed;
use record::{START_FILE, Start};

/// A request that may have effects from here on.
#[derive(Debug)]
pub struct Running {
    /// The request as claimed; its folder is `var/exec/running/<id>` now.
    pub claimed: Claimed,
    /// The start record, written before it began.
    pub start: Start,
}

impl Running {
    /// Makes the start record durable and moves the request to running, before anything happens.
    pub fn start(site: &Site, claimed: Claimed, start: Start) -> Result<Self, Fault> {
        let record_path = claimed.folder.join(START_FILE);
        // A fault may have cut an earlier start between its two steps.
        let _ = std::fs::remove_file(&record_path);
        record::write(&start, &record_path)?;
        durable::sync_folder(&claimed.folder)?;
        let folder = site.running().join(claimed.claim.request_id.as_str());
        durable::move_new(&claimed.folder, &folder)?;
        Ok(Self { claimed: Claimed { folder, ..claimed }, start })
    }

    /// Replaces the start record.
    pub fn write_again(&self, start: &Start) -> Result<(), Fault> {
        let path = self.claimed.folder.join(START_FILE);
        durable::replace(&path, &record::bytes(start, &path)?)
    }

    /// The tool's own folder: `in/`, `out/` and `tmp/` are below it.
    pub fn work(&self) -> PathBuf {
        self.claimed.folder.join("work")
    }

    /// Moves a request whose tool did not start, or may be run again, back to claimed, with its inputs.
    pub fn give_back(self, site: &Site) -> Result<Claimed, Fault> {
        let folder = &self.claimed.folder;
        let inputs = self.work().join(INPUTS);
        if inputs.is_dir() && !folder.join(INPUTS).exists() {
            durable::move_new(&inputs, &folder.join(INPUTS))?;
        }
        durable::remove_tree(&self.work())?;
        let claimed = site.claimed().join(self.claimed.claim.request_id.as_str());
        durable::move_new(folder, &claimed)?;
        Ok(Claimed { folder: claimed, ..self.claimed })
    }

    /// Moves an answered request to done, and removes the tool's work folder.
    pub fn finish(self, site: &Site) -> Result<(), Fault> {
        // A tool can leave a tree that cannot be removed. The answer is published, so the remains do no harm.
        let _ = durable::remove_tree(&self.work());
        let _ = durable::remove_tree(&self.claimed.folder.join(INPUTS));
        durable::move_new(&self.claimed.folder, &site.done().join(self.claimed.claim.request_id.as_str()))
    }
}
