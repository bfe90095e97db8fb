//! The gate's own record of its verdicts: one JSON object a line in `var/gate/audit/verdicts.jsonl`.
//!
//! ```text
//! {"result_id":"TS-…","request_id":"TR-…","verdict":"ACCEPT","bundle_sha256":"…","gate_toml_sha256":"…","judged_utc":"…","codes":[]}
//! ```
//!
//! Written and flushed before a bundle gets its final name, so a verdict is never given twice. It is read whole when the
//! gate starts; a last line that a power cut tore off is cut away, any other damage is a fault that a person must look at.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use gatepost_documents::digest::Digest;
use gatepost_documents::not_checked::NotChecked;
use gatepost_documents::reason::Code;
use gatepost_documents::release::Override;
use gatepost_documents::verdict::{Decision, Verdict, is_false};
use gatepost_mailbox::durable::{self, Record};
use gatepost_mailbox::exchange::Judged;
use gatepost_mailbox::fault::{Fault, OnPath};

/// The ledger's file name, in the gate's audit folder.
pub const LEDGER_FILE: &str = "verdicts.jsonl";

/// One line of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The bundle's name.
    pub result_id: String,
    /// The request in that name; empty when it is no result id.
    pub request_id: String,
    /// Accepted, or not.
    pub verdict: Decision,
    /// The bundle's digest.
    pub bundle_sha256: Digest,
    /// The digest of the `gate.toml` that it was judged under; see [`Verdict::gate_toml_sha256`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate_toml_sha256: Option<Digest>,
    /// When, RFC 3339, UTC.
    pub judged_utc: String,
    /// The codes of all reasons, in their order.
    pub codes: Vec<Code>,
    /// Whether it was a bare document; see [`Verdict::is_bare_document`].
    #[serde(rename = "foreign", default, skip_serializing_if = "is_false")]
    pub is_bare_document: bool,
    /// What could not be checked; see [`Verdict::not_checked`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<NotChecked>,
    /// With what word of a person a rejected bundle was accepted all the same.
    #[serde(rename = "override", default, skip_serializing_if = "Option::is_none")]
    pub released: Option<Override>,
}

impl From<&Verdict> for Entry {
    fn from(verdict: &Verdict) -> Self {
        Self {
            result_id: verdict.result_id.clone(),
            request_id: verdict.request_id.clone(),
            verdict: verdict.verdict,
            bundle_sha256: verdict.bundle_sha256,
            gate_toml_sha256: verdict.gate_toml_sha256,
            judged_utc: verdict.judged_utc.clone(),
            codes: verdict.reasons.iter().map(|reason| reason.code).collect(),
            is_bare_document: verdict.is_bare_document,
            not_checked: verdict.not_checked.clone(),
            released: verdict.released.clone(),
        }
    }
}

impl From<&Entry> for Judged {
    fn from(entry: &Entry) -> Self {
        Self {
            result_id: entry.result_id.clone(),
            request_id: entry.request_id.clone(),
            is_bare_document: entry.is_bare_document,
        }
    }
}

/// The verdicts given so far, and the file that they are added to.
#[derive(Debug)]
pub struct Ledger {
    /// Lines are added outside of any lock around this, so that several share a flush.
    pub(crate) record: Arc<Record>,
    verdicts: Verdicts,
}

/// The verdicts given so far.
#[derive(Debug, Default)]
pub struct Verdicts {
    accepted: HashMap<String, (String, Digest)>,
    judged: HashMap<(String, Digest), Decision>,
    released: HashMap<(String, Digest), Override>,
}

impl Ledger {
    /// Opens the ledger in `folder`, reads it, and makes it if it is not there. Returns what it says too, as others are told.
    pub fn open(folder: &Path) -> Result<(Self, Vec<Judged>), Fault> {
        let path = folder.join(LEDGER_FILE);
        let new = !path.exists();
        let file = OpenOptions::new().read(true).append(true).create(true).open(&path).on("open", &path)?;
        if new {
            durable::sync_folder(folder)?;
        }
        let mut verdicts = Verdicts::default();
        let judged = verdicts.load(&file, &path)?;
        Ok((Self { record: Arc::new(Record::new(file, path)), verdicts }, judged))
    }

    /// Knows a verdict whose line is on the disk; returns it as others are told.
    pub fn remember(&mut self, entry: Entry) -> Judged {
        let judged = Judged::from(&entry);
        self.verdicts.remember(entry);
        judged
    }

    /// The verdicts given so far.
    pub fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }
}

impl Verdicts {
    /// Those of the ledger in `folder`, read without a lock: for reports and rehearsals, since more may come at once.
    pub fn read(folder: &Path) -> Result<Self, Fault> {
        let mut verdicts = Self::default();
        entries(folder)?.into_iter().for_each(|entry| verdicts.remember(entry));
        Ok(verdicts)
    }

