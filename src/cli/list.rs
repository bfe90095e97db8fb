//! `gatepost list`

mod follow;

use chrono::{DateTime, Utc};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use gatepost_mailbox::life::{Class, RequestState, Results, Row, shown_name};

use super::age::{self, Age};
use super::style;
use crate::cli::prelude::*;

/// `gatepost list`
pub(super) const DECLARATION: Declaration =
    Declaration::safe("list", data::<List>).lists("requests", "request_id").fails(&[ErrorCode::StreamingNotSupported]);

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Show only requests in this state.
    #[arg(long, value_name = "STATE", value_parser = RequestState::ALL.map(RequestState::as_str))]
    state: Option<String>,
    /// Show only requests with this outcome; accepted results of failed and refused requests are no success.
    #[arg(long, value_name = "CLASS", value_parser = classes())]
    outcome: Option<Class>,
    /// Show only requests that call this tool: its name, or ERA or monty.
    #[arg(long, value_name = "TOOL", value_parser = identifier::tool)]
    tool: Option<String>,
    /// Show only requests of this requester.
    #[arg(long, value_name = "WHO")]
    requester: Option<String>,
    /// Show only requests dropped since then: 30m, 12h, 7d, 2w, or a time such as 2026-02-09T16:05:01Z.
    #[arg(long, value_name = "AGE", value_parser = age::age)]
    since: Option<Age>,
    /// Print each request again when its state changes, until the command is stopped; with -o json a line of JSON each.
    #[arg(long, conflicts_with = "since")]
    pub follow: bool,
}

impl Arguments {
    /// Whether a filter needs the documents of requests.
    fn reads_each(&self) -> bool {
        self.state.is_some() || self.outcome.is_some() || self.tool.is_some() || self.requester.is_some()
    }

    fn is_filtered(&self) -> bool {
        self.reads_each() || self.since.is_some()
    }

    fn selects(&self, row: &Row) -> bool {
        let is = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        self.outcome.is_none_or(|wanted| wanted == row.class)
            && is(&self.state, row.state.as_str())
            && is(&self.tool, &row.tool)
            && is(&self.requester, &row.requested_by)
    }
}

/// Parses a class, and describes each in the help.
fn classes() -> impl TypedValueParser<Value = Class> {
    let meaning = |class| match class {
        Class::Succeeded => "The tool succeeded, and CORE has the result",
        Class::Failed => "The tool failed, and CORE has the result",
        Class::Refused => "The request was refused, or the gate rejected the result",
        Class::Open => "The request has no outcome yet",
        Class::Unknown => "No evidence is left, or there never was any: removed, missing, or a bare document",
    };
    let offered = Class::ALL.map(|class| PossibleValue::new(class.as_str()).help(meaning(class)));
    let named = |name: String| Class::ALL.into_iter().find(|class| class.as_str() == name).ok_or("no class");
    PossibleValuesParser::new(offered).try_map(named)
}

#[derive(Serialize, JsonSchema)]
struct List {
    /// The names of requesters and tools come from requests.
    _trusted: bool,
    directory: String,
    requests_count: usize,
    requests: Vec<Listed>,
    #[serde(skip)]
    more: String,
    #[serde(skip)]
    is_filtered: bool,
}

/// One row: a request.
#[derive(Serialize, JsonSchema)]
struct Listed {
    request_id: String,
    state: RequestState,
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped_utc: Option<String>,
    requested_by: String,
    tool: String,
    class: Class,
    outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_id: Option<String>,
}

/// A row of the table.
fn cells(row: &Listed) -> Vec<String> {
    vec![
        row.request_id.clone(),
        row.dropped_utc.as_deref().map(moment).unwrap_or_default(),
        style::paint(row.class.into(), row.state.as_str()),
        if row.requested_by.is_empty() { String::new() } else { shown_name(&row.requested_by) },
        if row.tool.is_empty() { String::new() } else { shown_name(&row.tool) },
        row.class.label(&row.outcome),
    ]
}

impl View for List {
    fn text(&self) -> String {
        if self.requests.is_empty() && self.is_filtered {
            return "No request matches.\n".to_owned();
        }
        if self.requests.is_empty() {
            return "No requests. Drop one into inbox/, or use `gatepost submit`.\n".to_owned();
        }
        let rows: Vec<Vec<String>> = self.requests.iter().map(cells).collect();
        let mut text = table(&["request", "dropped", "state", "requester", "tool", "outcome"], &rows);
        text += &self.more;
        text
    }
}

pub(super) fn run(site: &Site, arguments: &Arguments, bounds: &Bounds) -> Result<Outcome, Failure> {
    if arguments.follow {
        return follow::run(site, arguments, bounds.embedded_bytes_max.is_some());
    }
    let results = Results::read(site)?;
    let newest = results.newest_first(site)?;
    let (ids, pagination) = if arguments.is_filtered() {
        let mut ids = Vec::new();
        for id in newest.since(arguments.since.map(|age| age.moment(Utc::now()))) {
            // A filter on documents reads all of them; otherwise only the shown ones are read.
            if !arguments.reads_each() || row(site, &results, id)?.is_some_and(|row| arguments.selects(&row)) {
                ids.push(id);
            }
        }
        bounds.window.of(ids, |id| id.as_str())?
    } else {
        bounds.window.among(newest.count(), newest.since(None), |id| id.as_str())?
    };
    let mut requests = Vec::new();
    for id in ids {
        requests.extend(row(site, &results, id)?.map(Listed::from));
    }
    let is_filtered = arguments.is_filtered();
    let (directory, requests_count) = (site.root().display().to_string(), pagination.total);
    let more = pagination.hint();
    let list = List { _trusted: false, directory, requests_count, requests, more, is_filtered };
    Ok(Outcome::done(&list).on_page(pagination))
}

/// The facts of a request; none if it is gone.
fn row(site: &Site, results: &Results, id: &RequestId) -> Result<Option<Row>, Failure> {
    Ok(results.progress(site, id)?.map(|progress| Row::of(site, id, progress)))
}

impl From<Row> for Listed {
    fn from(row: Row) -> Self {
        Self {
            request_id: row.request_id,
            state: row.state,
            dropped_utc: row.dropped_utc,
            requested_by: row.requested_by,
            tool: row.tool,
            class: row.class,
            outcome: row.outcome,
            result_id: row.result_id,
        }
    }
}

/// An RFC 3339 time in the style of the output.
fn moment(utc: &str) -> String {
    DateTime::parse_from_rfc3339(utc).map(|time| style::moment(time.to_utc())).unwrap_or_default()
}

/// The age of a time, for a person.
pub(super) fn ago(time: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let seconds = (now - time).num_seconds();
    match seconds {
        ..0 => "in the future".to_owned(),
        0..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}
