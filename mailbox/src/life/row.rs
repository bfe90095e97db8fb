//! One request as a row: for `list`, the report and the pages.
//!
//! A row agrees with `show`, with the same states and the same omissions: for a result that the gate did not accept, nothing that a
//! tool or a requester said. *Security*: the content of a row may be a stranger's.

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::evidence::{Backend, Evidence, FailureCode};
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason, each_once};
use serde::Serialize;

use super::class::Class;
use super::progress::Progress;
use super::request_summary::request_summary;
use super::results::Results;
use super::state::RequestState;
use crate::fault::Fault;
use crate::record::Waiting;
use crate::site::Site;

/// What is known of one request. What is not known is absent, or empty.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(missing_docs, reason = "a member says what its name says")]
pub struct Row {
    pub request_id: String,
    pub class: Class,
    /// Whether a tool may have run for it.
    #[serde(skip)]
    pub has_run: bool,
    pub state: RequestState,
    pub dropped_utc: Option<String>,
    pub dropped_by: Option<String>,
    pub requested_by: String,
    pub requester_is_proved: bool,
    pub purpose: String,
    pub approved_by: Vec<String>,
    /// When a request that waits for people is refused.
    pub pending_until: Option<String>,
    /// What it waits for, and who can give it.
    pub waits_for: Vec<String>,
    pub backend: Option<&'static str>,
    pub tool: String,
    pub tool_version: String,
    pub command: String,
    /// The pages that the lane `fetch` was asked for.
    pub urls: Vec<String>,
    /// The machine of a fleet that ran it.
    pub node: Option<String>,
    pub started_utc: Option<String>,
    pub duration_ms: Option<u64>,
    pub exit_code: Option<i32>,
    pub outcome: String,
    pub sandbox: Option<&'static str>,
    pub network_used: Option<&'static str>,
    pub network_destinations: Vec<String>,
    pub network_refused: Vec<String>,
    pub anomalies: Vec<String>,
    /// The codes of what the request itself was refused for.
    pub refused_for: Vec<&'static str>,
    /// The codes of what the gate found in the result.
    pub findings: Vec<&'static str>,
    pub result_id: Option<String>,
    pub released_by: Option<String>,
    pub released_because: Option<String>,
    pub path: String,
}

/// A row for each request, or for each that was dropped since a time, the newest first.
pub fn rows(site: &Site, results: &Results, since: Option<DateTime<Utc>>) -> Result<Vec<Row>, Fault> {
    let mut rows = Vec::new();
    for id in results.newest_first(site)?.since(since) {
        rows.extend(results.progress(site, id)?.map(|progress| Row::of(site, id, progress)));
    }
    Ok(rows)
}

impl Row {
    /// When it was dropped, where that is known.
    pub fn dropped(&self) -> Option<DateTime<Utc>> {
        let time = DateTime::parse_from_rfc3339(self.dropped_utc.as_deref()?).ok()?;
        Some(time.to_utc())
    }

    /// All codes of reasons and flags, each once.
    pub fn codes(&self) -> impl Iterator<Item = &'static str> {
        let found = self.findings.iter().filter(|code| !self.refused_for.contains(code));
        self.refused_for.iter().chain(found).copied()
    }

    /// The row of a request that is so far.
    pub fn of(site: &Site, id: &RequestId, progress: Progress) -> Self {
        let mut row = Self { class: Class::of(&progress), outcome: progress.outcome(), ..Self::default() };
        if let Some(evidence) = progress.evidence {
            row.urls = urls(&evidence);
            row.dropped_by = evidence.dropped.user.or(Some(evidence.dropped.uid.to_string()));
            row.requester_is_proved = evidence.requester_proof.is_some();
            (row.requested_by, row.purpose, row.command) = (evidence.requested_by, evidence.purpose, evidence.command);
            row.approved_by = evidence.approvals.into_iter().map(|approval| approval.approved_by).collect();
            row.backend = Some(evidence.backend.as_str());
            row.node = evidence.node.map(|node| node.name);
            (row.tool, row.tool_version) = (evidence.tool, evidence.tool_version);
            row.started_utc = Some(evidence.timestamp);
            (row.duration_ms, row.exit_code) = (Some(evidence.duration_ms), Some(evidence.exit_code));
            row.sandbox = Some(evidence.sandbox.level.as_str());
            row.network_used = Some(evidence.network.used.as_str());
            (row.network_destinations, row.network_refused) = (evidence.network.destinations, evidence.network.refused);
            row.anomalies = evidence.anomalies;
            row.has_run = evidence.error.as_ref().is_none_or(|error| error.code != FailureCode::RequestRefused);
            row.refused_for = evidence.error.map(|error| codes(&error.reasons)).unwrap_or_default();
        } else if let Some((summary, dropped_by)) = request_summary(site, id) {
            (row.tool, row.requested_by, row.purpose) = (summary.tool, summary.requested_by, summary.purpose);
            row.dropped_by = Some(dropped_by);
        }
        if let Some(waiting) = (progress.state == RequestState::Pending).then(|| Waiting::read(site, id).ok()).flatten()
        {
            row.pending_until = Some(waiting.until.to_rfc3339_opts(SecondsFormat::Secs, true));
            row.waits_for = waiting.missing.into_iter().map(|reason| reason.message).collect();
        }
        if let Some(release) = progress.released {
            (row.released_by, row.released_because) =
                (release.user.or(Some(release.uid.to_string())), Some(release.reason));
        }
        Self {
            request_id: progress.request_id,
            state: progress.state,
            dropped_utc: progress.dropped_utc,
            findings: codes(&progress.reasons),
            result_id: progress.result_id,
            path: progress.path.display().to_string(),
            ..row
        }
    }
}

/// The URLs in the list of sources, of the lane `fetch`.
fn urls(evidence: &Evidence) -> Vec<String> {
    let sources = evidence.results["sources"].as_array().filter(|_| evidence.backend == Backend::Fetch);
    sources.into_iter().flatten().filter_map(|source| source["url"].as_str().map(str::to_owned)).collect()
}

/// The codes of reasons and flags, each once, in their order.
pub fn codes(reasons: &[Reason]) -> Vec<&'static str> {
    each_once(reasons.iter().map(|reason| reason.code)).into_iter().map(Code::as_str).collect()
}
