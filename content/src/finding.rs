//! A finding, with its place in the source; and how many findings of a bundle are listed.
//!
//! *Security*: a finding never contains the text that it is about, only its digest: verdicts reach readers whom the
//! text must not reach.

use std::collections::HashSet;
use std::sync::Arc;

use gatepost_documents::digest::Digest;
use gatepost_documents::reason::Severity;

use crate::place::Place;
use crate::rule::Rule;

/// The most findings that are listed. Beyond it a finding is listed only if it is the first of its rule, severity and
/// place, so that no crowd of flags hides a refusal.
const LISTED_MAX: usize = 1_000;

/// The most bytes that the digest of a finding covers: its beginning, if the text is longer.
const DIGESTED_BYTES_MAX: usize = 4 * 1024;

/// The digest of a text that matched.
pub(crate) fn digest(matched: &[u8]) -> Digest {
    Digest::of(matched.get(..DIGESTED_BYTES_MAX).unwrap_or(matched))
}

/// One match of a rule, at its place in the bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Arc<Rule>,
    /// Its own severity, where neither its place nor the site changes it.
    pub severity: Severity,
    /// Where in the bundle.
    pub place: Place,
    /// The file, relative to the bundle, escaped.
    pub file: Arc<str>,
    /// A JSON Pointer (RFC 6901) to the string within the file; only the beginning of a long one. Absent if lines and
    /// columns locate it.
    pub pointer: Option<String>,
    /// Line, from 1; of the outermost encoded run if it was encoded.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Length in bytes, in the source; of the outermost encoded run if it was encoded.
    pub bytes: usize,
    /// The decoded layers, the outermost first.
    pub encodings: Vec<&'static str>,
    /// SHA-256 of the text that matched, decoded; of its first 4 KiB if it is longer.
    pub excerpt_sha256: Digest,
}

/// The findings of one bundle, bounded.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    list: Vec<Finding>,
    /// The rule, severity and place of those listed.
    kinds: HashSet<(String, Severity, Place)>,
    unlisted: u64,
}

impl Findings {
    /// Those that are listed, in the order of the sources.
    pub fn list(&self) -> &[Finding] {
        &self.list
    }

    /// How many there are, listed or not.
    pub fn total(&self) -> u64 {
        self.list.len() as u64 + self.unlisted
    }

    /// How many more there are.
    pub fn unlisted(&self) -> u64 {
        self.unlisted
    }

    /// Whether a finding would be listed; one that would not is counted.
    pub(crate) fn wants(&mut self, rule: &Rule, severity: Severity, place: Place) -> bool {
        let wanted = self.list.len() < LISTED_MAX || !self.kinds.contains(&(rule.id.clone(), severity, place));
        self.unlisted += u64::from(!wanted);
        wanted
    }

    /// Sets the string within the file for all findings listed since there were `listed`.
    pub(crate) fn point_from(&mut self, listed: usize, pointer: impl FnOnce() -> String) {
        if let Some(new) = self.list.get_mut(listed..).filter(|new| !new.is_empty()) {
            let pointer = pointer();
            for finding in new {
                finding.pointer = Some(pointer.clone());
            }
        }
    }

    /// Lists a finding that is wanted.
    pub(crate) fn add(&mut self, finding: Finding) {
        self.kinds.insert((finding.rule.id.clone(), finding.severity, finding.place));
        self.list.push(finding);
    }
}
