//! The gate's mailbox: every bundle in the outbox gets one verdict and one place.
//!
//! ```text
//! note the attempt beside the copy to be, unflushed     whoever does not outlive this bundle has rejected it
//! copy outbox/TS-… → var/gate/judging/<name>/bundle/  in one pass that hashes; only the copy is judged; the attempt is over
//! arrange it as it will lie, write verdict.json or reasons.json and REASONS.md beside it, fsync every file and folder
//! append the verdict to the ledger, fsync               from here on the verdict stands
//! rename into core/inbound/ or quarantine/, fsync both parents        commit point: CORE sees it
//! rename the original to outbox/.judged-…, remove it
//! ```
//!
//! Judging a copy means that whoever wrote the bundle, and may still hold it open, cannot change what was judged. A gate that
//! dies between two of these steps gives the same verdict once: before the ledger's line nothing has happened (but the attempt
//! is counted, see `mailbox/attempt.rs`), after it the first [`Gate::drain`] finishes the move. *Security*: everything in the
//! outbox is hostile, and so is everything in a copy of it: the gate believes of a desk only what lies beside the copy, never
//! what lies in it. *Commit point*: see above.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::bundle::Role;
use crate::confinement::{Confinement, Held, Lack};
use crate::facts::{Facts, SiteFacts};
use crate::intake;
use crate::judge;
use crate::ledger::Ledger;
use crate::limits::Limits;
use crate::policy::SitePolicy;
use crate::program;
use crate::submission::{Kind, Submission};
use gatepost_documents::digest::Digest;
use gatepost_documents::program::Program;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::verdict::{Decision, VERDICT_FILE, Verdict, reasons_markdown};
use gatepost_mailbox::durable;
use gatepost_mailbox::exchange::Announcements;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::lock::{Lock, LockError};
use gatepost_mailbox::order;
use gatepost_mailbox::outbox;
use gatepost_mailbox::quarantine::{self, plain_name};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::Site;

/// The copy on a desk. Its fixed name keeps a stranger's bytes apart from the gate's own records beside it.
const COPY: &str = "bundle";

mod attempt;
mod orders;
mod original;
mod release;
mod watchdog;

use orders::Users;
use original::{KEPT_PAGE, Original};
pub use release::rehearse;
use watchdog::{Patience, Watchdog};

/// What became of one bundle.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Where the bundle is now.
    pub place: PathBuf,
}

/// Why a gate judges nothing.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another gate serves the site, or its lock cannot be taken.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// `gate.toml` does not say what to demand.
    #[error("failed to read {0}")]
    Policy(Reason),
    /// A file or folder of the gate's own.
    #[error("failed to {0}")]
    Fault(#[from] Fault),
}

/// The one gate of a site.
#[derive(Debug)]
pub struct Gate {
    site: Site,
    policy: SitePolicy,
    ledger: Ledger,
    announcements: Announcements,
    users: Users,
    limits: Limits,
    patience: Patience,
    boot: String,
    watchdog: Option<Watchdog>,
    program: Option<Program>,
    confinement: Option<(Confinement, Held)>,
    is_recovered: bool,
    _lock: Lock,
}

impl Gate {
    /// Takes the gate's lock, and reads `gate.toml` and the ledger: nothing of a stranger's. `holder` is what others are
    /// told about who holds the lock.
    pub fn open(site: &Site, holder: &str) -> Result<Self, OpenError> {
        let lock = Lock::take(&site.gate_lock(), holder)?;
        let (ledger, earlier) = Ledger::open(&site.gate_audit())?;
        Ok(Self {
            site: site.clone(),
            policy: SitePolicy::read(site).map_err(OpenError::Policy)?,
            announcements: Announcements::begin(site, &earlier)?,
            ledger,
            users: Users::of_machine(),
            limits: Limits::default(),
            patience: Patience::default(),
            boot: attempt::boot(),
            watchdog: None,
            program: program::this(),
            confinement: None,
            is_recovered: false,
            _lock: lock,
        })
    }

