//! Finishes an earlier gate's work, from its workspaces and its ledger.
//!
//! | found in `var/gate/judging/<name>/` | done |
//! |---|---|
//! | a verdict in the ledger, and its submission | the attestation of what is accepted, the move that makes it visible |
//! | anything else, and its original waits in the outbox | left: it counts how often a gate began |
//! | anything else | removed |
//!
//! It may itself be interrupted at any point. *Security*: a copy may contain files with the names of the gate's own;
//! only files beside it are trusted, and a copy only if its digest is that of the verdict.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::workspace::{COPY, final_name, is_laid_out, settle};
use super::{Gate, names_in};
use crate::accepted;
use crate::bundle::Role;
use crate::intake;
use crate::submission::Submission;
use gatepost_documents::digest::Digest;
use gatepost_documents::verdict::{Decision, VERDICT_FILE, Verdict};
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::order;
use gatepost_mailbox::outbox;
use gatepost_mailbox::quarantine::{self, plain_name};
use gatepost_mailbox::regular_file;

impl Gate {
    pub(super) fn recover(&self) -> Result<(), Fault> {
        let is_ordered = order::is_waiting(&self.site)?;
        let waiting: HashSet<OsString> =
            names_in(&self.site.outbox())?.iter().map(|name| plain_name(name.as_bytes()).into()).collect();
        for name in names_in(&self.site.gate_judging())? {
            let workspace = self.site.gate_judging().join(&name);
            let is_done = name.to_str().map_or(Ok(false), |plain| self.finish(&workspace, plain))?;
            if !is_done && !is_ordered && !waiting.contains(&name) {
                durable::remove_tree(&workspace)?;
            }
        }
        order::sweep(&self.site);
        outbox::sweep_judged(&self.site);
        Ok(())
    }

    /// Makes the decided submission in a workspace visible, so that it is not decided again; returns whether there was one.
    pub(super) fn finish(&self, workspace: &Path, plain: &str) -> Result<bool, Fault> {
        let Some((verdict, copy)) = self.standing(workspace, plain) else { return Ok(false) };
        if let Some((submission, verdict_sha256)) = &copy {
            self.attest_again(workspace, submission, &verdict, *verdict_sha256)?;
        }
        settle(&self.site, workspace, &final_name(&verdict, plain), verdict.verdict).map(|_| true)
    }

    /// The verdict on a workspace's content, if it is in the ledger and its submission is there; an accepted one also
    /// needs the right digest of the verdict file. Otherwise the original is still in the outbox, and is judged again.
    fn standing(&self, workspace: &Path, plain: &str) -> Option<(Verdict, Option<(Submission, Digest)>)> {
        let (decision, file) = [(Decision::Accept, VERDICT_FILE), (Decision::Reject, quarantine::RECORD)]
            .into_iter()
            .find(|(_, file)| workspace.join(file).symlink_metadata().is_ok())?;
        let record = regular_file::read(&workspace.join(file), self.limits.document_bytes).ok()?;
        let verdict: Verdict = serde_json::from_slice(&record).ok()?;
        // Only a name that is no result id differs between the verdict and the workspace.
        let is_named =
            |name: &str| if verdict.is_bare_document { format!("{name}.md") == plain } else { name == plain };
        let is_of_workspace =
            is_named(&verdict.result_id) || (decision == Decision::Reject && verdict.request_id.is_empty());
        let is_given = verdict.verdict == decision
            && self.records().verdicts().judged(&verdict.result_id, verdict.bundle_sha256) == Some(decision);
        if !is_of_workspace || !is_given {
            return None;
        }
        match decision {
            Decision::Accept => {
                let copy = self.judged_copy(workspace, &record, &verdict)?;
                Some((verdict, Some((copy, Digest::of(&record)))))
            }
            Decision::Reject => is_laid_out(workspace).then_some((verdict, None)),
        }
    }

    /// The copy in a workspace, if it is the submission of the verdict and the verdict in it equals the one beside it.
    /// Leaves out a possibly torn attestation.
    fn judged_copy(&self, workspace: &Path, record: &[u8], verdict: &Verdict) -> Option<Submission> {
        let copy = intake::recognise(workspace, OsStr::new(COPY), OsStr::new(&verdict.result_id), &self.limits).ok()?;
        let is_same_verdict = copy.bytes_of(Role::Verdict) == record;
        let (copy, _) = accepted::part(copy);
        (is_same_verdict && copy.is_whole() && copy.digest() == verdict.bundle_sha256).then_some(copy)
    }
}
