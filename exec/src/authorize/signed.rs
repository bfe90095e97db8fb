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

/// A request, and the proofs of its signatures at a time.
#[derive(Debug)]
pub struct Signed<'a> {
    request: &'a Request,
    /// The people whose signatures count on the site.
    pub signatories: Signatories,
    /// The proofs from the request's signatures.
    pub proofs: Proofs,
    /// The faults of the signatures.
    pub faults: Vec<Reason>,
    claimed: DateTime<Utc>,
    now: DateTime<Utc>,
}

impl<'a> Signed<'a> {
    /// Verifies the signatures of a request by the lists of a site. `bytes` are the signed bytes of the request; `claimed` is when it
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

    /// The request for policies and people, with the plan of its lane.
    pub fn applicant<'s>(&'s self, proposal: &'s Proposal<'s>) -> Applicant<'s> {
        Applicant {
            standing: self.standing(proposal.approvers),
            subjects: &proposal.subjects,
            built_in: proposal.built_in,
            out_of_scope: proposal.out_of_scope,
        }
    }

    /// The request with its signatures; `approvers` people must approve it independent of policies.
    pub fn standing(&self, approvers: u32) -> Standing<'_> {
        let Self { request, signatories, proofs, claimed, now, .. } = self;
        Standing { request, approvers, proofs, signatories, claimed: *claimed, now: *now }
    }
}
