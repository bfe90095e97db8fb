//! A session with a tool: its transcript from accepted results, or its progress while it is open.
//!
//! A session is named by the request that opened it. The evidence of that request, and of each that continued it, has the id as
//! `parent_session_id`. *Security*: output of programs and input of requesters are hostile. Only accepted results are read.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use gatepost_documents::evidence::{Evidence, Interaction, TRANSCRIPT_FILE};
use gatepost_mailbox::life::{Progress, Results};
use serde_json::Value;

use crate::cli::prelude::*;
use crate::cli::sessions;

/// One session.
#[derive(Debug)]
pub(super) struct Record {
    pub session_id: RequestId,
    pub tool: String,
    pub created_at: DateTime<Utc>,
    /// The time of its program's last output, or of the end of the last interaction.
    pub last_modified: DateTime<Utc>,
    /// Whether it has ended.
    pub stopped: bool,
    /// The transcript; while the session is open, its program's output so far.
    pub path: PathBuf,
    /// The accepted result, once it has ended.
    pub result_id: Option<String>,
    /// The interactions; while the session is open, those whose answers the gate has accepted.
    pub interactions: Vec<Interaction>,
}

impl Record {
    /// Replaces entries of the session's own result by the answers.
    fn complete(&mut self, answered: Answered) {
        let is_answered = |id: &Option<RequestId>| answered.iter().any(|(request, _)| Some(request) == id.as_ref());
        self.interactions.retain(|interaction| !is_answered(&interaction.request_id));
        self.interactions.extend(answered.into_iter().flat_map(|(_, interactions)| interactions));
        self.interactions.sort_by(|one, other| one.timestamp.cmp(&other.timestamp));
    }

    /// The number of lines sent and answers received.
    pub(super) fn messages_count(&self) -> usize {
        self.interactions.len() + self.interactions.iter().filter(|one| answer(one).is_some()).count()
    }

    /// The number of words in all lines sent, separated by white space.
    pub(super) fn input_words(&self) -> usize {
        self.interactions.iter().map(|one| one.input.split_whitespace().count()).sum()
    }

    /// The number of words in all answers.
    pub(super) fn output_words(&self) -> usize {
        let answers = self.interactions.iter().filter_map(answer);
        answers.map(|answer| answer.split_whitespace().count()).sum()
    }
}

/// The answer of an interaction; none if it is incomplete.
pub(super) fn answer(interaction: &Interaction) -> Option<&str> {
    let results = &interaction.results;
    results.get("output").or(results.get("content")).and_then(Value::as_str)
}

/// RFC 3339, UTC, with milliseconds.
pub(super) fn written(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Every session, oldest first.
pub(super) fn all(site: &Site) -> Result<Vec<Record>, Failure> {
    let open = sessions::open(site)?;
    let results = Results::read(site)?;
    let (mut records, mut answered) = (Vec::new(), HashMap::<String, Answered>::new());
    for id in results.newest_first(site)?.since(None) {
        let Some(mut progress) = results.progress(site, id)?.filter(Progress::is_in_core) else { continue };
        let Some(session) = progress.evidence.as_mut().and_then(|evidence| evidence.parent_session_id.take()) else {
            continue;
        };
        if session == id.as_str() {
            records.extend(ended(id, progress));
        } else if let Some(evidence) = progress.evidence {
            answered.entry(session).or_default().push((id.clone(), evidence.interactions));
        }
    }
    records.extend(open.into_iter().map(|open| Record {
        session_id: open.session_id,
        tool: open.tool,
        created_at: open.opened_utc,
        last_modified: open.printed_utc.unwrap_or(open.opened_utc),
        stopped: false,
        path: open.stdout,
        result_id: None,
        interactions: Vec::new(),
    }));
    for record in &mut records {
        record.complete(answered.remove(record.session_id.as_str()).unwrap_or_default());
    }
    records.sort_by(|one, other| (one.created_at, &one.session_id).cmp(&(other.created_at, &other.session_id)));
    Ok(records)
}

/// Requests that continued a session, each with its answers.
type Answered = Vec<(RequestId, Vec<Interaction>)>;

/// The session that a request opened, from its accepted result, which lists the other requests' input without the answers.
fn ended(id: &RequestId, progress: Progress) -> Option<Record> {
    let Progress { evidence: Some(evidence), path, result_id, .. } = progress else { return None };
    let Evidence { tool, timestamp, duration_ms, output_file, interactions, .. } = evidence;
    let created_at: DateTime<Utc> = timestamp.parse().ok()?;
    let took = |from: DateTime<Utc>, ms: u64| from + TimeDelta::milliseconds(i64::try_from(ms).unwrap_or_default());
    let last = interactions.last().and_then(|last| Some(took(last.timestamp.parse().ok()?, last.duration_ms)));
    let words = if interactions.is_empty() { output_file.as_str() } else { TRANSCRIPT_FILE };
    Some(Record {
        session_id: id.clone(),
        tool,
        created_at,
        last_modified: last.unwrap_or_else(|| took(created_at, duration_ms)),
        stopped: true,
        path: if words.is_empty() { path } else { inside(&path, words) },
        result_id,
        interactions,
    })
}

/// A path within a bundle, from evidence; the bundle itself if the path leads outside.
fn inside(bundle: &Path, relative: &str) -> PathBuf {
    let is_plain = Path::new(relative).components().all(|part| matches!(part, Component::Normal(_)));
    if is_plain { bundle.join(relative) } else { bundle.to_owned() }
}