    /// Gives up all that judging does not need, as `gate.toml` demands, for the rest of this process; every verdict then
    /// says what held. To be called before another thread is started and before the first bundle is judged.
    pub fn confine(&mut self) -> Result<&Held, Lack> {
        let confinement = Confinement::of_site(&self.site);
        let held = confinement.enter(self.policy.policy.gate.confinement)?;
        Ok(&self.confinement.insert((confinement, held)).1)
    }

    /// A folder of the site that was replaced by another since the gate confined itself, and that it therefore cannot reach:
    /// only a new gate can.
    pub fn replaced(&self) -> Option<&Path> {
        self.confinement.as_ref().and_then(|(confinement, _)| confinement.replaced())
    }

    /// Judges every bundle that lies in the outbox now, in the order of their names; the first time, it finishes before what
    /// an earlier gate left undone. `report` hears of each bundle; one whose turn meets a fault of the world stays where it
    /// is, and its neighbours go on.
    pub fn drain(
        &mut self,
        now: impl Fn() -> DateTime<Utc>,
        mut report: impl FnMut(&OsStr, Result<Judged, Fault>),
    ) -> Result<(), Fault> {
        self.finish_earlier()?;
        for name in bundles(&self.site.outbox())? {
            let judged = self.judge(&name, now());
            report(&name, judged);
        }
        Ok(())
    }

    /// Finishes once what an earlier gate left undone.
    fn finish_earlier(&mut self) -> Result<(), Fault> {
        if !self.is_recovered {
            self.recover()?;
            self.is_recovered = true;
        }
        Ok(())
    }

    fn judge(&mut self, name: &OsStr, now: DateTime<Utc>) -> Result<Judged, Fault> {
        let outbox = self.site.outbox();
        let original = Original::find(&outbox, name)?;
        let plain = plain_name(name.as_bytes());
        let desk = self.judging().join(&plain);
        let kind = self.policy.kind_of(&outbox, name);
        let judged = match attempt::begin(&desk, &self.boot)? {
            Some(reason) => self.verdict_on(Submission::unread(kind, name, reason), now),
            None => self.read_and_judge(&original, name, kind, now),
        };
        attempt::end(&desk)?;
        let (submission, verdict) = judged?;
        let bundle_sha256 = verdict.bundle_sha256;
        let lies_as = lies_as(&verdict, &plain);
        let known = self.ledger.verdicts().judged(submission.name(), bundle_sha256);
        if submission.is_whole()
            && let Some(decision) = known.filter(|known| *known == verdict.verdict || *known == Decision::Accept)
            && let Some((place, verdict)) = self.placed(&lies_as, decision, &verdict)
        {
            // The very bytes were judged and placed, perhaps released; only their original was still here.
            durable::remove_tree(&desk)?;
            original.retire()?;
            return Ok(Judged { verdict, place });
        }

        arrange(&desk, name, &submission, &verdict)?;
        durable::sync_tree(&desk)?;
        if known != Some(verdict.verdict) {
            self.write_down(&verdict)?;
        }
        if verdict.verdict == Decision::Reject && !submission.is_whole() {
            // What cannot be copied is moved as it is, now that the verdict stands.
            original.move_to(&desk, &plain)?;
        }
        let place = self.settle(&desk, &lies_as, verdict.verdict)?;
        original.retire()?;
        Ok(Judged { verdict, place })
    }

