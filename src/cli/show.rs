//! `gatepost show`

use chrono::{DateTime, Utc};
use gatepost_contract::nearest::nearest_id;
use gatepost_documents::escape::visible;
use gatepost_documents::evidence::{Approval, Backend, Evidence, FailureCode, RESULTS_FILE};
use gatepost_documents::release::Override;
use gatepost_documents::sources::{Source, Sources};
use gatepost_exec::context::Context;
use gatepost_mailbox::life::{Class, Progress, RequestState, Results, shown_name};
use gatepost_mailbox::quarantine::reasons_list;

use super::cat::expect_unaltered;
use super::counted::faulty;
use super::interactions;
use super::list::ago;
use super::pending::Pending;

use super::streams::Streams;
use super::style;
use crate::cli::prelude::*;

/// `gatepost show`
pub(super) const DECLARATION: Declaration =
    Declaration::safe("show", data::<Several>).answers_each("results", "id").takes_ids().fails(&[
        ErrorCode::ConfigInvalid,
        ErrorCode::RequestNotFound,
        ErrorCode::DocumentRejected,
        ErrorCode::ResultRejected,
        ErrorCode::PartialFailure,
    ]);

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Requests (TR-…) or results (TS-…), beginnings of their ids, or `last`.
    #[arg(required = true, value_name = "ID", value_parser = identifier::id)]
    ids: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Shown {
    /// The values come from a tool or a requester.
    _trusted: bool,
    #[serde(flatten)]
    progress: Progress,
    #[serde(flatten)]
    streams: Streams,
    /// The pending decision, and what would run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<Pending>,
}

impl View for Shown {
    fn text(&self) -> String {
        self.pending.as_ref().map_or_else(|| describe(&self.progress, &self.streams), View::text)
    }
}

/// Requests: one or several.
#[derive(Serialize, JsonSchema)]
struct Several {
    /// The values come from tools or requesters.
    _trusted: bool,
    #[serde(flatten)]
    each: Each<One>,
}

/// The facts about one request, or why there are none.
#[derive(Serialize, JsonSchema)]
struct One {
    id: String,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<Shown>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failure>,
}

impl View for Several {
    fn text(&self) -> String {
        let all = &self.each.results;
        let one = |one: &One| match (&one.request, &one.error) {
            (Some(request), _) => request.text(),
            // The error of a single request is the command's error, which is printed anyway.
            (None, Some(error)) if all.len() > 1 => error.to_text(),
            (None, _) => String::new(),
        };
        all.iter().map(one).collect::<Vec<_>>().join("\n")
    }
}

/// The most characters of results that a person sees.
const RESULTS_CHARS_MAX: usize = 400;

/// A stranger's text, escaped.
pub(super) fn visible_text(text: &str) -> String {
    text.chars().flat_map(visible).collect()
}

/// One request for a person.
pub(super) fn describe(progress: &Progress, streams: &Streams) -> String {
    let state = style::paint(Class::of(progress).into(), progress.state.as_str());
    let mut text = format!("Request:  {}\nState:    {state}\n", progress.request_id);
    if let Some(dropped) = &progress.dropped_utc {
        let time = DateTime::parse_from_rfc3339(dropped).ok().filter(|_| style::columns().is_some());
        let ago = time.map_or_else(String::new, |time| format!(" ({})", ago(time.to_utc(), Utc::now())));
        text += &format!("Dropped:  {dropped}{ago}\n");
    }
    if let Some(result_id) = &progress.result_id {
        text += &format!("Result:   {result_id}\n");
    }
    if let Some(evidence) = &progress.evidence {
        let words = [&evidence.tool, &evidence.tool_version].map(String::as_str);
        let tool = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        if !tool.is_empty() {
            text += &format!("Tool:     {tool} ({})\n", evidence.backend);
        }
        text += &people(evidence);
        text += &format!("Outcome:  {}\n", outcome(progress, evidence));
        if !evidence.argv.is_empty() {
            text += &format!("Command:  {}\n", visible_text(&evidence.command));
        }
        if let Some(error) = evidence.error.as_ref().filter(|error| !error.message.is_empty()) {
            text += &format!("Why:      {}\nNext:     {}\n", error.message, error.hint);
        }
        if evidence.backend == Backend::Fetch
            && let Ok(Sources { sources }) = serde_json::from_value(evidence.results.clone())
        {
            for Source { url, outcome, title, .. } in sources {
                let title = if title.is_empty() { title } else { format!(": {}", visible_text(&title)) };
                text += &format!("Page:     {} ({}){title}\n", visible_text(&url), outcome.as_str());
            }
        } else if !evidence.results.is_null() {
            let results = serde_json::to_string(&evidence.results).unwrap_or_default();
            let cut = if results.chars().nth(RESULTS_CHARS_MAX).is_some() { " …" } else { "" };
            let shown: String = results.chars().take(RESULTS_CHARS_MAX).flat_map(visible).collect();
            text += &format!("Results:  {shown}{cut}\n");
        }
        if evidence.results_file.is_some() {
            text += &format!("Results:  in {RESULTS_FILE}\n");
        }
        text += &interactions::text(&evidence.interactions);
    }
    if progress.foreign {
        text +=
            "Form:     a bare document of another executor, without evidence; its verdict says what was not checked\n";
    }
    if let Some(origin) = &progress.imported_from {
        text += &format!("Imported: accepted by the gate of another site, with the log {origin}\n");
    }
    if let Some(release) = progress.released.as_ref().filter(|_| progress.is_in_core()) {
        text += &released(release);
    }
    if progress.state == RequestState::Missing {
        text +=
            "Result:   missing; the gate judged it\nNext:     Restore it from a backup; see `gatepost audit verify`.\n";
    }
    if progress.state == RequestState::Rejected {
        text += "Results:  withheld, because the gate rejected them\n";
    }
    text += &format!("Files:    {}\n", progress.path.display());
    text += &streams.text(Some(&progress.request_id));
    let refused_for = progress.evidence.as_ref().and_then(|evidence| evidence.error.as_ref());
    if let Some(error) = refused_for.filter(|error| !error.reasons.is_empty()) {
        text += &format!("\nRefused for:\n{}", reasons_list(&error.reasons));
    }
    if !progress.reasons.is_empty() {
        text += &format!("\nReasons:\n{}", reasons_list(&progress.reasons));
    }
    text
}

