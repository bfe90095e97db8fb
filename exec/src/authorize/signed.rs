//! A request with its signatures: the input of TOOL-EXEC, of its forecast, and of the people who decide.

use chrono::{DateTime, Utc};
use gatepost_contract::request::Request;
use gatepost_documents::reason::Reason;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::site::Site;

use super::permission::{Applicant, Standing};
use super::proofs::{Proofs, Signatories};
use crate::lane::Proposal;
use crate::mailbox::signatures::Received;

/// A request, and what its signatures prove at a time.
#[derive(Debug)]
pub struct Signed<'a> {
    request: &'a Request,
    /// Whose signatures count on the site.
    pub signatories: Signatories,
    /// What those of the request prove.
    pub proofs: Proofs,
    /// Why one of them does not count.
    pub faults: Vec<Reason>,
    claimed: DateTime<Utc>,
    now: DateTime<Utc>,
}

impl<'a> Signed<'a> {
    /// Holds the signatures of a request against the lists of a site. `bytes` are the request's own, which they cover; `claimed` is when it
    /// was claimed, or `now` before that.
    pub fn read(
        site: &Site,
        request: &'a Request,
        (bytes, received): (&[u8], &[Received]),
        claimed: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Self, Fault> {
        let signatories = Signatories::read(site)?;
        let (proofs, mut faults) = match signatories.prove(received, bytes, now) {
            Ok(proofs) => (proofs, Vec::new()),
            Err(reasons) => (Proofs::default(), reasons),
        };
        faults.extend(proofs.requester_fault(&request.requested_by));
        Ok(Self { request, signatories, proofs, faults, claimed, now })
    }

    /// The request as policies and people see it, with what its lane would run.
    pub fn applicant<'s>(&'s self, proposal: &'s Proposal<'s>) -> Applicant<'s> {
        Applicant {
            standing: self.standing(proposal.approvers),
            subjects: &proposal.subjects,
            built_in: proposal.built_in,
            out_of_scope: proposal.out_of_scope,
        }
    }

    /// What people did for it, where so many must approve it whatever the policies say.
    pub fn standing(&self, approvers: u32) -> Standing<'_> {
        let Self { request, signatories, proofs, claimed, now, .. } = self;
        Standing { request, approvers, proofs, signatories, claimed: *claimed, now: *now }
    }
}
