//! `gatepost verify`: checks a bundle as far as possible without its site.
//!
//! *Security*: the bundles are hostile; the process drops every right except reading them, as far as the machine supports it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use chrono::Utc;
use gatepost_documents::attestation::LogPlace;
use gatepost_documents::id::ResultKind;
use gatepost_documents::log_proof::LogProof;
use gatepost_documents::verdict::{Decision, Verdict};
use gatepost_gate::attestation::Attested;
use gatepost_gate::audit::judge_in_place;
use gatepost_gate::confinement::{Confinement, Demand};
use gatepost_gate::facts::Facts;
use gatepost_gate::failure;
use gatepost_gate::policy::SitePolicy;
use gatepost_gate::program;
use gatepost_mailbox::quarantine::reasons_list;

use super::audit;
use super::bar;
use super::counted::faulty;
use super::quarantine::describe_release;
use super::style::{self, Tone};
use crate::cli::prelude::*;

/// `gatepost verify`
pub(super) const DECLARATION: Declaration =
    Declaration::safe("verify", data::<Verified>).anywhere().confines().fails(&[
        ErrorCode::FileNotFound,
        ErrorCode::ResultRejected,
        ErrorCode::AuditLogInvalid,
        ErrorCode::ConfinementUnavailable,
    ]);

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Result bundles: TS-… folders, as in outbox/ or core/inbound/; in a site that accepts them, bare documents TS-….md.
    #[arg(required = true, value_name = "BUNDLE")]
    bundles: Vec<PathBuf>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Verified {
    verdicts: Vec<Verdict>,
    /// The digest of the current `gate.toml` of the surrounding site; absent without a site, or if it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    site_gate_toml_sha256: Option<Digest>,
    /// For each bundle in the `core/inbound/` of a site with a log: the proof that the gate's log has it.
    log_proofs: Vec<Option<LogProof>>,
    /// For each bundle that a gate attested: the key, and the place in the gate's log. The log names the owner of the key.
    attestations: Vec<Option<Attestation>>,
    /// For each bundle: whether its attestation does not match its files.
    #[serde(skip)]
    are_broken: Vec<bool>,
}

#[derive(Serialize, JsonSchema)]
struct Attestation {
    /// The fingerprint of the key, `SHA256:…`.
    key: String,
    log: LogPlace,
}

impl From<Attested> for Attestation {
    fn from(attested: Attested) -> Self {
        Self { key: attested.key.fingerprint(), log: attested.log }
    }
}

impl View for Verified {
    fn text(&self) -> String {
        let mut text = String::new();
        let attestations = self.attestations.iter().zip(&self.are_broken);
        for ((verdict, proof), (attestation, is_broken)) in self.verdicts.iter().zip(&self.log_proofs).zip(attestations)
        {
            let word = match verdict.verdict {
                Decision::Accept => style::paint(Tone::Good, "sound"),
                Decision::Reject => style::paint(Tone::Bad, "NOT SOUND"),
            };
            text += &format!(
                "{word}  {}  ({}, {})\n",
                verdict.result_id,
                counted(verdict.checks.files, "file"),
                counted(verdict.checks.bytes, "byte")
            );
            if verdict.is_bare_document {
                text += "  a bare document, without evidence, request and artifacts\n";
            }
            for left in &verdict.not_checked {
                text += &format!("  not checked, {left}\n");
            }
            if let Some(released) = &verdict.released {
                text += &format!("  released from quarantine {}\n", describe_release(released));
            }
            if let Some(proof) = &verdict.imported {
                let (index, origin) = (proof.index, proof.origin());
                text += &format!("  imported: accepted elsewhere by decision {index} of the log {origin}\n");
            }
            if let Some(judged) = verdict.gate_toml_sha256 {
                text += &format!("  {}\n", demands(judged, self.site_gate_toml_sha256));
            }
            match attestation {
                Some(Attestation { key, .. }) => text += &format!("  attested by the key {key}\n"),
                None if *is_broken => text += "  the attestation does not match these files\n",
                // Only a gate's verdict names a gate.toml.
                None if verdict.gate_toml_sha256.is_some() => text += "  not attested\n",
                None => {}
            }
            if let Some(proof) = proof {
                let (LogProof { index, size, .. }, log) = (proof, proof.origin());
                text += &format!("  decision {index} of {size} in the gate's log, proved to the checkpoint of {log}\n");
            }
            text += &reasons_list(&verdict.reasons);
        }
        text
    }
}

/// The gate's demands at acceptance, and whether the surrounding site has them now.
fn demands(judged: Digest, now: Option<Digest>) -> String {
    let none = Digest::of(b"");
    let of = |digest: Digest| if digest == none { "no gate.toml".to_owned() } else { format!("gate.toml {digest}") };
    match now {
        Some(now) if now == judged => format!("judged under {}, unchanged in this site", of(judged)),
        Some(now) => format!("judged under {}; this site now has {}", of(judged), of(now)),
        None => format!("judged under {}", of(judged)),
    }
}

