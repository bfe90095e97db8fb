//! Finds forbidden content in a text, and in the layers that are decoded from it. Pure: bytes in, findings out.
//!
//! ```text
//! source ──windows──▶ view ──▶ one automaton over the keywords of all rules, facts ──▶ hits ──▶ findings, with file and line
//!                      └──▶ layers (base64, gzip, …), three deep, each a source of its own
//! ```
//!
//! Rules are data: `rules/*.toml` and `words/*.txt`, and a site's own rules of the same form; the code contains no rule-specific
//! names. The last step decides a finding's effect on the verdict, by its severity, its place and the site's policy.
//!
//! No I/O, no threads, no clock. *Security*: hostile bytes, in time linear in their number; matched text is never
//! repeated. *Standards*: ThreeGate, tool result, "Forbidden Content (Validation Failures)".

#![forbid(unsafe_code)]

use gatepost_documents::reason::{Reason, Severity, Spot};

mod application;
mod condition;
pub mod expectation;
mod extent;
mod fact;
mod finding;
mod grouping;
mod layer;
mod place;
mod plain;
mod rule;
mod rule_set;
mod run;
mod scan;
mod sentence;
mod source;
mod stream;
mod view;
pub mod weighing;

pub use finding::{Finding, Findings};
use grouping::Grouping;
pub use place::Place;
pub use rule::{Rule, RuleFault};
pub use rule_set::RuleSet;
pub use scan::Scan;
#[cfg(feature = "fit")]
pub use sentence::fit;
pub use source::Source;
use weighing::{Content, Decision};

/// The findings as reasons under a site's settings: those that reject first.
pub fn reasons(findings: &Findings, settings: &Content) -> Vec<Reason> {
    weigh(&[findings], |finding| settings.decide(finding, None), |_| true)
}

/// What findings mean, as reasons, one for each rule and file: those that refuse first. What means nothing is left out; where all
/// are listed, so are those that do not count.
pub fn weigh(
    all: &[&Findings],
    severity: impl Fn(&Finding) -> Option<Decision>,
    counts: impl Fn(&Finding) -> bool,
) -> Vec<Reason> {
    let mut weighed = Vec::new();
    for findings in all {
        // Where not all are listed none is left out: those that are not listed may be of the same rule and place.
        let counting = findings.list().iter().filter(|finding| findings.unlisted() > 0 || counts(finding));
        weighed.extend(counting.filter_map(|finding| Some((finding, severity(finding)?))));
    }
    let mut reasons: Vec<Reason> = grouping::groups(weighed).into_iter().map(|group| reason(&group)).collect();
    // A verdict lists only so many.
    reasons.sort_by_key(|reason| reason.severity == Severity::Flag);
    let unlisted: u64 = all.iter().map(|findings| findings.unlisted()).sum();
    if let Some(last) = reasons.last_mut().filter(|_| unlisted > 0) {
        last.message = format!("{} The verdict does not list {unlisted} more findings.", last.message);
    }
    reasons
}

fn reason(group: &Grouping<'_>) -> Reason {
    let finding = group.best;
    let mut message = format!("{} Found in {}", finding.rule.message, finding.place.described());
    if let Some(pointer) = &finding.pointer {
        message += &format!(" at {}", gatepost_documents::text::quoted(pointer));
    }
    if !finding.encodings.is_empty() {
        message += &format!(", encoded as {}", finding.encodings.join(" and within it as "));
    }
    message.push('.');
    let reason = Reason::new(finding.rule.class, message, finding.rule.hint.clone()).in_file(&*finding.file);
    let Spot { line, column, pointer, .. } = grouping::spot(finding);
    let mut reason = Reason { line, column, pointer, ..reason };
    (reason.also, reason.also_unlisted) = group.others();
    reason.severity = group.decision.severity;
    reason.lowered_because.clone_from(&group.decision.lowered_because);
    reason.rule = Some(finding.rule.id.clone());
    reason.excerpt_sha256 = Some(finding.excerpt_sha256);
    reason
}
