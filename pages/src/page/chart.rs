//! Charts as inline SVG: columns over time, and bars beside their names. They use no script and no style attribute,
//! because the page forbids both.

use chrono::NaiveDate;
use gatepost_documents::phrase::seconds;
use gatepost_mailbox::life::Class;
use maud::{Markup, html};

use super::number;
use super::summary::{Counts, Summary};

/// A column's width with the gap beside it, in units of the drawing.
const COLUMN: usize = 10;
const GAP: usize = 2;
/// The minimum number of columns in a drawing; it keeps few columns from becoming too wide.
const COLUMNS_MIN: usize = 30;
/// The drawing's height, in its units.
const HEIGHT: usize = 1_000;

/// All charts of a summary.
pub(crate) fn charts(summary: &Summary) -> Markup {
    html! {
        div.charts {
            figure.volume {
                figcaption { "Requests by " (if summary.unit.is_empty() { "day" } else { summary.unit }) }
                (columns(summary))
            }
            figure {
                figcaption { "Outcomes" }
                @for (class, count) in summary.shown_classes() {
                    (bar(class.as_str(), count, summary.requests, class.as_str()))
                }
            }
            figure {
                figcaption { "Run durations" }
                @let runs = summary.durations.iter().map(|(_, count)| count).sum();
                @for (name, count) in summary.durations { (bar(name, count, runs, "")) }
                @if let Some((half, most)) = summary.percentiles_ms {
                    p.note { "Median " (seconds(half)) ", 95th percentile " (seconds(most)) "." }
                }
            }
            figure {
                figcaption { "Most frequent reasons and flags" }
                @for (code, count) in &summary.reasons { (bar(code, *count, summary.requests, "reason")) }
                @if summary.reasons.is_empty() { p.note { "None." } }
            }
        }
    }
}

/// A row: a name, a count, and a bar as long as its share of the whole.
fn bar(name: &str, count: usize, whole: usize, class: &str) -> Markup {
    let share = count.saturating_mul(HEIGHT).checked_div(whole).unwrap_or_default();
    html! {
        div.bar {
            span { @if Class::ALL.iter().any(|one| one.as_str() == class) { i.dot.(class) {} } (name) }
            span.count { (number(count)) @if whole > 0 { small { " " (percent(count, whole)) } } }
            svg viewBox={ "0 0 " (HEIGHT) " 8" } preserveAspectRatio="none" aria-hidden="true" {
                rect.track width=(HEIGHT) height="8" {}
                rect.(if class.is_empty() { "plain" } else { class }) width=(share) height="8" {}
            }
        }
    }
}

/// A rounded share. It is 0 % only for zero, and 100 % only for the whole.
fn percent(count: usize, whole: usize) -> String {
    let rounded = (count.saturating_mul(200) / whole).div_ceil(2);
    match rounded {
        0 if count > 0 => "<1 %".to_owned(),
        100.. if count < whole => ">99 %".to_owned(),
        rounded => format!("{rounded} %"),
    }
}

/// A column for each unit of time, earliest first, in the colours of the outcomes.
fn columns(summary: &Summary) -> Markup {
    let total = |counts: &Counts| counts.values().sum::<usize>();
    let highest = summary.columns.iter().map(|(_, counts)| total(counts)).max().unwrap_or_default();
    let width = summary.columns.len().max(COLUMNS_MIN) * (COLUMN + GAP);
    let label = |day: &NaiveDate| day.format("%Y-%m-%d").to_string();
    html! {
        @if let (Some((first, _)), Some((last, _))) = (summary.columns.first(), summary.columns.last()) {
            p.scale { span { (number(highest)) } }
            @let drawing = format!("0 0 {width} {HEIGHT}");
            svg.columns viewBox=(drawing) preserveAspectRatio="none" role="img" aria-label="Requests over time" {
                @for (place, (day, counts)) in summary.columns.iter().enumerate() {
                    g {
                        title { (label(day)) ": " (number(total(counts))) }
                        rect.track x=(place * (COLUMN + GAP)) width=(COLUMN) height=(HEIGHT) {}
                        @for (class, y, height) in stacked(counts, highest) {
                            rect.(class.as_str()) x=(place * (COLUMN + GAP)) y=(y) width=(COLUMN) height=(height) {}
                        }
                    }
                }
            }
            p.scale {
                @if first == last { (label(first)) }
                @else if summary.columns.len() < COLUMNS_MIN { (label(first)) " to " (label(last)) }
                @else { span { (label(first)) } span { (label(last)) } }
            }
            @if summary.is_cut { p.note { "The chart omits earlier requests." } }
        } @else {
            p.note { "No requests." }
        }
    }
}

/// The segments of a column from the bottom up: class, upper edge and height.
fn stacked(counts: &Counts, highest: usize) -> Vec<(Class, usize, usize)> {
    let mut below = 0;
    let part = |(class, count): (&Class, &usize)| {
        let lower = HEIGHT - below * HEIGHT / highest.max(1);
        below += count;
        let upper = HEIGHT - below * HEIGHT / highest.max(1);
        (*class, upper, lower - upper)
    };
    counts.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_the_highest_column_fill_it_without_a_gap() {
        let counts = Counts::from([(Class::Succeeded, 1), (Class::Failed, 1), (Class::Refused, 1)]);
        let parts = stacked(&counts, 3);
        assert_eq!(parts.iter().map(|(_, _, height)| height).sum::<usize>(), HEIGHT);
        assert_eq!(parts.last().map(|(_, upper, _)| *upper), Some(0));
        assert!(parts.windows(2).all(|pair| pair[0].1 == pair[1].1 + pair[1].2), "{parts:?}");
    }

    #[test]
    fn shares_are_rounded_and_never_to_nothing_or_all() {
        let shares = [(0, 3), (1, 3), (2, 3), (3, 3), (1, 1_000), (999, 1_000)];
        let shown = shares.map(|(count, whole)| percent(count, whole));
        assert_eq!(shown, ["0 %", "33 %", "67 %", "100 %", "<1 %", ">99 %"]);
    }
}
