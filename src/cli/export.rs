//! `gatepost export`: writes accepted results, or requests for the other side, into a bag for removable media.
//!
//! A result is exported as its whole folder in `core/inbound/`, with the proof that the gate's log holds the decision on exactly these
//! bytes; all proofs lead to one checkpoint. The result contains its request and signatures. A request is exported as it is in the inbox.
//! *Commit point*: see `src/bag/writing.rs`. *Security*: inbox files are hostile input; of `keys/` only public lists are exported.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use clap::ArgGroup;
use gatepost_documents::id::{ResultId, ResultKind};
use gatepost_documents::log_proof::LogProof;
use gatepost_documents::verdict::{VERDICT_FILE, Verdict};
use gatepost_exec::bag::writing::Staged;
use gatepost_exec::bag::{REASONS_MAX, REQUESTS, RESULTS};
use gatepost_exec::mailbox::signatures::APPROVALS;
use gatepost_exec::mailbox::{record, signature_drop};
use gatepost_exec::step_error::StepError;
use gatepost_gate::audit::accepted;
use gatepost_gate::ledger::Entry;
use gatepost_mailbox::keys;
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};
use gatepost_signatures::Namespace;

use super::age::{Age, age};
use super::audit::prove;
use super::bar;
use super::import;
use crate::cli::prelude::*;

/// How often proofs are recomputed because the gate decided something meanwhile.
const LOOKS_MAX: u32 = 10;
const VERDICT_MAX_BYTES: u64 = 64 * 1024 * 1024;
const GUIDE: &str = include_str!("export/VERIFY.md");

/// `gatepost export`
pub(super) const DECLARATION: Declaration =
    Declaration::mutating("export", data::<Exported>).writes(&[Write::argument("out")]).takes_ids().fails(&[
        ErrorCode::ExportRefused,
        ErrorCode::RequestNotFound,
        ErrorCode::ResultNotFound,
        ErrorCode::AlreadyExists,
        ErrorCode::GateBusy,
        ErrorCode::LockHeld,
        ErrorCode::AuditLogInvalid,
    ]);

#[derive(Debug, clap::Args)]
#[command(
    group = ArgGroup::new("chosen").args(["ids", "since"]).required(true),
    after_help = "If it is interrupted, repeat the same command: FOLDER.part has the copied files.\n\
    Examples:\n  gatepost export --since 7d --out /mnt/stick/results\n  gatepost export --requests TR-20260209-160501Z-count --out /mnt/stick/requests"
)]
pub(super) struct Arguments {
    /// Results (TS-…), by their own ids or those of their requests; with --requests, requests (TR-…) in the inbox.
    #[arg(value_name = "ID", value_parser = identifier::id)]
    ids: Vec<String>,
    /// Results accepted since: 30m, 12h, 7d, or a time such as 2026-02-09T16:05:01Z.
    #[arg(long, value_name = "AGE", value_parser = age)]
    since: Option<Age>,
    /// Export requests that wait in the inbox, for another site to run.
    #[arg(long, conflicts_with = "since")]
    requests: bool,
    /// The folder to make; it must not exist.
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Check everything, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
struct Exported {
    effect: Effect,
    folder: PathBuf,
    kind: &'static str,
    ids: Vec<String>,
    files: usize,
    bytes: u64,
}

impl View for Exported {
    fn text(&self) -> String {
        let what = counted(self.ids.len(), self.kind);
        if self.effect == Effect::WouldCreate {
            return format!("{what} would go into {}\n", self.folder.display());
        }
        let (files, bytes) = (counted(self.files, "file"), counted(self.bytes, "byte"));
        format!("{what} ({files}, {bytes}) in {}\n", self.folder.display())
    }
}

pub(super) fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let out = &arguments.out;
    if out.file_name().is_none() {
        return Err(Failure::usage("The folder to make has no name.", "Write --out FOLDER."));
    }
    if out.symlink_metadata().is_ok() {
        return Err(Failure::already_exists("create", out, "Name another folder, or move it away."));
    }
    let (kind, ids) = if arguments.requests {
        let ids = arguments.ids.iter().map(|id| identifier::request(site, id)).collect::<Result<BTreeSet<_>, _>>()?;
        ids.iter().try_for_each(|id| is_in_inbox(site, id))?;
        ("request", ids.iter().map(ToString::to_string).collect())
    } else {
        ("result", results(site, arguments)?)
    };
    let effect = Effect::Created.or_would(arguments.dry_run);
    let mut exported = Exported { effect, folder: out.clone(), kind, ids, files: 0, bytes: 0 };
    if arguments.dry_run {
        return Ok(Outcome::done(&exported));
    }
    let mut bag = Staged::begin(out)?;
    let guide = if arguments.requests {
        bar::over("Exporting", &exported.ids).try_for_each(|id| add_request(site, &mut bag, id)).map_err(refused)?;
        importable(&bag, &exported.ids).map_err(|reasons| refused(reasons.into()))?;
        None
    } else {
        add_results(site, &mut bag, &exported.ids)?;
        Some(("VERIFY.md", GUIDE))
    };
    (exported.files, exported.bytes) = bag.size();
    bag.finish(Utc::now().date_naive(), guide)?;
    Ok(Outcome::done(&exported))
}

