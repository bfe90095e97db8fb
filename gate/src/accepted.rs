//! An accepted bundle: the files that the gate judged, and the files that it added: verdict, attestation and signature.
//!
//! Used by audits, by imports, and by a gate that finds a copy that it accepted but did not move. Nothing from the outbox comes here: the
//! shape stage rejects a bundle that brings a verdict. *Security*: the folder and the verdict may have been changed since. The code judges
//! the files again and believes only an override and severities that `gate.toml` lowered: the auditor sees both.

use std::collections::BTreeMap;

use crate::attestation::{self, Attested, Broken};
use crate::bare_document::BareDocument;
use crate::bundle::{Bundle, Role};
use crate::facts::Facts;
use crate::imported;
use crate::judge;
use crate::submission::Submission;
use crate::sums;
use gatepost_documents::attestation::ATTESTATION_FILE;
use gatepost_documents::digest::Digest;
use gatepost_documents::log_proof::LogProof;
use gatepost_documents::reason::{Code, Reason, Severity};
use gatepost_documents::release::{Override, not_overridden, rejecting};
use gatepost_documents::verdict::{Decision, VERDICT_FILE, Verdict};

/// The content of the verdict in an accepted bundle.
#[derive(Debug, Default)]
pub struct StatedVerdict {
    /// What is wrong with it.
    pub faults: Vec<Reason>,
    /// The override under which the bundle was accepted.
    pub released: Option<Override>,
    /// The digest of the `gate.toml` in force then, according to the verdict.
    pub gate_toml_sha256: Option<Digest>,
    /// The decision of another site's gate, for an imported result.
    pub imported: Option<LogProof>,
    /// The digest of the verdict.
    pub sha256: Option<Digest>,
    /// What the attestation says of it; `None` if neither attestation nor signature exists.
    pub attested: Option<Result<Attested, Broken>>,
    /// What the site only flags, with its reasons.
    lowered: Vec<Reason>,
}

/// Splits a folder into the judged files and the verdict, if there is one, so that the files can be judged again. A
/// bare document is accepted in a folder of its own; only its verdict says what it was. Faults of the verdict are
/// returned apart from the faults of the bundle, because those would prevent judging the bundle.
pub fn part(mut folder: Bundle) -> (Submission, StatedVerdict) {
    let Some(bytes) = folder.bytes.remove(&Role::Verdict) else {
        return (Submission::Bundle(folder), StatedVerdict::default());
    };
    let sha256 = folder.digest_of(VERDICT_FILE);
    folder.entries.remove(VERDICT_FILE);
    let verdict = match serde_json::from_slice::<Verdict>(&bytes) {
        Ok(verdict) => verdict,
        Err(error) => {
            let message =
                format!("Cannot read the verdict: it is invalid at line {}, column {}.", error.line(), error.column());
            let faults = vec![fault(Code::JsonInvalid, message)];
            return (Submission::Bundle(folder), StatedVerdict { faults, sha256, ..StatedVerdict::default() });
        }
    };
    let signature_path = if verdict.is_bare_document { folder.document_path() } else { sums::FILE.to_owned() } + ".sig";
    let [attestation, signature] = [(ATTESTATION_FILE, Role::Attestation), (&signature_path, Role::GateSignature)]
        .map(|(path, role)| folder.entries.remove(path).and_then(|_| folder.bytes.remove(&role)));
    let submission = if verdict.is_bare_document {
        Submission::BareDocument(BareDocument::alone_in(folder))
    } else {
        Submission::Bundle(folder)
    };
    let attested = (attestation.is_some() || signature.is_some()).then(|| {
        attestation::check(&submission, &verdict, Digest::of(&bytes), attestation.as_deref(), signature.as_deref())
    });
    let differences = differences(&verdict, &submission).into_iter().map(|(code, message)| fault(code, message));
    let broken = attested.iter().filter_map(|attested| attested.as_ref().err());
    let broken = broken.map(|Broken { file, message, is_missing }| {
        let code = if *is_missing { Code::FileMissing } else { Code::ValueInvalid };
        fault(code, (*message).to_owned()).in_file(file)
    });
    let stated = StatedVerdict {
        faults: differences.chain(broken).collect(),
        sha256,
        attested,
        released: verdict.released,
        imported: verdict.imported,
        gate_toml_sha256: verdict.gate_toml_sha256,
        lowered: verdict.reasons.into_iter().filter(|reason| reason.lowered_because.is_some()).collect(),
    };
    (submission, stated)
}

/// Judges an accepted bundle again. Findings that its verdict lowered to flags stay flags; its override counts.
pub fn judge_again(submission: &Submission, stated: StatedVerdict, facts: &Facts) -> Verdict {
    let mut verdict = judge::judge(submission, facts);
    stated.lower(&mut verdict.reasons);
    verdict.reasons.splice(0..0, stated.faults);
    verdict.verdict = Verdict::decide(&verdict.reasons, stated.released.as_ref());
    Verdict { released: stated.released, ..verdict }
}

fn fault(code: Code, message: String) -> Reason {
    Reason::new(code, message, "Copy the bundle again from where the gate put it.").in_file(VERDICT_FILE)
}

impl StatedVerdict {
    /// Turns into flags those `reasons` that the site flagged in the same words. Only reasons on content can be lowered.
    pub fn lower(&self, reasons: &mut [Reason]) {
        // One reason here can cover several places for which the site made several reasons, each with its own words.
        let matter = |reason: &Reason| (reason.rule.clone(), reason.excerpt_sha256);
        let known: BTreeMap<_, _> =
            self.lowered.iter().map(|reason| (matter(reason), &reason.lowered_because)).collect();
        for reason in reasons.iter_mut().filter(|reason| reason.code.is_overridable()) {
            if let Some(because) = known.get(&matter(reason)) {
                reason.severity = Severity::Flag;
                reason.lowered_because.clone_from(because);
            }
        }
    }
}

fn differences(verdict: &Verdict, submission: &Submission) -> Vec<(Code, String)> {
    let mut faults = Vec::new();
    if verdict.verdict != Decision::Accept {
        faults.push((Code::ValueInvalid, "The verdict on this bundle is REJECT.".to_owned()));
    }
    if verdict.result_id != submission.name() {
        faults.push((Code::IdMismatch, "The verdict is on another result.".to_owned()));
    }
    let found = submission.digest();
    if verdict.bundle_sha256 != found {
        let message = format!("The verdict is for bundle {}; this is bundle {found}.", verdict.bundle_sha256);
        faults.push((Code::HashMismatch, message));
    }
    if let Some(message) = verdict.imported.as_ref().and_then(|proof| imported::fault(proof, submission)) {
        faults.push((Code::ValueInvalid, message));
    }
    let named = verdict.released.as_ref().map(|released| released.codes.as_slice()).unwrap_or_default();
    for code in named.iter().filter(|code| !code.is_overridable()) {
        faults.push((Code::ValueInvalid, format!("The override names {code}, which cannot be overridden.")));
    }
    let rejecting = rejecting(&verdict.reasons);
    for code in named.iter().filter(|code| !rejecting.contains(code)) {
        faults.push((Code::ValueInvalid, format!("The override names {code}, but no reason with this code rejects.")));
    }
    for code in not_overridden(&verdict.reasons, named) {
        faults.push((
            Code::ValueInvalid,
            format!("The verdict accepts although {code} rejects and the override does not name it."),
        ));
    }
    faults
}
