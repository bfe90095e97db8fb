//! The limits within which the gate reads a bundle.
//!
//! Together they bound the cost of one bundle: memory by the kept files, time by the hashed bytes.

use crate::bundle::Role;
use gatepost_documents::evidence::RESULTS_BYTES_MAX;
use gatepost_signatures::SIGNATURE_BYTES_MAX;

/// What intake reads at most; it rejects a bundle that exceeds a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Files and folders of a bundle. 10 000.
    pub entries: usize,
    /// Components of a path in the bundle. 17: `artifacts` and the 16 below it.
    pub depth: usize,
    /// Bytes of a path in the bundle. 1 034: `artifacts/` and the 1 024 below it.
    pub path_bytes: usize,
    /// Bytes of one file. 4 GiB.
    pub file_bytes: u64,
    /// Bytes of all files. 16 GiB.
    pub bundle_bytes: u64,
    /// Bytes of the document, the request, the manifest or the verdict. 1 MiB each.
    pub document_bytes: u64,
    /// Bytes of `evidence.json`, and of a `results.json` that is checked against its schema. 8 MiB.
    pub evidence_bytes: u64,
    /// Bytes of `SHA256SUMS`. 12 MiB: 10 000 lines of the longest path.
    pub sums_bytes: u64,
    /// Bytes of the gate's own attestation, which repeats it in base64. 24 MiB.
    pub attestation_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        const MIB: u64 = 1024 * 1024;
        Self {
            entries: 10_000,
            depth: 17,
            path_bytes: 1_034,
            file_bytes: 4096 * MIB,
            bundle_bytes: 16_384 * MIB,
            document_bytes: MIB,
            evidence_bytes: 8 * MIB,
            sums_bytes: 12 * MIB,
            attestation_bytes: 24 * MIB,
        }
    }
}

impl Limits {
    /// The most bytes of a file in its role.
    pub fn bytes_of(&self, role: Option<Role>) -> u64 {
        let limit = match role {
            Some(Role::Document | Role::Request | Role::Manifest | Role::Verdict) => self.document_bytes,
            Some(Role::Evidence) => self.evidence_bytes,
            Some(Role::Results) => RESULTS_BYTES_MAX as u64,
            Some(Role::Sums) => self.sums_bytes,
            Some(Role::Attestation) => self.attestation_bytes,
            Some(Role::Signature | Role::GateSignature) => SIGNATURE_BYTES_MAX,
            Some(
                Role::Stdout | Role::Stderr | Role::Transcript | Role::ResponseHead | Role::Responses | Role::Output,
            )
            | None => self.file_bytes,
        };
        limit.min(self.file_bytes)
    }
}
