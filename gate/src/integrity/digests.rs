//! Compares the digests in the document and the evidence with the bytes that intake read.

use super::{HINT, MANIFEST_FILE, Page};
use crate::consistency;
use crate::shape::Whole;
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::Evidence;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

const STDOUT: &str = "artifacts/stdout.txt";
const STDERR: &str = "artifacts/stderr.txt";

/// The digests of the front matter.
pub(super) fn of_files(whole: Whole<'_>, page: Page<'_>) -> Vec<Reason> {
    let front_matter = page.front_matter;
    let manifest = Digest::parse(&front_matter.manifest_sha256).ok();
    let stated = [
        ("stdout_sha256", Some(front_matter.stdout_sha256), STDOUT, Code::HashMismatch),
        ("stderr_sha256", Some(front_matter.stderr_sha256), STDERR, Code::HashMismatch),
        ("manifest_sha256", manifest, MANIFEST_FILE, Code::HashMismatch),
        ("request_sha256", Some(front_matter.request_sha256), whole.request_path, Code::RequestMismatch),
        ("evidence_sha256", Some(front_matter.evidence_sha256), consistency::FILE, Code::HashMismatch),
    ];
    let differing = stated.into_iter().filter(|(_, stated, path, _)| *stated != whole.bundle.digest_of(path));
    let reason = |(key, _, path, code): (&str, Option<Digest>, &str, Code)| {
        let found =
            whole.bundle.digest_of(path).map_or("no digest: it is missing".to_owned(), |digest| digest.to_string());
        page.at_key(key, code, format!("The value of {key} is not the digest of {path}, which has {found}."))
    };
    differing.map(reason).chain(of_artifacts(whole, page)).collect()
}

/// The list of artifacts names every file below `artifacts/`, and no other.
fn of_artifacts(whole: Whole<'_>, page: Page<'_>) -> Vec<Reason> {
    let stated = &page.front_matter.artifacts;
    let mut reasons = Vec::new();
    for artifact in stated {
        let path = quoted(&artifact.path);
        match whole.bundle.digest_of(&format!("artifacts/{}", artifact.path)) {
            Some(digest) if digest == artifact.sha256 => {}
            Some(digest) => {
                let message = format!("The artifact {path} has the digest {digest}, not {}.", artifact.sha256);
                reasons.push(page.at_key("artifacts", Code::HashMismatch, message));
            }
            None => {
                let message = format!("The artifact {path} is missing.");
                reasons.push(page.at_key("artifacts", Code::ArtifactMissing, message));
            }
        }
    }
    for path in whole.bundle.files().filter_map(|(path, ..)| path.strip_prefix("artifacts/")) {
        // The reader of the front matter checked that their paths are sorted.
        if stated.binary_search_by(|artifact| artifact.path.as_str().cmp(path)).is_err() {
            let message = format!("The front matter does not list the artifact {}.", quoted(path));
            reasons.push(page.at_key("artifacts", Code::ArtifactUnlisted, message));
        }
    }
    reasons
}

/// The digests of the evidence.
pub(super) fn of_evidence(whole: Whole<'_>, evidence: &Evidence) -> Vec<Reason> {
    let fault = |code, message: String| Reason::new(code, message, HINT).in_file(consistency::FILE);
    let mut reasons = Vec::new();
    for (field, stated, path) in [
        ("output_hash", &evidence.output_hash, evidence.output_file.as_str()),
        ("stderr_hash", &evidence.stderr_hash, STDERR),
    ] {
        let digest = whole.bundle.digest_of(path).filter(|_| path.starts_with("artifacts/"));
        if digest.map(|digest| format!("sha256:{digest}")).as_ref() != Some(stated) {
            let message = format!("The value of {field} is not the digest of {}.", quoted(path));
            reasons.push(fault(Code::HashMismatch, message));
        }
    }
    if evidence.request_id != *whole.id.request() {
        let message = format!("The evidence names the request {}.", evidence.request_id);
        reasons.push(fault(Code::IdMismatch, message));
    }
    reasons
}
