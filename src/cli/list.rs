//! `gatepost list`

use chrono::{DateTime, Utc};
use gatepost_mailbox::site::Site;
use serde::Serialize;

use super::age::{self, Age};
use super::outcome::{Failure, Outcome, View};
use super::progress::Results;
use super::row::Row;
use super::show::visible;
use super::style;
use super::table::table;

/// The states that a request can be in, in the order of its life.
pub const STATES: [&str; 11] = [
    "dropped",
    "claimed",
    "pending",
    "running",
    "judging",
    "accepted",
    "released",
    "rejected",
    "quarantined",
    "removed",
    "missing",
];

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Show at most this many; 0 shows all.
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
    /// Show only requests in this state.
    #[arg(long, value_name = "STATE", value_parser = STATES)]
    state: Option<String>,
    /// Show only requests that call this tool: its name, or ERA or monty.
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Show only requests of this requester.
    #[arg(long, value_name = "NAME")]
    requester: Option<String>,
    /// Show only requests dropped since then: 30m, 12h, 7d, 2w, or a time such as 2026-02-09T16:05:01Z.
    #[arg(long, value_name = "AGE", value_parser = age::age)]
    since: Option<Age>,
}

impl Arguments {
    /// Whether a request is looked for by what only its documents say.
    fn reads_each(&self) -> bool {
        self.state.is_some() || self.tool.is_some() || self.requester.is_some()
    }

    fn is_filtered(&self) -> bool {
        self.reads_each() || self.since.is_some()
    }

    fn selects(&self, row: &Row) -> bool {
        let is = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        is(&self.tool, &row.tool) && is(&self.requester, &row.requested_by)
    }
}

#[derive(Serialize)]
struct List {
    /// Requesters and tools are named in the words of requests.
    _trusted: bool,
    directory: String,
    requests_count: usize,
    requests: Vec<Listed>,
    #[serde(skip)]
    left_out: usize,
    #[serde(skip)]
    is_filtered: bool,
}

/// What is listed of a request.
#[derive(Serialize)]
struct Listed {
    request_id: String,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dropped_utc: Option<String>,
    requested_by: String,
    tool: String,
    outcome: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    result_id: Option<String>,
}

impl View for List {
    fn text(&self) -> String {
        if self.requests.is_empty() && self.is_filtered {
            return "No request matches.\n".to_owned();
        }
        if self.requests.is_empty() {
            return "No requests. Drop one into inbox/, or use `gatepost submit`.\n".to_owned();
        }
        let row = |row: &Listed| {
            vec![
                row.request_id.clone(),
                row.dropped_utc.as_deref().map(moment).unwrap_or_default(),
                style::state(row.state),
                row.requested_by.chars().flat_map(visible).collect(),
                row.tool.chars().flat_map(visible).collect(),
                row.outcome.clone(),
            ]
        };
        let rows: Vec<Vec<String>> = self.requests.iter().map(row).collect();
        let mut text = table(&["request", "dropped", "state", "requester", "tool", "outcome"], &rows);
        if self.left_out > 0 {
            text += &format!("\n{} more; --limit 0 shows all.\n", self.left_out);
        }
        text
    }
}

pub fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let results = Results::read(site)?;
    let since = arguments.since.map(|age| age.moment(Utc::now()));
    let limit = if arguments.limit == 0 { usize::MAX } else { arguments.limit };
    let (mut requests, mut left_out) = (Vec::new(), 0);
    for id in results.newest_first(site, since)? {
        if requests.len() == limit && !arguments.reads_each() {
            left_out += 1;
            continue;
        }
        let Some(progress) = results.progress(site, &id)? else { continue };
        if arguments.state.as_deref().is_some_and(|state| state != progress.state) {
            continue;
        }
        let row = Row::of(site, &id, progress);
        if !arguments.selects(&row) {
            continue;
        }
        if requests.len() == limit {
            left_out += 1;
        } else {
            requests.push(Listed::from(row));
        }
    }
    let requests_count = requests.len() + left_out;
    let is_filtered = arguments.is_filtered();
    let directory = site.root().display().to_string();
    Ok(Outcome::done(&List { _trusted: false, directory, requests_count, requests, left_out, is_filtered }))
}

impl From<Row> for Listed {
    fn from(row: Row) -> Self {
        Self {
            request_id: row.request_id,
            state: row.state,
            dropped_utc: row.dropped_utc,
            requested_by: row.requested_by,
            tool: row.tool,
            outcome: row.outcome,
            result_id: row.result_id,
        }
    }
}

/// A time that is written as RFC 3339, as the surface shows it.
fn moment(utc: &str) -> String {
    DateTime::parse_from_rfc3339(utc).map(|time| style::moment(time.to_utc())).unwrap_or_default()
}

/// How long ago a time was, for a person.
pub fn ago(time: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let seconds = (now - time).num_seconds();
    match seconds {
        ..0 => "in the future".to_owned(),
        0..60 => format!("{seconds} s ago"),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}