/// The names of the selected results.
fn results(site: &Site, arguments: &Arguments) -> Result<Vec<String>, Failure> {
    let folder = site.core_inbound();
    let mut lying = Vec::new();
    for entry in folder.read_dir().on("list", &folder)? {
        let name = entry.on("list", &folder)?.file_name();
        lying.extend(name.to_str().and_then(|name| ResultId::parse(name).ok()));
    }
    lying.sort_by(|left, right| left.as_str().cmp(right.as_str()));
    let mut names = Vec::new();
    if let Some(since) = arguments.since.map(|age| age.moment(Utc::now())) {
        for id in lying {
            if accepted_at(&folder.join(id.as_str()))? >= Some(since) {
                names.push(id.to_string());
            }
        }
    } else {
        for text in &arguments.ids {
            let request = identifier::request(site, text)?;
            let found = lying.iter().filter(|id| {
                id.as_str() == text || (id.request() == &request && ResultKind::of_name(text.as_bytes()).is_none())
            });
            let before = names.len();
            names.extend(found.map(ToString::to_string));
            if names.len() == before {
                let message = format!("core/inbound/ holds no result {text}.");
                return Err(no_result(text, &message));
            }
        }
        names.sort();
        names.dedup();
    }
    if names.is_empty() {
        return Err(no_result("", "No result was accepted since then."));
    }
    Ok(names)
}

fn no_result(target: &str, message: &str) -> Failure {
    let hint = "`gatepost list` shows all results.";
    Failure::not_found(ErrorCode::ResultNotFound, FailureKind::ResultNotFound, target, message, hint)
}

/// The time of a result's acceptance, from its verdict.
fn accepted_at(bundle: &Path) -> Result<Option<DateTime<Utc>>, Fault> {
    let path = bundle.join(VERDICT_FILE);
    let bytes = regular_file::read(&path, VERDICT_MAX_BYTES).on("read", &path)?;
    let verdict: Verdict = serde_json::from_slice(&bytes).map_err(std::io::Error::from).on("read", &path)?;
    Ok(DateTime::parse_from_rfc3339(&verdict.judged_utc).ok().map(|time| time.to_utc()))
}

fn add_results(site: &Site, bag: &mut Staged, names: &[String]) -> Result<(), Failure> {
    let proofs = proofs(site, names)?;
    for (name, proof) in bar::over("Exporting", names.iter().zip(&proofs)) {
        let path = format!("{RESULTS}/{name}");
        bag.copy_tree(&site.core_inbound().join(name), &path).map_err(refused)?;
        // The copied bytes have to match the proof.
        let copy = bag.path(RESULTS);
        let copied = accepted(&copy, name.as_ref()).on("read", &copy)?;
        let is_it =
            |entry: Entry| (entry.bundle_sha256, entry.verdict_sha256) == (copied.bundle_sha256, copied.verdict_sha256);
        if !serde_json::from_str(&proof.leaf).is_ok_and(is_it) {
            return Err(unproved(name, "It changed while it was copied."));
        }
        let mut json = serde_json::to_vec_pretty(proof).map_err(std::io::Error::from).on("write", &copy)?;
        json.push(b'\n');
        bag.write(&json, &format!("proofs/{name}.json"))?;
    }
    if let Some(proof) = proofs.first() {
        bag.write(proof.checkpoint.as_bytes(), "log/checkpoint")?;
        bag.write(format!("{}\n", proof.verifier_key).as_bytes(), "log/key.pub")?;
    }
    for (namespace, name) in [(Namespace::Approval, "keys/approvers"), (Namespace::Request, "keys/requesters")] {
        let path = keys::path(site, namespace);
        match regular_file::read(&path, DOCUMENT_MAX_BYTES) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            bytes => bag.write(&bytes.on("read", &path)?, name)?,
        }
    }
    Ok(())
}

