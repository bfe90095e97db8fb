//! The terminal view of `gatepost up`: the log of both watchers, and one status line below it.
//!
//! ```text
//! 16:05:01  accepted     TS-…  …/core/inbound/TS-…
//! waiting 3 · running 2 (line_count, nap) · accepted 17 · rejected 1
//! ```
//!
//! The watchers write JSON to pipes; their events are written here in the watchers' own form. The line is drawn at most
//! four times a second, and only in the foreground, because in the background the shell's prompt is there. Without a
//! terminal on stderr, nothing is drawn. *Security*: the names of tools are escaped.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, IsTerminal as _, Write as _, stderr};
use std::path::Path;
use std::process::ChildStderr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use gatepost_documents::escape::visible;
use gatepost_exec::mailbox::recovery;
use gatepost_mailbox::life::request_summary;
use serde::Deserialize;

use crate::cli::bar::CLEAR;
use crate::cli::prelude::*;
use crate::cli::show::visible_text;
use crate::cli::style;

const PACE: Duration = Duration::from_millis(250);
/// The width if only stderr is a terminal.
const COLUMNS: usize = 80;
/// The most tools that are named.
const NAMED_MAX: usize = 5;

/// An event of a watcher's log.
#[derive(Deserialize)]
struct LogEvent {
    time: String,
    event: String,
    #[serde(default)]
    id: String,
    message: String,
}

impl LogEvent {
    fn line(&self) -> String {
        let Self { time, event, id, message } = self;
        let text = format!("{}  {event:<12} {id} {message}", time.get(11..19).unwrap_or_default());
        visible_text(&text)
    }
}

/// The log and the status line.
#[derive(Debug, Clone)]
pub(super) struct Live(Arc<Mutex<Counts>>);

#[derive(Debug, Default, PartialEq, Eq, Clone)]
struct Counts {
    waiting: usize,
    running: Vec<String>,
    accepted: u64,
    rejected: u64,
    drawn: String,
}

impl Counts {
    fn add(&mut self, event: &str) {
        self.accepted += u64::from(event == "accepted");
        self.rejected += u64::from(event == "rejected");
    }

    /// Clears the line.
    fn clear(&mut self) {
        if !std::mem::take(&mut self.drawn).is_empty() && is_in_foreground() {
            let _ = write!(stderr(), "{CLEAR}");
        }
    }

    fn line(&self, columns: usize) -> String {
        let Self { waiting, running, accepted, rejected, .. } = self;
        let named = running.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
        let more = if running.len() > NAMED_MAX { ", …" } else { "" };
        let tools = if running.is_empty() { String::new() } else { format!(" ({named}{more})") };
        let line =
            format!("waiting {waiting} · running {}{tools} · accepted {accepted} · rejected {rejected}", running.len());
        line.chars().flat_map(visible).take(columns.saturating_sub(1)).collect()
    }
}

impl Live {
    /// Draws while the process lives, if stderr is a terminal.
    pub(super) fn begin(site: &Site) -> Result<Option<Self>, Fault> {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if !stderr().is_terminal() || is_dumb {
            return Ok(None);
        }
        let (live, site) = (Self(Arc::default()), site.clone());
        let drawn = live.clone();
        let draw = move || {
            let mut tools = BTreeMap::new();
            loop {
                let (waiting, running) = look(&site, &mut tools);
                drawn.with(|counts| {
                    (counts.waiting, counts.running) = (waiting, running);
                    String::new()
                });
                thread::sleep(PACE);
            }
        };
        thread::Builder::new().spawn(draw).on("start a thread in", Path::new("/proc/self"))?;
        Ok(Some(live))
    }

    /// Copies a watcher's standard error to the log until it closes.
    pub(super) fn relay(&self, from: ChildStderr) {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            self.with(|counts| match serde_json::from_str::<LogEvent>(&line) {
                Ok(event) => {
                    counts.add(&event.event);
                    event.line() + "\n"
                }
                Err(_) => line + "\n",
            });
        }
    }

    /// Clears the line for other output, and redraws it below.
    pub(super) fn above<T>(&self, write_lines: impl FnOnce() -> T) -> T {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.clear();
        write_lines()
    }

    /// Writes above the line, and redraws the line if it changed.
    fn with(&self, change: impl FnOnce(&mut Counts) -> String) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let above = change(&mut counts);
        if !is_in_foreground() {
            counts.drawn.clear();
            let _ = write!(stderr(), "{above}");
            return;
        }
        let line = counts.line(style::columns().unwrap_or(COLUMNS));
        if !above.is_empty() || line != counts.drawn {
            let _ = write!(stderr(), "{CLEAR}{above}{line}");
            counts.drawn = line;
        }
    }

    /// Removes the line.
    pub(super) fn end(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Whether this process is in the foreground of the terminal.
fn is_in_foreground() -> bool {
    rustix::termios::tcgetpgrp(stderr()).is_ok_and(|group| group == rustix::process::getpgrp())
}

/// The number of waiting requests, and the running tools; `tools` caches the tool of each request.
fn look(site: &Site, tools: &mut BTreeMap<RequestId, String>) -> (usize, Vec<String>) {
    let count = |folder: &Path| {
        let names = folder.read_dir().into_iter().flatten().filter_map(Result::ok);
        names.filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b".")).count()
    };
    let waiting = [site.inbox(), site.claimed(), site.pending()].iter().map(|folder| count(folder)).sum();
    let running: Vec<RequestId> = recovery::ids(&site.running()).into_iter().flatten().collect();
    tools.retain(|id, _| running.contains(id));
    let mut name = |id: &RequestId| {
        let tool = || request_summary(site, id).map_or_else(|| "?".to_owned(), |(request, _)| request.tool);
        tools.entry(id.clone()).or_insert_with(tool).clone()
    };
    (waiting, running.iter().map(&mut name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_counts_and_names_what_runs_and_fits() {
        let mut counts =
            Counts { waiting: 3, running: vec!["a".to_owned(), "b\u{1b}".to_owned()], ..Counts::default() };
        for event in ["accepted", "accepted", "rejected", "answered"] {
            counts.add(event);
        }
        assert_eq!(counts.line(80), "waiting 3 · running 2 (a, b\\u{1b}) · accepted 2 · rejected 1");
        assert_eq!(counts.line(11), "waiting 3 ");
    }

    #[test]
    fn an_event_is_written_as_on_a_terminal() {
        let line =
            r#"{"time":"2026-02-09T16:05:01.123Z","level":"info","event":"answered","id":"TR-x","message":"success"}"#;
        assert_eq!(serde_json::from_str::<LogEvent>(line).unwrap().line(), "16:05:01  answered     TR-x success");
    }
}
