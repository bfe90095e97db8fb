//! The progress of a request, read from the folders of the site.

use std::path::{Path, PathBuf};

use chrono::SecondsFormat;
use gatepost_documents::escape::visible;
use gatepost_documents::evidence::{self, Evidence};
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::Reason;
use gatepost_documents::release::{Override, rejecting};
use gatepost_documents::text::quoted;
use gatepost_documents::verdict::{Verdict, is_false};
use rustix::fs::Access;
use serde::Serialize;
use serde_json::Value;

use super::results::Results;
use super::state::RequestState;
use crate::fault::Fault;
use crate::quarantine::{self, Refusal};
use crate::record::{self, State};
use crate::regular_file;
use crate::site::Site;

/// Larger than any evidence that a gate accepts.
const EVIDENCE_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A request and what became of it so far.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Progress {
    /// The request.
    pub request_id: String,
    /// Its state.
    pub state: RequestState,
    /// When it was dropped, RFC 3339, UTC, whole seconds; absent where nothing of that is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped_utc: Option<String>,
    /// Its result, once there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_id: Option<String>,
    /// Where the result (or else the request) is now.
    pub path: PathBuf,
    /// What happened, once there is a result. Written by TOOL-EXEC from what a tool said: not to be trusted; and without
    /// what a tool or requester said while the gate has not accepted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// When the gate judged the result, or TOOL-EXEC refused the request, RFC 3339, UTC, whole seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_utc: Option<String>,
    /// Why it was refused or rejected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// Whether the result is a bare document of another executor's, which has no evidence.
    #[serde(skip_serializing_if = "is_false")]
    pub foreign: bool,
    /// Who released the result although the gate had rejected it, when, why, and over which codes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub released: Option<Override>,
    /// The name of the log of the gate that accepted the result at another site, if it was imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub imported_from: Option<String>,
}

impl Progress {
    /// Whether its state is final.
    pub fn is_final(&self) -> bool {
        self.state.is_final()
    }

    /// Whether CORE has the result.
    pub fn is_in_core(&self) -> bool {
        self.state.is_in_core()
    }

    /// Its outcome: how the tool ended, or why the request or its result was refused.
    pub fn outcome(&self) -> String {
        match self.state {
            RequestState::Rejected => refused_for(&self.reasons),
            _ if self.foreign && self.is_in_core() => "foreign".to_owned(),
            _ => self.ended(),
        }
    }

    /// How the tool ended, or why it did not run.
    pub fn ended(&self) -> String {
        match &self.evidence {
            Some(Evidence { error: Some(error), .. }) => error.code.to_string(),
            Some(evidence) => evidence.status.as_str().to_owned(),
            None => refused_for(&self.reasons),
        }
    }
}

/// The codes that refuse, the first few by name.
pub fn refused_for(reasons: &[Reason]) -> String {
    const NAMED_MAX: usize = 3;
    let codes: Vec<String> = rejecting(reasons).iter().map(ToString::to_string).collect();
    match codes.get(..NAMED_MAX).filter(|_| codes.len() > NAMED_MAX) {
        Some(named) => format!("{}, {} more", named.join(", "), codes.len() - NAMED_MAX),
        None => codes.join(", "),
    }
}

impl Results {
    /// The state of a request whose result is in no folder.
    fn without_result(&self, site: &Site, id: &RequestId, plain: Progress) -> Result<Progress, Fault> {
        if self.was_removed(site, id)? {
            return Ok(Progress { state: RequestState::Removed, ..plain });
        }
        let Some(judged) = self.judged(site, id)? else {
            return Ok(Progress { state: RequestState::Judging, ..plain });
        };
        let name = &judged.result_id;
        // The gate may move it while the folders are read. It removes the original after the move, so the original is looked
        // for first.
        let plain = Progress { result_id: Some(name.clone()), ..plain };
        if site.outbox().join(name).symlink_metadata().is_ok() {
            return Ok(Progress { state: RequestState::Judging, ..plain });
        }
        let accepted = site.core_inbound().join(name);
        if accepted.symlink_metadata().is_ok() {
            return Ok(with_result(id, RequestState::Accepted, &accepted));
        }
        if let Some(rejected) = quarantine::places(site, name)?.first() {
            return Ok(with_result(id, RequestState::Rejected, rejected));
        }
        let state = if may_look_into(&site.quarantine()) {
            RequestState::Missing
        } else if judged.is_accepted {
            // On its way to where everybody may look.
            RequestState::Judging
        } else {
            RequestState::Rejected
        };
        Ok(Progress { state, ..plain })
    }