/// A proof of each result, all to one checkpoint.
fn proofs(site: &Site, names: &[String]) -> Result<Vec<LogProof>, Failure> {
    for _ in 0..LOOKS_MAX {
        let mut proofs: Vec<LogProof> = Vec::new();
        for name in names {
            match prove(&site.core_inbound().join(name))? {
                Some(Ok(proof)) => proofs.push(proof),
                Some(Err(why)) => return Err(unproved(name, &why)),
                None => return Err(unproved(name, "This site's gate has no log.")),
            }
        }
        if proofs.windows(2).all(|pair| pair[0].checkpoint == pair[1].checkpoint) {
            return Ok(proofs);
        }
    }
    let message = "The gate's log changed during each attempt to make the proofs.";
    let failure = Failure::new(ErrorCode::GateBusy, FailureKind::Runtime, message, "Retry when the gate is less busy.");
    Err(Failure { retryable: true, ..failure })
}

fn unproved(name: &str, why: &str) -> Failure {
    let message = format!("{name} cannot be exported with a proof. {why}");
    Failure::new(ErrorCode::AuditLogInvalid, FailureKind::Policy, message, "Run `gatepost audit verify`.")
        .during("export", name)
}

/// The path of a request in the inbox: a folder or a file.
fn in_inbox(site: &Site, id: &str) -> Option<PathBuf> {
    let names = [id.to_owned(), format!("{id}.md"), format!("{id}.json")];
    names.iter().map(|name| site.inbox().join(name)).find(|path| path.symlink_metadata().is_ok())
}

/// Checks that a request waits in the inbox unclaimed, because only one site may run a request.
fn is_in_inbox(site: &Site, id: &RequestId) -> Result<(), Failure> {
    if record::locate(site, id)?.is_some() {
        let message = format!("This site has claimed {id} and runs it.");
        let hint = "Export requests from a site without a running TOOL-EXEC, or drop a new one there.";
        return Err(
            Failure::new(ErrorCode::AlreadyExists, FailureKind::Usage, message, hint).during("export", id.as_str())
        );
    }
    if in_inbox(site, id.as_str()).is_none() {
        let message = format!("The inbox holds no request {id}.");
        let (code, kind) = (ErrorCode::RequestNotFound, FailureKind::RequestNotFound);
        return Err(Failure::not_found(code, kind, id.as_str(), message, "Drop it into inbox/ first."));
    }
    Ok(())
}

fn add_request(site: &Site, bag: &mut Staged, id: &str) -> Result<(), StepError> {
    let inbox = site.inbox();
    let source = in_inbox(site, id).unwrap_or_else(|| inbox.join(id));
    let folder = format!("{REQUESTS}/{id}");
    if source.is_dir() {
        bag.copy_tree(&source, &folder)?;
    } else {
        let name = source.file_name().unwrap_or_default().to_string_lossy();
        bag.copy(&inbox, name.as_ref().as_ref(), &format!("{folder}/{name}"))?;
    }
    // Signatures for it that were dropped separately.
    for entry in inbox.read_dir().on("list", &inbox)? {
        let name = entry.on("list", &inbox)?.file_name();
        if signature_drop::request_id(&name).is_some_and(|signed| signed.as_str() == id) {
            bag.copy(&inbox, name.as_ref(), &format!("{folder}/{APPROVALS}/{}", name.to_string_lossy()))?;
        }
    }
    Ok(())
}

/// Checks that the other side would accept these requests.
fn importable(bag: &Staged, ids: &[String]) -> Result<(), Vec<Reason>> {
    let (mut documents, mut reasons) = (BTreeSet::new(), Vec::new());
    for path in bag.payload().keys() {
        match import::place(path) {
            Ok((id, true)) => drop(documents.insert(id.to_string())),
            Ok((_, false)) => {}
            Err(reason) => reasons.push(reason.in_file(path.as_str())),
        }
    }
    for id in ids.iter().filter(|id| !documents.contains(*id)) {
        let message = format!("The folder contains neither {id}.md nor {id}.json.");
        let hint = "Complete it, or remove it from the inbox.";
        reasons.push(Reason::new(Code::NotARequest, message, hint).in_file(format!("inbox/{id}")));
    }
    reasons.truncate(REASONS_MAX);
    if reasons.is_empty() { Ok(()) } else { Err(reasons) }
}

fn refused(error: StepError) -> Failure {
    match error {
        StepError::Refused(reasons) => Failure::refused(ErrorCode::ExportRefused, "The export", reasons),
        StepError::Fault(fault) => fault.into(),
    }
}
