//! Claims the content of the inbox: requests as far as there is room, then a few of the other items.
//!
//! *Security*: the number of names in it is hostile. Names that are not requests never delay a request.

use std::io;
use std::time::Instant;

use super::Coordinator;
use crate::context::Context;
use crate::mailbox::claim::{self, Taken};
use crate::mailbox::claims;
use crate::mailbox::inbox::InboxItem;
use gatepost_mailbox::log::Event;

/// How many non-requests go to quarantine before the next search for requests.
const STRAYS_AT_A_TIME: usize = 8;

impl Coordinator<'_> {
    pub(super) fn claim_ahead(&mut self) {
        loop {
            let room = (self.in_flight_max + self.sessions.count()).saturating_sub(self.in_flight.len());
            let drops = claims::next(&mut self.ready, room);
            if drops.is_empty() {
                return;
            }
            self.claim(drops);
        }
    }

    /// Quarantines some non-requests, if no request waits to be claimed.
    pub(super) fn set_strays_aside(&mut self) {
        if self.ready.is_empty() {
            let count = self.strays.len().min(STRAYS_AT_A_TIME);
            let strays = self.strays.drain(..count).collect();
            self.claim(strays);
        }
    }

    fn claim(&mut self, drops: Vec<InboxItem>) {
        let Context { site, config, clock, exec_log, .. } = self.context;
        let claimed = claims::claim_all(site, &config.inbox, drops, exec_log.as_ref(), clock());
        self.cancel_early(claimed.iter().filter_map(|(_, taken)| match taken {
            Ok(Taken::Claimed(claimed)) => Some((claimed.claim.request_id.clone(), claimed.claim.uid)),
            _ => None,
        }));
        for (drop, taken) in claimed {
            match taken {
                Ok(Taken::Unfinished) => self.hold(&drop),
                Ok(taken) => {
                    self.inbox.forget(&drop.name);
                    self.denied.remove(&drop.name);
                    self.faults.over(&drop.name);
                    self.taken(&drop, taken);
                }
                Err(fault) => {
                    // The claim may be committed although the drop's name could not be removed.
                    if let Some(id) = claim::request_id(&drop.name) {
                        self.stranded.after_fault(id, None, Instant::now());
                    }
                    if fault.source.kind() == io::ErrorKind::PermissionDenied {
                        self.denied.insert(drop.name.clone());
                    }
                    self.report(&drop.name, &fault);
                }
            }
        }
    }

    fn hold(&mut self, drop: &InboxItem) {
        self.inbox.hold(&drop.name);
        let message = format!(
            "It looks unfinished; unless it changes, it is refused after {} ms.",
            self.context.config.inbox.unfinished_ms
        );
        self.log.event(&Event::new("unfinished", &drop.name.to_string_lossy(), message));
    }

    fn taken(&mut self, drop: &InboxItem, taken: Taken) {
        match taken {
            Taken::Claimed(claimed) => {
                self.take_along(&claimed.claim.request_id);
                self.enqueue(claimed);
            }
            Taken::Known(id, state) => {
                self.tally.known += 1;
                let message = format!("The same request is already {}; it will not be run again.", state.as_str());
                self.log.event(&Event::new("known", id.as_str(), message));
            }
            Taken::Quarantined(item, reasons) => {
                let first = reasons.first().map(ToString::to_string).unwrap_or_default();
                self.quarantined(&drop.name, &item, &first);
            }
            Taken::Gone | Taken::Unfinished => {}
        }
    }
}
