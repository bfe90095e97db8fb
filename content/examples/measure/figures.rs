//! Counts the findings of the content rules on labelled samples.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gatepost_content::weighing::Content;
use gatepost_content::{Finding, RuleSet, Scan, Source};
use gatepost_documents::reason::Severity;

use crate::sample::Sample;

/// The outcomes of the samples of one class and form.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Count {
    /// How many there are.
    pub samples: usize,
    /// Samples with a finding of their own class; for harmless ones, with any finding.
    pub found: usize,
    /// On which something of their own class was found that refuses.
    pub refused_as_such: usize,
    /// The rejected ones, for any reason.
    pub refused: usize,
}

impl Count {
    /// The two together.
    pub(crate) fn add(&mut self, other: Self) {
        self.samples += other.samples;
        self.found += other.found;
        self.refused_as_such += other.refused_as_such;
        self.refused += other.refused;
    }
}

/// The counts by class and form.
pub(crate) type Counts = BTreeMap<String, BTreeMap<String, Count>>;

/// The findings in one sample at its place, by the default rules.
pub(crate) fn findings(sample: &Sample) -> (Vec<Finding>, Duration) {
    let began = Instant::now();
    let mut scan = Scan::new(RuleSet::built_in());
    scan.look_at(Source::new(sample.place, "sample"), &sample.bytes);
    let findings = scan.into_findings().list().to_vec();
    (findings, began.elapsed())
}

/// Whether a finding refuses.
pub(crate) fn refuses(finding: &Finding) -> bool {
    Content::default().severity(finding).severity == Severity::Reject
}

/// The count of one sample with these findings.
pub(crate) fn count(sample: &Sample, findings: &[Finding]) -> Count {
    let own: Vec<_> = findings
        .iter()
        .filter(|finding| sample.class == "benign" || finding.rule.class.as_str() == sample.class)
        .collect();
    Count {
        samples: 1,
        found: usize::from(!own.is_empty()),
        refused_as_such: usize::from(own.iter().any(|finding| refuses(finding))),
        refused: usize::from(findings.iter().any(refuses)),
    }
}

/// The 95 % interval of a share, in percent (Wilson's score interval).
pub(crate) fn interval(part: usize, whole: usize) -> (f64, f64) {
    const Z: f64 = 1.959_964;
    #[allow(clippy::cast_precision_loss, reason = "a few thousand samples")]
    let (part, whole) = (part as f64, whole as f64);
    if whole == 0.0 {
        return (0.0, 100.0);
    }
    let share = part / whole;
    let centre = share + Z * Z / (2.0 * whole);
    let spread = Z * (share * (1.0 - share) / whole + Z * Z / (4.0 * whole * whole)).sqrt();
    let scale = 100.0 / (1.0 + Z * Z / whole);
    ((centre - spread).max(0.0) * scale, ((centre + spread) * scale).min(100.0))
}
