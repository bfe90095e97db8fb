//! The gate's own knowledge for a judgement, read beforehand in one place: judging reads nothing else.
//!
//! ```text
//! var/exchange/claimed/<request id>   the digest of what was claimed          TOOL-EXEC's word
//! var/gate/audit                      the result that was accepted earlier     the gate's own
//! tools/*.clad.toml, keys/            the manifests; the pins, the keys        the operator's
//! gate.toml                           the policy                               the operator's
//! ```
//!
//! *Security*: other users may own these folders, so anything except a regular file of at most 1 MiB is skipped. If a
//! file only cannot be read now, it is an error of the system, and the submission waits.

use std::collections::BTreeSet;
use std::io;

use chrono::{DateTime, Utc};

use crate::ledger::Verdicts;
use crate::manifest::Manifest;
use crate::policy::{Accept, Policy, SitePolicy};
use crate::submission::Submission;
use gatepost_content::RuleSet;
use gatepost_documents::digest::Digest;
use gatepost_documents::enforced::Enforced;
use gatepost_documents::id::ResultId;
use gatepost_documents::pins::Pins;
use gatepost_documents::program::Program;
use gatepost_mailbox::exchange;
use gatepost_mailbox::fault::{Fault, OnPath, is_passing};
use gatepost_mailbox::keys;
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};
use gatepost_mailbox::site::Site;
use gatepost_signatures::{Namespace, Signers};

/// The input of a verdict besides the submission.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The time that the verdict states; no rule reads it.
    pub now: DateTime<Utc>,
    /// The program that judges; `None` if it could not read itself.
    pub program: Option<Program>,
    /// The confinement of the gate; `None` if it did not confine itself.
    pub confinement: Option<Enforced>,
    /// The rules on content.
    pub rules: RuleSet,
    /// What an importing gate accepts, which knows nothing else of the request. Otherwise the site's policy applies;
    /// for an auditor, none.
    pub accept: Option<Accept>,
    /// What the site knows; `None` for an auditor, who has a bundle and no site. Rules that need it are skipped.
    pub site: Option<SiteFacts>,
}

impl Facts {
    /// The facts of an auditor.
    pub fn without_site(now: DateTime<Utc>) -> Self {
        Self { now, program: None, confinement: None, rules: RuleSet::built_in().clone(), accept: None, site: None }
    }
}

/// A site's knowledge about one submission, which no sender can change.
#[derive(Debug, Clone)]
pub struct SiteFacts {
    /// The digest of the bytes claimed under its request's id; `None` if nothing was claimed.
    pub claimed_request: Option<Digest>,
    /// The result accepted earlier for its request. The same bytes under the same name are not a second result: the
    /// gate found the first one again after a crash.
    pub earlier_result: Option<ResultId>,
    /// The digests of the site's manifests.
    pub manifests: BTreeSet<Digest>,
    /// The keys of approvers.
    pub approvers: Signers,
    /// The keys of requesters.
    pub requesters: Signers,
    /// The tools that the operator pinned.
    pub pins: Pins,
    /// The operator's demands.
    pub policy: SitePolicy,
}

impl SiteFacts {
    /// Reads the facts from `site`, its `policy` and the gate's `verdicts`.
    pub fn gather(
        site: &Site,
        policy: &SitePolicy,
        verdicts: &Verdicts,
        submission: &Submission,
    ) -> Result<Self, Fault> {
        let request = submission.id().map(ResultId::request);
        let earlier = request.and_then(|request| verdicts.accepted(request.as_str()));
        let digest = submission.digest();
        Ok(Self {
            claimed_request: request.map(|request| exchange::claimed(site, request)).transpose()?.flatten(),
            earlier_result: earlier
                .filter(|(_, accepted)| *accepted != digest)
                .and_then(|(result_id, _)| ResultId::parse(result_id).ok()),
            manifests: manifest_files(site)?.iter().map(|bytes| Digest::of(bytes)).collect(),
            approvers: keys::read(site, Namespace::Approval)?,
            requesters: keys::read(site, Namespace::Request)?,
            pins: pins(site)?,
            policy: policy.clone(),
        })
    }
}

