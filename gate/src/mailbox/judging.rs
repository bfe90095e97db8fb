//! Processes one submission: copy, judge, record, move. See `mailbox.rs` for the order of the steps.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::original::Original;
use super::workspace::{COPY, final_name, settle};
use super::{Gate, Judged, attempt};
use crate::facts::{Facts, SiteFacts};
use crate::intake;
use crate::judge;
use crate::policy::SitePolicy;
use crate::submission::{Kind, Submission};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::verdict::{Decision, VERDICT_FILE, Verdict};
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::quarantine::{self, plain_name};
use gatepost_mailbox::regular_file;

impl Gate {
    /// Gives the outbox entry with a name its verdict and its place, by the present policy.
    pub(super) fn judge(&self, name: &OsStr, now: DateTime<Utc>) -> Result<Judged, Fault> {
        let policy = self.policy()?;
        let original = Original::find(&self.site.outbox(), name)?;
        let plain = plain_name(name.as_bytes());
        let workspace = self.workspace(&plain);
        self.finish(&workspace, &plain)?;
        let (submission, verdict) = self.read_and_judge(&original, name, &workspace, &policy, now)?;
        let name_of_item = final_name(&verdict, &plain);
        let known = self.records().verdicts().judged(submission.name(), verdict.bundle_sha256);
        if submission.is_whole()
            && let Some(decision) = known.filter(|known| *known == verdict.verdict || *known == Decision::Accept)
            && let Some((place, verdict)) = self.placed(&name_of_item, decision, &verdict)?
        {
            // Exactly these bytes were judged and placed, perhaps released; only their original was still here.
            durable::remove_tree(&workspace)?;
            original.retire()?;
            return Ok(Judged { verdict, place });
        }
        // If the item is gone, its bytes get a new verdict, with a new time.
        self.decide(&workspace, name, &submission, &verdict)?;
        if verdict.verdict == Decision::Reject && !submission.is_whole() {
            // If the copy failed, the original is moved as it is, now that the verdict is final.
            original.move_to(&workspace, &plain)?;
        }
        let place = settle(&self.site, &workspace, &name_of_item, verdict.verdict)?;
        original.retire()?;
        Ok(Judged { verdict, place })
    }

    /// The folder for judging the submission with this plain name.
    pub(super) fn workspace(&self, plain: &str) -> PathBuf {
        self.site.gate_judging().join(plain)
    }

    /// If the process dies or hangs here, that counts against the submission; an error of the system does not.
    fn read_and_judge(
        &self,
        original: &Original,
        name: &OsStr,
        workspace: &Path,
        policy: &SitePolicy,
        now: DateTime<Utc>,
    ) -> Result<(Submission, Verdict), Fault> {
        let (outbox, watchdog) = (self.site.outbox(), self.watchdog()?);
        let kind = policy.kind_of(&outbox, name);
        let submission = if let Some(reason) = attempt::begin(workspace, &self.boot)? {
            Ok(Submission::unread(kind, name, reason))
        } else {
            watchdog.begin(workspace);
            let copy = workspace.join(COPY);
            match intake::take_in(kind, &outbox, name, Some(&copy), &self.limits, &policy.rules) {
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(unreadable(kind, name)),
                taken => taken.on("take in", original.path()),
            }
        };
        let judged = submission.and_then(|submission| {
            let verdict = self.verdict_on(&submission, policy, now)?;
            Ok((submission, verdict))
        });
        watchdog.end(workspace);
        attempt::end(workspace)?;
        judged
    }

    /// The gate's verdict on a submission that intake read.
    pub(super) fn verdict_on(
        &self,
        submission: &Submission,
        policy: &SitePolicy,
        now: DateTime<Utc>,
    ) -> Result<Verdict, Fault> {
        let site = SiteFacts::gather(&self.site, policy, self.records().verdicts(), submission)?;
        let confinement = self.confinement.as_ref().map(|(_, enforced)| enforced.clone());
        let (program, rules) = (self.program.clone(), policy.rules.clone());
        Ok(judge::judge(submission, &Facts { now, program, confinement, rules, accept: None, site: Some(site) }))
    }

    /// Where exactly these bytes already are under the same decision, and the verdict there.
    fn placed(&self, name: &str, decision: Decision, verdict: &Verdict) -> Result<Option<(PathBuf, Verdict)>, Fault> {
        let (places, record) = match decision {
            Decision::Accept => (vec![self.site.core_inbound().join(name)], VERDICT_FILE),
            Decision::Reject => (quarantine::places(&self.site, name)?, quarantine::RECORD),
        };
        Ok(places.into_iter().find_map(|place| {
            let bytes = regular_file::read(&place.join(record), self.limits.document_bytes).ok()?;
            let found: Verdict = serde_json::from_slice(&bytes).ok()?;
            let is_it = (found.bundle_sha256, &found.result_id) == (verdict.bundle_sha256, &verdict.result_id);
            is_it.then_some((place, found))
        }))
    }
}

/// The facts of a submission when the gate may not even list its folders.
fn unreadable(kind: Kind, name: &OsStr) -> Submission {
    let hint = "Write files with mode 0644 and folders with 0755.";
    let reason = Reason::new(Code::ModeInvalid, "The gate cannot read this bundle: permission denied.", hint);
    Submission::unread(kind, name, reason)
}
