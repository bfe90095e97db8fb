//! Releases a bundle from the quarantine to CORE, on a person's order.
//!
//! ```text
//! copy quarantine/TS-…/untouched/TS-… → var/gate/judging/<name>/bundle/   these bytes must be rejected ones of the ledger
//! judge it again; what rejects it must be overridden
//! verdict.json with the override, fsync; ledger with the override, fsync  from here on it is accepted
//! attestation, fsync
//! rename into core/inbound/                                               commit point, the same as of any bundle
//! quarantine/TS-…/release/                                                the item stays, and records that it was released
//! ```
//!
//! If a gate dies in between, it finishes when it carries out the order again: the ledger shows its progress.
//! *Security*: others may write to the quarantine; of an item only the bytes count, and only those in the ledger.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use chrono::{DateTime, Utc};

use super::orders::{Person, Users, timestamp};
use super::workspace::{COPY, final_name, settle};
use super::{Gate, OpenError, attempt};
use crate::facts::{Facts, SiteFacts};
use crate::intake;
use crate::judge;
use crate::ledger::Verdicts;
use crate::limits::Limits;
use crate::policy::SitePolicy;
use crate::submission::Submission;
use gatepost_documents::release::{Override, not_overridden, rejecting};
use gatepost_documents::verdict::{Decision, Verdict};
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::order::{Answer, Done, Release, reason_fault};
use gatepost_mailbox::quarantine::{Item, RELEASE, RELEASE_FILE, Record, UNTOUCHED, plain_name};
use gatepost_mailbox::site::Site;

/// Where the record of a release is created, among the workspaces; no bundle has such a name.
const STAGED: &str = ".release";

/// An ordered release, and its orderer.
pub(super) struct Wanted<'a> {
    order: &'a Release,
    word: Override,
}

impl<'a> Wanted<'a> {
    pub(super) fn new(order: &'a Release, person: Person, now: DateTime<Utc>) -> Self {
        let (released_utc, reason) = (timestamp(now), order.reason.clone());
        let Person { uid, name: user } = person;
        Self { order, word: Override { uid, user, released_utc, reason, codes: Vec::new() } }
    }

    fn answer(&self, outcome: Done, message: impl Into<String>) -> Answer {
        Answer::new(&self.order.item, outcome, message)
    }

    fn refused(&self, message: impl Into<String>) -> Answer {
        self.answer(Done::Refused, message)
    }

    /// The name of the bundle in the item, which is of the right kind.
    fn bundle(&self, site: &Site) -> Result<OsString, Answer> {
        let name = &self.order.item;
        let is_item = plain_name(name.as_bytes()) == *name;
        let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
        if !is_item || !is_folder(&site.quarantine().join(name)) {
            return Err(self.answer(Done::Absent, "The quarantine has no such item."));
        }
        if let Some(fault) = reason_fault(&self.order.reason) {
            return Err(self.refused(format!("The reason of a release {fault}.")));
        }
        let item = Item::read(site, name.as_ref());
        if !matches!(item.record, Record::Verdict(_)) {
            let message = "The gate never judged this item: nothing ran, so there is nothing to release.";
            return Err(self.refused(message));
        }
        match <[OsString; 1]>::try_from(item.untouched()) {
            Ok([bundle]) if is_folder(&item.path.join(UNTOUCHED)) => Ok(bundle),
            _ => Err(self.refused("This item does not contain exactly one bundle.")),
        }
    }
}

/// Reads the bundle of an item again.
fn take_in(
    site: &Site,
    policy: &SitePolicy,
    item: &str,
    name: &OsStr,
    copy_to: Option<&Path>,
    limits: &Limits,
) -> Result<Submission, Fault> {
    let untouched = site.quarantine().join(item).join(UNTOUCHED);
    let kind = policy.kind_of(&untouched, name);
    intake::take_in(kind, &untouched, name, copy_to, limits, &policy.rules).on("take in", &untouched)
}

/// The verdict that accepts a submission after its second judgement, or why it is not accepted.
fn permit(
    site: &Site,
    wanted: &Wanted<'_>,
    submission: &Submission,
    mut verdict: Verdict,
    verdicts: &Verdicts,
) -> Result<Verdict, Answer> {
    if verdict.bundle_sha256 != wanted.order.bundle_sha256 {
        let message = "The contents of this item differ from those that the release order names.";
        // A site that no longer allows bare documents does not read one: that is the reason.
        let reasons = if submission.is_whole() { Vec::new() } else { verdict.reasons };
        return Err(Answer { reasons, ..wanted.refused(message) });
    }
    match verdicts.judged(submission.name(), verdict.bundle_sha256) {
        None => return Err(wanted.refused("The gate's ledger has no rejection of these bytes.")),
        Some(Decision::Accept) => return Err(accepted_before(site, wanted, &verdict, verdicts)),
        Some(Decision::Reject) => {}
    }
    let against = not_overridden(&verdict.reasons, &wanted.order.codes);
    if !against.is_empty() {
        let codes: Vec<&str> = against.iter().map(|code| code.as_str()).collect();
        let answer = wanted
            .refused(format!("The gate judged the item again; these codes still reject it: {}.", codes.join(", ")));
        return Err(Answer { reasons: verdict.reasons, ..answer });
    }
    verdict.released = Some(Override { codes: rejecting(&verdict.reasons), ..wanted.word.clone() });
    verdict.verdict = Decision::Accept;
    Ok(verdict)
}