    /// Whatever this does not come back from is counted against the bundle; a fault of the world is not.
    fn read_and_judge(
        &mut self,
        original: &Original,
        name: &OsStr,
        kind: Kind,
        now: DateTime<Utc>,
    ) -> Result<(Submission, Verdict), Fault> {
        let desk = self.judging().join(plain_name(name.as_bytes()));
        self.watch(&desk);
        let taken = match intake::take_in(kind, &self.site.outbox(), name, Some(&desk.join(COPY)), &self.limits) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(unreadable(kind, name)),
            taken => taken.on("take in", original.path()),
        };
        let judged = taken.and_then(|submission| self.verdict_on(submission, now));
        self.watchdog.iter().for_each(Watchdog::end);
        judged
    }

    /// From now on the bundle on a desk has its time, until the watchdog is told that it is over.
    fn watch(&mut self, desk: &Path) {
        let start = || Watchdog::start(self.patience, self.boot.clone());
        self.watchdog.get_or_insert_with(start).begin(desk);
    }

    fn verdict_on(&self, submission: Submission, now: DateTime<Utc>) -> Result<(Submission, Verdict), Fault> {
        let site = SiteFacts::gather(&self.site, &self.policy, self.ledger.verdicts(), &submission)?;
        let confinement = self.confinement.as_ref().map(|(_, held)| held.clone());
        let verdict =
            judge::judge(&submission, &Facts { now, program: self.program.clone(), confinement, site: Some(site) });
        Ok((submission, verdict))
    }

    /// From here on a verdict stands. Whoever else hears of it hears of it then.
    fn write_down(&mut self, verdict: &Verdict) -> Result<(), Fault> {
        let judged = self.ledger.add(verdict)?;
        self.announcements.add(&judged)
    }

    /// The move that makes a verdict visible.
    fn settle(&self, desk: &Path, lies_as: &str, decision: Decision) -> Result<PathBuf, Fault> {
        if decision == Decision::Reject {
            return quarantine::commit(&self.site, desk, lies_as);
        }
        let place = self.site.core_inbound().join(lies_as);
        durable::move_new(&desk.join(COPY), &place)?;
        durable::remove_tree(desk)?;
        Ok(place)
    }

    /// Finishes the moves of verdicts that stand, and clears the desks of those that were never given, unless they are
    /// given next: then the desk says how often the gate began.
    fn recover(&self) -> Result<(), Fault> {
        let is_ordered = order::is_waiting(&self.site)?;
        let waiting: Vec<_> =
            bundles(&self.site.outbox())?.iter().map(|name| plain_name(name.as_bytes()).into()).collect();
        for name in bundles(&self.judging())? {
            let desk = self.judging().join(&name);
            match name.to_str().and_then(|plain| self.standing(&desk, plain)) {
                Some((lies_as, decision)) => drop(self.settle(&desk, &lies_as, decision)?),
                None if is_ordered || waiting.contains(&name) => {}
                None => durable::remove_tree(&desk)?,
            }
        }
        order::sweep(&self.site);
        outbox::sweep_judged(&self.site);
        Ok(())
    }

    /// The verdict on what lies on a desk, if it was given and can be carried out, and under which name: it is in the ledger,
    /// and what it was given on is there. Otherwise the original is still in the outbox, and is judged again.
    fn standing(&self, desk: &Path, plain: &str) -> Option<(String, Decision)> {
        let (decision, file) = [(Decision::Accept, VERDICT_FILE), (Decision::Reject, quarantine::RECORD)]
            .into_iter()
            .find(|(_, file)| desk.join(file).symlink_metadata().is_ok())?;
        let record = regular_file::read(&desk.join(file), self.limits.document_bytes).ok()?;
        let verdict: Verdict = serde_json::from_slice(&record).ok()?;
        // Only a name that is no result id stands otherwise in the verdict than on the desk.
        let is_named =
            |name: &str| if verdict.is_bare_document { format!("{name}.md") == plain } else { name == plain };
        let is_of_desk =
            is_named(&verdict.result_id) || (decision == Decision::Reject && verdict.request_id.is_empty());
        let is_given = verdict.verdict == decision
            && self.ledger.verdicts().judged(&verdict.result_id, verdict.bundle_sha256) == Some(decision);
        let is_there = match decision {
            Decision::Accept => self.is_judged_copy(desk, &record, verdict.bundle_sha256),
            Decision::Reject => is_laid_out(desk),
        };
        (is_of_desk && is_given && is_there).then(|| (lies_as(&verdict, plain), decision))
    }

    /// Whether the copy on a desk is the bundle with this digest, and the verdict in it the one beside it.
    fn is_judged_copy(&self, desk: &Path, record: &[u8], bundle_sha256: Digest) -> bool {
        let Ok(mut copy) = intake::recognise(desk, OsStr::new(COPY), &self.limits) else { return false };
        let is_same_verdict = copy.bytes_of(Role::Verdict) == record;
        copy.entries.remove(VERDICT_FILE);
        is_same_verdict && copy.is_whole() && copy.digest() == bundle_sha256
    }

    fn judging(&self) -> PathBuf {
        self.site.gate_judging()
    }

    /// Where the very bytes of a verdict already lie under the decision that they were given, and the verdict there. Only the
    /// numbered names are looked at: what lies under a random one is put there once more.
    fn placed(&self, lies_as: &str, decision: Decision, verdict: &Verdict) -> Option<(PathBuf, Verdict)> {
        let (folder, record, last) = match decision {
            Decision::Accept => (self.site.core_inbound(), VERDICT_FILE, 1),
            Decision::Reject => (self.site.quarantine(), quarantine::RECORD, quarantine::NUMBERED_MAX),
        };
        let mut places = (1..=last).map(|number| folder.join(quarantine::numbered(lies_as, number)));
        places.find_map(|place| {
            let bytes = regular_file::read(&place.join(record), self.limits.document_bytes).ok()?;
            let found: Verdict = serde_json::from_slice(&bytes).ok()?;
            let is_it = (found.bundle_sha256, &found.result_id) == (verdict.bundle_sha256, &verdict.result_id);
            is_it.then_some((place, found))
        })
    }
}

