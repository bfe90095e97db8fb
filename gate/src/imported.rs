//! A decision of another site's gate, and the proof that makes this gate trust it.
//!
//! The other gate accepted exactly these files: its log has a leaf with that decision, a proof leads from the leaf to a signed checkpoint,
//! and `keys/gates` of this site lists the log's key. Whatever can be checked without that site is checked again here. Pure. *Security*:
//! the proof is hostile, and so is its leaf until the key is a listed one. *Standards*: RFC 6962, section 2.1.1.

use gatepost_documents::attestation::LogPlace;
use gatepost_documents::log_proof::LogProof;
use gatepost_documents::verdict::{Decision, Verdict};
use gatepost_ledger::{Checkpoint, VerifierKey, is_included, leaf_hash, parse_hash};

use crate::accepted::StatedVerdict;
use crate::ledger::Entry;
use crate::submission::Submission;

/// Where the decision behind a verdict is logged; `None` for a verdict on a result of its own site.
pub(crate) fn place(verdict: &Verdict) -> Option<LogPlace> {
    verdict.imported.as_ref().map(place_of)
}

/// The leaf that a proof claims to be about.
pub(crate) fn place_of(proof: &LogProof) -> LogPlace {
    LogPlace { origin: proof.origin().to_owned(), index: proof.index }
}

/// Why a proof fails, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unproved {
    /// No trusted key has this log's name. The operator has to get the key by another way.
    #[error("keys/gates does not list the key of the log {0}, which signed the proof.")]
    Key(String),
    /// A part of it is invalid.
    #[error("The proof is invalid: {0}.")]
    Broken(String),
}

/// The decision that a proof shows to be in the log of one of these keys.
pub fn read(proof: &LogProof, keys: &[VerifierKey]) -> Result<Entry, Unproved> {
    let broken = |what: String| Unproved::Broken(what);
    let key = VerifierKey::parse(&proof.verifier_key).map_err(|_| broken("it names no verifier key".to_owned()))?;
    if !keys.contains(&key) {
        return Err(Unproved::Key(proof.origin().to_owned()));
    }
    let checkpoint =
        Checkpoint::open(&proof.checkpoint, &key).map_err(|error| broken(format!("checkpoint: {error}")))?;
    let hashes: Option<Vec<_>> = proof.hashes.iter().map(|hash| parse_hash(hash)).collect();
    let leaf = leaf_hash(proof.leaf.as_bytes());
    let leads = |hashes: &Vec<_>| is_included(&leaf, proof.index, checkpoint.size, hashes, &checkpoint.root);
    if proof.size != checkpoint.size || !hashes.as_ref().is_some_and(leads) {
        return Err(broken(format!("its hashes do not lead from decision {} to its checkpoint", proof.index)));
    }
    let entry: Entry = serde_json::from_str(&proof.leaf).map_err(|_| broken("its leaf is not a verdict".to_owned()))?;
    if entry.verdict == Decision::Accept { Ok(entry) } else { Err(broken("its leaf is a rejection".to_owned())) }
}

/// Whether a decision is about these files.
pub(crate) fn is_about(entry: &Entry, submission: &Submission) -> bool {
    entry.result_id == submission.name()
        && entry.bundle_sha256 == submission.digest()
        && entry.request_sha256 == submission.request_sha256()
}

/// Whether the files that the other gate added are those that it logged, at this place of its log.
pub(crate) fn is_whole(entry: &Entry, stated: &StatedVerdict, place: &LogPlace) -> bool {
    let attested = stated.attested.as_ref().map(|attested| attested.as_ref().ok());
    let is_attested = match (&entry.attestation_key, attested) {
        (None, None) => true,
        (Some(key), Some(Some(attested))) => attested.key.fingerprint() == *key && attested.log == *place,
        _ => false,
    };
    is_attested && entry.verdict_sha256.is_some() && entry.verdict_sha256 == stated.sha256
}

/// The fault in the proof behind the verdict beside a submission, as a sentence. The operator knows the key's owner.
pub(crate) fn fault(proof: &LogProof, submission: &Submission) -> Option<String> {
    let own: Vec<_> = VerifierKey::parse(&proof.verifier_key).into_iter().collect();
    match read(proof, &own) {
        Err(unproved) => Some(unproved.to_string()),
        Ok(entry) if is_about(&entry, submission) => None,
        Ok(_) => Some("The imported decision is about other files.".to_owned()),
    }
}