/// The pins of a site; `None` without such a file. While it is unreadable, malformed or writable by others, the gate
/// judges nothing.
pub(crate) fn pins(site: &Site) -> Result<Pins, Fault> {
    let path = site.pins_file();
    let bytes = match regular_file::read(&path, DOCUMENT_MAX_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Pins::default()),
        read => read.on("read", &path)?,
    };
    keys::check_rights(&path)?;
    toml::from_slice(&bytes).map_err(io::Error::other).on("read", &path)
}

/// The tools named by `[[content.tool]]` for which the site has no manifest.
pub(crate) fn unknown_tools(site: &Site, policy: &Policy) -> Result<Vec<String>, Fault> {
    let known: BTreeSet<String> =
        manifest_files(site)?.iter().filter_map(|bytes| Manifest::read(bytes)).map(|manifest| manifest.name).collect();
    let expected = policy.content.tool.iter().map(|expectation| expectation.name.clone());
    Ok(expected.filter(|name| !known.contains(name)).collect())
}

/// The bytes of a site's manifests. One that is no regular file, or vanishes meanwhile, is skipped.
fn manifest_files(site: &Site) -> Result<Vec<Vec<u8>>, Fault> {
    let folder = site.tools();
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.on("list", &folder)?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.on("list", &folder)?;
        if entry.file_name().to_string_lossy().ends_with(".clad.toml") {
            match regular_file::read(&entry.path(), DOCUMENT_MAX_BYTES) {
                Err(error) if is_passing(&error) => return Err(error).on("read", &entry.path()),
                read => files.extend(read.ok()),
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;
    use crate::bundle::Bundle;

    const RESULT: &str = "TS-20260209-161030Z-TR-20260209-160501Z-a";

    fn site() -> (tempfile::TempDir, Site) {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        for path in Site::FOLDERS {
            fs::create_dir_all(site.root().join(path)).unwrap();
        }
        (folder, site)
    }

    fn gather(site: &Site) -> Result<SiteFacts, Fault> {
        let submission = Submission::Bundle(Bundle::called(OsStr::new(RESULT)));
        SiteFacts::gather(site, &SitePolicy::read(site).unwrap(), &Verdicts::default(), &submission)
    }

    #[test]
    fn what_was_claimed_is_the_word_in_the_exchange_and_nothing_of_tool_execs_own_is_read() {
        let (_folder, site) = site();
        let id = ResultId::parse(RESULT).unwrap().request().clone();
        // Entries of var/exec are inaccessible: a file replaces the folder.
        fs::remove_dir_all(site.root().join("var/exec")).unwrap();
        fs::write(site.root().join("var/exec"), "x").unwrap();
        assert_eq!(gather(&site).unwrap().claimed_request, None);
        exchange::note_claimed(&site, &id, Digest::of(b"request")).unwrap();
        assert_eq!(gather(&site).unwrap().claimed_request, Some(Digest::of(b"request")));
    }

    #[test]
    fn an_exchange_that_is_out_of_reach_is_a_fault_and_no_answer() {
        let (_folder, site) = site();
        fs::remove_dir(site.exchange_claimed()).unwrap();
        fs::write(site.exchange_claimed(), "x").unwrap();
        assert!(gather(&site).is_err());
    }

    #[test]
    fn pins_that_others_may_write_to_are_a_fault() {
        use std::os::unix::fs::PermissionsExt as _;

        let (_folder, site) = site();
        fs::write(site.pins_file(), "").unwrap();
        for (mode, is_used) in [(0o644, true), (0o666, false)] {
            fs::set_permissions(site.pins_file(), fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(gather(&site).is_ok(), is_used, "{mode:o}");
        }
    }

    #[test]
    fn a_manifest_is_a_regular_file_of_its_ending() {
        let (_folder, site) = site();
        mknodat(CWD, site.tools().join("a.clad.toml"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        fs::write(site.tools().join("b.clad.toml"), "manifest").unwrap();
        fs::write(site.tools().join("c.toml"), "other").unwrap();
        assert_eq!(gather(&site).unwrap().manifests, BTreeSet::from([Digest::of(b"manifest")]));
    }
}
