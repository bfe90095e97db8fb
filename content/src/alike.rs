//! Findings that are one to a person: the same text, found by the same rule, meaning the same for the verdict.
//!
//! What a tool prints stands in its artifact, in the document's excerpt, in the evidence and often in the parsed results. It is
//! told once, at the place where it is read best, and where else it stands is listed. Nothing is lost by that but repetition:
//! what refuses is never put together with what is only flagged, nor what the site lowered with what it did not.

use std::collections::HashMap;

use gatepost_documents::reason::Spot;
use gatepost_documents::text::quoted;

use crate::finding::Finding;
use crate::weighing::Decision;

/// The most places that are listed beside the first.
const OTHERS_MAX: usize = 8;

/// Findings that are alike.
pub(crate) struct Alike<'a> {
    /// What each of them means.
    pub(crate) decision: Decision,
    /// The one that a person looks at first.
    pub(crate) best: &'a Finding,
    others: Vec<&'a Finding>,
}

/// The groups, in the order of their first findings.
pub(crate) fn groups(decided: Vec<(&Finding, Decision)>) -> Vec<Alike<'_>> {
    let mut groups: Vec<Alike<'_>> = Vec::new();
    let mut known = HashMap::new();
    for (finding, decision) in decided {
        let key = (finding.rule.id.as_str(), finding.excerpt_sha256, decision.clone());
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
