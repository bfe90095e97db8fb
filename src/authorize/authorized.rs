//! The permission to execute one request once.

use gatepost_documents::evidence::{Completeness, Policy};

use super::proofs::Proofs;
use crate::scan_id::ScanId;
use crate::sessions::Requester;

/// A request passed every check of [`super::authorize`], which alone makes this; executing it uses it up.
#[derive(Debug)]
pub struct Authorized {
    scan_id: ScanId,
    proofs: Proofs,
    policy: Policy,
    completeness: Completeness,
    requester: Requester,
}

impl Authorized {
    pub(super) fn new(
        scan_id: ScanId,
        proofs: Proofs,
        policy: Policy,
        completeness: Completeness,
        requester: Requester,
    ) -> Self {
        Self { scan_id, proofs, policy, completeness, requester }
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

    /// How sure it is that the drop was whole, now that its inputs were read.
    pub fn completeness(&self) -> Completeness {
        self.completeness
    }
}
