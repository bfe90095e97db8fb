//! What the gate knows of a site, read from the folders that requesters and tools cannot write to.
//!
//! *Security*: another user may own these folders, so what is no regular file of at most 1 MiB is passed over.

use crate::bundle::Bundle;
use crate::judge::Knowledge;
use crate::ledger::Verdicts;
use crate::policy::{Policy, SitePolicy};
use gatepost_documents::digest::Digest;
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};
use gatepost_mailbox::site::Site;

/// The knowledge that one bundle is judged with.
#[derive(Debug)]
pub struct SiteKnowledge<'a> {
    site: &'a Site,
    policy: &'a SitePolicy,
    verdicts: &'a Verdicts,
    bundle_sha256: Digest,
}

impl<'a> SiteKnowledge<'a> {
    /// What `site`, its `policy` and its `verdicts` say that bears on `bundle`.
    pub fn new(site: &'a Site, policy: &'a SitePolicy, verdicts: &'a Verdicts, bundle: &Bundle) -> Self {
        Self { site, policy, verdicts, bundle_sha256: bundle.digest() }
    }
}

impl Knowledge for SiteKnowledge<'_> {
    /// Hashes the private copy that TOOL-EXEC made of the request, and so does not depend on what it wrote about it.
    fn request(&self, id: &RequestId) -> Option<Digest> {
        // A request moves from running to done while it is looked for, never back.
        for folder in [self.site.running(), self.site.done()] {
            for name in ["request.md", "request.json"] {
                if let Ok(bytes) = regular_file::read(&folder.join(id.as_str()).join(name), DOCUMENT_MAX_BYTES) {
                    return Some(Digest::of(&bytes));
                }
            }
        }
        None
    }

    /// The same bytes under the same name are no second result: they are the first one, found again after a crash.
    fn earlier_result(&self, request: &RequestId) -> Option<ResultId> {
        let (result_id, digest) = self.verdicts.accepted(request.as_str())?;
        if digest == self.bundle_sha256 { None } else { ResultId::parse(result_id).ok() }
    }

    fn is_manifest(&self, digest: &Digest) -> bool {
        let Ok(entries) = self.site.tools().read_dir() else { return false };
        entries.filter_map(Result::ok).any(|entry| {
            let manifest = entry.file_name().to_string_lossy().ends_with(".clad.toml");
            manifest
                && regular_file::read(&entry.path(), DOCUMENT_MAX_BYTES)
                    .is_ok_and(|bytes| Digest::of(&bytes) == *digest)
        })
    }

    fn policy(&self) -> &Policy {
        &self.policy.policy
    }

    fn gate_toml_sha256(&self) -> Digest {
        self.policy.sha256
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn a_fifo_in_the_place_of_a_request_or_a_manifest_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        for path in Site::FOLDERS {
            fs::create_dir_all(site.root().join(path)).unwrap();
        }
        let (verdicts, policy) = (Verdicts::default(), SitePolicy::of(&site).unwrap());
        let knowledge = SiteKnowledge::new(&site, &policy, &verdicts, &Bundle::default());
        let id = RequestId::parse("TR-20260209-160501Z-a").unwrap();
        let (running, done) = (site.running().join(id.as_str()), site.done().join(id.as_str()));
        for place in [&running, &done] {
            fs::create_dir(place).unwrap();
        }
        for fifo in [running.join("request.md"), site.tools().join("a.clad.toml")] {
            mknodat(CWD, fifo, FileType::Fifo, Mode::RWXU, 0).unwrap();
        }
        assert_eq!(knowledge.request(&id), None);
        fs::write(done.join("request.md"), "request").unwrap();
        fs::write(site.tools().join("b.clad.toml"), "manifest").unwrap();
        assert_eq!(knowledge.request(&id), Some(Digest::of(b"request")));
        assert!(knowledge.is_manifest(&Digest::of(b"manifest")) && !knowledge.is_manifest(&Digest::of(b"")));
    }
}
