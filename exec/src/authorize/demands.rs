//! The open demands of a request: approvals, or the requester's signature.
//!
//! Pure. A request waits for a demand that people can still meet; any other demand is a refusal.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_contract::config::Config;
use gatepost_documents::evidence::{Approval, ApprovalMode, Signatures};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use gatepost_signatures::Namespace;

use super::permission::Standing;
use crate::mailbox::pending::Waiting;

/// How long a request waits for its requester's signature. A requester who drops both has done so by then.
const SIGNATURE_WAIT: TimeDelta = TimeDelta::seconds(60);

/// The demands on a request, and what meets them.
pub(super) struct Asked<'a> {
    pub(super) standing: Standing<'a>,
    pub(super) config: &'a Config,
    /// At most one per person.
    pub(super) approvals: &'a [Approval],
    /// The number of further approvals that the policies need.
    pub(super) needed: usize,
    /// The people who may approve next.
    pub(super) able: BTreeSet<&'a str>,
}

/// Why a request is not executed now.
#[derive(Debug)]
pub enum Unmet {
    /// Nobody can meet the demand.
    Refused(Vec<Reason>),
    /// People can still meet the demand.
    Waits(Waiting),
}

impl Asked<'_> {
    /// Checks that all demands are met.
    pub(super) fn check(&self) -> Result<(), Unmet> {
        let Standing { request, claimed, now, .. } = self.standing;
        let mut until = request.expires.map_or(self.approvals_until(), |expires| expires.min(self.approvals_until()));
        let mut missing = Vec::new();
        if let Some(reason) = self.requester_missing()? {
            until = until.min(claimed + SIGNATURE_WAIT);
            missing.push(reason);
        }
        missing.extend(self.approvals_missing()?);
        let is_signed = self.approvals.iter().any(|approval| approval.mode == ApprovalMode::Signature);
        if is_signed && now >= self.approvals_until() {
            return Err(self.too_old());
        }
        match missing.is_empty() {
            true => Ok(()),
            false if now >= until => Err(Unmet::Refused(missing)),
            false => Err(Unmet::Waits(Waiting { until, missing })),
        }
    }

    fn approvals_until(&self) -> DateTime<Utc> {
        self.standing.request.created + self.config.approval.max_age()
    }

    fn requester_missing(&self) -> Result<Option<Reason>, Unmet> {
        let Standing { request, proofs, signatories, now, .. } = self.standing;
        if self.config.inbox.signatures == Signatures::Accepted || proofs.requester.is_some() {
            return Ok(None);
        }
        let name = request.requested_by.as_str();
        if !signatories.able(Namespace::Request, now).contains(name) {
            let message =
                format!("This site demands signed requests, but keys/requesters lists no key of {}.", quoted(name));
            let hint = "Ask the operator to list the key in keys/requesters, or put the right name into requested_by.";
            return Err(Unmet::Refused(vec![Reason::new(Code::SignatureMissing, message, hint)]));
        }
        let message = format!("This site demands signed requests, but the signature of {} is missing.", quoted(name));
        let hint =
            "Sign it with `ssh-keygen -Y sign -n gatepost-request -f KEY TR-….md`, and drop TR-….md.sig beside it.";
        Ok(Some(Reason::new(Code::SignatureMissing, message, hint)))
    }

    /// How many more people must approve, by the manifest, the lane and the policies.
    fn lacking(&self) -> usize {
        let own = usize::try_from(self.standing.approvers).unwrap_or(usize::MAX).saturating_sub(self.approvals.len());
        own.max(self.needed)
    }

    fn approvals_missing(&self) -> Result<Option<Reason>, Unmet> {
        let Standing { request, now, .. } = self.standing;
        let latest = now + self.config.clock_skew();
        let is_future = |approval: &Approval| {
            approval.mode == ApprovalMode::Declared
                && request.declared_approval.as_ref().is_some_and(|own| own.utc > latest)
        };
        if self.approvals.iter().any(is_future) {
            let message = "This needs an approval, but the one that the request declares is dated in the future.";
            let hint =
                "Set approved_utc to the time of the approval, and check the clock of the machine that wrote it.";
            return Err(refused(message, hint));
        }
        let lacking = self.lacking();
        if lacking == 0 {
            return Ok(None);
        }
        let people: BTreeSet<&str> = self.approvals.iter().map(|approval| approval.approved_by.as_str()).collect();
        if self.config.approval.mode == ApprovalMode::Declared && people.is_empty() {
            let hint = "Have a person read it and fill in approved_by and approved_utc.";
            return Err(refused("This needs an approval, but the request declares none.", hint));
        }
        let able: Vec<&str> = self.able.difference(&people).copied().collect();
        let needed = count(people.len() + lacking);
        let have = if people.is_empty() { String::new() } else { format!(", and {} approved it", listed(people)) };
        if able.len() < lacking {
            let message = match able.len() {
                0 if have.is_empty() => {
                    format!("This request needs {needed}, but keys/approvers lists nobody who may give it.")
                }
                0 => format!(
                    "This request needs {needed}{have}, but keys/approvers lists nobody else who may approve it."
                ),
                _ => format!("This needs {needed}{have}, but only {} may approve it.", listed(able)),
            };
            return Err(refused(
                message,
                "Ask the operator to list approvers in keys/approvers. `gatepost policy explain` shows whom policies exclude.",
            ));
        }
        if now >= self.approvals_until() {
            return Err(self.too_old());
        }
        let message = format!("This needs {needed}{have}; {} may approve it.", listed(able));
        let hint = "Have them run `gatepost approve`, or sign it with `ssh-keygen -Y sign -n gatepost-approval`.";
        Ok(Some(Reason::new(Code::ApprovalMissing, message, hint)))
    }

    fn too_old(&self) -> Unmet {
        let hours = self.config.approval.max_age_hours;
        let message = format!("This request is older than {hours} hours, and so are its signatures.");
        let hint = "Drop it again with a new id and a new created_utc, and have that request approved.";
        Unmet::Refused(vec![Reason::new(Code::ApprovalExpired, message, hint)])
    }
}

fn refused(message: impl Into<String>, hint: &str) -> Unmet {
    Unmet::Refused(vec![Reason::new(Code::ApprovalMissing, message, hint)])
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
