//! The gate's own record of its decisions: a leaf per decision in the site's log (`mailbox/src/tile_log.rs`), and the
//! same as one JSON line in `var/gate/audit/verdicts.jsonl`.
//!
//! ```text
//! {"result_id":"TS-…","request_id":"TR-…","verdict":"ACCEPT","bundle_sha256":"…","request_sha256":"…","verdict_sha256":"…",
//!  "gate_toml_sha256":"…","attestation_key":"SHA256:…","judged_utc":"…","codes":[]}
//! ```
//!
//! A removal from the quarantine is also such a leaf, with the same content as its line in `removals.jsonl`. The leaf is on disk before a
//! bundle gets its final name, so no verdict is given twice. At startup the gate reads the whole log, computes its tree again and completes
//! the lines, which are for people. A site with lines but no log is older than the log, which then begins with them.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::imported;
use crate::submission::Submission;
use gatepost_documents::attestation::LogPlace;
use gatepost_documents::digest::Digest;
use gatepost_documents::not_checked::NotChecked;
use gatepost_documents::reason::{Code, each_once};
use gatepost_documents::release::{Override, flagging};
use gatepost_documents::verdict::{Decision, Verdict, is_false};
use gatepost_mailbox::exchange::Judged;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::quarantine::{Removal, removals};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::Site;
use gatepost_mailbox::tile_log::{self, LogFolder, Place, TileLog};
use gatepost_signatures::PublicKey;

/// The maximum size of an older record with which a log begins, bytes.
const LINES_MAX_BYTES: u64 = 1 << 30;

/// One leaf.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant, reason = "nearly all leaves are verdicts")]
pub enum Leaf {
    /// A verdict, or a release.
    Verdict(Entry),
    /// A person's removal of an item from the quarantine.
    Removal(Removal),
}

/// One verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The bundle's name.
    pub result_id: String,
    /// The request in that name; empty if the name is no result id.
    pub request_id: String,
    /// The decision.
    pub verdict: Decision,
    /// The bundle's digest.
    pub bundle_sha256: Digest,
    /// The digest of the request in the bundle; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_sha256: Option<Digest>,
    /// The digest of the verdict file beside the bundle: `verdict.json`, or `reasons.json`. Absent in decisions that
    /// are older than the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict_sha256: Option<Digest>,
    /// The digest of the `gate.toml` in force; see [`Verdict::gate_toml_sha256`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate_toml_sha256: Option<Digest>,
    /// The fingerprint of the key that attests it, `SHA256:…`. Absent in a rejection, and in decisions that are older
    /// than attestations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attestation_key: Option<String>,
    /// When, RFC 3339, UTC.
    pub judged_utc: String,
    /// The codes of all reasons, each once, in order of appearance.
    pub codes: Vec<Code>,
    /// Those of the codes that only flag.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Code>,
    /// Whether it was a bare document; see [`Verdict::is_bare_document`].
    #[serde(rename = "foreign", default, skip_serializing_if = "is_false")]
    pub is_bare_document: bool,
    /// Whether something in it could not be read, so that its item may hold less than was judged.
    #[serde(rename = "partial", default, skip_serializing_if = "is_false")]
    pub is_partial: bool,
    /// What could not be checked; see [`Verdict::not_checked`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<NotChecked>,
    /// Who released this rejected bundle.
    #[serde(rename = "override", default, skip_serializing_if = "Option::is_none")]
    pub released: Option<Override>,
    /// The decision of another site's gate on which an acceptance rests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<LogPlace>,
}

impl Entry {
    /// The leaf for a verdict on a submission. `verdict_sha256` is the digest of the verdict's file; `key` attests it
    /// if it accepts.
    pub fn new(verdict: &Verdict, submission: &Submission, verdict_sha256: Digest, key: &PublicKey) -> Self {
        Self {
            result_id: verdict.result_id.clone(),
            request_id: verdict.request_id.clone(),
            verdict: verdict.verdict,
            bundle_sha256: verdict.bundle_sha256,
            request_sha256: submission.request_sha256(),
            verdict_sha256: Some(verdict_sha256),
            gate_toml_sha256: verdict.gate_toml_sha256,
            attestation_key: (verdict.verdict == Decision::Accept).then(|| key.fingerprint()),
            judged_utc: verdict.judged_utc.clone(),
            // A leaf has a maximum size, and a hostile bundle as many reasons as it likes.
            codes: each_once(verdict.reasons.iter().map(|reason| reason.code)),
            flags: flagging(&verdict.reasons),
            is_bare_document: verdict.is_bare_document,
            is_partial: !submission.is_whole(),
            not_checked: verdict.not_checked.clone(),
            released: verdict.released.clone(),
            imported: imported::place(verdict),
        }
    }

    /// Whether the verdict file of this decision has this digest, as far as the leaf states one.
    pub fn has_verdict(&self, verdict_sha256: Option<Digest>) -> bool {
        self.verdict_sha256.is_none() || self.verdict_sha256 == verdict_sha256
    }
}