/// The name under which CORE or the quarantine gets what has the plain name `plain` in the outbox: a document's is that of the
/// folder which it is given.
fn lies_as(verdict: &Verdict, plain: &str) -> String {
    if verdict.is_bare_document { plain_name(verdict.result_id.as_bytes()) } else { plain.to_owned() }
}

/// What is known of a bundle whose folders the gate may not even list.
fn unreadable(kind: Kind, name: &OsStr) -> Submission {
    let hint = "Write files with mode 0644 and folders with 0755.";
    let reason = Reason::new(Code::ModeInvalid, "The gate has no permission to read this bundle.", hint);
    Submission::unread(kind, name, reason)
}

/// Lays the desk out as the item will lie: the bundle with its verdict, or an item of the quarantine. Flushes nothing: the
/// whole desk is flushed next.
fn arrange(desk: &Path, name: &OsStr, submission: &Submission, verdict: &Verdict) -> Result<(), Fault> {
    let copy = &desk.join(COPY);
    let mut json = serde_json::to_vec_pretty(verdict).map_err(io::Error::from).on("write", desk)?;
    json.push(b'\n');
    if verdict.verdict == Decision::Accept {
        write(&desk.join(VERDICT_FILE), &json)?;
        return write(&copy.join(VERDICT_FILE), &json);
    }
    let untouched = desk.join(quarantine::UNTOUCHED);
    fs::create_dir(&untouched).on("create", &untouched)?;
    if submission.is_whole() {
        let place = untouched.join(plain_name(name.as_bytes()));
        if submission.kind() == Kind::BareDocument {
            durable::rename_new(&copy.join(name), &place)?;
            durable::remove_tree(copy)?;
        } else {
            durable::rename_new(copy, &place)?;
        }
    }
    write(&desk.join(quarantine::RECORD), &json)?;
    write(&desk.join(quarantine::PAGE), reasons_markdown(verdict).as_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    durable::create_new(path)?.write_all(bytes).on("write", path)
}

/// The names in a folder that are no dotfiles, sorted.
fn bundles(folder: &Path) -> Result<Vec<OsString>, Fault> {
    let mut names = Vec::new();
    for entry in folder.read_dir().on("list", folder)? {
        let name = entry.on("list", folder)?.file_name();
        if !name.as_bytes().starts_with(b".") {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Whether a refused item is all there: its bytes, or the word on where they are.
fn is_laid_out(desk: &Path) -> bool {
    let holds_bytes = desk.join(quarantine::UNTOUCHED).read_dir().is_ok_and(|mut entries| entries.next().is_some());
    holds_bytes || desk.join(KEPT_PAGE).symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests;