pub(super) fn run(at: Option<&Path>, arguments: &Arguments) -> Result<Outcome, Failure> {
    failure::hide_words_of_panics();
    let policy = site::find(at).ok().and_then(|site| SitePolicy::read(&site).ok());
    let accepts_bare_documents = policy.as_ref().is_some_and(|policy| policy.policy.gate.accept_foreign);
    let site_gate_toml_sha256 = policy.map(|policy| policy.sha256);
    let program = program::this();
    let logs = arguments.bundles.iter().filter_map(|path| Some(Site::find(&path.canonicalize().ok()?)?.gate_log()));
    let readable: Vec<PathBuf> = arguments.bundles.iter().cloned().chain(logs).collect();
    let confinement = Confinement::reading(&readable).enter(Demand::BestEffort)?;
    let facts = Facts { program, confinement: Some(confinement), ..Facts::without_site(Utc::now()) };
    let judge = |path: &PathBuf| {
        let path = judgeable(path).map_err(for_a_folder)?;
        Ok(judge_in_place(path, accepts_bare_documents, &facts)?)
    };
    let judged = bar::over("Verifying", &arguments.bundles).map(judge).collect::<Result<Vec<_>, Failure>>()?;
    let (verdicts, attested): (Vec<Verdict>, Vec<_>) = judged.into_iter().unzip();
    let are_broken = attested.iter().map(|attested| matches!(attested, Some(Err(_)))).collect();
    let sound = attested.into_iter().map(|attested| attested.and_then(Result::ok));
    let attestations = sound.map(|attested| attested.map(Attestation::from)).collect();
    let proofs = arguments.bundles.iter().map(|path| audit::prove(path)).collect::<Result<Vec<_>, _>>()?;
    let unproved = arguments
        .bundles
        .iter()
        .zip(&proofs)
        .find_map(|(path, proof)| Some((path, proof.as_ref()?.as_ref().err()?.clone())));
    let log_proofs = proofs.into_iter().map(|proof| proof.and_then(Result::ok)).collect();
    let reasons: Vec<_> = verdicts.iter().flat_map(|verdict| verdict.reasons.clone()).collect();
    let unsound = verdicts.iter().filter(|verdict| verdict.verdict == Decision::Reject).count();
    let verified = Verified { verdicts, site_gate_toml_sha256, log_proofs, attestations, are_broken };
    if unsound == 0 {
        let Some((path, message)) = unproved else { return Ok(Outcome::done(&verified)) };
        let message = format!("{}: {message}", path.display());
        let hint = "Run `gatepost audit verify` in the site.";
        let failure = Failure::new(ErrorCode::AuditLogInvalid, FailureKind::Policy, message, hint);
        return Ok(Outcome::failed(&verified, failure.during("verify", path.display().to_string())));
    }
    let message = faulty(unsound, verified.verdicts.len(), "bundle", "is not sound", "are not sound");
    let hint = reasons.first().map_or_else(String::new, |reason| reason.hint.clone());
    let target = arguments.bundles.first().map(|path| path.display().to_string()).unwrap_or_default();
    let failure = Failure::new(ErrorCode::ResultRejected, FailureKind::Policy, message, hint).during("verify", target);
    Ok(Outcome::failed(&verified, failure))
}

/// The same failure; neither an id nor `last` names a file.
fn for_a_folder(failure: Failure) -> Failure {
    if failure.code != ErrorCode::FileNotFound {
        return failure;
    }
    Failure { hint: "`verify` takes a folder: `gatepost verify core/inbound/TS-…`.".to_owned(), ..failure }
}

/// A path, unless it is a folder that is not a bundle.
pub(super) fn judgeable(path: &Path) -> Result<&Path, Failure> {
    let whole = path.canonicalize().on("find", path)?;
    if whole.is_dir() && !is_like_a_bundle(&whole) { Err(no_bundle(&whole)) } else { Ok(path) }
}

/// Whether a folder has the name or a file of a bundle; a broken bundle is judged too.
fn is_like_a_bundle(folder: &Path) -> bool {
    let is_called_so = folder.file_name().is_some_and(is_result);
    is_called_so || ["SHA256SUMS", "evidence.json"].iter().any(|file| folder.join(file).symlink_metadata().is_ok())
}

fn is_result(name: &OsStr) -> bool {
    ResultKind::of_name(name.as_encoded_bytes()).is_some()
}

/// The failure for a folder with bundles in it, or with other files.
fn no_bundle(folder: &Path) -> Failure {
    let shown = quoted(&folder.display().to_string());
    let entries = folder.read_dir().into_iter().flatten().filter_map(Result::ok);
    let bundles = entries.filter(|entry| is_result(&entry.file_name())).count();
    if bundles == 0 {
        let hint = "Name TS-… folders; to look through other files, name each: gatepost check FILE…";
        return Failure::usage(format!("{shown} is not a bundle."), hint);
    }
    let bundles = counted(bundles, "bundle");
    let message = format!("{shown} is not a bundle but a folder with {bundles} in it.");
    Failure::usage(message, "Name the bundles in it: …/TS-*")
}
