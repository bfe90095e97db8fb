//! The gate's records of its verdicts: its ledger, and its announcements to TOOL-EXEC. One writer at a time.

use super::Gate;
use crate::ledger::{Entry, Ledger, Logged, Verdicts};
use std::io;

use gatepost_documents::digest::Digest;
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
    /// Opens both; repeats lost announcements.
    pub(super) fn open(site: &Site) -> Result<Self, Fault> {
        let (ledger, earlier) = Ledger::open(site)?;
        Ok(Self { ledger, announcements: Announcements::begin(site, &earlier)? })
    }

    pub(super) fn verdicts(&self) -> &Verdicts {
        self.ledger.verdicts()
    }

    pub(super) fn log_origin(&self) -> String {
        self.ledger.log().origin().to_owned()
    }
}

impl Gate {
    /// Logs a verdict, which is then final, and returns the index of its leaf. Concurrent calls share the fsync of the log.
    pub(super) fn write_down(&self, entry: Entry) -> Result<u64, Fault> {
        let logged = self.log(&entry)?;
        let mut records = self.records();
        let judged = records.ledger.remember(entry, logged);
        records.announcements.add(&judged)?;
        Ok(logged.index)
    }

    /// Logs the removal of an item, which is then final in the gate's record.
    pub(super) fn write_down_removal(&self, removal: &Removal) -> Result<(), Fault> {
        self.log(removal)?;
        self.records().ledger.remember_removal(removal);
        Ok(())
    }

    fn log(&self, leaf: &impl Serialize) -> Result<Logged, Fault> {
        let log = self.records().ledger.log();
        let leaf = serde_json::to_vec(leaf).map_err(io::Error::from).on("write", &self.site.gate_log())?;
        Ok(Logged { index: log.add(&leaf)?, sha256: Digest::of(&leaf) })
    }
}
