//! Imports results that another site's gate accepted, on a person's order: all of a folder, or none.
//!
//! ```text
//! var/gate/orders/<16 hex>.import/data/results/TS-…/ proofs/TS-….json     each is checked in place; a failed check stops the whole import
//! copy → var/gate/judging/<name>/bundle/, judge again, without the files that the other gate put there
//! verdict.json with the proof on which it rests, fsync; ledger, fsync   from here on it is accepted, each for itself
//! attestation, fsync; rename into core/inbound/                         as of any bundle
//! ```
//!
//! If a gate dies in between, it finishes when it carries out the order again: results in the ledger are not imported twice. *Security*:
//! everyone who may give orders may write to that folder. A result needs a proof by a key in `keys/gates`; and everything that can be
//! judged without the other site is judged again here, by this site's own content rules. See `gate/src/imported.rs`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use chrono::{DateTime, Utc};

use super::workspace::{COPY, final_name, settle};
use super::{Gate, OpenError, attempt, names_in};
use crate::accepted;
use crate::attestation::signed_file;
use crate::facts::Facts;
use crate::imported::{self, Unproved};
use crate::intake;
use crate::ledger::Verdicts;
use crate::limits::Limits;
use crate::policy::SitePolicy;
use crate::submission::Submission;
use gatepost_documents::attestation::ATTESTATION_FILE;
use gatepost_documents::id::ResultId;
use gatepost_documents::log_proof::LogProof;
use gatepost_documents::verdict::{Decision, VERDICT_FILE, Verdict};
use gatepost_ledger::VerifierKey;
use gatepost_mailbox::durable;
use gatepost_mailbox::exchange;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::keys;
use gatepost_mailbox::order::{Answer, Done, Import};
use gatepost_mailbox::quarantine::plain_name;
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};
use gatepost_mailbox::site::Site;

/// The folder of an import's results, and the keys and rules to check them against.
struct Incoming<'a> {
    site: &'a Site,
    folder: &'a Path,
    gates: Vec<VerifierKey>,
    limits: &'a Limits,
    facts: Facts,
}

/// A result that may be imported.
struct Sound {
    submission: Submission,
    verdict: Verdict,
}

impl Incoming<'_> {
    /// Checks one result, and copies it if there is a destination; returns the reason if it cannot be imported.
    fn examine(
        &self,
        name: &OsStr,
        copy_to: Option<&Path>,
        earlier: impl FnOnce(&Submission) -> Option<(Done, String)>,
    ) -> Result<Result<Sound, Answer>, Fault> {
        let shown = plain_name(name.as_bytes());
        let refused = |message: String| Ok(Err(Answer::new(&shown, Done::Refused, message)));
        let proof = match self.proof(&shown)? {
            Ok(proof) => proof,
            Err(message) => return refused(message),
        };
        let entry = match imported::read(&proof, &self.gates) {
            Ok(entry) => entry,
            Err(unproved @ Unproved::Key(_)) => {
                return Ok(Err(Answer::new(&shown, Done::Untrusted, unproved.to_string())));
            }
            Err(unproved) => return refused(unproved.to_string()),
        };
        let results = self.folder.join("results");
        let bundle =
            intake::take_in_bundle(&results, name, copy_to, self.limits, &self.facts.rules).on("take in", &results)?;
        let (submission, stated) = accepted::part(bundle);
        if !imported::is_about(&entry, &submission) {
            return refused("The decision in the proof is about other files.".to_owned());
        }
        if let Some((outcome, message)) = earlier(&submission) {
            return Ok(Err(Answer::new(&shown, outcome, message)));
        }
        if !imported::is_whole(&entry, &stated, &imported::place_of(&proof)) {
            return refused("The verdict or the attestation differs from what the other gate logged.".to_owned());
        }
        if let Some(request) = submission.id().map(ResultId::request)
            && exchange::claimed(self.site, request)?.is_some()
        {
            return refused(format!("TOOL-EXEC of this site claimed the request {request}."));
        }
        let mut verdict = accepted::judge_again(&submission, stated, &self.facts);
        if verdict.verdict == Decision::Reject {
            let message = "This gate judged the result again and rejected it.";
            return Ok(Err(Answer { reasons: verdict.reasons, ..Answer::new(&shown, Done::Refused, message) }));
        }
        verdict.imported = Some(proof);
        Ok(Ok(Sound { submission, verdict }))
    }

    /// The proof beside a result.
    fn proof(&self, name: &str) -> Result<Result<LogProof, String>, Fault> {
        let path = self.folder.join("proofs").join(format!("{name}.json"));
        let bytes = match regular_file::read(&path, DOCUMENT_MAX_BYTES) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Err("The result has no proof.".to_owned()));
            }
            bytes => bytes.on("read", &path)?,
        };
        Ok(serde_json::from_slice(&bytes).map_err(|_| "The file of the proof is not a proof.".to_owned()))
    }
}

