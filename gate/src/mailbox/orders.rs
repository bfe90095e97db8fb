//! Carries out people's orders to the gate: each once, even if a gate dies during one.

use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};

use super::Gate;
use super::release::Wanted;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::order::{self, Answer, Done, Given, Order};
use gatepost_mailbox::quarantine::Removal;
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};

impl Gate {
    /// Carries out every waiting order. `report` gets each item; on an error of the system the order stays, and is
    /// retried the next time.
    pub fn carry_out(
        &self,
        clock: fn() -> DateTime<Utc>,
        mut report: impl FnMut(Result<Answer, Fault>),
    ) -> Result<(), Fault> {
        self.recover_once()?;
        for given in order::waiting(&self.site)? {
            let done = given.and_then(|given| {
                let answers = self.carry_out_one(&given, clock())?;
                given.answer(&answers)?;
                Ok(answers)
            });
            match done {
                Ok(answers) => answers.into_iter().for_each(|answer| report(Ok(answer))),
                Err(fault) => report(Err(fault)),
            }
        }
        Ok(())
    }

    fn carry_out_one(&self, given: &Given, now: DateTime<Utc>) -> Result<Vec<Answer>, Fault> {
        match &given.order {
            None => Ok(vec![Answer::new("", Done::Refused, "This gate does not know this kind of order.")]),
            Some(Order::Release(release)) => {
                let wanted = Wanted::new(release, self.users.person(given.uid), now);
                Ok(vec![self.release(&wanted, now)?])
            }
            Some(Order::Import(import)) => self.import(import, now),
            Some(Order::Remove(remove)) => {
                remove.removals.iter().map(|removal| self.log_removal(removal, given.uid)).collect()
            }
        }
    }
}

impl Gate {
    /// Logs that an item is removed; the orderer then removes it.
    fn log_removal(&self, removal: &Removal, uid: u32) -> Result<Answer, Fault> {
        if self.records().verdicts().is_removal(removal) {
            return Ok(Answer::new(&removal.item, Done::Logged, "The removal was logged before."));
        }
        if removal.uid != uid {
            return Ok(Answer::new(
                &removal.item,
                Done::Refused,
                "The user who gave the order is not the one that it names.",
            ));
        }
        self.write_down_removal(removal)?;
        Ok(Answer::new(&removal.item, Done::Logged, "It is logged that it is removed."))
    }
}

/// A time in the format of records.
pub(super) fn timestamp(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// The users of this machine, from `/etc/passwd` at startup: later the file may be out of reach.
#[derive(Debug)]
pub(super) struct Users(Vec<u8>);

impl Users {
    pub(super) fn of_machine() -> Self {
        Self(regular_file::read(Path::new("/etc/passwd"), DOCUMENT_MAX_BYTES).unwrap_or_default())
    }

    /// The name of a user id.
    pub(super) fn person(&self, uid: u32) -> Person {
        let text = String::from_utf8_lossy(&self.0);
        let mut users = text.lines().map(|line| line.split(':'));
        let name = users.find_map(|mut fields| {
            let name = fields.next()?;
            (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
        });
        Person { uid, name }
    }
}

/// A user.
pub(super) struct Person {
    pub(super) uid: u32,
    pub(super) name: Option<String>,
}
