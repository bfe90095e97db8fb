//! The judgement of one bundle: seven stages, each of which trusts those before it.
//!
//! ```text
//! shape ▶ bytes ▶ front matter ▶ structure ▶ integrity ▶ authority ▶ content ──▶ ACCEPT, perhaps with flags
//!   └───────┴──────────┴────────────┴────────────┴───────────┴──────────┴──────▶ REJECT, with every reason of that stage
//! ```
//!
//! Touches no file, clock or environment: the bundle was read by intake, the time is passed in.

use chrono::{DateTime, Utc};

use crate::authority;
use crate::bundle::{Bundle, Role};
use crate::content;
use crate::failure;
use crate::foreign;
use crate::integrity::{self, Page};
use crate::policy::Policy;
use crate::result_document::ResultDocument;
use crate::shape;
use crate::structure;
use gatepost_documents::digest::Digest;
use gatepost_documents::front_matter;
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_documents::reason::{REASONS_MAX, Reason, Stage};
use gatepost_documents::text;
use gatepost_documents::verdict::{Checks, Verdict};

/// The version of the rules. It goes up by one with every change by which some bundle could be judged otherwise than before
/// under the same knowledge: a rule more or less, stricter or milder, another code, another limit. What only words a
/// sentence otherwise leaves it.
pub const RULES_VERSION: &str = "7";

/// What the gate knows of itself, and no sender can change.
pub trait Knowledge {
    /// The digest of the bytes that were claimed under a request id; `None` if nothing was.
    fn request(&self, id: &RequestId) -> Option<Digest>;
    /// The result that was accepted earlier for a request.
    fn earlier_result(&self, request: &RequestId) -> Option<ResultId>;
    /// Whether the bytes with this digest are one of the site's manifests.
    fn is_manifest(&self, digest: &Digest) -> bool;
    /// What the operator demands.
    fn policy(&self) -> &Policy;
    /// The digest of the `gate.toml` that says so; that of no bytes where there is none.
    fn gate_toml_sha256(&self) -> Digest;
}

/// Judges a bundle. Without `knowledge` (an auditor who has a bundle and no site) the rules that need it are not run.
/// `judged` is the time that the verdict states; no rule reads it.
pub fn judge(bundle: &Bundle, knowledge: Option<&dyn Knowledge>, judged: DateTime<Utc>) -> Verdict {
    let (mut entered, mut held) = (Stage::Shape, Vec::new());
    let walked = failure::survived(|| {
        if bundle.is_foreign {
            foreign::walk(bundle, knowledge, &mut entered, &mut held)
        } else {
            walk(bundle, knowledge, &mut entered)
        }
    });
    let (Ok(mut reasons) | Err(mut reasons)) = walked.unwrap_or_else(|reason| Err(vec![reason]));
    bound(&mut reasons);
    Verdict {
        verdict: Verdict::decide(&reasons, None),
        result_id: bundle.name.clone(),
        request_id: bundle.id.as_ref().map(|id| id.request().to_string()).unwrap_or_default(),
        bundle_sha256: bundle.digest(),
        rules_version: RULES_VERSION.to_owned(),
        gate_toml_sha256: knowledge.map(Knowledge::gate_toml_sha256),
        judged_utc: judged.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        gate_version: env!("CARGO_PKG_VERSION").to_owned(),
        reasons,
        checks: Checks {
            files: bundle.files().count() as u64,
            bytes: bundle.files().map(|(_, bytes, _)| bytes).sum(),
            stages: entered as u8 + 1,
        },
        foreign: bundle.is_foreign,
        not_checked: if bundle.is_foreign { foreign::not_checked(&held, knowledge.is_some()) } else { Vec::new() },
        released: None,
        confinement: None,
    }
}

/// Walks the stages up to the first that refuses, and returns its reasons, or what the last one flags; `entered` is the last
/// one entered.
fn walk(bundle: &Bundle, knowledge: Option<&dyn Knowledge>, entered: &mut Stage) -> Result<Vec<Reason>, Vec<Reason>> {
    let whole = shape::check(bundle)?;
    let file = &bundle.document_path();
    *entered = Stage::Bytes;
    let source = text::check(bundle.bytes_of(Role::Document), file)?;
    *entered = Stage::FrontMatter;
    let document = front_matter::read(source, file, front_matter::RESULT_BYTES_MAX)?;
    let front_matter = &ResultDocument::read(&document, source, file)?;
    *entered = Stage::Structure;
    let sections = &structure::check(&document, file)?;
    *entered = Stage::Integrity;
    let page = Page { file, source, front_matter, sections };
    let confirmed = integrity::check(whole, page)?;
    *entered = Stage::Authority;
    authority::check(whole, &confirmed, knowledge)?;
    *entered = Stage::Content;
    let default = Policy::default();
    content::check(bundle, page, &confirmed, knowledge.map_or(&default, Knowledge::policy))
}

/// Judges a result document of which nothing else is there: bytes, front matter, structure and content. `file` names it in the
/// reasons; what it says of its evidence and artifacts is not looked at. One of `ThreeGate`'s own form is judged as a gate that
/// lets bare documents in would.
pub fn judge_document(bytes: &[u8], file: &str, policy: &Policy) -> Vec<Reason> {
    let (Ok(mut reasons) | Err(mut reasons)) = walk_document(bytes, file, policy);
    bound(&mut reasons);
    reasons
}

fn walk_document(bytes: &[u8], file: &str, policy: &Policy) -> Result<Vec<Reason>, Vec<Reason>> {
    let source = text::check(bytes, file)?;
    let document = front_matter::read(source, file, front_matter::RESULT_BYTES_MAX)?;
    if foreign::is_of_this_form(&document) {
        return foreign::walk_document(source, &document, file, policy);
    }
    let front_matter = &ResultDocument::read(&document, source, file)?;
    let sections = &structure::check(&document, file)?;
    content::check_alone(Page { file, source, front_matter, sections }, policy)
}

/// Keeps the first reasons and says how many more there are.
fn bound(reasons: &mut Vec<Reason>) {
    let Some(more) = reasons.len().checked_sub(REASONS_MAX).filter(|more| *more > 0) else { return };
    reasons.truncate(REASONS_MAX);
    if let Some(last) = reasons.last_mut() {
        let message = format!("There are {} more reasons than are listed.", more + 1);
        *last = Reason::new(last.code, message, "Correct those that are listed first.");
    }
}
