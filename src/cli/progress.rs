//! Where a request is on its way, read from the folders of the site.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::evidence::{self, Evidence};
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_documents::reason::Reason;
use gatepost_documents::release::{Override, rejecting};
use gatepost_documents::verdict::Verdict;
use gatepost_gate::ledger::Verdicts;
use gatepost_gate::submission::is_bare_document;
use gatepost_mailbox::exchange;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::quarantine::{self, Refusal, removals};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::Site;
use rustix::fs::Access;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::mailbox::record::{self, CLAIM_FILE, State};
use crate::mailbox::recovery;

/// Larger than any evidence that a gate accepts.
const EVIDENCE_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A request and what became of it so far.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Progress {
    /// The request.
    pub request_id: String,
    /// `dropped claimed pending running judging accepted released rejected quarantined removed missing`.
    pub state: &'static str,
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
}

impl Progress {
    /// Whether nothing more will happen.
    pub fn is_final(&self) -> bool {
        matches!(self.state, "accepted" | "released" | "rejected" | "quarantined" | "removed" | "missing")
    }

    /// Whether CORE has the result.
    pub fn is_in_core(&self) -> bool {
        matches!(self.state, "accepted" | "released")
    }

    /// What came of it: how the tool ended, or for what the request or its result was refused.
    pub fn outcome(&self) -> String {
        match self.state {
            "rejected" => refused_for(&self.reasons),
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

/// Where a result lies: the state that this means, and its path.
pub type Place = (&'static str, PathBuf);

/// All results of a site by their request, read once.
#[derive(Debug)]
pub struct Results {
    by_request: HashMap<RequestId, Vec<Place>>,
    /// The requests of items that were removed from the quarantine, once they were asked for.
    removed: OnceCell<HashSet<String>>,
    /// The results that the gate has judged by their requests, once they were asked for.
    judged: OnceCell<HashMap<String, String>>,
}

impl Results {
    /// Reads the names in the result folders.
    pub fn read(site: &Site) -> Result<Self, Fault> {
        let mut results: HashMap<RequestId, Vec<Place>> = HashMap::new();
        let folders = [("accepted", site.core_inbound()), ("rejected", site.quarantine()), ("judging", site.outbox())];
        for (state, folder) in folders {
            for path in listed(&folder)? {
                let is_document =
                    || path.file_name().is_some_and(|name| state == "judging" && is_bare_document(&folder, name));
                let name = if is_document() { path.file_stem() } else { path.file_name() };
                let id = name.and_then(|name| ResultId::parse(name.to_str()?).ok());
                if let Some(id) = id {
                    results.entry(id.request().clone()).or_default().push((state, path));
                }
            }
        }
        Ok(Self { by_request: results, removed: OnceCell::new(), judged: OnceCell::new() })
    }

    /// Every request of the site.
    pub fn ids(&self, site: &Site) -> Result<BTreeSet<RequestId>, Fault> {
        let mut ids: BTreeSet<RequestId> = self.by_request.keys().cloned().collect();
        for state in State::ALL {
            ids.extend(recovery::ids(&state.folder(site))?);
        }
        let refused = listed(&site.quarantine())?;
        ids.extend(refused.iter().filter_map(|path| RequestId::parse(path.file_name()?.to_str()?).ok()));
        let inbox = site.inbox();
        for path in listed(&inbox)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // A signature is a drop for a request, and no request.
            if name.ends_with(".sig") && !inbox.join(&*name).is_dir() {
                continue;
            }
            let stem = name.strip_suffix(".md").or(name.strip_suffix(".json")).unwrap_or(&name);
            ids.extend(RequestId::parse(stem).ok());
        }
        Ok(ids)
    }

    /// Every request of the site, or every one that was dropped since a time, by the time of its drop, the newest first.
    pub fn newest_first(&self, site: &Site, since: Option<DateTime<Utc>>) -> Result<Vec<RequestId>, Fault> {
        let ids = self.ids(site)?;
        let dropped = ids.into_iter().map(|id| (self.dropped(site, &id), id));
        let mut dropped: Vec<_> = dropped.filter(|(time, _)| *time >= since).collect();
        dropped.sort_unstable_by(|left, right| right.cmp(left));
        Ok(dropped.into_iter().map(|(_, id)| id).collect())
    }

    /// Where the results of a request lie.
    pub fn places(&self, id: &RequestId) -> &[Place] {
        self.by_request.get(id).map_or(&[], Vec::as_slice)
    }

    /// Whether the rejected result of a request was removed from the quarantine.
    fn was_removed(&self, site: &Site, id: &RequestId) -> Result<bool, Fault> {
        if self.removed.get().is_none() {
            let ids = removals(site)?.into_iter().filter_map(|removal| removal.request_id);
            let _ = self.removed.set(ids.collect());
        }
        Ok(self.removed.get().is_some_and(|removed| removed.contains(id.as_str())))
    }

    /// The name of the result of a request, once the gate has judged it.
    fn judged(&self, site: &Site, id: &RequestId) -> Result<Option<&String>, Fault> {
        if self.judged.get().is_none() {
            let judged = exchange::judged(site)?.into_iter().filter(|judged| !judged.is_bare_document);
            let _ = self.judged.set(judged.map(|judged| (judged.request_id, judged.result_id)).collect());
        }
        Ok(self.judged.get().and_then(|judged| judged.get(id.as_str())))
    }

    /// Where a request is whose result was found in no folder.
    fn without_result(&self, site: &Site, id: &RequestId, plain: Progress) -> Result<Progress, Fault> {
        if self.was_removed(site, id)? {
            return Ok(Progress { state: "removed", ..plain });
        }
        let Some(name) = self.judged(site, id)? else { return Ok(Progress { state: "judging", ..plain }) };
        // The gate may have moved it while the folders were read: it says what it judged before it moves it.
        let accepted = site.core_inbound().join(name);
        if accepted.symlink_metadata().is_ok() {
            return Ok(with_result(id, "accepted", &accepted));
        }
        if let Some(rejected) = quarantine::places(site, name)?.first() {
            return Ok(with_result(id, "rejected", rejected));
        }
        let state = if site.outbox().join(name).symlink_metadata().is_ok() {
            "judging"
        } else if may_look_into(&site.quarantine()) {
            "missing"
        } else if Verdicts::read(site)?.accepted(id.as_str()).is_some() {
            // On its way to where everybody may look.
            "judging"
        } else {
            "rejected"
        };
        Ok(Progress { state, result_id: Some(name.clone()), ..plain })
    }

    /// Where a request is; `None` when nothing is known of it.
    pub fn progress(&self, site: &Site, id: &RequestId) -> Result<Option<Progress>, Fault> {
        let Some(found) = self.find(site, id)? else { return Ok(None) };
        // What the gate did not accept says nothing here.
        let said = found.evidence.as_ref().filter(|_| found.is_in_core()).map(|evidence| evidence.dropped.utc.clone());
        let seen = || self.dropped(site, id).map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true));
        Ok(Some(Progress { dropped_utc: said.or_else(seen), ..found }))
    }

    /// When a request was dropped: when its record was written as it was claimed, and before that, when the drop was. Of what was
    /// never claimed here, when its result was made. Looks at one file, for a site may hold many requests.
    pub fn dropped(&self, site: &Site, id: &RequestId) -> Option<DateTime<Utc>> {
        let written = |path: PathBuf| path.symlink_metadata().and_then(|metadata| metadata.modified()).ok();
        let record = |state: State| written(state.folder(site).join(id.as_str()).join(CLAIM_FILE));
        let drops = || ["", ".md", ".json"].map(|ending| site.inbox().join(format!("{id}{ending}")));
        let refused = || written(site.quarantine().join(id.as_str()).join(quarantine::RECORD));
        let found = State::ALL.into_iter().rev().find_map(record);
        let found = found.or_else(|| drops().into_iter().find_map(written)).or_else(refused);
        let sealed = || {
            let names = self.by_request.get(id)?.iter().filter_map(|(_, path)| path.file_name()?.to_str());
            names
                .filter_map(|name| ResultId::parse(name.strip_suffix(".md").unwrap_or(name)).ok())
                .map(|id| id.created())
                .min()
        };
        found.map(DateTime::from).or_else(sealed)
    }

    fn find(&self, site: &Site, id: &RequestId) -> Result<Option<Progress>, Fault> {
        let mut stray = None;
        for (state, path) in self.by_request.get(id).into_iter().flatten() {
            let found = with_result(id, state, path);
            // A bare document that was not let in is no answer to a request of which more is known.
            if !found.foreign || found.is_in_core() {
                return Ok(Some(found));
            }
            stray = stray.or(Some(found));
        }
        let refused = site.quarantine().join(id.as_str());
        let plain = |state, path| Progress {
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
        };
        if let Some((state, _)) = record::locate(site, id)? {
            let path = state.folder(site).join(id.as_str());
            let found = plain(state.as_str(), path);
            return Ok(Some(match state {
                State::Done => self.without_result(site, id, found)?,
                _ => found,
            }));
        }
        if let Some(refusal) = read::<Refusal>(&refused.join("reasons.json")) {
            let (decided_utc, reasons) = (Some(refusal.refused_utc), refusal.reasons);
            return Ok(Some(Progress { decided_utc, reasons, ..plain("quarantined", refused) }));
        }
        let dropped = ["", ".md", ".json"].map(|ending| site.inbox().join(format!("{id}{ending}")));
        let dropped = dropped.into_iter().find(|path| path.symlink_metadata().is_ok());
        Ok(dropped.map(|path| plain("dropped", path)).or(stray))
    }
}

/// The paths in a folder; none for whoever may not list it, as a requester the inbox and what the gate did not accept.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(Vec::new()),
        entries => entries.on("list", folder)?,
    };
    entries.map(|entry| Ok(entry.on("list", folder)?.path())).collect()
}

