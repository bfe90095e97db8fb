//! The table of requests.

use gatepost_documents::phrase::seconds;
use gatepost_mailbox::life::{Class, RequestState, Row};
use maud::{Markup, html};

use super::{foreign, listed, moment};

/// The headings of the columns.
const COLUMNS: [&str; 6] = ["Request", "Dropped", "Tool", "Requester", "Outcome", "Duration"];

/// A request in the table.
pub(crate) struct Entry<'a> {
    /// The facts.
    pub row: &'a Row,
    /// The link of its name, if any.
    pub href: Option<String>,
    /// The content below its row.
    pub more: Option<Markup>,
}

/// The table, with a row for each entry.
pub(crate) fn requests<'a>(entries: impl Iterator<Item = Entry<'a>>) -> Markup {
    html! {
        table.requests {
            thead {
                tr {
                    @for column in COLUMNS.iter().take(COLUMNS.len() - 1) { th scope="col" { (column) } }
                    th.number scope="col" { (COLUMNS[5]) }
                }
            }
            @for Entry { row, href, more } in entries {
                tbody {
                    tr {
                        td.id data-label=(COLUMNS[0]) { (name(row, href.as_deref())) }
                        td data-label=(COLUMNS[1]) { (dropped(row)) }
                        td data-label=(COLUMNS[2]) { (tool(row)) }
                        td data-label=(COLUMNS[3]) { (people(row)) }
                        td data-label=(COLUMNS[4]) { (outcome(row)) }
                        td.number data-label=(COLUMNS[5]) { (duration(row)) }
                    }
                    @if let Some(more) = more { tr.more { td colspan=(COLUMNS.len()) { (more) } } }
                }
            }
        }
    }
}

fn name(row: &Row, href: Option<&str>) -> Markup {
    html! {
        @if let Some(href) = href { a href=(href) { (foreign(&row.request_id)) } } @else { (foreign(&row.request_id)) }
        @if !row.purpose.is_empty() { div.second { (foreign(&row.purpose)) } }
    }
}

fn dropped(row: &Row) -> Markup {
    html! {
        @if let Some(time) = row.dropped() { (moment(time)) }
        @if let Some(owner) = &row.dropped_by { div.second { "dropped by " (foreign(owner)) } }
    }
}

fn tool(row: &Row) -> Markup {
    html! {
        @if !row.tool.is_empty() { (foreign(&row.tool)) }
        @if !row.tool_version.is_empty() { " " (foreign(&row.tool_version)) }
        @if let Some(lane) = row.backend {
            div.second { (lane) @if let Some(level) = row.sandbox.filter(|_| row.has_run) { ", sandbox " (level) } }
        }
    }
}

fn people(row: &Row) -> Markup {
    html! {
        @if !row.requested_by.is_empty() {
            (foreign(&row.requested_by)) @if row.requester_is_proved { ", proved" }
        }
        @if !row.approved_by.is_empty() {
            div.second { "approved by " (listed(&row.approved_by)) }
        }
    }
}

/// How long the tool ran; empty if none did.
pub(super) fn duration(row: &Row) -> String {
    row.duration_ms.filter(|_| row.has_run).map(seconds).unwrap_or_default()
}

/// The outcome, with the findings.
pub(super) fn outcome(row: &Row) -> Markup {
    let is_state = row.outcome.is_empty() || row.outcome == row.state.as_str();
    let is_answer_alone = row.state == RequestState::Accepted && row.class != Class::Succeeded;
    html! {
        span.outcome {
            i.dot.(row.class.as_str()) {}
            @if is_state { (row.state) } @else { (row.class.label(&row.outcome)) }
        }
        @if !is_state && !is_answer_alone { div.second { (row.state) } }
        @for what in &row.waits_for { div.second { (foreign(what)) } }
        @if let Some(until) = &row.pending_until { div.second { "until " (foreign(until)) } }
        @for code in row.codes().filter(|code| !row.outcome.split(", ").any(|outcome| outcome == *code)) {
            code.tag { (code) } " "
        }
    }
}