/// The outcome and, if a tool ran, its end.
fn outcome(progress: &Progress, evidence: &Evidence) -> String {
    let is_rejected = progress.state == RequestState::Rejected;
    let text = match progress.outcome() {
        codes if is_rejected && codes.is_empty() => "rejected".to_owned(),
        codes if is_rejected => format!("rejected: {codes}"),
        outcome => Class::of(progress).label(&outcome),
    };
    if evidence.error.as_ref().is_some_and(|error| error.code == FailureCode::RequestRefused) {
        return text;
    }
    let milliseconds = evidence.duration_ms;
    let run = format!("exit code {}, {}.{:03} s", evidence.exit_code, milliseconds / 1_000, milliseconds % 1_000);
    if is_rejected { format!("{text} (the tool: {}, {run})", progress.ended()) } else { format!("{text}, {run}") }
}

/// The user who released a rejected result, and the reason.
fn released(Override { uid, user, released_utc, reason, codes }: &Override) -> String {
    let by = user.as_ref().map_or_else(|| format!("user {uid}"), |user| format!("{user} (user {uid})"));
    let over: Vec<&str> = codes.iter().map(|code| code.as_str()).collect();
    let over = if over.is_empty() { String::new() } else { format!(", over {}", over.join(", ")) };
    let text = format!("Released: by {by} at {released_utc}{over}: {reason}");
    visible_text(&text) + "\n"
}

/// The requester and the approvers.
fn people(evidence: &Evidence) -> String {
    let proved = |proof: bool| if proof { "" } else { " (unverified)" };
    let mut text = String::new();
    if !evidence.requested_by.is_empty() {
        let proof = proved(evidence.requester_proof.is_some());
        text += &format!("Asked:    by {}{proof}\n", shown_name(&evidence.requested_by));
    }
    for Approval { approved_by, approved_utc, proof, .. } in &evidence.approvals {
        let proof = proved(proof.is_some());
        text += &format!("Approved: by {} at {}{proof}\n", shown_name(approved_by), shown_name(approved_utc));
    }
    text
}

pub(super) fn run(open: &Open, arguments: &Arguments) -> Outcome {
    let results: Vec<One> = arguments
        .ids
        .iter()
        .map(|id| match shown(open, id) {
            Ok(request) => {
                One { id: request.progress.request_id.clone(), ok: true, request: Some(request), error: None }
            }
            Err(failure) => One { id: id.clone(), ok: false, request: None, error: Some(failure) },
        })
        .collect();
    let unknown: Vec<&Failure> = results.iter().filter_map(|one| one.error.as_ref()).collect();
    let failure = match unknown.as_slice() {
        [] => None,
        [first, ..] if unknown.len() == results.len() => Some((*first).clone()),
        [first, ..] => {
            let what = "could not be shown";
            let message = faulty(unknown.len(), results.len(), "request", what, what);
            let failure = Failure::new(ErrorCode::PartialFailure, first.kind, message, first.hint.clone());
            Some(failure.during("find", first.target.clone()))
        }
    };
    Outcome::ended(&Several { _trusted: false, each: Each::of(results, |one| one.ok) }, failure)
}

fn shown(open: &Open, id: &str) -> Result<Shown, Failure> {
    let (id, site) = (identifier::request(&open.site, id)?, &open.site);
    let Some(progress) = Results::of(site, &id)?.progress(site, &id)? else { return Err(unknown(site, &id)) };
    if progress.is_in_core() {
        expect_unaltered(&progress.request_id, &progress.path)?;
    }
    let pending = match progress.state {
        RequestState::Pending => Some(Pending::read(&Context::new(open.site.clone(), open.config.clone())?, &id)?),
        _ => None,
    };
    let streams = Streams::read(&progress);
    Ok(Shown { _trusted: false, progress, streams, pending })
}

/// The failure for an unknown request, with a suggestion.
pub(super) fn unknown(site: &Site, id: &RequestId) -> Failure {
    let message = format!("The request {id} is unknown.");
    let results = Results::read(site);
    let known: Vec<&RequestId> = results.iter().filter_map(|results| results.ids(site).ok()).flatten().collect();
    let near = nearest_id(id.as_str(), known.into_iter().map(RequestId::as_str));
    let hint = Failure::did_you_mean(near, "`gatepost list` shows every request.");
    Failure::not_found(ErrorCode::RequestNotFound, FailureKind::RequestNotFound, id.as_str(), message, hint)
}
