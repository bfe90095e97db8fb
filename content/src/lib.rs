//! What a text says, and what the layers say that are decoded out of it. Pure: bytes in, findings out.
//!
//! ```text
//! source ──windows──▶ view ──▶ every detector ──▶ hits ──▶ findings, with file, line and digest
//!                      └──▶ layers (base64, gzip, …), three deep, each a source of its own
//! ```
//!
//! Artifacts are looked at while intake reads them, everything else when all other stages have passed. What a finding means
//! for the verdict is decided here at the end, by its strength, its place and the site's policy. The request and the
//! manifest are not looked at: their bytes are those that the site knows, the requester's and the operator's own words; nor is
//! what a result repeats of the request.
//!
//! *Security*: hostile bytes, in time linear in their number; nothing that was found is ever repeated. *Standards*: ThreeGate,
//! tool result, "Forbidden Content (Validation Failures)".

#![forbid(unsafe_code)]

use std::collections::BTreeSet;

use gatepost_documents::digest::Digest;
use gatepost_documents::reason::{Reason, Severity, Spot};

mod alike;
mod examination;
mod finding;
mod hidden;
mod keyword;
mod layer;
mod legible;
mod link;
mod normal;
mod payload;
mod place;
mod prose;
mod rule;
mod secret;
mod source;
mod stream;
mod survey;
mod view;
pub mod weighing;
mod words;

use alike::Alike;
pub use finding::{Finding, Findings};
pub use place::Place;
#[cfg(feature = "fit")]
pub use prose::fit;
pub use rule::{Rule, Strength};
use source::Record;
pub use source::Source;
use weighing::{Content, Decision};

/// The decoded bytes that any bundle may have, and how many more each byte of it allows: logs shrink to a tenth.
const ROOM_BYTES: u64 = 64 * 1024 * 1024;
const ROOM_PER_BYTE: u64 = 16;

/// The decoded bytes of one view that are held at a time.
const VIEW_ROOM_BYTES: usize = 4 * 1024 * 1024;

/// How many encodings within each other are undone.
const DEPTH_MAX: usize = 3;

/// The decoded bytes that a view may take whose record is to count, and the findings.
const RECORD_ROOM_BYTES: u64 = 16 * 1024 * 1024;
const RECORDED_MAX: usize = 1_024;