    fn load(&mut self, file: &File, path: &Path) -> Result<Vec<Judged>, Fault> {
        let (mut reader, mut judged, mut line, mut good) = (BufReader::new(file), Vec::new(), Vec::new(), 0);
        while reader.read_until(b'\n', &mut line).on("read", path)? > 0 {
            if line.last() != Some(&b'\n') {
                file.set_len(good).on("cut the torn last line of", path)?;
                durable::flush(file, path)?;
                break;
            }
            let entry = serde_json::from_slice(&line).map_err(io::Error::from).on("read a line of", path)?;
            judged.push(Judged::from(&entry));
            self.remember(entry);
            good += line.len() as u64;
            line.clear();
        }
        Ok(judged)
    }

    fn remember(&mut self, entry: Entry) {
        let bundle = (entry.result_id, entry.bundle_sha256);
        if entry.verdict == Decision::Accept {
            self.accepted.entry(entry.request_id).or_insert_with(|| bundle.clone());
        }
        if let Some(released) = entry.released {
            self.released.insert(bundle.clone(), released);
        }
        self.judged.insert(bundle, entry.verdict);
    }

    /// The accepted result of a request, with its bundle's digest.
    pub fn accepted(&self, request_id: &str) -> Option<(&str, Digest)> {
        self.accepted.get(request_id).map(|(result_id, digest)| (result_id.as_str(), *digest))
    }

    /// The verdict that these very bytes under this name were given before.
    pub fn judged(&self, result_id: &str, bundle_sha256: Digest) -> Option<Decision> {
        self.judged.get(&(result_id.to_owned(), bundle_sha256)).copied()
    }

    /// The override with which these very bytes under this name were released.
    pub fn released(&self, result_id: &str, bundle_sha256: Digest) -> Option<&Override> {
        self.released.get(&(result_id.to_owned(), bundle_sha256))
    }
}

/// Reads the entries of the ledger in `folder` without a lock; a torn last line is left out.
pub fn entries(folder: &Path) -> Result<Vec<Entry>, Fault> {
    let path = folder.join(LEDGER_FILE);
    let bytes = match std::fs::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        bytes => bytes.on("read", &path)?,
    };
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(&bytes[..0], |end| &bytes[..end]);
    let lines = whole.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_slice(line).map_err(io::Error::from).on("read a line of", &path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatepost_documents::verdict::Checks;

    fn verdict(result_id: &str, decision: Decision) -> Verdict {
        Verdict {
            verdict: decision,
            result_id: result_id.to_owned(),
            request_id: "TR-20260209-160501Z-a".to_owned(),
            bundle_sha256: Digest::of(result_id.as_bytes()),
            rules_version: crate::judge::RULES_VERSION.to_owned(),
            gate_toml_sha256: Some(Digest::of(b"")),
            site_rules_sha256: None,
            judged_utc: "2026-02-09T16:10:31Z".to_owned(),
            gate_version: "0".to_owned(),
            reasons: Vec::new(),
            checks: Checks::default(),
            is_bare_document: false,
            not_checked: Vec::new(),
            released: None,
            program: None,
            confinement: None,
        }
    }

    #[test]
    fn verdicts_outlive_the_gate_and_a_torn_line_is_cut_away() {
        let folder = tempfile::tempdir().unwrap();
        let (mut ledger, _) = Ledger::open(folder.path()).unwrap();
        for (result_id, decision) in [("TS-refused", Decision::Reject), ("TS-first", Decision::Accept)] {
            let entry = Entry::from(&verdict(result_id, decision));
            ledger.record.add(&entry).unwrap();
            ledger.remember(entry);
        }
        drop(ledger);
        let path = folder.path().join(LEDGER_FILE);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..], b"{\"result_id\":"].concat()).unwrap();
        let read = entries(folder.path()).unwrap();
        assert_eq!((read.len(), read[0].gate_toml_sha256), (2, Some(Digest::of(b""))));
        let (ledger, judged) = Ledger::open(folder.path()).unwrap();
        assert_eq!(judged.len(), 2);
        assert_eq!(ledger.verdicts().accepted("TR-20260209-160501Z-a"), Some(("TS-first", Digest::of(b"TS-first"))));
        assert_eq!(ledger.verdicts().judged("TS-refused", Digest::of(b"TS-refused")), Some(Decision::Reject));
        assert_eq!(ledger.verdicts().judged("TS-refused", Digest::of(b"other")), None);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }

    #[test]
    fn damage_in_the_middle_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(LEDGER_FILE), "not json\n").unwrap();
        assert!(Ledger::open(folder.path()).is_err());
    }
}
