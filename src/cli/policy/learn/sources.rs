//! The evidence of the results in core/inbound and in quarantine.
//!
//! *Security*: hostile bytes, read below folders by descriptor, within the gate's own limit. Anybody may have made a rejected result. Its
//! evidence is used only if the gate confirmed that it matches a request that the site had claimed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gatepost_documents::evidence::Evidence;
use gatepost_documents::id::ResultId;
use gatepost_documents::json;
use gatepost_documents::reason::Stage;
use gatepost_documents::verdict::Verdict;
use gatepost_gate::limits::Limits;
use gatepost_mailbox::folder::Folder;
use gatepost_mailbox::quarantine::{Item, Record, items};

use crate::cli::prelude::*;

const EVIDENCE: &str = "evidence.json";

/// The evidence found.
pub(super) struct Sources {
    /// The usable evidence, one per result.
    pub evidence: Vec<Evidence>,
    /// The codes of the gate's rejections, with the requests.
    pub rejected: BTreeMap<Code, BTreeSet<String>>,
    /// The requests whose evidence is not used, and why.
    pub unread: Vec<(String, &'static str)>,
}

impl Sources {
    /// Reads all results.
    pub(super) fn read(site: &Site) -> Result<Self, Fault> {
        let mut sources = Self { evidence: Vec::new(), rejected: BTreeMap::new(), unread: Vec::new() };
        let inbound = Folder::of_site(site, "core/inbound")?;
        let mut known = BTreeSet::new();
        for name in inbound.names()? {
            let Some(id) = name.to_str().and_then(|name| ResultId::parse(name).ok()) else { continue };
            if !inbound.is_folder(&name)? {
                continue;
            }
            let bytes = inbound.read(Path::new(&name).join(EVIDENCE), Limits::default().evidence_bytes);
            sources.add(&id, bytes.ok().as_deref());
            known.insert(id.to_string());
        }
        for item in items(site)? {
            let Record::Verdict(verdict) = &item.record else { continue };
            let Ok(id) = ResultId::parse(&verdict.result_id) else { continue };
            sources.note(&id, verdict);
            // A released result is in core/inbound too.
            if known.insert(id.to_string()) {
                sources.add_rejected(&id, &item, verdict);
            }
        }
        Ok(sources)
    }

    fn note(&mut self, id: &ResultId, verdict: &Verdict) {
        for reason in verdict.reasons.iter().filter(|reason| reason.severity == Severity::Reject) {
            self.rejected.entry(reason.code).or_default().insert(id.request().to_string());
        }
    }

    fn add_rejected(&mut self, id: &ResultId, item: &Item, verdict: &Verdict) {
        let rejects = verdict.reasons.iter().filter(|reason| reason.severity == Severity::Reject);
        let is_confirmed =
            |code: Code| code != Code::RequestUnknown && (Stage::Authority..=Stage::Content).contains(&code.stage());
        if verdict.is_bare_document || !rejects.map(|reason| reason.code).all(is_confirmed) {
            self.unread.push((id.request().to_string(), "The gate did not confirm its evidence."));
            return;
        }
        let path = Path::new(id.as_str()).join(EVIDENCE);
        self.add(id, item.read_file(&path, Limits::default().evidence_bytes).ok().as_deref());
    }

    /// Adds the evidence of a result, if the bytes are valid evidence.
    fn add(&mut self, id: &ResultId, bytes: Option<&[u8]>) {
        let read = bytes.filter(|bytes| json::read(bytes).is_ok());
        let evidence = read.and_then(|bytes| serde_json::from_slice::<Evidence>(bytes).ok());
        match evidence.filter(|evidence| evidence.request_id == *id.request()) {
            Some(evidence) => self.evidence.push(evidence),
            None => self.unread.push((id.request().to_string(), "Its evidence cannot be read.")),
        }
    }
}