    /// The state of a request; `None` when nothing is known of it.
    pub fn progress(&self, site: &Site, id: &RequestId) -> Result<Option<Progress>, Fault> {
        let Some(found) = self.find(site, id)? else { return Ok(None) };
        // Evidence that the gate did not accept is not used here.
        let time = found.evidence.as_ref().filter(|_| found.is_in_core()).map(|evidence| evidence.dropped.utc.clone());
        let seen = || self.dropped(site, id).map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true));
        Ok(Some(Progress { dropped_utc: time.or_else(seen), ..found }))
    }

    fn find(&self, site: &Site, id: &RequestId) -> Result<Option<Progress>, Fault> {
        let mut stray = None;
        for (state, path) in self.places(id) {
            let found = with_result(id, *state, path);
            // A bare document that the gate did not admit does not answer a request of which more is known.
            if !found.foreign || found.is_in_core() {
                return Ok(Some(found));
            }
            stray = stray.or(Some(found));
        }
        let refused = site.quarantine().join(id.as_str());
        let plain = |state, path| without_facts(id, state, path);
        if let Some((state, _)) = record::locate(site, id)? {
            let path = state.folder(site).join(id.as_str());
            let found = plain(state.into(), path);
            return Ok(Some(match state {
                State::Done => self.without_result(site, id, found)?,
                _ => found,
            }));
        }
        // Another request's item can have this name, with a number.
        let refusal = read::<Refusal>(&refused.join("reasons.json")).filter(|refusal| refusal.item == id.as_str());
        if let Some(refusal) = refusal {
            let (decided_utc, reasons) = (Some(refusal.refused_utc), refusal.reasons);
            return Ok(Some(Progress { decided_utc, reasons, ..plain(RequestState::Quarantined, refused) }));
        }
        Ok(record::dropped(site, id).map(|path| plain(RequestState::Dropped, path)).or(stray))
    }
}

/// A request of which no more is known than its state and place.
fn without_facts(id: &RequestId, state: RequestState, path: PathBuf) -> Progress {
    Progress {
        request_id: id.to_string(),
        state,
        dropped_utc: None,
        result_id: None,
        path,
        evidence: None,
        decided_utc: None,
        reasons: Vec::new(),
        foreign: false,
        released: None,
        imported_from: None,
    }
}

fn may_look_into(folder: &Path) -> bool {
    rustix::fs::access(folder, Access::READ_OK | Access::EXEC_OK).is_ok()
}

fn with_result(id: &RequestId, state: RequestState, path: &Path) -> Progress {
    let is_document = state == RequestState::Judging && path.is_file();
    let name = if is_document { path.file_stem() } else { path.file_name() };
    let name = name.unwrap_or_default().to_string_lossy().into_owned();
    let is_rejected = state == RequestState::Rejected;
    let bundle = if is_rejected { path.join("untouched").join(&name) } else { path.to_owned() };
    let verdict_path = if is_rejected { path.join("reasons.json") } else { path.join("verdict.json") };
    let verdict = read::<Verdict>(&verdict_path);
    let released = verdict.as_ref().and_then(|verdict| verdict.released.clone());
    let imported = verdict.as_ref().and_then(|verdict| verdict.imported.as_ref());
    let imported_from = imported.map(|proof| proof.origin().chars().flat_map(visible).collect());
    let is_released = state == RequestState::Accepted && released.is_some();
    Progress {
        request_id: id.to_string(),
        state: if is_released { RequestState::Released } else { state },
        dropped_utc: None,
        result_id: Some(name),
        path: path.to_owned(),
        evidence: read(&bundle.join("evidence.json"))
            .and_then(|evidence| if state == RequestState::Accepted { Some(evidence) } else { withheld(evidence) }),
        foreign: is_document || verdict.as_ref().is_some_and(|verdict| verdict.is_bare_document),
        decided_utc: verdict.as_ref().map(|verdict| verdict.judged_utc.clone()),
        reasons: verdict.map(|verdict| verdict.reasons).unwrap_or_default(),
        released,
        imported_from,
    }
}

