//! `gatepost report`: the facts of every request, one row each, as a file for programs or a page for people.
//!
//! It replaces a file only with `--force`. *Security*: cells are hostile input. In CSV, which spreadsheets open, a cell
//! that could be a formula starts with an apostrophe. *Standards*: RFC 4180.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, SecondsFormat, Utc};
use clap::ArgGroup;
use gatepost_documents::pages_answer::Answer;
use gatepost_mailbox::life::{Results, Row, rows};
use serde_json::Value;

use super::age::{Age, age};
use super::counted::counted;
use super::effect::Effect;
use super::new_file::{self, Existing};
use super::pages::{self, Pages};
use crate::cli::prelude::*;

const WRITES: &[Write] = &[Write::argument("csv"), Write::argument("html"), Write::argument("json")];

/// `gatepost report`
pub(super) const DECLARATION: Declaration = Declaration::mutating("report", data::<Written>)
    .writes(WRITES)
    .starts(&[Subprocess::PAGES])
    .fails(&[ErrorCode::AlreadyExists, ErrorCode::ProgramMissing]);

#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("written").args(["csv", "json", "html"]).required(true).multiple(true))]
pub(super) struct Arguments {
    /// Write the rows as CSV into this file.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the rows as JSON into this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write an HTML page into this file: summary, charts and the newest requests.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Only requests dropped since: 30m, 12h, 7d, or a time such as 2026-02-09T16:05:01Z.
    #[arg(long, value_name = "AGE", value_parser = age)]
    since: Option<Age>,
    /// Replace files that exist.
    #[arg(long)]
    force: bool,
    /// Show what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

/// The rows as JSON.
#[derive(Serialize, JsonSchema)]
struct Report<'a> {
    /// The values come from tools and requesters.
    _trusted: bool,
    directory: String,
    /// The earliest drop; null for all.
    since_utc: Option<String>,
    requests: &'a [Row],
}

#[derive(Serialize, JsonSchema)]
struct Written {
    effect: Effect,
    requests_count: usize,
    files: Vec<String>,
}

impl View for Written {
    fn text(&self) -> String {
        let verb = if self.effect == Effect::WouldCreate { " would be" } else { "" };
        format!("{}{verb} in {}\n", counted(self.requests_count, "request"), self.files.join(" and "))
    }
}

pub(super) fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let since = arguments.since.map(|age| age.moment(Utc::now()));
    // It reads the site concurrently.
    let page = arguments.html.as_deref().map(|path| start_page(site, since, path)).transpose()?;
    let is_for_programs = arguments.csv.is_some() || arguments.json.is_some();
    let rows = is_for_programs.then(|| rows(site, &Results::read(site)?, since)).transpose()?;
    let mut files = Vec::new();
    let paths: Vec<&PathBuf> = [&arguments.csv, &arguments.json, &arguments.html].into_iter().flatten().collect();
    if paths.iter().enumerate().any(|(index, path)| paths[..index].contains(path)) {
        return Err(Failure::usage("Two forms of the report have the same file.", "Give each a file of its own."));
    }
    let existing = Existing::forced(arguments.force);
    let write = |path: &Path, bytes: &[u8]| {
        new_file::write(
            path,
            bytes,
            existing,
            arguments.dry_run,
            "Give another name, or replace the file with --force.",
        )
        .map(|()| path.display().to_string())
    };
    if let (Some(path), Some(rows)) = (&arguments.csv, &rows) {
        let bytes = csv(rows).on("write", path)?;
        files.push(write(path, &bytes)?);
    }
    if let (Some(path), Some(rows)) = (&arguments.json, &rows) {
        let since = since.map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true));
        let directory = site.root().display().to_string();
        let report = Report { _trusted: false, directory, since_utc: since, requests: rows };
        let mut bytes = serde_json::to_vec_pretty(&report).map_err(io::Error::from).on("write", path)?;
        bytes.push(b'\n');
        files.push(write(path, &bytes)?);
    }
    let mut requests_count = rows.as_ref().map(Vec::len);
    if let (Some(path), Some(page)) = (&arguments.html, page) {
        let (html, counted) = match page.answer()? {
            Answer::Page { html, requests_count } => (html, requests_count),
            other => return Err(pages::failure(other)),
        };
        files.push(write(path, html.as_bytes())?);
        requests_count = requests_count.or(Some(counted));
    }
    Ok(Outcome::done(&Written {
        effect: Effect::Created.or_would(arguments.dry_run),
        requests_count: requests_count.unwrap_or_default(),
        files,
    }))
}

/// Starts building the page for a path.
fn start_page(site: &Site, since: Option<DateTime<Utc>>, path: &Path) -> Result<Pages, Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().on("write", path)?;
    let since = since.map(|time| format!("--since={}", time.to_rfc3339()));
    let words = [OsStr::new("--folder"), folder.as_os_str()].into_iter().chain(since.as_deref().map(OsStr::new));
    Pages::start(site, "report", words)
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
