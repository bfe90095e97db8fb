//! The attestation of an accepted result: the gate's statement about its files, and the check of one found beside them.
//!
//! ```text
//! core/inbound/TS-…/attestation.intoto.jsonl     the statement in its envelope, signed
//! core/inbound/TS-…/SHA256SUMS.sig               an SSH signature over SHA256SUMS; over a bare document, TS-….md.sig
//! ```
//!
//! One key signs both; the signature shows it and the leaf in the gate's log names it. Pure: `gatepost_mailbox::signer` signs.
//! *Security*: the checked files may come from anybody; the log, or a kept copy of `attestation.pub`, identifies the key's owner.

use gatepost_documents::attestation::{
    ATTESTATION_FILE, Confinement, Decided, DigestSet, LogPlace, PAYLOAD_TYPE, PREDICATE_TYPE, Predicate, Request,
    STATEMENT_TYPE, Statement, Subject, Tool,
};
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::Evidence;
use gatepost_documents::pins::Pins;
use gatepost_documents::verdict::Verdict;
use gatepost_signatures::{Envelope, PublicKey};

use crate::bundle::{Entry, Role};
use crate::consistency;
use crate::imported;
use crate::submission::Submission;
use crate::sums;

/// The statement about a submission accepted with this verdict, whose file has this digest, at this place of the log.
pub fn statement(
    submission: &Submission,
    verdict: &Verdict,
    verdict_sha256: Digest,
    pins: &Pins,
    log: LogPlace,
) -> Statement {
    let evidence = match submission {
        Submission::Bundle(bundle) => consistency::read(bundle.bytes_of(Role::Evidence)).ok(),
        Submission::BareDocument(_) => None,
    };
    let executed = evidence.as_ref().filter(|evidence| !consistency::is_refusal(evidence));
    Statement {
        statement_type: STATEMENT_TYPE.to_owned(),
        subject: subject(submission),
        predicate_type: PREDICATE_TYPE.to_owned(),
        predicate: Predicate {
            result_id: verdict.result_id.clone(),
            request: request(verdict, submission, evidence.as_ref()),
            approvals: evidence.as_ref().map(|evidence| evidence.approvals.clone()).unwrap_or_default(),
            tool: executed.map(|evidence| tool(evidence, pins)),
            confinement: Confinement {
                tool: executed.map(|evidence| evidence.sandbox.clone()),
                gate: verdict.confinement.clone(),
            },
            network: evidence.as_ref().map(|evidence| evidence.network.clone()),
            verdict: decided(verdict, verdict_sha256),
            log,
        },
    }
}

/// Every file that was judged.
fn subject(submission: &Submission) -> Vec<Subject> {
    let of = |name: &str, sha256| Subject { name: name.to_owned(), digest: DigestSet { sha256 } };
    match submission {
        Submission::Bundle(bundle) => bundle.files().map(|(path, _, digest)| of(path, digest)).collect(),
        Submission::BareDocument(document) => match document.file {
            Some(Entry::File { digest, .. }) => vec![of(&document.path(), digest)],
            _ => Vec::new(),
        },
    }
}

fn request(verdict: &Verdict, submission: &Submission, evidence: Option<&Evidence>) -> Request {
    Request {
        request_id: verdict.request_id.clone(),
        request_sha256: submission.request_sha256(),
        requested_by: evidence.map(|evidence| evidence.requested_by.clone()),
        requester_proof: evidence.and_then(|evidence| evidence.requester_proof.clone()),
        dropped: evidence.map(|evidence| evidence.dropped.clone()),
    }
}

fn tool(evidence: &Evidence, pins: &Pins) -> Tool {
    let is_pinned = pins
        .tool
        .get(&evidence.tool)
        .is_some_and(|pin| Some(pin.manifest_sha256) == evidence.manifest_sha256 && pin.programs == evidence.programs);
    Tool {
        name: evidence.tool.clone(),
        version: evidence.tool_version.clone(),
        backend: evidence.backend,
        manifest_sha256: evidence.manifest_sha256,
        programs: evidence.programs.clone(),
        pinned: is_pinned,
    }
}