/// The earlier decision here on these files, or on others for their request.
fn earlier(submission: &Submission, verdicts: &Verdicts) -> Option<(Done, String)> {
    if verdicts.judged(submission.name(), submission.digest()) == Some(Decision::Accept) {
        return Some((Done::WasImported, "skipped: already accepted".to_owned()));
    }
    let request = submission.id()?.request();
    let (result, _) = verdicts.accepted(request.as_str())?;
    Some((Done::Refused, format!("The request {request} was answered before, by {result}.")))
}

impl Gate {
    /// Imports all results of an import, or none.
    pub(super) fn import(&self, import: &Import, now: DateTime<Utc>) -> Result<Vec<Answer>, Fault> {
        let refused = |message| Ok(vec![Answer::new(&import.name, Done::Refused, message)]);
        let Some(folder) = import.folder(&self.site).map(|folder| folder.join("data")) else {
            return refused("The name of the import is not 16 hexadecimal digits.");
        };
        if folder.symlink_metadata().is_err() {
            return refused("The files of the import are missing.");
        }
        let SitePolicy { policy, rules, .. } = self.policy()?;
        let confinement = self.confinement.as_ref().map(|(_, enforced)| enforced.clone());
        let accept = Some(policy.accept);
        let facts = Facts { program: self.program.clone(), confinement, rules, accept, ..Facts::without_site(now) };
        let gates = keys::gates(&self.site)?;
        let incoming = Incoming { site: &self.site, folder: &folder, gates, limits: &self.limits, facts };
        let names = names_in(&folder.join("results"))?;
        let mut answers = Vec::new();
        for name in &names {
            if let Err(answer) =
                incoming.examine(name, None, |submission| earlier(submission, self.records().verdicts()))?
            {
                answers.push(answer);
            }
        }
        if answers.iter().any(|answer| !answer.outcome.is_good()) {
            return Ok(answers);
        }
        names.iter().map(|name| self.take_import(&incoming, name)).collect()
    }

    fn take_import(&self, incoming: &Incoming<'_>, name: &OsStr) -> Result<Answer, Fault> {
        let (_turn, watchdog) = (self.queue.reserve(name), self.watchdog()?);
        let plain = plain_name(name.as_bytes());
        let workspace = self.workspace(&plain);
        self.finish(&workspace, &plain)?;
        if let Some(reason) = attempt::begin(&workspace, &self.boot)? {
            durable::remove_tree(&workspace)?;
            let message = "The gate cannot finish judging this result.";
            return Ok(Answer { reasons: vec![reason], ..Answer::new(&plain, Done::Refused, message) });
        }
        watchdog.begin(&workspace);
        let copy = workspace.join(COPY);
        let examined = incoming.examine(name, Some(&copy), |submission| earlier(submission, self.records().verdicts()));
        watchdog.end(&workspace);
        attempt::end(&workspace)?;
        let answer = match examined? {
            Ok(Sound { submission, verdict }) => {
                let signature = signed_file(&submission).0 + ".sig";
                for file in [VERDICT_FILE, ATTESTATION_FILE, &signature] {
                    durable::remove_tree(&copy.join(file))?;
                }
                self.decide(&workspace, name, &submission, &verdict)?;
                let place = settle(&self.site, &workspace, &final_name(&verdict, &plain), Decision::Accept)?;
                let done = Answer::new(&plain, Done::Imported, "accepted into core/inbound/");
                Answer { place: Some(place), ..done }
            }
            Err(answer) => answer,
        };
        durable::remove_tree(&workspace)?;
        Ok(answer)
    }
}

/// Simulates an import of a folder; changes nothing.
pub fn rehearse_import(site: &Site, folder: &Path, now: DateTime<Utc>) -> Result<Vec<Answer>, OpenError> {
    let policy = SitePolicy::read(site).map_err(OpenError::Policy)?;
    let (verdicts, gates, limits) = (Verdicts::read(site)?, keys::gates(site)?, Limits::default());
    let facts = Facts { rules: policy.rules, accept: Some(policy.policy.accept), ..Facts::without_site(now) };
    let incoming = Incoming { site, folder, gates, limits: &limits, facts };
    let would = |name: &OsStr| {
        let examined = incoming.examine(name, None, |submission| earlier(submission, &verdicts))?;
        let plain = plain_name(name.as_bytes());
        Ok(examined.err().unwrap_or_else(|| Answer::new(&plain, Done::Imported, "would be accepted")))
    };
    names_in(&folder.join("results"))?.iter().map(|name| would(name)).collect()
}
