//! The permission to execute one request once.

use gatepost_documents::evidence::{Completeness, Learn, Policy};

use super::proofs::Proofs;
use crate::scan_id::ScanId;
use crate::sessions::Requester;

/// The request passed every check. Only [`super::authorize`] makes this value; executing the request consumes it.
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
    /// The policies' decision on it.
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

    /// The approvers and the proved requester.
    pub fn proofs(&self) -> &Proofs {
        &self.proofs
    }

    /// The identity of the requester for sessions.
    pub fn requester(&self) -> &Requester {
        &self.requester
    }

    /// The policies' decision.
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

    /// The completeness of the drop, after its inputs were read.
    pub fn completeness(&self) -> Completeness {
        self.completeness
    }
}
