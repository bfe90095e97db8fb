//! Where a request is on its way, read from the folders of the site.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use gatepost_documents::evidence::{self, Evidence};
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_documents::reason::Reason;
use gatepost_documents::release::rejecting;
use gatepost_documents::verdict::Verdict;
use gatepost_gate::submission::is_bare_document;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::quarantine::{Refusal, removals};
use gatepost_mailbox::site::Site;
use serde::Serialize;
use serde_json::Value;

use crate::mailbox::record;

/// A request and what became of it so far.
#[derive(Debug, Clone, Serialize)]
pub struct Progress {
    /// The request.
    pub request_id: String,
    /// `dropped claimed pending running judging accepted rejected quarantined removed`.
    pub state: &'static str,
    /// Its result, once there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_id: Option<String>,
    /// Where the result (or else the request) is now.
    pub path: PathBuf,
    /// What happened, once there is a result. Written by TOOL-EXEC from what a tool said: not to be trusted; and without
    /// what a tool or requester said while the gate has not accepted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
    /// Why it was refused or rejected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// Whether the result is a bare document of another executor's, which has no evidence.
    #[serde(skip_serializing_if = "is_false")]
    pub foreign: bool,
}

impl Progress {
    /// Whether nothing more will happen.
    pub fn is_final(&self) -> bool {
        matches!(self.state, "accepted" | "rejected" | "quarantined" | "removed")
    }

    /// What came of it: how the tool ended, or for what the request or its result was refused.
    pub fn outcome(&self) -> String {
        match self.state {
            "rejected" => refused_for(&self.reasons),
            "accepted" if self.foreign => "foreign".to_owned(),
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

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field so")]
fn is_false(value: &bool) -> bool {
    !*value
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

/// All results of a site by their request, read once.
pub struct Results {
    by_request: HashMap<RequestId, Vec<(&'static str, PathBuf)>>,
    /// The requests of items that were removed from the quarantine, once they were asked for.
    removed: OnceCell<HashSet<String>>,
}

impl Results {
    /// Reads the names in the result folders.
    pub fn read(site: &Site) -> Result<Self, Fault> {
        let mut results: HashMap<RequestId, Vec<(&'static str, PathBuf)>> = HashMap::new();
        let folders = [("accepted", site.core_inbound()), ("rejected", site.quarantine()), ("judging", site.outbox())];
        for (state, folder) in folders {
            for entry in folder.read_dir().on("list", &folder)? {
                let path = entry.on("list", &folder)?.path();
                let is_document =
                    || path.file_name().is_some_and(|name| state == "judging" && is_bare_document(&folder, name));
                let name = if is_document() { path.file_stem() } else { path.file_name() };
                let id = name.and_then(|name| ResultId::parse(name.to_str()?).ok());
                if let Some(id) = id {
                    results.entry(id.request().clone()).or_default().push((state, path));
                }
            }
        }
        Ok(Self { by_request: results, removed: OnceCell::new() })
    }

    /// The requests that have a result.
    pub fn requests(&self) -> impl Iterator<Item = &RequestId> {
        self.by_request.keys()
    }

    /// Whether the rejected result of a request was removed from the quarantine.
    fn was_removed(&self, site: &Site, id: &RequestId) -> Result<bool, Fault> {
        if self.removed.get().is_none() {
            let ids = removals(site)?.into_iter().filter_map(|removal| removal.request_id);
            let _ = self.removed.set(ids.collect());
        }
        Ok(self.removed.get().is_some_and(|removed| removed.contains(id.as_str())))
    }

    /// Where a request is; `None` when nothing is known of it.
    pub fn progress(&self, site: &Site, id: &RequestId) -> Result<Option<Progress>, Fault> {
        let mut stray = None;
        for (state, path) in self.by_request.get(id).into_iter().flatten() {
            let found = with_result(id, state, path);
            // A bare document that was not let in is no answer to a request of which more is known.
            if !found.foreign || found.state == "accepted" {
                return Ok(Some(found));
            }
            stray = stray.or(Some(found));
        }
        let refused = site.quarantine().join(id.as_str());
        let plain = |state, path| Progress {
            request_id: id.to_string(),
            state,
            result_id: None,
            path,
            evidence: None,
            reasons: Vec::new(),
            foreign: false,
        };
        if let Some((state, _)) = record::locate(site, id)? {
            let path = state.folder(site).join(id.as_str());
            let name = match state {
                // It has a result that the gate is moving right now, unless that was removed from quarantine.
                record::State::Done if self.was_removed(site, id)? => "removed",
                record::State::Done => "judging",
                _ => state.as_str(),
            };
            return Ok(Some(plain(name, path)));
        }
        if let Some(refusal) = read::<Refusal>(&refused.join("reasons.json")) {
            return Ok(Some(Progress { reasons: refusal.reasons, ..plain("quarantined", refused) }));
        }
        let dropped = ["", ".md", ".json"].map(|ending| site.inbox().join(format!("{id}{ending}")));
        let dropped = dropped.into_iter().find(|path| path.symlink_metadata().is_ok());
        Ok(dropped.map(|path| plain("dropped", path)).or(stray))
    }
}

fn with_result(id: &RequestId, state: &'static str, path: &Path) -> Progress {
    let is_document = state == "judging" && path.is_file();
    let name = if is_document { path.file_stem() } else { path.file_name() };
    let name = name.unwrap_or_default().to_string_lossy().into_owned();
    let bundle = if state == "rejected" { path.join("untouched").join(&name) } else { path.to_owned() };
    let verdict_path = if state == "rejected" { path.join("reasons.json") } else { path.join("verdict.json") };
    let verdict = read::<Verdict>(&verdict_path);
    Progress {
        request_id: id.to_string(),
        state,
        result_id: Some(name),
        path: path.to_owned(),
        evidence: read(&bundle.join("evidence.json"))
            .and_then(|evidence| if state == "accepted" { Some(evidence) } else { withheld(evidence) }),
        foreign: is_document || verdict.as_ref().is_some_and(|verdict| verdict.is_bare_document),
        reasons: verdict.map(|verdict| verdict.reasons).unwrap_or_default(),
    }
}

/// How a run ended, and nothing of what was said in it: whoever waits for an answer is not to read past the gate. Of the
/// rest only plain words are left, for nobody has checked that the others are what they should be.
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

/// Empties every string that is no plain word. The form of evidence bounds the depth.
fn leave_plain_words(value: &mut Value) {
    match value {
        Value::String(text) if !is_plain_word(text) => text.clear(),
        Value::Array(items) => items.iter_mut().for_each(leave_plain_words),
        Value::Object(members) => members.values_mut().for_each(leave_plain_words),
        _ => {}
    }
}

/// Whether a word can neither say much nor do anything to a terminal.
pub fn is_plain_word(word: &str) -> bool {
    const CHARACTERS_MAX: usize = 64;
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_.:-".contains(character);
    !word.is_empty() && word.len() <= CHARACTERS_MAX && word.chars().all(is_plain)
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}
