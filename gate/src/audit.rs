//! Judging where something lies, without a site: nothing is copied, nothing is moved, and rules that need a site are not run.
//!
//! *Security*: what is judged is hostile; whoever calls has given up all but to read it.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use crate::accepted::{self, StatedVerdict};
use crate::facts::Facts;
use crate::intake;
use crate::judge;
use crate::limits::Limits;
use crate::submission::{Kind, Submission};
use gatepost_documents::digest::Digest;
use gatepost_documents::verdict::{VERDICT_FILE, Verdict};
use gatepost_mailbox::fault::{Fault, OnPath};

/// Judges a bundle, as it lies in an outbox or in core/inbound, or a bare document if those are let in. What a verdict in an
/// accepted bundle says is held against it, and the override in it counts.
pub fn judge_in_place(path: &Path, accepts_bare_documents: bool, facts: &Facts) -> Result<Verdict, Fault> {
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
    let mut verdict = judge::judge(&submission, facts);
    stated.lower(&mut verdict.reasons);
    verdict.reasons.splice(0..0, stated.faults);
    verdict.verdict = Verdict::decide(&verdict.reasons, stated.released.as_ref());
    verdict.released = stated.released;
    verdict.gate_toml_sha256 = stated.gate_toml_sha256;
    Ok(verdict)
}

/// The digests of what was accepted as `name` in a folder, as the ledger states them: of the bundle, and of the verdict in it.
pub fn accepted_digests(folder: &Path, name: &OsStr) -> io::Result<(Digest, Option<Digest>)> {
    let found = intake::recognise(folder, name, &Limits::default())?;
    let verdict = found.digest_of(VERDICT_FILE);
    Ok((accepted::part(found).0.digest(), verdict))
}

/// The digest of what was submitted as `name`, as the ledger states it.
pub fn digest(folder: &Path, name: &OsStr, is_bare_document: bool) -> io::Result<Digest> {
    if is_bare_document {
        return Ok(intake::take_in_bare_document(folder, name, None, &Limits::default())?.digest());
    }
    Ok(intake::recognise(folder, name, &Limits::default())?.digest())
}