/// How a run ended, without its text: a waiting requester must not read past the gate. Of the other fields only plain
/// words are kept, because nobody has checked that the rest are well formed.
fn withheld(evidence: Evidence) -> Option<Evidence> {
    let error = evidence.error.map(|error| evidence::Failure {
        message: String::new(),
        hint: String::new(),
        reasons: Vec::new(),
        ..error
    });
    let evidence = Evidence {
        error,
        command: String::new(),
        argv: Vec::new(),
        arguments: serde_json::Map::new(),
        purpose: String::new(),
        mcp_args: None,
        stderr: String::new(),
        results: serde_json::Value::Null,
        anomalies: Vec::new(),
        ..evidence
    };
    let mut value = serde_json::to_value(evidence).ok()?;
    leave_plain_words(&mut value);
    serde_json::from_value(value).ok()
}

/// Empties every string that is neither a plain word nor a digest. The form of evidence bounds the depth.
fn leave_plain_words(value: &mut Value) {
    match value {
        Value::String(text) if !is_plain_word(text.strip_prefix("sha256:").unwrap_or(text)) => text.clear(),
        Value::Array(items) => items.iter_mut().for_each(leave_plain_words),
        Value::Object(members) => members.values_mut().for_each(leave_plain_words),
        _ => {}
    }
}

/// Whether a word is too short and plain to carry a message or affect a terminal.
pub fn is_plain_word(word: &str) -> bool {
    const CHARACTERS_MAX: usize = 64;
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_.:-".contains(character);
    !word.is_empty() && word.len() <= CHARACTERS_MAX && word.chars().all(is_plain)
}

/// A stranger's name, in quotation marks unless it is one plain word, so that it cannot pass for our own text.
pub fn shown_name(name: &str) -> String {
    if is_plain_word(name) { name.to_owned() } else { quoted(name) }
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&regular_file::read(path, EVIDENCE_MAX_BYTES).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use gatepost_documents::verdict::Decision;

    use super::*;
    use crate::exchange::{Announcements, Judged};

    /// A caller that lists the folders before the result is published, and learns later that its request is done, must not find
    /// it missing while the gate moves it.
    #[test]
    fn a_result_that_the_gate_moves_meanwhile_is_not_missing() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        for folder in [site.outbox(), site.quarantine(), site.core_inbound(), site.exchange_judged(), site.gate_audit()]
        {
            fs::create_dir_all(folder).unwrap();
        }
        let id = RequestId::parse("TR-20200101-000000Z-a").unwrap();
        let name = format!("TS-20200101-000001Z-{id}");
        let judged = Judged {
            result_id: name.clone(),
            request_id: id.to_string(),
            is_bare_document: false,
            verdict: Some(Decision::Accept),
            codes: Vec::new(),
            flags: Vec::new(),
        };
        Announcements::begin(&site, &[judged]).unwrap();
        let (original, accepted) = (site.outbox().join(&name), site.core_inbound().join(&name));
        let state = || {
            let done = without_facts(&id, RequestState::Judging, PathBuf::new());
            Results::none().without_result(&site, &id, done).unwrap().state
        };
        for _ in 0..2_000 {
            fs::create_dir(&original).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| fs::create_dir(&accepted).and_then(|()| fs::remove_dir(&original)).unwrap());
                while {
                    let found = state();
                    assert_ne!(found, RequestState::Missing);
                    found != RequestState::Accepted
                } {}
            });
            fs::remove_dir(&accepted).unwrap();
        }
    }
}