impl From<&Entry> for Judged {
    fn from(entry: &Entry) -> Self {
        Self {
            result_id: entry.result_id.clone(),
            request_id: entry.request_id.clone(),
            is_bare_document: entry.is_bare_document,
            verdict: Some(entry.verdict),
            codes: entry.codes.clone(),
            flags: entry.flags.clone(),
        }
    }
}

/// The verdicts given so far, and the log to which new ones are added.
#[derive(Debug)]
pub struct Ledger {
    /// Leaves are added without holding a lock around this, so that several share an fsync.
    log: Arc<TileLog>,
    verdicts: Verdicts,
}

/// The verdicts given so far.
#[derive(Debug, Default)]
pub struct Verdicts {
    accepted: HashMap<String, (String, Digest)>,
    judged: HashMap<(String, Digest), Given>,
    released: HashMap<(String, Digest), Override>,
    /// The names under which removed items were hidden, each drawn for one removal.
    removed: HashSet<String>,
}

/// The latest verdict on an item.
#[derive(Debug, Clone, Copy)]
struct Given {
    decision: Decision,
    logged: Option<Logged>,
}

/// A leaf: its index, and the digest of its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Logged {
    pub(crate) index: u64,
    pub(crate) sha256: Digest,
}

/// Creates the log of a site without one, with its gate's earlier decisions.
pub fn begin(site: &Site) -> Result<(), Fault> {
    if Place::of_gate(site).is_begun() {
        return Ok(());
    }
    let verdicts = lines(site)?.into_iter().map(|entry| Entry { codes: each_once(entry.codes), ..entry });
    let removals = removals(site)?.into_iter();
    let removals = removals.map(|removal| Removal { codes: each_once(removal.codes.clone()), ..removal });
    let leaves = verdicts.map(Leaf::Verdict).chain(removals.map(Leaf::Removal));
    let leaves = leaves.map(|leaf| serde_json::to_vec(&leaf).map_err(io::Error::from).on("begin", &site.gate_log()));
    tile_log::begin(&Place::of_gate(site), &leaves.collect::<Result<Vec<_>, _>>()?)
}

impl Ledger {
    /// Opens the ledger of a site, reads it, and creates it if it is missing. Also returns the decisions to announce.
    pub fn open(site: &Site) -> Result<(Self, Vec<Judged>), Fault> {
        begin(site)?;
        let (mut verdicts, mut judged) = (Verdicts::default(), Vec::new());
        let mut index = 0..;
        let log = TileLog::open(&Place::of_gate(site), |leaf| {
            let logged = index.next().map(|index| Logged { index, sha256: Digest::of(leaf) });
            let leaf = parse(site, leaf)?;
            judged.extend(if let Leaf::Verdict(entry) = &leaf { Some(Judged::from(entry)) } else { None });
            verdicts.remember_leaf(leaf, logged);
            Ok(())
        })?;
        Ok((Self { log: Arc::new(log), verdicts }, judged))
    }

    /// The log, to add a verdict to; the caller must then record it here.
    pub fn log(&self) -> Arc<TileLog> {
        Arc::clone(&self.log)
    }

    /// Records a verdict whose leaf is on disk; returns it as it is announced.
    pub(crate) fn remember(&mut self, entry: Entry, logged: Logged) -> Judged {
        let judged = Judged::from(&entry);
        self.verdicts.remember(entry, Some(logged));
        judged
    }

    /// Records a logged removal.
    pub fn remember_removal(&mut self, removal: &Removal) {
        self.verdicts.removed.insert(removal.aside.clone());
    }

    /// The verdicts given so far.
    pub fn verdicts(&self) -> &Verdicts {
        &self.verdicts
    }
}

impl Verdicts {
    /// The verdicts in a site's ledger, read without a lock: for reports and dry runs, since more may come at once.
    pub fn read(site: &Site) -> Result<Self, Fault> {
        let mut verdicts = Self::default();
        if Place::of_gate(site).is_begun() {
            LogFolder::at(&site.gate_log()).leaves(|leaf| {
                verdicts.remember_leaf(parse(site, leaf)?, None);
                Ok(())
            })?;
        } else {
            lines(site)?.into_iter().for_each(|entry| verdicts.remember(entry, None));
        }
        Ok(verdicts)
    }

    fn remember_leaf(&mut self, leaf: Leaf, logged: Option<Logged>) {
        match leaf {
            Leaf::Verdict(entry) => self.remember(entry, logged),
            Leaf::Removal(removal) => drop(self.removed.insert(removal.aside)),
        }
    }

    /// Whether exactly this removal is logged.
    pub fn is_removal(&self, removal: &Removal) -> bool {
        self.removed.contains(&removal.aside)
    }

    fn remember(&mut self, entry: Entry, logged: Option<Logged>) {
        let bundle = (entry.result_id, entry.bundle_sha256);
        if entry.verdict == Decision::Accept {
            self.accepted.entry(entry.request_id).or_insert_with(|| bundle.clone());
        }
        if let Some(released) = entry.released {
            self.released.insert(bundle.clone(), released);
        }
        self.judged.insert(bundle, Given { decision: entry.verdict, logged });
    }

