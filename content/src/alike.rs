//! Findings that are one to a person: the same text, found by the same rule, meaning the same for the verdict.
//!
//! What a tool prints stands in its artifact, in the document's excerpt, in the evidence and often in the parsed results. It is
//! told once, at the place where it is read best, and where else it stands is listed. Nothing is lost by that but repetition:
//! what refuses is never put together with what is only flagged, nor what the site lowered with what it did not.

use std::collections::HashMap;

use super::finding::Finding;
use crate::weighing::Decision;
use gatepost_documents::reason::Spot;
use gatepost_documents::text::quoted;

/// The most places that are listed beside the first.
const OTHERS_MAX: usize = 8;

/// Findings that are alike.
pub(super) struct Alike<'a> {
    /// What each of them means.
    pub(super) decision: Decision,
    /// The one that a person looks at first.
    pub(super) best: &'a Finding,
    others: Vec<&'a Finding>,
}

/// The groups, in the order of their first findings.
pub(super) fn groups(decided: Vec<(&Finding, Decision)>) -> Vec<Alike<'_>> {
    let mut groups: Vec<Alike<'_>> = Vec::new();
    let mut known = HashMap::new();
    for (finding, decision) in decided {
        let key = (finding.rule.name, finding.excerpt_sha256, decision.clone());
        let at = *known.entry(key).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.add(finding),
            None => groups.push(Alike { decision, best: finding, others: Vec::new() }),
        }
    }
    groups
}

impl<'a> Alike<'a> {
    fn add(&mut self, finding: &'a Finding) {
        // What need not be decoded is seen at once, and what a line says is found at once.
        let ease = |finding: &Finding| (finding.encodings.len(), finding.pointer.is_some());
        let is_better = ease(finding) < ease(self.best);
        self.others.push(if is_better { std::mem::replace(&mut self.best, finding) } else { finding });
    }

    /// The places of the others, as far as they are listed, and how many more there are.
    pub(super) fn others(&self) -> (Vec<Spot>, u64) {
        let listed: Vec<Spot> = self.others.iter().take(OTHERS_MAX).map(|finding| spot(finding)).collect();
        let unlisted = self.others.len().saturating_sub(OTHERS_MAX) as u64;
        (listed, unlisted)
    }
}

/// The place of a finding: a pointer where there is one, else line and column.
pub(super) fn spot(finding: &Finding) -> Spot {
    let (line, column) = match finding.pointer {
        Some(_) => (None, None),
        None => (Some(finding.line), Some(finding.column)),
    };
    Spot { file: finding.file.to_string(), line, column, pointer: finding.pointer.as_deref().map(quoted) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weighing::Content;
    use crate::{Findings, Place, Strength, reasons, rules};
    use gatepost_documents::digest::Digest;
    use gatepost_documents::reason::{Reason, Severity};

    fn finding(file: &str, place: Place, line: u32) -> Finding {
        Finding {
            rule: rules().find(|rule| rule.name == "instruction/override").unwrap(),
            strength: Strength::Addressed,
            place,
            file: file.into(),
            pointer: (place == Place::Results).then(|| "/results/a".to_owned()),
            line,
            column: 1,
            bytes: 1,
            encodings: Vec::new(),
            excerpt_sha256: Digest::of(b"text"),
        }
    }

    fn told(all: &[Finding], policy: &str) -> Vec<Reason> {
        let mut findings = Findings::default();
        for finding in all {
            findings.add(finding.clone());
        }
        reasons(&findings, &toml::from_str::<Content>(policy).unwrap())
    }

    #[test]
    fn one_text_in_many_places_is_one_reason_that_names_them() {
        let encoded = Finding { encodings: vec!["base64"], ..finding("TS-x.md", Place::Rendered, 7) };
        let all = [
            encoded,
            finding("evidence.json", Place::Results, 1),
            finding("artifacts/stdout.txt", Place::Artifact, 3),
            finding("artifacts/stdout.txt", Place::Artifact, 4),
        ];
        let told = told(&all, "");
        let [reason] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!(reason.place(str::to_owned).unwrap(), "artifacts/stdout.txt, line 3, column 1");
        let others =
            "TS-x.md, line 7, column 1; evidence.json at \"/results/a\"; and artifacts/stdout.txt, line 4, column 1";
        assert_eq!(reason.other_places(str::to_owned).unwrap(), others);
        assert!(reason.message.ends_with("It stands in an artifact."), "{}", reason.message);
    }

    #[test]
    fn what_refuses_what_is_flagged_and_what_was_lowered_are_told_apart() {
        let mentioned = Finding { strength: Strength::Mentioned, ..finding("b", Place::Artifact, 1) };
        let other = Finding { excerpt_sha256: Digest::of(b"other"), ..finding("c", Place::Artifact, 1) };
        let all = [mentioned, finding("a", Place::Rendered, 1), finding("a", Place::Artifact, 1), other];
        let policy = "severity = [{ code = 'instruction', place = 'rendered', severity = 'flag', because = 'x' }]";
        let told = told(&all, policy);
        let of: Vec<_> = told.iter().map(|reason| (reason.severity, reason.lowered_because.as_deref())).collect();
        let (reject, flag) = ((Severity::Reject, None), (Severity::Flag, None));
        assert_eq!(of, [reject, reject, flag, (Severity::Flag, Some("x"))], "{told:?}");
        assert!(told.iter().all(|reason| reason.also.is_empty()), "{told:?}");
    }

    #[test]
    fn of_a_crowd_of_places_a_few_are_listed_and_the_rest_is_counted() {
        let all: Vec<_> = (1..=100).map(|line| finding("log", Place::Artifact, line)).collect();
        let told = told(&all, "");
        assert_eq!((told.len(), told[0].also.len(), told[0].also_unlisted), (1, OTHERS_MAX, 91));
        assert_eq!(told[0].findings(), 100);
        assert!(told[0].other_places(str::to_owned).unwrap().ends_with("log, line 9, column 1; and 91 more places"));
    }
}
