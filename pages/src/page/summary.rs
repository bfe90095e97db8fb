//! Counts of requests by outcome, time, duration and reason. Pure.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Datelike as _, Days, NaiveDate, Utc};
use gatepost_mailbox::life::{Class, RequestState, Row};

/// The most columns of a chart over time.
const COLUMNS_MAX: usize = 62;
/// The most reasons that are listed.
const REASONS_MAX: usize = 8;

/// Upper bounds of durations in milliseconds, each with its label; the last is unbounded.
const DURATIONS: [(u64, &str); 6] = [
    (100, "under 0.1 s"),
    (1_000, "0.1 to 1 s"),
    (10_000, "1 to 10 s"),
    (60_000, "10 s to 1 min"),
    (600_000, "1 to 10 min"),
    (u64::MAX, "10 min and more"),
];

/// The first day of the unit of time that contains a day.
type FirstDay = fn(NaiveDate) -> NaiveDate;

/// The units of a column, narrowest first.
const UNITS: [(&str, FirstDay); 4] =
    [("day", |day| day), ("week", monday), ("month", first_of_month), ("year", first_of_year)];

/// The number of requests of each class.
pub(super) type Counts = BTreeMap<Class, usize>;

/// All counts of a report.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// All requests.
    pub requests: usize,
    /// Requests by outcome.
    pub classes: Counts,
    /// Results that a person released.
    pub released: usize,
    /// The first and the last drop.
    pub period: Option<(DateTime<Utc>, DateTime<Utc>)>,
    /// The unit of a column: a day, a week, a month or a year.
    pub unit: &'static str,
    /// Columns over time, earliest first, without gaps; each with its first day.
    pub columns: Vec<(NaiveDate, Counts)>,
    /// Whether earlier columns are omitted.
    pub is_cut: bool,
    /// Runs by duration.
    pub durations: [(&'static str, usize); 6],
    /// The median and the 95th percentile of durations, milliseconds.
    pub percentiles_ms: Option<(u64, u64)>,
    /// The most frequent reasons and flags, each with how many requests have it.
    pub reasons: Vec<(&'static str, usize)>,
}

impl Summary {
    /// Counts rows.
    pub(crate) fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut summary = Self { durations: DURATIONS.map(|(_, name)| (name, 0)), ..Self::default() };
        let (mut days, mut durations, mut reasons) = (BTreeMap::<NaiveDate, Counts>::new(), Vec::new(), HashMap::new());
        for row in rows {
            summary.requests += 1;
            *summary.classes.entry(row.class).or_default() += 1;
            summary.released += usize::from(row.state == RequestState::Released);
            if let Some(time) = row.dropped() {
                let (first, last) = summary.period.unwrap_or((time, time));
                summary.period = Some((first.min(time), last.max(time)));
                *days.entry(time.date_naive()).or_default().entry(row.class).or_default() += 1;
            }
            durations.extend(row.duration_ms.filter(|_| row.has_run));
            row.codes().for_each(|code| *reasons.entry(code).or_default() += 1);
        }
        summary.put_durations(durations);
        summary.put_columns(&days);
        summary.reasons = reasons.into_iter().collect();
        summary.reasons.sort_by_key(|(code, count)| (std::cmp::Reverse(*count), *code));
        summary.reasons.truncate(REASONS_MAX);
        summary
    }

    /// The classes with their counts; the unknown class only if its count is not zero.
    pub(crate) fn shown_classes(&self) -> impl Iterator<Item = (Class, usize)> {
        let counts = Class::ALL.into_iter().map(|class| (class, self.classes.get(&class).copied().unwrap_or_default()));
        counts.filter(|(class, count)| *count > 0 || *class != Class::Unknown)
    }

    fn put_durations(&mut self, mut durations: Vec<u64>) {
        durations.sort_unstable();
        for duration in &durations {
            let place = DURATIONS.iter().position(|(bound, _)| duration < bound).unwrap_or(DURATIONS.len() - 1);
            self.durations[place].1 += 1;
        }
        let at = |percent: usize| durations.get((durations.len() * percent).div_ceil(100).saturating_sub(1)).copied();
        self.percentiles_ms = at(50).zip(at(95));
    }

    fn put_columns(&mut self, days: &BTreeMap<NaiveDate, Counts>) {
        let (Some(first), Some(last)) = (days.keys().next(), days.keys().next_back()) else { return };
        for (unit, begin) in UNITS {
            let mut columns = Vec::new();
            let mut at = begin(*last);
            while at >= begin(*first) && columns.len() < COLUMNS_MAX {
                columns.push((at, Counts::new()));
                let Some(before) = at.checked_sub_days(Days::new(1)) else { break };
                at = begin(before);
            }
            self.is_cut = columns.last().is_some_and(|(earliest, _)| *earliest > *first);
            columns.reverse();
            (self.unit, self.columns) = (unit, columns);
            if !self.is_cut {
                break;
            }
        }
        for (day, counts) in days {
            let place = self.columns.partition_point(|(begin, _)| begin <= day);
            if let Some((_, column)) = place.checked_sub(1).and_then(|place| self.columns.get_mut(place)) {
                for (class, count) in counts {
                    *column.entry(*class).or_default() += count;
                }
            }
        }
    }
}

fn monday(day: NaiveDate) -> NaiveDate {
    day.checked_sub_days(Days::new(day.weekday().num_days_from_monday().into())).unwrap_or(day)
}

fn first_of_month(day: NaiveDate) -> NaiveDate {
    day.with_day(1).unwrap_or(day)
}

fn first_of_year(day: NaiveDate) -> NaiveDate {
    NaiveDate::from_ymd_opt(day.year(), 1, 1).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(dropped: &str, class: Class, duration_ms: u64) -> Row {
        Row {
            class,
            has_run: class != Class::Refused,
            dropped_utc: Some(dropped.to_owned()),
            duration_ms: Some(duration_ms),
            ..Row::default()
        }
    }

    #[test]
    fn each_request_is_counted_once_in_each_view() {
        let rows = [
            row("2026-02-09T23:59:59Z", Class::Succeeded, 99),
            row("2026-02-10T00:00:00Z", Class::Failed, 100),
            row("2026-02-12T10:00:00Z", Class::Refused, 700_000),
            Row { class: Class::Open, findings: vec!["secret"], ..Row::default() },
        ];
        let summary = Summary::of(rows.iter());
        assert_eq!((summary.requests, summary.unit, summary.is_cut), (4, "day", false));
        assert_eq!(summary.classes.values().sum::<usize>(), 4);
        let columns: Vec<usize> = summary.columns.iter().map(|(_, counts)| counts.values().sum()).collect();
        assert_eq!(columns, [1, 1, 0, 1], "a day without requests is there too");
        assert_eq!(summary.durations.map(|(_, count)| count), [1, 1, 0, 0, 0, 0], "what did not run took no time");
        assert_eq!(summary.percentiles_ms, Some((99, 100)));
        assert_eq!(summary.reasons, [("secret", 1)]);
    }

    #[test]
    fn a_long_time_is_told_in_wider_columns_and_the_longest_is_cut() {
        for (first, unit, columns, is_cut) in [
            ("2026-09-24", "day", 62, false),
            ("2026-09-23", "week", 10, false),
            ("2024-01-01", "month", 35, false),
            ("2000-01-01", "year", 27, false),
            ("1900-01-01", "year", COLUMNS_MAX, true),
        ] {
            let rows = [format!("{first}T00:00:00Z"), "2026-11-24T00:00:00Z".to_owned()];
            let rows = rows.map(|time| row(&time, Class::Succeeded, 1));
            let summary = Summary::of(rows.iter());
            assert_eq!((summary.unit, summary.columns.len(), summary.is_cut), (unit, columns, is_cut), "{first}");
            let counted: usize = summary.columns.iter().flat_map(|(_, counts)| counts.values()).sum();
            assert_eq!(counted, if is_cut { 1 } else { 2 }, "{first}");
        }
    }

    #[test]
    fn no_time_that_a_calendar_has_takes_long() {
        let rows = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"].map(|time| row(time, Class::Open, 0));
        assert_eq!(Summary::of(rows.iter()).columns.len(), COLUMNS_MAX);
        assert_eq!(Summary::of(std::iter::empty()).columns, []);
    }
}
