//! External bounds of a command: the part of a list that it prints, and its timeout.

use std::time::Duration;

use super::pagination::Window;

/// The bounds of one invocation.
#[derive(Debug, Clone)]
pub(super) struct Bounds {
    /// Which part of a list.
    pub window: Window,
    /// Its timeout; none is never.
    pub timeout: Option<Duration>,
    /// The most bytes of a file or script in its outcome; without a limit, these are printed raw.
    pub embedded_bytes_max: Option<usize>,
}

/// Parses a duration: `500ms`, `30s`, `5m`, `2h`; a plain number counts seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: Option<u64> = number.parse().ok();
    let duration = number.and_then(|number| match unit {
        "ms" => Some(Duration::from_millis(number)),
        "" | "s" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_secs(number.checked_mul(60)?)),
        "h" => Some(Duration::from_secs(number.checked_mul(3_600)?)),
        _ => None,
    });
    duration.ok_or_else(|| "expected a time such as 500ms, 30s, 5m or 2h, or 0 for no limit".to_owned())
}

/// Parses an interval of at least a tenth of a second.
pub(super) fn interval(text: &str) -> Result<Duration, String> {
    const SHORTEST: Duration = Duration::from_millis(100);
    let is_long_enough = |interval: &Duration| *interval >= SHORTEST;
    let interval = duration(text).ok().filter(is_long_enough);
    interval.ok_or_else(|| "expected a time such as 500ms, 30s, 5m or 2h, at least 100ms".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_with_a_unit() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!((duration("90"), duration("90s")), (Ok(Duration::from_secs(90)), Ok(Duration::from_secs(90))));
        assert_eq!((duration("2m"), duration("1h")), (Ok(Duration::from_mins(2)), Ok(Duration::from_hours(1))));
        for wrong in ["", "s", "-1s", "1.5s", "1d", "1 s", "99999999999999999999", "18446744073709551615h"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert_eq!(interval("1s"), Ok(Duration::from_secs(1)));
        assert!(["0", "99ms", "often"].into_iter().all(|wrong| interval(wrong).is_err()));
    }
}
