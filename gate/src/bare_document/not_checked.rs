//! The rules of a bundle that cannot be checked for a bare document, because the rest of the bundle is missing.

use gatepost_documents::not_checked::NotChecked;
use gatepost_documents::reason::{Code, Stage};

/// Rules that need evidence, request, artifacts or the list of digests.
const INTEGRITY: [Code; 8] = [
    Code::ArtifactMissing,
    Code::SumsMismatch,
    Code::EvidenceInvalid,
    Code::EvidenceMismatch,
    Code::ExcerptMismatch,
    Code::RequestMismatch,
    Code::LimitExceeded,
    Code::OutputUnexpected,
];

/// Rules that need evidence, request or manifest.
const AUTHORITY: [Code; 14] = [
    Code::RequestUnknown,
    Code::ManifestUnknown,
    Code::ToolChanged,
    Code::ToolUnpinned,
    Code::OutputSchemaViolation,
    Code::ApprovalMissing,
    Code::ApprovalInvalid,
    Code::ApprovalExpired,
    Code::ApproverUnknown,
    Code::SignatureMissing,
    Code::SignatureInvalid,
    Code::LearnMode,
    Code::SandboxBelowMinimum,
    Code::NetworkNotAllowed,
];

/// Claims that nothing in a document proves.
const VALUES: [&str; 6] = ["exit_code", "runtime_sec", "network_used", "artifacts", "stdout_sha256", "stderr_sha256"];

/// The skipped rules, except for the digests under the keys `shown` and, with a site, for what it knows.
pub(super) fn left_open(shown: &[&str], has_site: bool) -> Vec<NotChecked> {
    let values = VALUES.iter().filter(|key| !shown.contains(key)).map(|key| (*key).to_owned()).collect();
    let mut authority = AUTHORITY.to_vec();
    authority.extend((!has_site).then_some(Code::DuplicateResult));
    vec![
        NotChecked { stage: Stage::Integrity, rules: INTEGRITY.to_vec(), values },
        NotChecked { stage: Stage::Authority, rules: authority, values: Vec::new() },
    ]
}
