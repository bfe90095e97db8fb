//! `gatepost list`

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDateTime, Utc};
use gatepost_documents::id::RequestId;
use gatepost_mailbox::fault::OnPath;
use gatepost_mailbox::site::Site;
use serde::Serialize;

use super::outcome::{Failure, Outcome, View};
use super::progress::{Progress, Results};
use super::table::table;
use crate::mailbox::claim::Claimed;
use crate::mailbox::record::State;
use crate::mailbox::recovery;
use crate::request::{self, Lane};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Show at most this many; 0 shows all.
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
    /// Show only requests in this state.
    #[arg(long, value_name = "STATE", value_parser = ["dropped", "claimed", "pending", "running", "judging", "accepted", "rejected", "quarantined", "removed"])]
    state: Option<String>,
}

#[derive(Serialize)]
struct List {
    directory: String,
    requests_count: usize,
    requests: Vec<Row>,
    #[serde(skip)]
    left_out: usize,
    #[serde(skip)]
    is_filtered: bool,
}

#[derive(Serialize)]
struct Row {
    request_id: String,
    state: &'static str,
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
        let row = |row: &Row| {
            vec![
                row.request_id.clone(),
                age(&row.request_id),
                row.state.to_owned(),
                row.tool.clone(),
                row.outcome.clone(),
            ]
        };
        let rows: Vec<Vec<String>> = self.requests.iter().map(row).collect();
        let mut text = table(&["request", "age", "state", "tool", "outcome"], &rows);
        if self.left_out > 0 {
            text += &format!("\n{} more; --limit 0 shows all.\n", self.left_out);
        }
        text
    }
}

pub fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let results = Results::read(site)?;
    let mut ids: BTreeSet<RequestId> = results.requests().cloned().collect();
    for state in State::ALL {
        ids.extend(recovery::ids(&state.folder(site))?);
    }
    ids.extend(recovery::ids(&site.quarantine())?);
    let inbox = site.inbox();
    for entry in inbox.read_dir().on("list", &inbox)? {
        let name = entry.on("list", &inbox)?.file_name();
        let name = name.to_string_lossy();
        // A signature is a drop for a request, and no request.
        if name.ends_with(".sig") && !inbox.join(&*name).is_dir() {
            continue;
        }
        let stem = name.strip_suffix(".md").or(name.strip_suffix(".json")).unwrap_or(&name);
        ids.extend(RequestId::parse(stem).ok());
    }
    let limit = if arguments.limit == 0 { usize::MAX } else { arguments.limit };
    let (mut requests, mut left_out) = (Vec::new(), 0);
    for id in ids.iter().rev() {
        if requests.len() == limit && arguments.state.is_none() {
            left_out += 1;
            continue;
        }
        let Some(progress) = results.progress(site, id)? else { continue };
        if arguments.state.as_deref().is_some_and(|state| state != progress.state) {
            continue;
        }
        if requests.len() == limit {
            left_out += 1;
        } else {
            requests.push(row(site, id, &progress));
        }
    }
    let requests_count = requests.len() + left_out;
    let is_filtered = arguments.state.is_some();
    let directory = site.root().display().to_string();
    Ok(Outcome::done(&List { directory, requests_count, requests, left_out, is_filtered }))
}

fn row(site: &Site, id: &RequestId, progress: &Progress) -> Row {
    Row {
        request_id: progress.request_id.clone(),
        state: progress.state,
        tool: match &progress.evidence {
            Some(evidence) => evidence.tool.clone(),
            None if progress.state == "pending" => asked(site, id),
            None => String::new(),
        },
        outcome: progress.outcome(),
        result_id: progress.result_id.clone(),
    }
}

/// What a request that waits asks for: its tool, or the backend of its lane.
fn asked(site: &Site, id: &RequestId) -> String {
    let read = |claimed: Claimed| {
        request::read(&claimed.bytes, claimed.claim.form, id.as_str(), DateTime::<Utc>::MAX_UTC).ok()
    };
    match recovery::pending(site, id).ok().and_then(read).map(|request| request.lane) {
        Some(Lane::Clad(call)) => call.tool,
        Some(Lane::Era(_)) => "ERA".to_owned(),
        Some(Lane::Monty(_)) => "monty".to_owned(),
        None => String::new(),
    }
}

/// How long ago the time in a request's name was.
fn age(request_id: &str) -> String {
    let stamp = request_id.get(3..18).and_then(|text| NaiveDateTime::parse_from_str(text, "%Y%m%d-%H%M%S").ok());
    let Some(time) = stamp else { return String::new() };
    ago(time.and_utc(), Utc::now())
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
