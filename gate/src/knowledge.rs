//! What the gate knows of a site, read from the folders that requesters and tools cannot write to.

use std::fs;

use crate::bundle::Bundle;
use crate::digest::{Digest, Hasher};
use crate::id::{RequestId, ResultId};
use crate::judge::Knowledge;
use crate::ledger::Ledger;
use crate::site::Site;

/// The knowledge that one bundle is judged with.
#[derive(Debug)]
pub struct SiteKnowledge<'a> {
    site: &'a Site,
    ledger: &'a Ledger,
    bundle_sha256: Digest,
}

impl<'a> SiteKnowledge<'a> {
    /// What `site` and `ledger` know that bears on `bundle`.
    pub fn new(site: &'a Site, ledger: &'a Ledger, bundle: &Bundle) -> Self {
        Self { site, ledger, bundle_sha256: bundle.digest() }
    }
}

impl Knowledge for SiteKnowledge<'_> {
    /// Hashes the private copy that TOOL-EXEC made of the request, and so does not depend on what it wrote about it.
    fn request(&self, id: &RequestId) -> Option<Digest> {
        // A request moves from running to done while it is looked for, never back.
        for folder in [self.site.running(), self.site.done()] {
            for name in ["request.md", "request.json"] {
                if let Ok(bytes) = fs::read(folder.join(id.as_str()).join(name)) {
                    return Some(Digest::of(&bytes));
                }
            }
        }
        None
    }

    /// The same bytes under the same name are no second result: they are the first one, found again after a crash.
    fn earlier_result(&self, request: &RequestId) -> Option<ResultId> {
        let (result_id, digest) = self.ledger.accepted(request.as_str())?;
        if digest == self.bundle_sha256 { None } else { ResultId::parse(result_id).ok() }
    }

    fn is_manifest(&self, digest: &Digest) -> bool {
        let Ok(entries) = self.site.tools().read_dir() else { return false };
        entries.filter_map(Result::ok).any(|entry| {
            let manifest = entry.file_name().to_string_lossy().ends_with(".clad.toml");
            manifest && fs::File::open(entry.path()).and_then(Hasher::read).is_ok_and(|(found, _)| found == *digest)
        })
    }
}
