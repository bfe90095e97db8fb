//! What the gate writes down of its verdicts: its ledger, and the word to TOOL-EXEC. One writer at a time.

use super::Gate;
use crate::ledger::{Entry, Ledger, Verdicts};
use gatepost_documents::verdict::Verdict;
use gatepost_mailbox::exchange::Announcements;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::site::Site;

#[derive(Debug)]
pub(super) struct Records {
    ledger: Ledger,
    announcements: Announcements,
}

impl Records {
    /// Opens both; what was lost of the word to TOOL-EXEC is said again.
    pub(super) fn open(site: &Site) -> Result<Self, Fault> {
        let (ledger, earlier) = Ledger::open(&site.gate_audit())?;
        Ok(Self { ledger, announcements: Announcements::begin(site, &earlier)? })
    }

    pub(super) fn verdicts(&self) -> &Verdicts {
        self.ledger.verdicts()
    }
}

impl Gate {
    /// From here on a verdict stands. Others add theirs meanwhile: the flush of the ledger serves all that wait for it.
    pub(super) fn write_down(&self, verdict: &Verdict) -> Result<(), Fault> {
        let (entry, record) = (Entry::from(verdict), self.records().ledger.record.clone());
        record.add(&entry)?;
        let mut records = self.records();
        let judged = records.ledger.remember(entry);
        records.announcements.add(&judged)
    }
}
