//! Groups findings into one line for a person: those of one rule in one file, with the same effect on the verdict.
//!
//! A tool's output is in its artifact, in the document's excerpt, in the evidence and often in the parsed results. The
//! line names the file that is easiest to read, and lists the other places. It never combines findings that reject with
//! flags, nor findings that the site lowered with others.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use gatepost_documents::reason::Spot;
use gatepost_documents::text::quoted;

use crate::finding::Finding;
use crate::weighing::Decision;

/// The most places that are listed beside the first.
const OTHERS_MAX: usize = 8;

/// Findings with the same meaning.
pub(crate) struct Grouping<'a> {
    /// The effect of each of them.
    pub(crate) decision: Decision,
    /// The one that a person looks at first.
    pub(crate) best: &'a Finding,
    others: Vec<&'a Finding>,
}

/// The groups, in the order of their first findings.
pub(crate) fn groups(decided: Vec<(&Finding, Decision)>) -> Vec<Grouping<'_>> {
    // The file in which each text is read best.
    let mut homes = HashMap::new();
    for (finding, decision) in &decided {
        match homes.entry((finding.rule.id.as_str(), finding.excerpt_sha256, decision.clone())) {
            Entry::Vacant(home) => drop(home.insert(*finding)),
            Entry::Occupied(mut home) if ease(finding) < ease(home.get()) => drop(home.insert(finding)),
            Entry::Occupied(_) => {}
        }
    }
    let mut groups: Vec<Grouping<'_>> = Vec::new();
    let mut known = HashMap::new();
    for (finding, decision) in decided {
        let id = finding.rule.id.as_str();
        let home = homes.get(&(id, finding.excerpt_sha256, decision.clone())).copied().unwrap_or(finding);
        let at = *known.entry((id, &*home.file, decision.clone())).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.add(finding),
            None => groups.push(Grouping { decision, best: finding, others: Vec::new() }),
        }
    }
    groups
}

/// Text that needs no decoding comes first, and so does a place with a line number.
fn ease(finding: &Finding) -> (usize, bool) {
    (finding.encodings.len(), finding.pointer.is_some())
}

impl<'a> Grouping<'a> {
    fn add(&mut self, finding: &'a Finding) {
        let is_better = ease(finding) < ease(self.best);
        self.others.push(if is_better { std::mem::replace(&mut self.best, finding) } else { finding });
    }

    /// The places of the others, as far as they are listed, and how many more there are.
    pub(crate) fn others(&self) -> (Vec<Spot>, u64) {
        let listed: Vec<Spot> = self.others.iter().take(OTHERS_MAX).map(|finding| spot(finding)).collect();
        let unlisted = self.others.len().saturating_sub(OTHERS_MAX) as u64;
        (listed, unlisted)
    }
}

/// The place of a finding: a pointer where there is one, else line and column.
pub(crate) fn spot(finding: &Finding) -> Spot {
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
    use crate::{Findings, Place, RuleSet, reasons};
    use gatepost_documents::digest::Digest;
    use gatepost_documents::reason::{Reason, Severity};

    fn finding(file: &str, place: Place, line: u32, text: &[u8]) -> Finding {
        Finding {
            rule: RuleSet::built_in().rule(0).unwrap().clone(),
            severity: Severity::Reject,
            place,
            file: file.into(),
            pointer: (place == Place::Results).then(|| "/results/a".to_owned()),
            line,
            column: 1,
            bytes: 1,
            encodings: Vec::new(),
            excerpt_sha256: Digest::of(text),
        }
    }

    fn found(all: &[Finding]) -> Vec<Reason> {
        let mut findings = Findings::default();
        for finding in all {
            findings.add(finding.clone());
        }
        reasons(&findings, &Content::default())
    }

    #[test]
    fn one_text_in_many_places_is_one_reason_that_names_them() {
        let encoded = Finding { encodings: vec!["base64"], ..finding("TS-x.md", Place::Rendered, 7, b"text") };
        let all = [
            encoded,
            finding("evidence.json", Place::Results, 1, b"text"),
            finding("artifacts/stdout.txt", Place::Artifact, 3, b"text"),
            finding("artifacts/stdout.txt", Place::Artifact, 4, b"text"),
        ];
        let found = found(&all);
        let [reason] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(reason.place(str::to_owned).unwrap(), "artifacts/stdout.txt, line 3, column 1");
        let others =
            "TS-x.md, line 7, column 1; evidence.json at \"/results/a\"; and artifacts/stdout.txt, line 4, column 1";
        assert_eq!(reason.other_places(str::to_owned).unwrap(), others);
        assert!(reason.message.ends_with("Found in an artifact."), "{}", reason.message);
    }

    #[test]
    fn rejections_flags_and_files_are_grouped_apart() {
        let flag = Finding { severity: Severity::Flag, ..finding("a", Place::Artifact, 1, b"text") };
        let all = [flag, finding("a", Place::Artifact, 2, b"one"), finding("b", Place::Artifact, 1, b"other")];
        let found = found(&all);
        let of: Vec<_> = found.iter().map(|reason| (reason.severity, reason.file.as_deref())).collect();
        let reject = Severity::Reject;
        assert_eq!(of, [(reject, Some("a")), (reject, Some("b")), (Severity::Flag, Some("a"))], "{found:?}");
    }

    #[test]
    fn a_crowd_of_texts_in_one_file_is_one_reason_with_the_first_places() {
        let all: Vec<_> = (1..=160).map(|line| finding("log", Place::Artifact, line, &line.to_le_bytes())).collect();
        let found = found(&all);
        assert_eq!((found.len(), found[0].also.len(), found[0].also_unlisted), (1, OTHERS_MAX, 151));
        assert_eq!(found[0].findings(), 160);
        assert!(found[0].other_places(str::to_owned).unwrap().ends_with("log, line 9, column 1; and 151 more places"));
    }
}
