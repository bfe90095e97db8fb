//! Stage 5, integrity: a fact that the bundle states twice must be the same both times.
//!
//! The gate compares the document with `evidence.json`, both with the bytes of the artifacts, the request and the
//! manifest, and the list of digests with all of them. It trusts none: intake digested the bytes that it read, and the
//! gate renders the excerpts and sections again. Standards: `schemas/result.schema.md`.

use crate::bundle::Role;
use crate::consistency;
use crate::manifest::Manifest;
use crate::request::Request;
use crate::result_document::ResultDocument;
use crate::section::{self, outputs, provenance, summary};
use crate::shape::Whole;
use crate::structure::{Sections, Title};
use crate::sums;
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::Evidence;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use serde_json::Value;

use packet::Packet;

mod agreement;
mod arguments;
mod bounds;
mod call;
mod digests;
mod expectation;
pub(crate) mod packet;
mod results;
mod session;
mod times;
mod upstream;

pub(crate) const MANIFEST_FILE: &str = "manifest.clad.toml";

/// What to do about a contradiction.
const HINT: &str = sums::HINT;

/// A parsed document, with its text and its name.
#[derive(Clone, Copy)]
pub(crate) struct Page<'a> {
    pub(crate) file: &'a str,
    pub(crate) source: &'a str,
    pub(crate) front_matter: &'a ResultDocument,
    pub(crate) sections: &'a Sections<'a>,
}

impl Page<'_> {
    /// A reason about the value of a key.
    fn at_key(&self, key: &str, code: Code, message: String) -> Reason {
        let is_line = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
        let line = self.source.split('\n').zip(1..).find(|(line, _)| is_line(line)).map_or(1, |(_, number)| number);
        Reason::new(code, message, HINT).in_file(self.file).at(line, 1)
    }
}

/// The document of a bundle, of either kind.
#[derive(Clone, Copy)]
pub(crate) enum Document<'a> {
    /// Of a result.
    Result(Page<'a>),
    /// Of a research packet.
    Packet(Packet<'a>),
}

/// A result whose statements about itself are all true.
pub(crate) struct Confirmed {
    pub(crate) evidence: Evidence,
    pub(crate) manifest: Option<Manifest>,
    /// The results, if they are in a file of their own.
    pub(crate) results: Option<Value>,
    /// The request in the bundle, if it can be read.
    pub(crate) request: Option<Request>,
}

/// Every contradiction in the bundle, or the proof that there is none.
pub(crate) fn check(whole: Whole<'_>, document: Document<'_>) -> Result<Confirmed, Vec<Reason>> {
    let mut reasons = sums::check(whole.bundle);
    if let Document::Result(page) = document {
        reasons.extend(agreement::ids(whole, page));
        reasons.extend(digests::of_files(whole, page));
    }
    let bytes = whole.bundle.bytes_of(Role::Evidence);
    let evidence = match consistency::read(bytes) {
        Ok(evidence) => evidence,
        Err(faults) => {
            reasons.extend(faults);
            return Err(reasons);
        }
    };
    let manifest = whole.bundle.bytes.get(&Role::Manifest).map(|bytes| Manifest::read(bytes));
    reasons.extend(consistency::other_spelling(bytes, &evidence));
    reasons.extend(consistency::faults(&evidence));
    reasons.extend(digests::of_evidence(whole, &evidence));
    if let Document::Result(page) = document {
        reasons.extend(agreement::values(page, &evidence));
    }
    reasons.extend(agreement::manifest(&evidence, manifest.as_ref()));
    reasons.extend(agreement::exit_code(&evidence, manifest.iter().flatten().next()));
    reasons.extend(agreement::refused_network(&evidence, manifest.iter().flatten().next()));
    reasons.extend(agreement::signatures(whole, &evidence));
    reasons.extend(agreement::stderr(whole, &evidence));
    reasons.extend(agreement::http_body(whole, &evidence));
    reasons.extend(agreement::sizes(whole, &evidence));
    reasons.extend(times::faults(whole.id, &evidence));
    let request = Request::read(whole.bundle.bytes_of(Role::Request), whole.request_path);
    reasons.extend(request_fault(whole, &evidence, request.as_ref()));
    reasons.extend(agreement::request(&evidence, request.as_ref()));
    let read = manifest.as_ref().and_then(Option::as_ref);
    reasons.extend(upstream::faults(whole.bundle, &evidence, read));
    // Nothing of an unreadable request may be repeated, because nobody could check it.
    let unread = Request::default();
    let words = request.as_ref().unwrap_or(&unread);
    reasons.extend(arguments::faults(&evidence, words, read));
    reasons.extend(session::faults(whole.bundle, &evidence, words, read));
    if let Some(request) = &request {
        reasons.extend(call::faults(&evidence, request));
        reasons.extend(bounds::faults(&evidence, request, read));
        reasons.extend(expectation::faults(whole.bundle, &evidence, request));
    }
    reasons.extend(packet::faults(whole, &evidence, words));
    match document {
        Document::Result(page) => reasons.extend(sections(whole, page, &evidence, words)),
        Document::Packet(packet) => reasons.extend(packet::difference(whole, packet, &evidence)),
    }
    if !reasons.is_empty() {
        return Err(reasons);
    }
    let results = results::read(whole.bundle, &evidence).map_err(|reason| vec![reason])?;
    Ok(Confirmed { evidence, manifest: manifest.flatten(), results, request })
}

/// A request that ran must be readable and have the id that the result answers; a refused one may be anything.
fn request_fault(whole: Whole<'_>, evidence: &Evidence, request: Option<&Request>) -> Option<Reason> {
    let message = match request {
        _ if consistency::is_refusal(evidence) => return None,
        Some(request) if request.id == whole.id.request().as_str() => return None,
        Some(request) => format!("The request has the id {}.", quoted(&request.id)),
        None => "The request cannot be read, but TOOL-EXEC did not refuse it.".to_owned(),
    };
    Some(Reason::new(Code::RequestMismatch, message, HINT).in_file(whole.request_path))
}

fn sections(whole: Whole<'_>, page: Page<'_>, evidence: &Evidence, request: &Request) -> Vec<Reason> {
    let bundle = whole.bundle;
    let outputs = outputs::expected(bundle, request, &outputs::results(evidence), page.sections.get(Title::Outputs));
    let evidence_sha256 = Digest::of(bundle.bytes_of(Role::Evidence));
    let files = provenance::Files { request: whole.request_path, evidence_sha256 };
    let expected = [
        (Title::Summary, summary::expected(bundle, evidence), Code::EvidenceMismatch),
        (Title::Provenance, provenance::expected(evidence, &files), Code::EvidenceMismatch),
        (Title::Outputs, outputs, Code::EvidenceMismatch),
        (Title::Stdout, bundle.stdout.section("stdout.txt"), Code::ExcerptMismatch),
        (Title::Stderr, bundle.stderr.section("stderr.txt"), Code::ExcerptMismatch),
        (Title::SafetyNotes, section::safety_notes(evidence), Code::EvidenceMismatch),
    ];
    let differing = expected
        .into_iter()
        .filter_map(|(title, expected, code)| section::difference(title, page.sections.get(title), &expected, code));
    differing.map(|reason| reason.in_file(page.file)).collect()
}
