//! Who approved and who asked: signatures over the request's bytes, verified here by the keys that the site lists.
//!
//! A request that needs approvals must have enough, from different people, in a form that `gate.toml` accepts. Without
//! a site the gate verifies only the signatures: the owners of their keys are unknown.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_signatures::{Namespace, Signature, Signers, Unproven};

use std::collections::BTreeSet;

use super::Claim;
use crate::bundle::Role;
use crate::consistency;
use crate::facts::SiteFacts;
use gatepost_documents::evidence::{ApprovalMode, Backend, Proof, Signatures};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

const HINT: &str = "Ask the operator how this ran: a command line, a program or a tool of risk runs only after a person \
                    approves the request.";

/// Every invalid signature and every missing one. An earlier check compared the lane with the request's.
pub(super) fn faults(claim: Claim<'_>, site: Option<&SiteFacts>) -> Vec<Reason> {
    let evidence = &claim.confirmed.evidence;
    let mut reasons = Vec::new();
    let mut people = BTreeSet::new();
    for approval in &evidence.approvals {
        let Some(proof) = &approval.proof else { continue };
        match verified(claim, Namespace::Approval, proof, site.map(|site| &site.approvers)) {
            Ok(signer) if signer.as_ref().is_none_or(|signer| *signer == approval.approved_by) => {
                people.insert(approval.approved_by.as_str());
            }
            Ok(_) => reasons.push(fault(Code::ApproverUnknown, proof, "it is by another person")),
            Err((code, why)) => reasons.push(fault(code, proof, &why)),
        }
    }
    if site.is_none_or(|site| site.policy.policy.approval.mode == ApprovalMode::Declared) {
        let declared = evidence.approvals.iter().filter(|approval| approval.proof.is_none());
        people.extend(declared.map(|approval| approval.approved_by.as_str()));
    }
    reasons.extend(expired(claim, site));
    if reasons.is_empty() {
        reasons.extend(missing(claim, people.len()));
    }
    reasons.extend(requester(claim, site));
    reasons
}

/// The signers; `None` if nobody lists the owners of keys.
fn verified(
    Claim { whole, confirmed, .. }: Claim<'_>,
    namespace: Namespace,
    proof: &Proof,
    signers: Option<&Signers>,
) -> Result<Option<String>, (Code, String)> {
    let invalid = if namespace == Namespace::Approval { Code::ApprovalInvalid } else { Code::SignatureInvalid };
    let bytes = whole.bundle.signatures.get(&proof.signature).map(Vec::as_slice).unwrap_or_default();
    let signature = Signature::parse(bytes).map_err(|error| (invalid, error.to_string()))?;
    let request = whole.bundle.bytes_of(Role::Request);
    if signature.fingerprint() != proof.key || signature.namespace() != namespace || !signature.holds(request) {
        return Err((invalid, "it is not by that key over the request's bytes".to_owned()));
    }
    let (Some(signers), Some(started)) = (signers, consistency::started(&confirmed.evidence)) else { return Ok(None) };
    let signer = signers.verify(&signature, namespace, request, started);
    signer.map(|signer| Some(signer.to_owned())).map_err(|why| (code(namespace, &why), why.to_string()))
}

fn code(namespace: Namespace, why: &Unproven) -> Code {
    match namespace {
        Namespace::Request => Code::SignatureInvalid,
        Namespace::Approval if why.is_about_time() => Code::ApprovalExpired,
        Namespace::Approval if why.is_unknown_key() => Code::ApproverUnknown,
        Namespace::Approval => Code::ApprovalInvalid,
    }
}

fn fault(code: Code, proof: &Proof, why: &str) -> Reason {
    let message = format!("The signature does not prove what the evidence says: {why}.");
    Reason::new(code, message, HINT).in_file(proof.signature.as_str())
}

/// Signed approvals of a request that was too old when its tool started.
fn expired(claim: Claim<'_>, site: Option<&SiteFacts>) -> Option<Reason> {
    let evidence = &claim.confirmed.evidence;
    let hours = site?.policy.policy.approval.max_age_hours;
    let is_signed = evidence.approvals.iter().any(|approval| approval.proof.is_some());
    let created: DateTime<Utc> = claim.confirmed.request.as_ref()?.created?;
    let age = consistency::started(evidence)?.signed_duration_since(created);
    let message = format!("The approvals expired: the request was more than {hours} hours old when its tool started.");
    let is_expired = is_signed && age > TimeDelta::hours(hours.into());
    is_expired.then(|| Reason::new(Code::ApprovalExpired, message, HINT).in_file(consistency::FILE))
}

/// The reason that more people must approve.
fn missing(claim: Claim<'_>, people: usize) -> Option<Reason> {
    let evidence = &claim.confirmed.evidence;
    let (who, needed) = match (&claim.confirmed.manifest, evidence.backend) {
        (_, lane @ (Backend::Era | Backend::Monty)) => (format!("The lane {lane}"), 1),
        (Some(manifest), _) => ("The manifest".to_owned(), manifest.approvers_of(claim.confirmed.request.as_ref())),
        _ => return None,
    };
    if consistency::is_refusal(evidence) || people >= usize::try_from(needed).unwrap_or(usize::MAX) {
        return None;
    }
    let message =
        format!("{who} requires {needed} approvals in the form that this site accepts; the request has {people}.");
    Some(Reason::new(Code::ApprovalMissing, message, HINT).in_file(consistency::FILE))
}

/// The fault in the proof of the requester.
fn requester(claim: Claim<'_>, site: Option<&SiteFacts>) -> Option<Reason> {
    let evidence = &claim.confirmed.evidence;
    let Some(proof) = &evidence.requester_proof else {
        let is_required = site?.policy.policy.inbox.signatures == Signatures::Required;
        let message = "The request is not signed, but gate.toml requires a signature.";
        let hint = "Sign the requests, and set [inbox] signatures = \"required\" in gatepost.toml too.";
        let reason = || Reason::new(Code::SignatureMissing, message, hint).in_file(consistency::FILE);
        return (is_required && !consistency::is_refusal(evidence)).then(reason);
    };
    match verified(claim, Namespace::Request, proof, site.map(|site| &site.requesters)) {
        Ok(signer) if signer.as_ref().is_none_or(|signer| *signer == evidence.requested_by) => None,
        Ok(signer) => {
            let why = format!("it is by {}", quoted(signer.as_deref().unwrap_or_default()));
            Some(fault(Code::SignatureInvalid, proof, &why))
        }
        Err((code, why)) => Some(fault(code, proof, &why)),
    }
}