/// These bytes were accepted before: by this order, before a crash, or by an earlier one.
fn accepted_before(site: &Site, wanted: &Wanted<'_>, verdict: &Verdict, verdicts: &Verdicts) -> Answer {
    let released = verdicts.released(&verdict.result_id, verdict.bundle_sha256).cloned();
    let place = site.core_inbound().join(&verdict.result_id);
    let place = place.symlink_metadata().is_ok().then_some(place);
    Answer { place, released, ..wanted.answer(Done::WasReleased, "The gate accepted these bytes before.") }
}

/// Simulates an order to release, given by the user `uid`; changes nothing.
pub fn rehearse(site: &Site, order: &Release, uid: u32, now: DateTime<Utc>) -> Result<Answer, OpenError> {
    let policy = SitePolicy::read(site).map_err(OpenError::Policy)?;
    let verdicts = Verdicts::read(site)?;
    let wanted = Wanted::new(order, Users::of_machine().person(uid), now);
    let name = match wanted.bundle(site) {
        Ok(name) => name,
        Err(answer) => return Ok(answer),
    };
    let submission = take_in(site, &policy, &order.item, &name, None, &Limits::default())?;
    let known = SiteFacts::gather(site, &policy, &verdicts, &submission)?;
    let verdict =
        judge::judge(&submission, &Facts { rules: policy.rules, site: Some(known), ..Facts::without_site(now) });
    Ok(match permit(site, &wanted, &submission, verdict, &verdicts) {
        Ok(verdict) => Answer {
            released: verdict.released,
            reasons: verdict.reasons,
            ..wanted.answer(Done::Released, "The gate would release the item into core/inbound/.")
        },
        Err(answer) => answer,
    })
}

impl Gate {
    /// Judges the bundle of an item again, and accepts it if the override covers every rejecting reason. Meanwhile
    /// nothing else answers its request.
    pub(super) fn release(&self, wanted: &Wanted<'_>, now: DateTime<Utc>) -> Result<Answer, Fault> {
        let name = match wanted.bundle(&self.site) {
            Ok(name) => name,
            Err(answer) => return Ok(answer),
        };
        let (_turn, watchdog) = (self.queue.reserve(&name), self.watchdog()?);
        let plain = plain_name(name.as_bytes());
        let workspace = self.workspace(&plain);
        self.finish(&workspace, &plain)?;
        // As with a bundle from the outbox, a death or hang here counts against it.
        if let Some(reason) = attempt::begin(&workspace, &self.boot)? {
            durable::remove_tree(&workspace)?;
            return Ok(Answer { reasons: vec![reason], ..wanted.refused("The gate cannot finish judging this item.") });
        }
        watchdog.begin(&workspace);
        let judged = self.judge_again(wanted, &name, &workspace, now);
        watchdog.end(&workspace);
        attempt::end(&workspace)?;
        let answer = match judged? {
            Ok((submission, verdict)) => {
                self.decide(&workspace, &name, &submission, &verdict)?;
                let item = final_name(&verdict, &plain);
                let place = Some(settle(&self.site, &workspace, &item, Decision::Accept)?);
                let (released, reasons) = (verdict.released, verdict.reasons);
                let done = wanted.answer(Done::Released, "The gate released the item into core/inbound/.");
                Answer { place, released, reasons, ..done }
            }
            Err(answer) => answer,
        };
        durable::remove_tree(&workspace)?;
        if let Some(released) = &answer.released {
            self.note(&wanted.order.item, released)?;
        }
        Ok(answer)
    }

    fn judge_again(
        &self,
        wanted: &Wanted<'_>,
        name: &OsStr,
        workspace: &Path,
        now: DateTime<Utc>,
    ) -> Result<Result<(Submission, Verdict), Answer>, Fault> {
        let policy = self.policy()?;
        let copy = workspace.join(COPY);
        let submission = take_in(&self.site, &policy, &wanted.order.item, name, Some(&copy), &self.limits)?;
        let verdict = self.verdict_on(&submission, &policy, now)?;
        let permitted = permit(&self.site, wanted, &submission, verdict, self.records().verdicts());
        Ok(permitted.map(|verdict| (submission, verdict)))
    }

    /// Records in an item that it was released. It moves a folder in: the quarantine accepts nothing else from a
    /// confined gate.
    fn note(&self, item: &str, released: &Override) -> Result<(), Fault> {
        let place = self.site.quarantine().join(item).join(RELEASE);
        let staged = self.site.gate_judging().join(STAGED);
        let mut json = serde_json::to_vec_pretty(released).map_err(io::Error::from).on("write", &place)?;
        json.push(b'\n');
        durable::remove_tree(&staged)?;
        fs::create_dir(&staged).on("create", &staged)?;
        durable::write_new(&staged.join(RELEASE_FILE), &json)?;
        durable::sync_folder(&staged)?;
        match durable::move_new(&staged, &place) {
            // The record exists already, or the item was removed meanwhile.
            Err(fault) if matches!(fault.source.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound) => {
                durable::remove_tree(&staged)
            }
            moved => moved,
        }
    }
}