    /// The accepted result of a request, with its bundle's digest.
    pub fn accepted(&self, request_id: &str) -> Option<(&str, Digest)> {
        self.accepted.get(request_id).map(|(result_id, digest)| (result_id.as_str(), *digest))
    }

    /// The earlier verdict on exactly these bytes under this name.
    pub fn judged(&self, result_id: &str, bundle_sha256: Digest) -> Option<Decision> {
        self.judged.get(&(result_id.to_owned(), bundle_sha256)).map(|given| given.decision)
    }

    /// The index of the leaf with exactly this decision, if it is the latest on these bytes under this name.
    pub(crate) fn index_of(&self, entry: &Entry) -> Option<u64> {
        let logged = self.judged.get(&(entry.result_id.clone(), entry.bundle_sha256))?.logged?;
        let leaf = serde_json::to_vec(entry).ok()?;
        (logged.sha256 == Digest::of(&leaf)).then_some(logged.index)
    }

    /// The override with which exactly these bytes were released under this name.
    pub fn released(&self, result_id: &str, bundle_sha256: Digest) -> Option<&Override> {
        self.released.get(&(result_id.to_owned(), bundle_sha256))
    }
}

fn parse(site: &Site, leaf: &[u8]) -> Result<Leaf, Fault> {
    serde_json::from_slice(leaf).map_err(io::Error::from).on("read a decision in", &site.gate_log())
}

/// The decisions of a site that has no log; skips a torn last line.
fn lines(site: &Site) -> Result<Vec<Entry>, Fault> {
    let path = site.gate_decisions();
    let bytes = match regular_file::read(&path, LINES_MAX_BYTES) {
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
            imported: None,
            program: None,
            confinement: None,
        }
    }

    fn site() -> (tempfile::TempDir, Site) {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        std::fs::create_dir_all(site.gate_audit()).unwrap();
        (folder, site)
    }

    fn entries() -> Vec<Entry> {
        let submission = Submission::Bundle(crate::bundle::Bundle::default());
        let given = [("TS-refused", Decision::Reject), ("TS-first", Decision::Accept)];
        let verdicts = given.map(|(result_id, decision)| verdict(result_id, decision));
        let key = gatepost_signatures::SigningKey::from_seed(&[7; 32], "").unwrap();
        verdicts.iter().map(|verdict| Entry::new(verdict, &submission, Digest::of(b"file"), key.public())).collect()
    }

    fn are_known(verdicts: &Verdicts) {
        assert_eq!(verdicts.accepted("TR-20260209-160501Z-a"), Some(("TS-first", Digest::of(b"TS-first"))));
        assert_eq!(verdicts.judged("TS-refused", Digest::of(b"TS-refused")), Some(Decision::Reject));
        assert_eq!(verdicts.judged("TS-refused", Digest::of(b"other")), None);
    }

    #[test]
    fn verdicts_outlive_the_gate_and_their_lines_are_made_whole() {
        let (_folder, site) = site();
        let (mut ledger, _) = Ledger::open(&site).unwrap();
        for entry in entries() {
            let leaf = serde_json::to_vec(&entry).unwrap();
            let logged = Logged { index: ledger.log().add(&leaf).unwrap(), sha256: Digest::of(&leaf) };
            ledger.remember(entry, logged);
        }
        drop(ledger);
        let whole = std::fs::read(site.gate_decisions()).unwrap();
        assert_eq!(lines(&site).unwrap(), entries());
        for bytes in [&whole[..9], b"", &[&whole[..], b"{}\n{"].concat(), b"{}\n"] {
            std::fs::write(site.gate_decisions(), bytes).unwrap();
            are_known(&Verdicts::read(&site).unwrap());
            let (ledger, judged) = Ledger::open(&site).unwrap();
            assert_eq!(judged.len(), 2);
            are_known(ledger.verdicts());
            for (index, entry) in (0..).zip(entries()) {
                assert_eq!(ledger.verdicts().index_of(&entry), Some(index));
                let attestation_key = Some("SHA256:another".to_owned());
                assert_eq!(ledger.verdicts().index_of(&Entry { attestation_key, ..entry }), None);
            }
            assert_eq!(std::fs::read(site.gate_decisions()).unwrap(), whole);
        }
    }

    #[test]
    fn a_log_begins_with_the_lines_of_a_site_that_is_older_and_damage_in_them_is_a_fault() {
        let (_folder, site) = site();
        let line = |entry: &Entry| serde_json::to_string(entry).unwrap() + "\n";
        let older: String = entries().iter().map(line).collect();
        std::fs::write(site.gate_decisions(), format!("not json\n{older}")).unwrap();
        assert!(Ledger::open(&site).is_err() && !Place::of_gate(&site).is_begun());
        std::fs::write(site.gate_decisions(), format!("{older}{{\"result_id\":")).unwrap();
        are_known(&Verdicts::read(&site).unwrap());
        are_known(Ledger::open(&site).unwrap().0.verdicts());
        assert_eq!(std::fs::read_to_string(site.gate_decisions()).unwrap(), older);
    }
}
