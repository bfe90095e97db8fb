//! Metrics as text: families of samples, and the end. Pure.
//!
//! ```text
//! # TYPE gatepost_requests gauge
//! # HELP gatepost_requests Requests and results on their way, by state.
//! gatepost_requests{state="pending"} 2
//! # EOF
//! ```
//!
//! *Standards*: OpenMetrics 1.0.0 (text format); the names of units stand at the end of names.

use std::fmt::Display;

/// The upper bounds of a histogram of durations, seconds.
const BOUNDS_SECONDS: [f64; 10] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 60.0, 600.0, 3_600.0];

/// A family of one type that text is made of.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Something that only grows; its samples end in `_total`.
    Counter,
    /// Something as it is now.
    Gauge,
    /// What never changes while the program runs; its sample ends in `_info` and is 1.
    Info,
}

/// How often durations fell below each bound.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    counts: [u64; BOUNDS_SECONDS.len()],
    count: u64,
    sum_ms: u64,
}

impl Histogram {
    /// Counts a duration.
    pub fn observe_ms(&mut self, duration_ms: u64) {
        self.count += 1;
        self.sum_ms = self.sum_ms.saturating_add(duration_ms);
        for (count, bound) in self.counts.iter_mut().zip(BOUNDS_SECONDS) {
            *count += u64::from(seconds(duration_ms) <= bound);
        }
    }
}

#[allow(clippy::cast_precision_loss, reason = "milliseconds of years fit")]
fn seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1e3
}

/// The text so far.
#[derive(Debug, Default)]
pub struct Exposition(String);

impl Exposition {
    /// Adds a family with its samples: each the labels, as pairs, and the value. One without a sample is left out.
    pub fn family<V: Display>(&mut self, name: &str, kind: Kind, help: &str, samples: &[(&[(&str, &str)], V)]) {
        if samples.is_empty() {
            return;
        }
        let (word, suffix) = match kind {
            Kind::Counter => ("counter", "_total"),
            Kind::Gauge => ("gauge", ""),
            Kind::Info => ("info", "_info"),
        };
        self.head(name, word, help);
        for (labels, value) in samples {
            self.0 += &format!("{name}{suffix}{} {value}\n", shown(labels));
        }
    }

    /// Adds a histogram; its name ends in `_seconds`.
    pub fn histogram(&mut self, name: &str, help: &str, histogram: &Histogram) {
        self.head(name, "histogram", help);
        for (count, bound) in histogram.counts.iter().zip(BOUNDS_SECONDS) {
            self.0 += &format!("{name}_bucket{{le=\"{bound:?}\"}} {count}\n");
        }
        let Histogram { count, sum_ms, .. } = histogram;
        self.0 +=
            &format!("{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_count {count}\n{name}_sum {}\n", seconds(*sum_ms));
    }

    /// The whole text.
    pub fn finish(self) -> String {
        self.0 + "# EOF\n"
    }

    fn head(&mut self, name: &str, kind: &str, help: &str) {
        self.0 += &format!("# TYPE {name} {kind}\n");
        if let Some(unit) = ["seconds", "bytes"].into_iter().find(|unit| name.ends_with(&format!("_{unit}"))) {
            self.0 += &format!("# UNIT {name} {unit}\n");
        }
        self.0 += &format!("# HELP {name} {}\n", escaped(help));
    }
}

fn shown(labels: &[(&str, &str)]) -> String {
    if labels.is_empty() {
        return String::new();
    }
    let pairs: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    format!("{{{}}}", pairs.join(","))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_have_their_type_their_unit_and_an_end() {
        let mut text = Exposition::default();
        text.family("g_age_seconds", Kind::Gauge, "An age.", &[(&[("state", "a\"b\\c\nd")], 3)]);
        text.family("g_runs", Kind::Counter, "Runs.", &[(&[], 7)]);
        text.family::<u64>("g_nothing", Kind::Counter, "Nothing.", &[]);
        let expected = "# TYPE g_age_seconds gauge\n# UNIT g_age_seconds seconds\n# HELP g_age_seconds An age.\n\
                        g_age_seconds{state=\"a\\\"b\\\\c\\nd\"} 3\n# TYPE g_runs counter\n# HELP g_runs Runs.\ng_runs_total 7\n# EOF\n";
        assert_eq!(text.finish(), expected);
    }

    #[test]
    fn each_bound_of_a_histogram_counts_all_below_it() {
        let mut histogram = Histogram::default();
        for duration_ms in [5, 10, 250, 10_000_000] {
            histogram.observe_ms(duration_ms);
        }
        let mut text = Exposition::default();
        text.histogram("g_run_seconds", "Runs.", &histogram);
        let text = text.finish();
        for line in
            ["le=\"0.01\"} 2", "le=\"0.3\"} 3", "le=\"3600.0\"} 3", "le=\"+Inf\"} 4", "_count 4", "_sum 10000.265"]
        {
            assert!(text.contains(&format!("{line}\n")), "{line}: {text}");
        }
    }
}
