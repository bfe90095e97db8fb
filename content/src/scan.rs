//! The findings in the sources of one bundle, and the remaining budget for decoding and scanning.
//!
//! *Security*: the sources' size bounds both the decoded bytes and the bytes that patterns are applied to.

use std::collections::HashSet;

use gatepost_documents::digest::Digest;
use gatepost_documents::reason::Severity;

use crate::finding::{Finding, Findings};
use crate::place::Place;
use crate::rule::Rule;
use crate::rule_set::RuleSet;
use crate::source::Source;

/// The decoded bytes that any bundle may have, and how many more each byte of it allows: logs shrink to a tenth.
const ROOM_BYTES: u64 = 64 * 1024 * 1024;
const ROOM_PER_BYTE: u64 = 16;

/// The cost of a decoded byte of text: text is not compressed, and may be encoded in many ways at one place.
pub(crate) const TEXT_COST: usize = 4;

/// The bytes that may be put before patterns in any bundle, and how many more each byte of it allows: ordinary text needs three.
const WORK_BYTES: u64 = 16 * 1024 * 1024;
const WORK_PER_BYTE: u64 = 48;

/// A rule, its severity, and the digest of the text that it found.
type Known = (String, Severity, Digest);

/// A look at the sources of one bundle.
#[derive(Debug)]
pub struct Scan {
    rules: RuleSet,
    findings: Findings,
    room: u64,
    work: u64,
    /// What was found in this view of the outermost source and in its view before: a run that crosses a border is decoded on
    /// both sides.
    seen: [HashSet<Known>; 2],
}

impl Default for Scan {
    /// One with the program's own rules.
    fn default() -> Self {
        Self::new(RuleSet::built_in())
    }
}

impl Scan {
    /// One that has found nothing so far.
    pub fn new(rules: &RuleSet) -> Self {
        Self {
            rules: rules.clone(),
            findings: Findings::default(),
            room: ROOM_BYTES,
            work: WORK_BYTES,
            seen: Default::default(),
        }
    }

    /// Looks at a source that is all there.
    pub fn look_at(&mut self, mut source: Source, bytes: &[u8]) {
        source.feed(bytes, self);
        source.finish(self);
    }

    /// The findings so far.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Sets the string within the file for all findings listed since there were `listed`.
    pub fn point_from(&mut self, listed: usize, pointer: impl FnOnce() -> String) {
        self.findings.point_from(listed, pointer);
    }

    /// All that was found.
    pub fn into_findings(self) -> Findings {
        self.findings
    }

    pub(crate) fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// Whether a finding would be listed; one that would not is counted.
    pub(crate) fn wants(&mut self, rule: &Rule, severity: Severity, place: Place) -> bool {
        self.findings.wants(rule, severity, place)
    }

    /// Lists a finding if it is wanted and new: undecoded text is always wanted.
    pub(crate) fn add(&mut self, finding: Finding) {
        let key = (finding.rule.id.clone(), finding.severity, finding.excerpt_sha256);
        let [now, before] = &mut self.seen;
        let is_known = !finding.encodings.is_empty() && (now.contains(&key) || before.contains(&key));
        now.insert(key);
        if !is_known {
            self.findings.add(finding);
        }
    }

    /// A view of an outermost source begins, with so many bytes that were not looked at before. What the first view of a
    /// source holds is new wherever else it was found: it weighs differently in another place.
    pub(crate) fn begin_view(&mut self, bytes: usize, is_first: bool) {
        self.room = self.room.saturating_add(ROOM_PER_BYTE.saturating_mul(bytes as u64));
        if !self.is_spent() {
            self.work = self.work.saturating_add(WORK_PER_BYTE.saturating_mul(bytes as u64));
        }
        let [now, before] = &mut self.seen;
        *before = std::mem::take(now);
        if is_first {
            before.clear();
        }
    }

    /// Decoded bytes that may still come.
    pub(crate) fn room(&self) -> usize {
        usize::try_from(self.room).unwrap_or(usize::MAX)
    }

    /// Takes decoded bytes from the budget, and returns whether it was sufficient.
    pub(crate) fn take_room(&mut self, bytes: usize) -> bool {
        let left = self.room.checked_sub(bytes as u64);
        self.room = left.unwrap_or(0);
        left.is_some()
    }

    /// Bytes that may still be put before patterns.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// Counts bytes that patterns were applied to, and returns whether the budget allows them.
    pub(crate) fn take_work(&mut self, bytes: u64) -> bool {
        self.work = self.work.saturating_sub(bytes);
        !self.is_spent()
    }

    /// Whether the scan exceeded its budget: the rest is rejected unscanned.
    pub(crate) fn is_spent(&self) -> bool {
        self.work == 0
    }
}