/// What is found over the sources of one bundle, and what may still be decoded.
#[derive(Debug)]
pub struct Scan {
    findings: Findings,
    room: u64,
    /// How many threads may look at one source.
    threads: usize,
    /// Everything that was found, where somebody else is to count it.
    record: Option<Vec<Finding>>,
    /// What was found in this view of the outermost source and in its view before: a run that crosses a border is decoded on
    /// both sides, and what stands beside an escape is found with it and without.
    seen: [BTreeSet<(&'static str, Strength, Digest)>; 2],
}

impl Default for Scan {
    fn default() -> Self {
        Self::in_threads(source::threads())
    }
}

impl Scan {
    /// One that has long sources looked at by at most so many threads, which are no more than four by default and no more than the
    /// machine has processors for. What is found is the same.
    pub fn in_threads(threads: usize) -> Self {
        Self { findings: Findings::default(), room: ROOM_BYTES, threads, record: None, seen: Default::default() }
    }

    /// One that keeps a record of a single view.
    fn recording() -> Self {
        Self { room: RECORD_ROOM_BYTES, record: Some(Vec::new()), ..Self::in_threads(1) }
    }

    /// The record, if it is whole and as it would be with any more room.
    fn into_record(self) -> Option<Record> {
        let findings = self.record.filter(|findings| findings.len() <= RECORDED_MAX)?;
        let is_roomy = self.room >= VIEW_ROOM_BYTES as u64;
        is_roomy.then(|| Record { findings, taken: RECORD_ROOM_BYTES - self.room })
    }

    /// Tells what was found in the next view of an outermost source, as if it had been looked at now; says whether it counts.
    fn tell(&mut self, record: Record, bytes: usize, is_first: bool) -> bool {
        let room = self.room_with(bytes);
        let Some(left) = room.checked_sub(record.taken).filter(|left| *left >= VIEW_ROOM_BYTES as u64) else {
            return false;
        };
        self.begin_view(bytes, is_first);
        self.room = left;
        for finding in record.findings {
            if self.wants(finding.rule, finding.strength, finding.place) {
                self.add(finding);
            }
        }
        true
    }

    /// How many threads may look at one source.
    fn threads(&self) -> usize {
        self.threads
    }

    /// Whether a finding would be listed; one that would not is counted.
    fn wants(&mut self, rule: &Rule, strength: Strength, place: Place) -> bool {
        self.record.is_some() || self.findings.wants(rule, strength, place)
    }

    /// Lists a finding that is wanted, if it is new.
    fn add(&mut self, finding: Finding) {
        if let Some(record) = &mut self.record {
            record.extend(Some(finding).filter(|_| record.len() <= RECORDED_MAX));
        } else if self.is_new(&finding) {
            self.findings.add(finding);
        }
    }

    /// The room with what so many bytes more allow.
    fn room_with(&self, bytes: usize) -> u64 {
        self.room.saturating_add(ROOM_PER_BYTE.saturating_mul(bytes as u64))
    }

    /// A view of an outermost source begins, with so many bytes that were not looked at before. What the first view of a
    /// source holds is new wherever else it was found: it weighs differently in another place.
    fn begin_view(&mut self, bytes: usize, is_first: bool) {
        if self.record.is_some() {
            return;
        }
        self.room = self.room_with(bytes);
        let [now, before] = &mut self.seen;
        *before = std::mem::take(now);
        if is_first {
            before.clear();
        }
    }

    /// Whether something was not found just now; what was not decoded is always new.
    fn is_new(&mut self, finding: &Finding) -> bool {
        let key = (finding.rule.name, finding.strength, finding.excerpt_sha256);
        let [now, before] = &mut self.seen;
        let is_known = !finding.encodings.is_empty() && (now.contains(&key) || before.contains(&key));
        now.insert(key);
        !is_known
    }

    /// Decoded bytes that may still come.
    fn room(&self) -> usize {
        usize::try_from(self.room).unwrap_or(usize::MAX)
    }

    /// Takes room for decoded bytes, and says whether there was enough.
    fn take_room(&mut self, bytes: usize) -> bool {
        let left = self.room.checked_sub(bytes as u64);
        self.room = left.unwrap_or(0);
        left.is_some()
    }

    /// Looks at a source that is all there.
    pub fn look_at(&mut self, mut source: Source, bytes: &[u8]) {
        source.feed(bytes, self);
        source.finish(self);
    }

    /// What was found so far.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Says of all that were listed since there were `listed` to which string within the file they belong.
    pub fn point_from(&mut self, listed: usize, pointer: impl FnOnce() -> String) {
        self.findings.point_from(listed, pointer);
    }

    /// All that was found.
    pub fn into_findings(self) -> Findings {
        self.findings
    }
}

/// Every rule, in the order of the detectors.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    let detectors = [secret::rules(), payload::rules(), prose::rules(), link::rules(), hidden::rules()];
    detectors.into_iter().flatten().chain([&source::BUDGET, &payload::OPAQUE])
}

/// What findings mean under the settings of a site, as reasons: those that refuse first.
pub fn reasons(findings: &Findings, settings: &Content) -> Vec<Reason> {
    weigh(&[findings], |finding| settings.severity(finding), |_| true)
}

/// What findings mean, as reasons: those that refuse first. Where all are listed, those that do not count are left out.
pub fn weigh(
    all: &[&Findings],
    severity: impl Fn(&Finding) -> Decision,
    counts: impl Fn(&Finding) -> bool,
) -> Vec<Reason> {
    let mut told = Vec::new();
    for findings in all {
        // Where not all are listed none is left out: those that are not listed may be of the same rule and place.
        let counting = findings.list().iter().filter(|finding| findings.unlisted() > 0 || counts(finding));
        told.extend(counting.map(|finding| (finding, severity(finding))));
    }
    let mut reasons: Vec<Reason> = alike::groups(told).into_iter().map(|group| reason(&group)).collect();
    // A verdict lists only so many.
    reasons.sort_by_key(|reason| reason.severity == Severity::Flag);
    let unlisted: u64 = all.iter().map(|findings| findings.unlisted()).sum();
    if let Some(last) = reasons.last_mut().filter(|_| unlisted > 0) {
        last.message = format!("{} There are {unlisted} more findings than are listed.", last.message);
    }
    reasons
}

fn reason(group: &Alike<'_>) -> Reason {
    let finding = group.best;
    let mut message = format!("{} It stands in {}", finding.rule.message, finding.place.described());
    if let Some(pointer) = &finding.pointer {
        message += &format!(" at {}", gatepost_documents::text::quoted(pointer));
    }
    if !finding.encodings.is_empty() {
        message += &format!(", encoded as {}", finding.encodings.join(" and within it as "));
    }
    message.push('.');
    let reason = Reason::new(finding.rule.code, message, finding.rule.hint).in_file(&*finding.file);
    let Spot { line, column, pointer, .. } = alike::spot(finding);
    let mut reason = Reason { line, column, pointer, ..reason };
    (reason.also, reason.also_unlisted) = group.others();
    reason.severity = group.decision.severity;
    reason.lowered_because.clone_from(&group.decision.lowered_because);
    reason.rule = Some(finding.rule.name.to_owned());
    reason.excerpt_sha256 = Some(finding.excerpt_sha256);
    reason
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(excerpt: &[u8]) -> Finding {
        Finding {
            rule: &source::BUDGET,
            strength: Strength::Addressed,
            place: Place::Artifact,
            file: "artifacts/out/a".into(),
            pointer: None,
            line: 1,
            column: 1,
            bytes: 1,
            encodings: Vec::new(),
            excerpt_sha256: Digest::of(excerpt),
        }
    }

    #[test]
    fn what_is_known_to_be_harmless_counts_again_where_not_every_finding_is_listed() {
        let severity = |finding: &Finding| Content::default().severity(finding);
        let counts = |finding: &Finding| finding.excerpt_sha256 != Digest::of(b"own");
        let mut findings = Findings::default();
        findings.add(finding(b"own"));
        assert_eq!(weigh(&[&findings], severity, counts), []);
        findings.add(finding(b"foreign"));
        assert_eq!(weigh(&[&findings], severity, counts).len(), 1);
        while findings.wants(&source::BUDGET, Strength::Addressed, Place::Artifact) {
            findings.add(finding(b"own"));
        }
        let told = weigh(&[&findings], severity, counts);
        assert_eq!(told.iter().map(Reason::findings).sum::<u64>(), findings.list().len() as u64);
    }
}