fn decided(verdict: &Verdict, verdict_sha256: Digest) -> Decided {
    Decided {
        verdict_sha256,
        judged_utc: verdict.judged_utc.clone(),
        rules_version: verdict.rules_version.clone(),
        gate_version: verdict.gate_version.clone(),
        gate_toml_sha256: verdict.gate_toml_sha256,
        site_rules_sha256: verdict.site_rules_sha256,
        released: verdict.released.clone(),
        imported: imported::place(verdict),
    }
}

/// The file over which the gate makes an SSH signature, and its bytes: the one that names all others.
pub fn signed_file(submission: &Submission) -> (String, &[u8]) {
    match submission {
        Submission::Bundle(bundle) => (sums::FILE.to_owned(), bundle.bytes_of(Role::Sums)),
        Submission::BareDocument(document) => (document.path(), &document.bytes),
    }
}

/// The valid content of an attestation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attested {
    /// The key that signed both files. Anybody may have created it.
    pub key: PublicKey,
    /// Where the verdict is logged, according to the attestation.
    pub log: LogPlace,
}

/// A fault of an attestation: the file, and a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The file.
    pub file: String,
    /// The fault.
    pub message: &'static str,
    /// Whether the file is missing.
    pub is_missing: bool,
}

/// Checks an attestation and a signature against the submission and verdict beside them. If one of the two exists, so
/// must the other.
pub(crate) fn check(
    submission: &Submission,
    verdict: &Verdict,
    verdict_sha256: Digest,
    attestation: Option<&[u8]>,
    signature: Option<&[u8]>,
) -> Result<Attested, Broken> {
    let (name, bytes) = signed_file(submission);
    let of_signature = |message| Broken { file: format!("{name}.sig"), message, is_missing: false };
    let broken = |message| Broken { file: ATTESTATION_FILE.to_owned(), message, is_missing: false };
    let missing = |broken| Broken { is_missing: true, ..broken };
    let signature = signature.ok_or_else(|| missing(of_signature("The gate's signature is missing.")))?;
    let attestation = attestation.ok_or_else(|| missing(broken("The attestation is missing.")))?;
    let key = PublicKey::of_signature(signature, bytes)
        .ok_or_else(|| of_signature("This is not a gate's signature over the file that its name refers to."))?;
    let envelope: Envelope = attestation
        .strip_suffix(b"\n")
        .and_then(|line| serde_json::from_slice(line).ok())
        .ok_or_else(|| broken("This is not a DSSE envelope on one line."))?;
    let payload = envelope
        .open(PAYLOAD_TYPE, &key)
        .ok_or_else(|| broken("The key of the gate's signature did not sign this, or it was changed afterwards."))?;
    let stated: Statement = serde_json::from_slice(&payload)
        .map_err(|_| broken("The signed payload is not a statement of this version."))?;
    let is_known = stated.statement_type == STATEMENT_TYPE && stated.predicate_type == PREDICATE_TYPE;
    if !is_known {
        return Err(broken("The signed payload is not a statement of this version."));
    }
    if stated.subject != subject(submission) {
        return Err(broken("The attestation is about other files than those in this bundle."));
    }
    if stated.predicate.verdict.verdict_sha256 != verdict_sha256 || stated.predicate.result_id != submission.name() {
        return Err(broken("The attestation is about another verdict than the one in this bundle."));
    }
    // The attestation alone says whether the site's pins named the tool, and where the verdict is logged.
    let (pinned, log) = (stated.predicate.tool.as_ref().map(|tool| tool.pinned), stated.predicate.log.clone());
    let mut expected = statement(submission, verdict, verdict_sha256, &Pins::default(), log.clone());
    expected.predicate.tool = expected.predicate.tool.map(|tool| Tool { pinned: pinned.unwrap_or_default(), ..tool });
    if stated != expected {
        return Err(broken("The attestation contradicts the files in this bundle."));
    }
    Ok(Attested { key, log })
}
