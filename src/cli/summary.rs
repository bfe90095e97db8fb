//! The counts of successes and failures of several items. *Standards*: CLI Agent Spec, REQ-C-009.

use crate::cli::prelude::*;

/// The counts of a batch.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Summary {
    pub total: usize,
    pub succeeded: usize,
    pub failed: usize,
}

impl Summary {
    /// Counts successes and failures.
    pub(super) fn of(went_well: impl IntoIterator<Item = bool>) -> Self {
        let (mut total, mut succeeded) = (0, 0);
        for is_well in went_well {
            total += 1;
            succeeded += usize::from(is_well);
        }
        Self { total, succeeded, failed: total - succeeded }
    }
}

/// The outcome of each item that a caller named.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Each<T> {
    pub summary: Summary,
    pub results: Vec<T>,
}

impl<T> Each<T> {
    /// The results with their counts.
    pub(super) fn of(results: Vec<T>, went_well: impl Fn(&T) -> bool) -> Self {
        Self { summary: Summary::of(results.iter().map(went_well)), results }
    }

    /// Results that all succeeded.
    pub(super) fn well(results: Vec<T>) -> Self {
        Self::of(results, |_| true)
    }
}
