//! The permission to execute one request once.

use gatepost_documents::evidence::{Completeness, Learn, Policy};

use super::proofs::Proofs;
use crate::scan_id::ScanId;
use crate::sessions::Requester;

/// A request passed every check of [`super::authorize`], which alone makes this; executing it uses it up.
#[derive(Debug)]
pub struct Authorized {
    scan_id: ScanId,
    proofs: Proofs,
    policy: Policy,
    interactions: Vec<Policy>,
    learn: Option<Learn>,
    completeness: Completeness,
    requester: Requester,
}

/// The id and the policy decision of one interaction of a session or browser.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its id.
    pub scan_id: String,
    /// What the policies said of it.
    pub policy: Policy,
}

impl Authorized {
    pub(super) fn new(
        scan_id: ScanId,
        proofs: Proofs,
        (policy, interactions): (Policy, Vec<Policy>),
        learn: Option<Learn>,
        completeness: Completeness,
        requester: Requester,
    ) -> Self {
        Self { scan_id, proofs, policy, interactions, learn, completeness, requester }
    }

    /// The id of the execution.
    pub fn scan_id(&self) -> ScanId {
        self.scan_id
    }

    /// Who approved, and who proved to be the one who asks.
    pub fn proofs(&self) -> &Proofs {
        &self.proofs
    }

    /// Who asks, as sessions tell one requester from another.
    pub fn requester(&self) -> &Requester {
        &self.requester
    }

    /// What the policies said.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What learn mode does not enforce; absent in mode `enforce`.
    pub fn learn(&self) -> Option<&Learn> {
        self.learn.as_ref()
    }

    /// The record of each interaction of the request, in their order.
    pub fn records(&self) -> Vec<Record> {
        let record = |(number, policy): (usize, &Policy)| Record {
            scan_id: self.scan_id.of_interaction(number),
            policy: policy.clone(),
        };
        (1..).zip(&self.interactions).map(record).collect()
    }

    /// How sure it is that the drop was whole, now that its inputs were read.
    pub fn completeness(&self) -> Completeness {
        self.completeness
    }
}
