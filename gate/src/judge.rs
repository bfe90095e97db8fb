//! Judges one submission in seven stages; each relies on those before it.
//!
//! ```text
//! shape ▶ bytes ▶ front matter ▶ structure ▶ integrity ▶ authority ▶ content ──▶ ACCEPT, perhaps with flags
//!   └───────┴──────────┴────────────┴────────────┴───────────┴──────────┴──────▶ REJECT, with every reason of that stage
//! ```
//!
//! Touches no file, clock or environment: intake read the submission, and the gate's own facts were gathered before.

use crate::authority;
use crate::bare_document::{self, Progress};
use crate::bundle::{Bundle, Role};
use crate::content;
use crate::facts::Facts;
use crate::failure;
use crate::integrity::packet::Packet;
use crate::integrity::{self, Document, Page};
use crate::policy::Policy;
use crate::result_document::ResultDocument;
use crate::shape;
use crate::structure;
use crate::submission::{Kind, Submission};
use gatepost_content::RuleSet;
use gatepost_documents::front_matter;
use gatepost_documents::id::ResultKind;
use gatepost_documents::reason::{REASONS_MAX, Reason, Stage};
use gatepost_documents::text;
use gatepost_documents::verdict::Verdict;

/// The version of the rules. It increases with every change after which the same bundle and facts could get another
/// verdict: a new or removed rule, a stricter or milder one, another code, another limit. A change of wording alone
/// keeps it.
pub const RULES_VERSION: &str = "17";

/// Judges a submission.
pub fn judge(submission: &Submission, facts: &Facts) -> Verdict {
    conclude(submission, facts, |progress| match submission {
        Submission::Bundle(bundle) => walk(bundle, facts, progress),
        Submission::BareDocument(document) => bare_document::walk(document, facts, progress),
    })
}

/// The verdict of the stages; if one panics, the bundle is rejected.
fn conclude(
    submission: &Submission,
    facts: &Facts,
    walk: impl FnOnce(&mut Progress) -> Result<Vec<Reason>, Vec<Reason>>,
) -> Verdict {
    let mut progress = Progress::begin();
    let walked = failure::survived(|| walk(&mut progress));
    let (Ok(mut reasons) | Err(mut reasons)) = walked.unwrap_or_else(|reason| Err(vec![reason]));
    bound(&mut reasons);
    let is_bare_document = submission.kind() == Kind::BareDocument;
    Verdict {
        verdict: Verdict::decide(&reasons, None),
        result_id: submission.name().to_owned(),
        request_id: submission.id().map(|id| id.request().to_string()).unwrap_or_default(),
        bundle_sha256: submission.digest(),
        rules_version: RULES_VERSION.to_owned(),
        gate_toml_sha256: facts.site.as_ref().map(|site| site.policy.sha256),
        site_rules_sha256: facts.rules.sha256(),
        judged_utc: facts.now.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        gate_version: env!("CARGO_PKG_VERSION").to_owned(),
        reasons,
        checks: submission.checks(progress.entered as u8 + 1),
        is_bare_document,
        not_checked: if is_bare_document { progress.not_checked(facts.site.is_some()) } else { Vec::new() },
        released: None,
        imported: None,
        program: facts.program.clone(),
        confinement: facts.confinement.clone(),
    }
}

/// Runs the stages of a bundle up to the first that rejects; returns its reasons, or the flags of the last stage.
fn walk(bundle: &Bundle, facts: &Facts, progress: &mut Progress) -> Result<Vec<Reason>, Vec<Reason>> {
    let (site, rules) = (facts.site.as_ref(), &facts.rules);
    let whole = shape::check(bundle)?;
    let file = &bundle.document_path();
    progress.entered = Stage::Bytes;
    let source = text::check(bundle.bytes_of(Role::Document), file)?;
    let (default, policy) = (Policy::default(), site.map(|site| &site.policy.policy));
    let policy = policy.unwrap_or(&default);
    let accept = facts.accept.or(site.map(|site| site.policy.policy.accept));
    // The gate renders the whole document of a packet again, so its form needs no parser.
    if whole.id.kind() == ResultKind::Packet {
        progress.entered = Stage::Integrity;
        let packet = Packet { file, source };
        let confirmed = integrity::check(whole, Document::Packet(packet))?;
        progress.entered = Stage::Authority;
        authority::check(whole, &confirmed, site, accept)?;
        progress.entered = Stage::Content;
        return content::check_packet(bundle, packet, &confirmed, policy, rules);
    }
    progress.entered = Stage::FrontMatter;
    let document = front_matter::read(source, file, front_matter::Kind::Result)?;
    let front_matter = &ResultDocument::read(&document, source, file)?;
    progress.entered = Stage::Structure;
    let sections = &structure::check(&document, file)?;
    progress.entered = Stage::Integrity;
    let page = Page { file, source, front_matter, sections };
    let confirmed = integrity::check(whole, Document::Result(page))?;
    progress.entered = Stage::Authority;
    authority::check(whole, &confirmed, site, accept)?;
    progress.entered = Stage::Content;
    content::check(bundle, page, &confirmed, policy, rules)
}

/// Judges a result document without the rest of its bundle: bytes, front matter, structure and content. `file` is its
/// name in the reasons; its statements about evidence and artifacts are not checked. A document of `ThreeGate`'s own
/// form is judged as if bare documents were allowed.
pub fn judge_document(bytes: &[u8], file: &str, policy: &Policy, rules: &RuleSet) -> Vec<Reason> {
    let (Ok(mut reasons) | Err(mut reasons)) = walk_document(bytes, file, policy, rules);
    bound(&mut reasons);
    reasons
}

fn walk_document(bytes: &[u8], file: &str, policy: &Policy, rules: &RuleSet) -> Result<Vec<Reason>, Vec<Reason>> {
    let source = text::check(bytes, file)?;
    let document = front_matter::read(source, file, front_matter::Kind::Result)?;
    if bare_document::has_this_form(&document) {
        return bare_document::walk_document(source, &document, file, rules);
    }
    let front_matter = &ResultDocument::read(&document, source, file)?;
    let sections = &structure::check(&document, file)?;
    content::check_alone(Page { file, source, front_matter, sections }, policy, rules)
}

/// Keeps the first reasons and states how many more there are.
fn bound(reasons: &mut Vec<Reason>) {
    let Some(more) = reasons.len().checked_sub(REASONS_MAX).filter(|more| *more > 0) else { return };
    reasons.truncate(REASONS_MAX);
    if let Some(last) = reasons.last_mut() {
        let message = format!("The verdict does not list {} more reasons.", more + 1);
        *last = Reason::new(last.code, message, "Correct the listed ones first.");
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;
    use gatepost_documents::reason::Code;
    use gatepost_documents::verdict::{Decision, reasons_markdown};

    #[test]
    fn a_judge_that_panics_has_rejected() {
        let submission = Submission::Bundle(Bundle::called(OsStr::new("TS-x")));
        let verdict = conclude(&submission, &Facts::without_site(chrono::DateTime::default()), |progress| {
            progress.entered = Stage::Authority;
            panic!("a stranger's words")
        });
        let codes: Vec<Code> = verdict.reasons.iter().map(|reason| reason.code).collect();
        assert_eq!((verdict.verdict, codes), (Decision::Reject, vec![Code::JudgeFailed]));
        assert_eq!((verdict.bundle_sha256, verdict.checks.stages), (submission.digest(), 6));
        assert!(!reasons_markdown(&verdict).contains("words"), "what a panic says may be a stranger's");
    }
}
