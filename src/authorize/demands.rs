//! What people still have to do before a request may be executed: to approve it, or to sign what they ask for.
//!
//! Pure. What can still come is waited for; what cannot is a refusal.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_documents::evidence::{ApprovalMode, Signatures};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use gatepost_signatures::Namespace;

use super::proofs::{Proofs, Signatories};
use crate::config::Config;
use crate::mailbox::pending::Waiting;
use crate::request::Request;

/// How long a request waits for the signature of whoever asks: whoever drops both has them in the inbox by then.
const SIGNATURE_WAIT: TimeDelta = TimeDelta::seconds(60);

/// What demands are made of a request, and what is known of it.
pub(super) struct Asked<'a> {
    pub(super) config: &'a Config,
    pub(super) request: &'a Request,
    pub(super) proofs: &'a Proofs,
    pub(super) signatories: &'a Signatories,
    /// How many people must approve.
    pub(super) approvers: u32,
    /// When it was claimed.
    pub(super) claimed: DateTime<Utc>,
    pub(super) now: DateTime<Utc>,
}

/// Why a request is not executed now.
#[derive(Debug)]
pub(super) enum Unmet {
    Refused(Vec<Reason>),
    Waits(Waiting),
}

impl Asked<'_> {
    /// That everybody has done what is demanded.
    pub(super) fn check(&self) -> Result<(), Unmet> {
        let approvals_until = self.request.created + self.config.approval.max_age();
        let mut until = self.request.expires.map_or(approvals_until, |expires| expires.min(approvals_until));
        let mut missing = Vec::new();
        if let Some(reason) = self.requester_missing()? {
            until = until.min(self.claimed + SIGNATURE_WAIT);
            missing.push(reason);
        }
        if !self.proofs.approvals.is_empty() && self.now >= approvals_until {
            return Err(self.too_old());
        }
        missing.extend(self.approvals_missing()?);
        match missing.is_empty() {
            true => Ok(()),
            false if self.now >= until => Err(Unmet::Refused(missing)),
            false => Err(Unmet::Waits(Waiting { until, missing })),
        }
    }

    fn requester_missing(&self) -> Result<Option<Reason>, Unmet> {
        if self.config.inbox.signatures == Signatures::Accepted || self.proofs.requester.is_some() {
            return Ok(None);
        }
        let name = self.request.requested_by.as_str();
        if !self.signatories.able(Namespace::Request, self.now).contains(name) {
            let message = format!("Requests must be signed here, and no key of {} is listed for that.", quoted(name));
            let hint = "Ask the operator to list the key in keys/requesters, or put the right name into requested_by.";
            return Err(Unmet::Refused(vec![Reason::new(Code::SignatureMissing, message, hint)]));
        }
        let message = format!("Requests must be signed here, and the signature of {} is not there.", quoted(name));
        let hint =
            "Sign it with `ssh-keygen -Y sign -n gatepost-request -f KEY TR-….md`, and drop TR-….md.sig beside it.";
        Ok(Some(Reason::new(Code::SignatureMissing, message, hint)))
    }

    /// The people who approved: by signatures, and where declarations are believed by one.
    fn people(&self) -> BTreeSet<&str> {
        let signed = self.proofs.approvals.iter().map(|approval| approval.approved_by.as_str());
        let is_believed = self.config.approval.mode == ApprovalMode::Declared;
        let declared = self.request.declared_approval.as_ref().filter(|_| is_believed);
        signed.chain(declared.map(|declared| declared.by.as_str())).collect()
    }

    fn approvals_missing(&self) -> Result<Option<Reason>, Unmet> {
        let (people, needed) = (self.people(), usize::try_from(self.approvers).unwrap_or(usize::MAX));
        let Some(lacking) = needed.checked_sub(people.len()).filter(|lacking| *lacking > 0) else { return Ok(None) };
        let able: Vec<&str> =
            self.signatories.able(Namespace::Approval, self.now).difference(&people).copied().collect();
        let refused =
            |message: String, hint| Err(Unmet::Refused(vec![Reason::new(Code::ApprovalMissing, message, hint)]));
        if self.config.approval.mode == ApprovalMode::Declared && people.is_empty() {
            let hint = "Have a person read it and fill in approved_by and approved_utc.";
            return refused("This needs an approval, but the request declares none.".to_owned(), hint);
        }
        let have = if people.is_empty() { String::new() } else { format!(", and {} approved it", listed(people)) };
        if able.len() < lacking {
            let message =
                format!("This needs {}{have}, but only {} more people may approve here.", count(needed), able.len());
            return refused(message, "Ask the operator to list approvers in keys/approvers.");
        }
        if self.now >= self.request.created + self.config.approval.max_age() {
            return Err(self.too_old());
        }
        let message = format!("This needs {}{have}; {} may approve it.", count(needed), listed(able));
        let hint = "Have them run `gatepost approve`, or sign it with `ssh-keygen -Y sign -n gatepost-approval`.";
        Ok(Some(Reason::new(Code::ApprovalMissing, message, hint)))
    }

    fn too_old(&self) -> Unmet {
        let hours = self.config.approval.max_age_hours;
        let message = format!("The request is more than {hours} hours old, too old for its approvals to count.");
        let hint = "Drop it again under a new id and with a new created_utc, and have that approved.";
        Unmet::Refused(vec![Reason::new(Code::ApprovalExpired, message, hint)])
    }
}

fn count(approvals: usize) -> String {
    match approvals {
        1 => "an approval".to_owned(),
        count => format!("{count} approvals by different people"),
    }
}

fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
