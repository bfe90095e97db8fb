//! The permission to execute one request once.

use gatepost_documents::evidence::{Approval, Completeness, Policy};

use crate::scan_id::ScanId;

/// A request passed every check of [`super::authorize`], which alone makes this; executing it uses it up.
#[derive(Debug)]
pub struct Authorized {
    scan_id: ScanId,
    approvals: Vec<Approval>,
    policy: Policy,
    completeness: Completeness,
}

impl Authorized {
    pub(super) fn new(scan_id: ScanId, approvals: Vec<Approval>, policy: Policy, completeness: Completeness) -> Self {
        Self { scan_id, approvals, policy, completeness }
    }

    /// The id of the execution.
    pub fn scan_id(&self) -> ScanId {
        self.scan_id
    }

    /// The approvals that hold.
    pub fn approvals(&self) -> &[Approval] {
        &self.approvals
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
