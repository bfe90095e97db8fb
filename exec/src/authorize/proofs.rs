//! Who signed a request: its approvers and its requester.
//!
//! Every signature beside a request must be valid for it. An invalid one refuses the request, because its sender meant
//! something by it. Pure.
//! *Standards*: `schemas/request.schema.md`, Signatures.

use std::collections::BTreeSet;

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::evidence::{Approval, ApprovalMode, Proof};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::keys;
use gatepost_mailbox::site::Site;
use gatepost_signatures::{Namespace, Signature, Signers, Unproven};

use crate::mailbox::signatures::Received;

/// The people whose signatures count on a site.
#[derive(Debug, Clone, Default)]
pub struct Signatories {
    approvers: Signers,
    requesters: Signers,
}

/// The proofs from the signatures of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proofs {
    /// The first approval of each person, the earliest first.
    pub approvals: Vec<Approval>,
    /// The requester.
    pub requester: Option<(String, Proof)>,
}

impl Signatories {
    /// Reads the site's lists.
    pub fn read(site: &Site) -> Result<Self, Fault> {
        let [approvers, requesters] =
            [Namespace::Approval, Namespace::Request].map(|namespace| keys::read(site, namespace));
        Ok(Self { approvers: approvers?, requesters: requesters? })
    }

    /// The people whose signature would count now.
    pub fn able(&self, namespace: Namespace, now: DateTime<Utc>) -> BTreeSet<&str> {
        self.signers(namespace).names(namespace, now)
    }

    /// The person who may approve with a public key, as [`Signers::holder`].
    pub fn approver(&self, public_key: &str, now: DateTime<Utc>) -> Option<Result<&str, Unproven>> {
        self.approvers.holder(public_key, Namespace::Approval, now)
    }

    /// The proofs of the signatures over a request's bytes at the time `now`, and all faults in them.
    pub fn prove(&self, received: &[Received], request: &[u8], now: DateTime<Utc>) -> Result<Proofs, Vec<Reason>> {
        let (mut proofs, mut reasons) = (Proofs::default(), Vec::new());
        for Received { path, bytes, at } in received {
            match self.signer(bytes, request, now) {
                Err(reason) => reasons.push(reason.in_file(path.as_str())),
                Ok((namespace, name, key)) => proofs.add(namespace, name, *at, Proof { key, signature: path.clone() }),
            }
        }
        if reasons.is_empty() { Ok(proofs) } else { Err(reasons) }
    }

    /// Whether one signature proves anything about a request.
    pub fn check(&self, signature: &[u8], request: &[u8], now: DateTime<Utc>) -> Result<(), Reason> {
        self.signer(signature, request, now).map(|_| ())
    }

    /// Whether a further signature proves more than the existing ones. A requester's signature counts only if it is of the
    /// requester that the request names.
    pub fn adds(
        &self,
        kept: &[Received],
        signature: &[u8],
        (request, requested_by): (&[u8], &str),
        now: DateTime<Utc>,
    ) -> Result<bool, Reason> {
        let (namespace, name, _) = self.signer(signature, request, now)?;
        if namespace == Namespace::Request && name != requested_by {
            return Err(not_the_requester(requested_by, &name));
        }
        let is_same = |received: &Received| {
            self.signer(&received.bytes, request, now)
                .is_ok_and(|(other, by, _)| (other, by) == (namespace, name.clone()))
        };
        Ok(!kept.iter().any(is_same))
    }

    fn signers(&self, namespace: Namespace) -> &Signers {
        match namespace {
            Namespace::Approval => &self.approvers,
            Namespace::Request => &self.requesters,
        }
    }

    fn signer(
        &self,
        signature: &[u8],
        request: &[u8],
        now: DateTime<Utc>,
    ) -> Result<(Namespace, String, String), Reason> {
        let hint = "Sign the request's exact bytes again, with a key that the operator has listed.";
        let signature = Signature::parse(signature).map_err(|error| {
            Reason::new(Code::ApprovalInvalid, format!("A signature cannot be read: {error}."), hint)
        })?;
        let namespace = signature.namespace();
        let signer = self.signers(namespace).verify(&signature, namespace, request, now).map_err(|why| {
            let (code, what, list) = match namespace {
                Namespace::Approval => (approval_code(&why), "approves nothing", "keys/approvers"),
                Namespace::Request => (Code::SignatureInvalid, "does not prove who asks", "keys/requesters"),
            };
            let list = if why.is_unknown_key() { format!(" in {list}") } else { String::new() };
            Reason::new(code, format!("A signature {what}: {why}{list}."), hint)
        })?;
        Ok((namespace, signer.to_owned(), signature.fingerprint()))
    }
}

fn approval_code(why: &Unproven) -> Code {
    match why {
        _ if why.is_about_time() => Code::ApprovalExpired,
        _ if why.is_unknown_key() => Code::ApproverUnknown,
        _ => Code::ApprovalInvalid,
    }
}

impl Proofs {
    fn add(&mut self, namespace: Namespace, name: String, at: DateTime<Utc>, proof: Proof) {
        match namespace {
            // Two signatures of a person, with one key or two, count once.
            Namespace::Approval if self.approvals.iter().any(|approval| approval.approved_by == name) => {}
            Namespace::Approval => self.approvals.push(Approval {
                mode: ApprovalMode::Signature,
                approved_by: name,
                approved_utc: at.to_rfc3339_opts(SecondsFormat::Secs, true),
                proof: Some(proof),
            }),
            Namespace::Request => self.requester = self.requester.take().or(Some((name, proof))),
        }
    }

    /// The fault of a requester's signature by another person than the request names.
    pub fn requester_fault(&self, requested_by: &str) -> Option<Reason> {
        let (name, proof) = self.requester.as_ref().filter(|(name, _)| name != requested_by)?;
        Some(not_the_requester(requested_by, name).in_file(proof.signature.as_str()))
    }
}

fn not_the_requester(requested_by: &str, name: &str) -> Reason {
    let message =
        format!("The request names {} as its requester, but {} signed it.", quoted(requested_by), quoted(name));
    let hint = "Put the name of the signer into requested_by, or have the named requester sign.";
    Reason::new(Code::SignatureInvalid, message, hint)
}
