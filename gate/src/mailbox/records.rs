//! What the gate writes down of its verdicts: its ledger, and the word to TOOL-EXEC. One writer at a time.

use super::Gate;
use crate::ledger::{Entry, Ledger, Verdicts};
use std::io;

use crate::submission::Submission;
use gatepost_documents::digest::Digest;
use gatepost_documents::verdict::Verdict;
use gatepost_mailbox::exchange::Announcements;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::quarantine::Removal;
use gatepost_mailbox::site::Site;
use serde::Serialize;

#[derive(Debug)]
pub(super) struct Records {
    ledger: Ledger,
    announcements: Announcements,
}

impl Records {
    /// Opens both; what was lost of the word to TOOL-EXEC is said again.
    pub(super) fn open(site: &Site) -> Result<Self, Fault> {
        let (ledger, earlier) = Ledger::open(site)?;
        Ok(Self { ledger, announcements: Announcements::begin(site, &earlier)? })
    }

    pub(super) fn verdicts(&self) -> &Verdicts {
        self.ledger.verdicts()
    }
}

impl Gate {
    /// From here on a verdict stands. Others add theirs meanwhile: the flush of the log serves all that wait for it.
    pub(super) fn write_down(
        &self,
        verdict: &Verdict,
        submission: &Submission,
        verdict_sha256: Digest,
    ) -> Result<(), Fault> {
        let entry = Entry::new(verdict, submission, verdict_sha256);
        self.log(&entry)?;
        let mut records = self.records();
        let judged = records.ledger.remember(entry);
        records.announcements.add(&judged)
    }

    /// From here on an item is removed, as far as the gate's record goes.
    pub(super) fn write_down_removal(&self, removal: &Removal) -> Result<(), Fault> {
        self.log(removal)?;
        self.records().ledger.remember_removal(removal);
        Ok(())
    }

    fn log(&self, leaf: &impl Serialize) -> Result<(), Fault> {
        let log = self.records().ledger.log();
        log.add(&serde_json::to_vec(leaf).map_err(io::Error::from).on("write", &self.site.gate_log())?)
    }
}
