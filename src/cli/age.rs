//! A time on the command line: absolute, or relative to now.
//!
//! ```text
//! 30m   12h   7d   2w   2026-02-09T16:05:01Z
//! ```

use chrono::{DateTime, TimeDelta, Utc};

/// A time: relative or absolute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    /// Relative to now.
    Ago(TimeDelta),
    /// Absolute.
    At(DateTime<Utc>),
}

impl Age {
    /// The absolute time, given `now`.
    pub(super) fn moment(self, now: DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::Ago(delta) => now.checked_sub_signed(delta).unwrap_or(DateTime::<Utc>::MIN_UTC),
            Self::At(time) => time,
        }
    }
}

/// Parses an age.
pub(super) fn age(text: &str) -> Result<Age, String> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(Age::At(time.to_utc()));
    }
    let unit = text.chars().last().unwrap_or_default();
    let count: Option<i64> = text.strip_suffix(unit).and_then(|count| count.parse::<u32>().ok()).map(i64::from);
    let delta = count.and_then(|count| match unit {
        's' => TimeDelta::try_seconds(count),
        'm' => TimeDelta::try_minutes(count),
        'h' => TimeDelta::try_hours(count),
        'd' => TimeDelta::try_days(count),
        'w' => TimeDelta::try_weeks(count),
        _ => None,
    });
    delta.map(Age::Ago).ok_or_else(|| "expected a number with s, m, h, d or w, or a time in RFC 3339".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_a_number_with_a_unit_or_a_moment() {
        assert_eq!(age("90m"), Ok(Age::Ago(TimeDelta::minutes(90))));
        assert_eq!(age("2w"), Ok(Age::Ago(TimeDelta::weeks(2))));
        assert_eq!(age("1970-01-01T00:00:00Z"), Ok(Age::At(DateTime::default())));
        for wrong in ["", "d", "-1d", "7", "7é", "é", "99999999999d", "1.5h"] {
            assert!(age(wrong).is_err(), "{wrong}");
        }
        // An age beyond the calendar is older than everything.
        assert_eq!(age("4294967295w").unwrap().moment(DateTime::default()), DateTime::<Utc>::MIN_UTC);
    }
}
