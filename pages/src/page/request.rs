//! One request: its timeline, reasons, facts and files.

use std::path::Path;

use gatepost_documents::evidence::{INTERACTIONS_SHOWN_MAX, Interaction, TRANSCRIPT_FILE};
use gatepost_documents::reason::{Reason, Severity};
use gatepost_mailbox::life::{Detail, Event, Row};
use maud::{Markup, html};

use super::requests::{duration, outcome};
use super::{foreign, foreign_lines, instant, listed, moment};

/// The most reasons of one request that are shown.
const REASONS_MAX: usize = 20;
/// The most files of one request that are listed.
const FILES_MAX: usize = 60;

/// The address of a file, by its path below the folder of its request.
pub(super) type Address<'a> = &'a dyn Fn(&Path) -> String;

/// All about a request, for a page of its own.
pub(crate) fn whole(detail: &Detail, address: Address<'_>) -> Markup {
    let row = &detail.row;
    html! {
        dl.facts {
            (fact("Outcome", &outcome(row)))
            @if !row.purpose.is_empty() { (fact("Purpose", &foreign(&row.purpose))) }
            (fact("Dropped", &html! {
                @if let Some(time) = row.dropped() { (moment(time)) }
                @if let Some(owner) = &row.dropped_by { " by " (foreign(owner)) }
            }))
            @if !row.requested_by.is_empty() {
                @let proof = if row.requester_is_proved { " (proved by a signature)" } else { " (unverified)" };
                (fact("Requester", &html! { (foreign(&row.requested_by)) (proof) }))
            }
            @if !row.approved_by.is_empty() { (fact("Approved by", &listed(&row.approved_by))) }
            @if !row.tool.is_empty() {
                (fact("Tool", &html! { (foreign(&row.tool)) " " (foreign(&row.tool_version)) }))
            }
            @if row.has_run { (fact("Duration", &html! { (duration(row)) })) }
            @if let Some(result) = &row.result_id { (fact("Result", &foreign(result))) }
        }
        (facts(detail, address))
    }
}

fn fact(name: &str, value: &Markup) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

/// What its row omits: the timeline, the reasons, the other facts and the files.
pub(crate) fn facts(detail: &Detail, address: Address<'_>) -> Markup {
    html! {
        (timeline(&detail.timeline))
        @if !detail.reasons.is_empty() { (reasons(&detail.reasons)) }
        (run(&detail.row))
        @if !detail.interactions.is_empty() { (interactions(&detail.interactions)) }
        (files(detail, address))
    }
}

fn timeline(events: &[Event]) -> Markup {
    html! {
        h4 { "Timeline" }
        ol.timeline {
            @for Event { time, what, who, detail } in events {
                li {
                    (instant(*time)) " " b { (what) }
                    @if !who.is_empty() { " by " (foreign(who)) }
                    @if !detail.is_empty() { span.second { ": " (foreign(detail)) } }
                }
            }
        }
    }
}

fn reasons(reasons: &[Reason]) -> Markup {
    html! {
        h4 { "Reasons" }
        ul.reasons {
            @for reason in reasons.iter().take(REASONS_MAX) {
                li {
                    code.tag { (reason.code) }
                    @if reason.severity == Severity::Flag { " " span.tag { "flag only" } }
                    ": " (foreign(&reason.message))
                    @if let Some(place) = reason.place(str::to_owned) { div.second { "Where: " (foreign(&place)) } }
                    @if !reason.hint.is_empty() { div.second { "Next: " (foreign(&reason.hint)) } }
                }
            }
            @if reasons.len() > REASONS_MAX { li { (reasons.len() - REASONS_MAX) " more in the record of the gate." } }
        }
    }
}

/// The run and its destinations.
fn run(row: &Row) -> Markup {
    html! {
        dl.facts {
            @if !row.command.is_empty() { (fact("Command", &html! { code { (foreign(&row.command)) } })) }
            @if !row.urls.is_empty() { (fact("Pages", &listed(&row.urls))) }
            @if let Some(node) = &row.node { (fact("Node", &foreign(node))) }
            @if let Some(code) = row.exit_code.filter(|_| row.has_run) { (fact("Exit code", &html! { (code) })) }
            @if let Some(level) = row.sandbox.filter(|_| row.has_run) { (fact("Sandbox", &html! { (level) })) }
            @if let Some(lane) = row.backend { (fact("Lane", &html! { (lane) })) }
            @if !row.network_destinations.is_empty() { (fact("Reached", &listed(&row.network_destinations))) }
            @if !row.network_refused.is_empty() { (fact("Refused destinations", &listed(&row.network_refused))) }
            @if !row.anomalies.is_empty() { (fact("Anomalies", &listed(&row.anomalies))) }
            @if let (Some(by), Some(because)) = (&row.released_by, &row.released_because) {
                (fact("Released", &html! { "by " (foreign(by)) ": " (foreign(because)) }))
            }
        }
    }
}

/// The input to a session or browser, and its output.
fn interactions(all: &[Interaction]) -> Markup {
    html! {
        h4 { "Interactions" }
        ol {
            @for one in all.iter().take(INTERACTIONS_SHOWN_MAX) {
                li {
                    (foreign(&one.command)) ": " code { (foreign(&one.input)) } " " span.second { (one.status) }
                    @let (lines, is_cut) = one.answer();
                    @if !lines.is_empty() { (foreign_lines(&lines.join("\n"))) }
                    @if is_cut { p.second { "Complete transcript: " (TRANSCRIPT_FILE) } }
                }
            }
            @if all.len() > INTERACTIONS_SHOWN_MAX { li { (all.len() - INTERACTIONS_SHOWN_MAX) " more: " (TRANSCRIPT_FILE) } }
        }
    }
}

fn files(detail: &Detail, address: Address<'_>) -> Markup {
    html! {
        h4 { "Files" }
        @if detail.files.is_empty() {
            p.second { "No files to show." }
        } @else {
            ul.files {
                @for path in detail.files.iter().take(FILES_MAX) {
                    li { a href=(address(path)) { (foreign(&path.display().to_string())) } }
                }
                @if detail.files.len() > FILES_MAX { li { (detail.files.len() - FILES_MAX) " more in the folder." } }
            }
        }
        p.second { "In " (foreign(&detail.row.path)) }
    }
}