fn may_look_into(folder: &Path) -> bool {
    rustix::fs::access(folder, Access::READ_OK | Access::EXEC_OK).is_ok()
}

fn with_result(id: &RequestId, state: &'static str, path: &Path) -> Progress {
    let is_document = state == "judging" && path.is_file();
    let name = if is_document { path.file_stem() } else { path.file_name() };
    let name = name.unwrap_or_default().to_string_lossy().into_owned();
    let bundle = if state == "rejected" { path.join("untouched").join(&name) } else { path.to_owned() };
    let verdict_path = if state == "rejected" { path.join("reasons.json") } else { path.join("verdict.json") };
    let verdict = read::<Verdict>(&verdict_path);
    let released = verdict.as_ref().and_then(|verdict| verdict.released.clone());
    let is_released = state == "accepted" && released.is_some();
    Progress {
        request_id: id.to_string(),
        state: if is_released { "released" } else { state },
        dropped_utc: None,
        result_id: Some(name),
        path: path.to_owned(),
        evidence: read(&bundle.join("evidence.json"))
            .and_then(|evidence| if state == "accepted" { Some(evidence) } else { withheld(evidence) }),
        foreign: is_document || verdict.as_ref().is_some_and(|verdict| verdict.is_bare_document),
        decided_utc: verdict.as_ref().map(|verdict| verdict.judged_utc.clone()),
        reasons: verdict.map(|verdict| verdict.reasons).unwrap_or_default(),
        released,
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
    serde_json::from_slice(&regular_file::read(path, EVIDENCE_MAX_BYTES).ok()?).ok()
}
