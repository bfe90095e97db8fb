//! Judges a submission in place, without a site: nothing is copied or moved, and rules that need a site are skipped.
//!
//! *Security*: the submission is hostile; the caller has given up every right except to read it.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use crate::accepted::{self, StatedVerdict};
use crate::attestation::{Attested, Broken};
use crate::facts::Facts;
use crate::intake;
use crate::limits::Limits;
use crate::submission::{Kind, Submission};
use gatepost_documents::digest::Digest;
use gatepost_documents::reason::Reason;
use gatepost_documents::verdict::Verdict;
use gatepost_mailbox::fault::{Fault, OnPath};

/// Judges a bundle in an outbox or in core/inbound, or a bare document if those are allowed. It is compared with the
/// verdict in an accepted bundle, whose override counts. The attestation is returned with the verdict.
pub fn judge_in_place(
    path: &Path,
    accepts_bare_documents: bool,
    facts: &Facts,
) -> Result<(Verdict, Option<Result<Attested, Broken>>), Fault> {
    // A path such as "." has no name of its own.
    let whole = path.canonicalize().on("find", path)?;
    let (Some(folder), Some(name)) = (whole.parent(), whole.file_name()) else {
        return Err(std::io::Error::from(std::io::ErrorKind::InvalidInput)).on("judge", path);
    };
    let kind = Kind::decide(folder, name, accepts_bare_documents);
    let taken = intake::take_in(kind, folder, name, None, &Limits::default(), &facts.rules).on("read", path)?;
    let (submission, stated) = match taken {
        Submission::Bundle(bundle) => accepted::part(bundle),
        document @ Submission::BareDocument(_) => (document, StatedVerdict::default()),
    };
    let attested = stated.attested.clone();
    let (gate_toml_sha256, imported) = (stated.gate_toml_sha256, stated.imported.clone());
    let verdict = accepted::judge_again(&submission, stated, facts);
    Ok((Verdict { gate_toml_sha256, imported, ..verdict }, attested))
}

/// An entry in a folder of accepted results.
#[derive(Debug)]
pub struct Accepted {
    /// The digest of the accepted files, as the ledger states it.
    pub bundle_sha256: Digest,
    /// The digest of the verdict beside it.
    pub verdict_sha256: Option<Digest>,
    /// What the attestation says of it; `None` if neither attestation nor signature exists.
    pub attested: Option<Result<Attested, Broken>>,
    /// Differences between the files and the verdict and attestation beside them.
    pub faults: Vec<Reason>,
}

/// The result accepted as `name` in a folder.
pub fn accepted(folder: &Path, name: &OsStr) -> io::Result<Accepted> {
    let (submission, stated) = accepted::part(intake::recognise(folder, name, name, &Limits::default())?);
    let StatedVerdict { sha256, attested, faults, .. } = stated;
    Ok(Accepted { bundle_sha256: submission.digest(), verdict_sha256: sha256, attested, faults })
}

/// The digest of the submission `name`, as the ledger states it.
pub fn digest(folder: &Path, name: &OsStr, is_bare_document: bool) -> io::Result<Digest> {
    if is_bare_document {
        return Ok(intake::take_in_bare_document(folder, name, None, &Limits::default())?.digest());
    }
    Ok(intake::recognise(folder, name, name, &Limits::default())?.digest())
}
