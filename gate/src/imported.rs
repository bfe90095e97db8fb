//! A decision of another site's gate, and the proof for which this gate believes it.
//!
//! The other gate accepted exactly these files, for its log holds a leaf that says so, a proof leads from the leaf to a signed checkpoint, and the
//! operator of this site lists the key of that log in `keys/gates`. All that can be checked without that site is checked here again. Pure.
//! *Security*: the proof is a stranger's, and so is the leaf in it until the key is one that is listed. *Standards*: RFC 6962, section 2.1.1.

use gatepost_documents::attestation::LogPlace;
use gatepost_documents::log_proof::LogProof;
use gatepost_documents::verdict::{Decision, Verdict};
use gatepost_ledger::{Checkpoint, VerifierKey, is_included, leaf_hash, parse_hash};

use crate::accepted::StatedVerdict;
use crate::ledger::Entry;
use crate::submission::Submission;

/// Where the decision on which a verdict rests is logged; none of a verdict on what was run at its own site.
pub(crate) fn place(verdict: &Verdict) -> Option<LogPlace> {
    verdict.imported.as_ref().map(place_of)
}

/// Of which leaf a proof is, by its own word.
pub(crate) fn place_of(proof: &LogProof) -> LogPlace {
    let origin = proof.verifier_key.split('+').next().unwrap_or_default();
    LogPlace { origin: origin.to_owned(), index: proof.index }
}

/// Why a proof proves nothing, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unproved {
    /// The key of the log of this name is none of those that count. The key itself has to come by another way.
    #[error("keys/gates does not list the key of the log {0}, which signed the proof.")]
    Key(String),
    /// Something in it does not hold.
    #[error("The proof is invalid: {0}.")]
    Broken(String),
}

/// The decision that a proof shows to be in the log of one of these keys.
pub fn read(proof: &LogProof, keys: &[VerifierKey]) -> Result<Entry, Unproved> {
    let broken = |what: String| Unproved::Broken(what);
    let key = VerifierKey::parse(&proof.verifier_key).map_err(|_| broken("it names no verifier key".to_owned()))?;
    if !keys.contains(&key) {
        return Err(Unproved::Key(place_of(proof).origin));
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

/// Whether what the other gate put beside the files is what it logged, at this place of its log.
pub(crate) fn is_whole(entry: &Entry, stated: &StatedVerdict, place: &LogPlace) -> bool {
    let attested = stated.attested.as_ref().map(|attested| attested.as_ref().ok());
    let is_attested = match (&entry.attestation_key, attested) {
        (None, None) => true,
        (Some(key), Some(Some(attested))) => attested.key.fingerprint() == *key && attested.log == *place,
        _ => false,
    };
    is_attested && entry.verdict_sha256.is_some() && entry.verdict_sha256 == stated.sha256
}

/// What is wrong with the proof on which the verdict beside a submission rests, as a sentence. Whose key it is, its operator knows.
pub(crate) fn fault(proof: &LogProof, submission: &Submission) -> Option<String> {
    let own: Vec<_> = VerifierKey::parse(&proof.verifier_key).into_iter().collect();
    match read(proof, &own) {
        Err(unproved) => Some(unproved.to_string()),
        Ok(entry) if is_about(&entry, submission) => None,
        Ok(_) => Some("The imported decision is about other files.".to_owned()),
    }
}
