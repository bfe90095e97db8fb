//! `gatepost list`

use chrono::{DateTime, Utc};
use gatepost_mailbox::site::Site;
use serde::Serialize;

use super::outcome::{Failure, Outcome, View};
use super::progress::Results;
use super::row::Row;
use super::show::visible;
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
            return "No requests in this state.\n".to_owned();
        }
        if self.requests.is_empty() {
            return "No requests. Drop one into inbox/, or use `gatepost submit`.\n".to_owned();
        }
        let row = |row: &Listed| {
            vec![
                row.request_id.clone(),
                row.dropped_utc.as_deref().map(age).unwrap_or_default(),
                row.state.to_owned(),
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
    let limit = if arguments.limit == 0 { usize::MAX } else { arguments.limit };
    let (mut requests, mut left_out) = (Vec::new(), 0);
    for id in results.newest_first(site, None)? {
        if requests.len() == limit && arguments.state.is_none() {
            left_out += 1;
            continue;
        }
        let Some(progress) = results.progress(site, &id)? else { continue };
        if arguments.state.as_deref().is_some_and(|state| state != progress.state) {
            continue;
        }
        if requests.len() == limit {
            left_out += 1;
        } else {
            requests.push(Listed::from(Row::of(site, &id, progress)));
        }
    }
    let requests_count = requests.len() + left_out;
    let is_filtered = arguments.state.is_some();
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

/// How long ago a time was that is written as RFC 3339.
fn age(utc: &str) -> String {
    DateTime::parse_from_rfc3339(utc).map(|time| ago(time.to_utc(), Utc::now())).unwrap_or_default()
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
