//! The arguments of a sweep: `--full`, `--seconds 30`, `--seed 7`, `--only fsync`.

use std::time::Duration;

/// Whether an argument was given.
pub(crate) fn has(name: &str) -> bool {
    std::env::args().any(|argument| argument == name)
}

/// What stands behind an argument.
pub(crate) fn value(name: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != name).nth(1)
}

/// How long a sample takes, if that was given.
pub(crate) fn seconds() -> Option<Duration> {
    value("--seconds").map(|seconds| Duration::from_secs(seconds.parse().unwrap()))
}

/// The seed of what is left to chance, 1 unless another was given.
pub(crate) fn seed() -> u64 {
    value("--seed").map_or(1, |seed| seed.parse().unwrap())
}
