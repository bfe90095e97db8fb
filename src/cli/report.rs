//! `gatepost report`: the facts of every request, a row each, in a file for other programs.
//!
//! A row says what `show` says, in the same states and withheld as there: of a result that the gate did not accept nothing
//! that a tool or a requester said. It makes new files and replaces none. *Security*: what a cell holds may be a stranger's:
//! in CSV, which spreadsheets open, one that could be taken for a formula begins with an apostrophe. *Standards*: RFC 4180.

use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::Reason;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::site::Site;
use serde::Serialize;
use serde_json::Value;

use super::age::{Age, age};
use super::counted::counted;
use super::exit;
use super::list::asked;
use super::outcome::{Failure, Outcome, View};
use super::progress::{Progress, Results};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Write the rows as CSV into this file, which must not exist.
    #[arg(long, value_name = "FILE", required_unless_present = "json")]
    csv: Option<PathBuf>,
    /// Write the rows as JSON into this file, which must not exist.
    #[arg(long, value_name = "FILE", required_unless_present = "csv")]
    json: Option<PathBuf>,
    /// Only requests dropped since: 30m, 12h, 7d, or a time such as 2026-02-09T16:05:01Z.
    #[arg(long, value_name = "AGE", value_parser = age)]
    since: Option<Age>,
}

/// What is known of one request. What is not known is absent, or empty.
#[derive(Debug, Default, Serialize)]
struct Row {
    request_id: String,
    state: &'static str,
    dropped_utc: Option<String>,
    dropped_by: Option<String>,
    requested_by: String,
    requester_is_proved: bool,
    purpose: String,
    approved_by: Vec<String>,
    backend: Option<&'static str>,
    tool: String,
    tool_version: String,
    command: String,
    started_utc: Option<String>,
    duration_ms: Option<u64>,
    exit_code: Option<i32>,
    outcome: String,
    sandbox: Option<&'static str>,
    network_used: Option<&'static str>,
    network_destinations: Vec<String>,
    network_refused: Vec<String>,
    anomalies: Vec<String>,
    findings: Vec<&'static str>,
    result_id: Option<String>,
    released_by: Option<String>,
    released_because: Option<String>,
    path: String,
}

/// The rows as JSON.
#[derive(Serialize)]
struct Report<'a> {
    /// What follows was said by tools and requesters.
    _trusted: bool,
    directory: String,
    /// The earliest drop; null for all.
    since_utc: Option<String>,
    requests: &'a [Row],
}

#[derive(Serialize)]
struct Written {
    effect: &'static str,
    requests_count: usize,
    files: Vec<String>,
}

impl View for Written {
    fn text(&self) -> String {
        format!("{} in {}\n", counted(self.requests_count, "request"), self.files.join(" and "))
    }
}

pub fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let since = arguments.since.map(|age| age.moment(Utc::now()));
    let rows = rows(site, since)?;
    let mut files = Vec::new();
    if let Some(path) = &arguments.csv {
        let bytes = csv(&rows).on("write", path)?;
        files.push(write(path, &bytes)?);
    }
    if let Some(path) = &arguments.json {
        let since = since.map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true));
        let directory = site.root().display().to_string();
        let report = Report { _trusted: false, directory, since_utc: since, requests: &rows };
        let mut bytes = serde_json::to_vec_pretty(&report).map_err(io::Error::from).on("write", path)?;
        bytes.push(b'\n');
        files.push(write(path, &bytes)?);
    }
    Ok(Outcome::done(&Written { effect: "created", requests_count: rows.len(), files }))
}

/// A row for each request.
fn rows(site: &Site, since: Option<DateTime<Utc>>) -> Result<Vec<Row>, Fault> {
    let results = Results::read(site)?;
    let mut rows = Vec::new();
    for id in results.newest_first(site, since)? {
        rows.extend(results.progress(site, &id)?.map(|progress| row(site, &id, progress)));
    }
    Ok(rows)
}

fn row(site: &Site, id: &RequestId, progress: Progress) -> Row {
    let mut row = Row { outcome: progress.outcome(), ..Row::default() };
    if let Some(evidence) = progress.evidence {
        row.dropped_by = evidence.dropped.user.or(Some(evidence.dropped.uid.to_string()));
        row.requester_is_proved = evidence.requester_proof.is_some();
        (row.requested_by, row.purpose, row.command) = (evidence.requested_by, evidence.purpose, evidence.command);
        row.approved_by = evidence.approvals.into_iter().map(|approval| approval.approved_by).collect();
        row.backend = Some(evidence.backend.as_str());
        (row.tool, row.tool_version) = (evidence.tool, evidence.tool_version);
        row.started_utc = Some(evidence.timestamp);
        (row.duration_ms, row.exit_code) = (Some(evidence.duration_ms), Some(evidence.exit_code));
        row.sandbox = Some(evidence.sandbox.level.as_str());
        row.network_used = Some(evidence.network.used.as_str());
        (row.network_destinations, row.network_refused) = (evidence.network.destinations, evidence.network.refused);
        row.anomalies = evidence.anomalies;
    } else if let Some((tool, requested_by)) = asked(site, id) {
        (row.tool, row.requested_by) = (tool, requested_by);
    }
    if let Some(release) = progress.released {
        (row.released_by, row.released_because) =
            (release.user.or(Some(release.uid.to_string())), Some(release.reason));
    }
    Row {
        request_id: progress.request_id,
        state: progress.state,
        dropped_utc: progress.dropped_utc,
        findings: codes(&progress.reasons),
        result_id: progress.result_id,
        path: progress.path.display().to_string(),
        ..row
    }
}

/// The codes of reasons and flags, each once, in their order.
fn codes(reasons: &[Reason]) -> Vec<&'static str> {
    let mut codes: Vec<&'static str> = Vec::new();
    for reason in reasons {
        if !codes.contains(&reason.code.as_str()) {
            codes.push(reason.code.as_str());
        }
    }
    codes
}

fn csv(rows: &[Row]) -> io::Result<Vec<u8>> {
    let members = |row: &Row| match serde_json::to_value(row) {
        Ok(Value::Object(members)) => members,
        _ => serde_json::Map::new(),
    };
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(members(&Row::default()).keys())?;
    for row in rows {
        writer.write_record(members(row).values().map(cell))?;
    }
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}

/// A value as a cell; a list with semicolons between its items.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; "),
        other => return other.to_string(),
    };
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

/// Makes a new file; returns its path as shown.
fn write(path: &Path, bytes: &[u8]) -> Result<String, Failure> {
    let shown = path.display().to_string();
    match durable::write_new(path, bytes) {
        Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => {
            let message = format!("{shown} already exists.");
            let hint = "Give another name, or move the file away: a report replaces nothing.";
            Err(Failure::new(exit::CONFLICT, "ALREADY_EXISTS", "usage", message, hint).during("write", shown))
        }
        written => Ok(written.map(|()| shown)?),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_cell_is_a_formula_and_numbers_stay_numbers() {
        for (value, shown) in [
            (json!("=HYPERLINK(\"http://e.example\")"), "'=HYPERLINK(\"http://e.example\")"),
            (json!("@a"), "'@a"),
            (json!(["-1", "b"]), "'-1; b"),
            (json!(-1), "-1"),
            (json!(null), ""),
            (json!("a=b"), "a=b"),
        ] {
            assert_eq!(cell(&value), shown);
        }
    }
}
