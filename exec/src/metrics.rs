//! Metrics as text: families of samples. Pure.
//!
//! ```text
//! # HELP gatepost_requests Requests and results on their way, by state.
//! # TYPE gatepost_requests gauge
//! gatepost_requests{state="pending"} 2
//! ```
//!
//! *Standards*: Prometheus text format 0.0.4, which the textfile collector of `node_exporter` reads; names end in their unit.

use std::fmt::Display;

/// The upper bounds of a histogram of durations, seconds.
const BOUNDS_SECONDS: [f64; 10] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 60.0, 600.0, 3_600.0];

/// The type of a family.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// A counter, which only grows; its name ends in `_total`.
    Counter,
    /// A gauge, the present value.
    Gauge,
}

/// A histogram: the number of durations below each bound.
#[derive(Debug, Clone, Default)]
pub(crate) struct Histogram {
    counts: [u64; BOUNDS_SECONDS.len()],
    count: u64,
    sum_ms: u64,
}

impl Histogram {
    /// Counts a duration.
    pub(crate) fn observe_ms(&mut self, duration_ms: u64) {
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
pub(crate) struct Exposition(String);

impl Exposition {
    /// Adds a family with its samples: each the labels, as pairs, and the value. One without a sample is left out.
    pub(crate) fn family<V: Display>(&mut self, name: &str, kind: Kind, help: &str, samples: &[(&[(&str, &str)], V)]) {
        if samples.is_empty() {
            return;
        }
        let word = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
        };
        self.head(name, word, help);
        for (labels, value) in samples {
            self.0 += &format!("{name}{} {value}\n", shown(labels));
        }
    }

    /// Adds a histogram; its name ends in `_seconds`.
    pub(crate) fn histogram(&mut self, name: &str, help: &str, histogram: &Histogram) {
        self.head(name, "histogram", help);
        for (count, bound) in histogram.counts.iter().zip(BOUNDS_SECONDS) {
            self.0 += &format!("{name}_bucket{{le=\"{bound:?}\"}} {count}\n");
        }
        let Histogram { count, sum_ms, .. } = histogram;
        self.0 +=
            &format!("{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_count {count}\n{name}_sum {}\n", seconds(*sum_ms));
    }

    /// The whole text.
    pub(crate) fn finish(self) -> String {
        self.0
    }

    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Quotation marks in a help text are not escaped.
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        self.0 += &format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
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
    fn families_have_their_help_and_their_type() {
        let mut text = Exposition::default();
        text.family("g_age_seconds", Kind::Gauge, "An \"age\".", &[(&[("state", "a\"b\\c\nd")], 3)]);
        text.family("g_runs_total", Kind::Counter, "Runs.", &[(&[], 7)]);
        text.family::<u64>("g_nothing_total", Kind::Counter, "Nothing.", &[]);
        let expected = "# HELP g_age_seconds An \"age\".\n# TYPE g_age_seconds gauge\n\
                        g_age_seconds{state=\"a\\\"b\\\\c\\nd\"} 3\n\
                        # HELP g_runs_total Runs.\n# TYPE g_runs_total counter\ng_runs_total 7\n";
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
