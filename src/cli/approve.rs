//! `gatepost approve`: a person signs the exact bytes of waiting requests.
//!
//! ```text
//! pending/<id>/request.md ──ssh-keygen -Y sign──▶ inbox/TR-….md.<name>.sig
//! ```
//!
//! The signature is dropped like any other. OpenSSH's own program makes it, as in git, so passphrases, hardware keys
//! and agents work as usual.

mod review;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use chrono::Utc;
use gatepost_exec::authorize::proofs::Signatories;
use gatepost_exec::context::Context;
use gatepost_mailbox::folder::{Folder, Readers};
use gatepost_mailbox::keys;
use gatepost_mailbox::quarantine::random;
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::STAGING;
use gatepost_signatures::{Namespace, SIGNATURE_BYTES_MAX, Unproven};

use super::pending::Pending;
use super::scratch_folder::ScratchFolder;
use crate::cli::prelude::*;

/// Signatures are made in a temporary folder, then dropped; a denial is an order.
const WRITES: &[Write] = &[Write::DROP, Write::ORDER, Write::temporary("gatepost-approve-")];

/// `gatepost approve`
pub(super) const DECLARATION: Declaration = Declaration::mutating("approve", data::<Approved>)
    .answers_each("results", "request_id")
    .writes(WRITES)
    .starts(&[Subprocess::SSH_KEYGEN, Subprocess::SSH_ADD])
    .takes_ids()
    .fails(&[
        ErrorCode::ConfigInvalid,
        ErrorCode::RequestNotFound,
        ErrorCode::ConcurrentModification,
        ErrorCode::PolicyDenied,
        ErrorCode::PermissionDenied,
        ErrorCode::KeyNotFound,
        ErrorCode::KeyNotListed,
        ErrorCode::KeyNotValid,
        ErrorCode::SigningFailed,
        ErrorCode::DocumentRejected,
    ]);

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  gatepost approve TR-20260209-160501Z-count\n  gatepost approve --key ~/.ssh/id_ed25519 TR-20260209-160501Z-count"
)]
pub(super) struct Arguments {
    /// Requests: whole ids (TR-…), or - for one on standard input. Default: review each that waits, on a terminal.
    #[arg(value_name = "WHOLE_ID", value_parser = identifier::whole_id)]
    ids: Vec<String>,
    /// Your SSH key: a private key file, or the public key of one in your agent. Default: the first key in your agent, else in ~/.ssh,
    /// that keys/approvers lists.
    #[arg(long, value_name = "FILE", env = "GATEPOST_KEY")]
    key: Option<PathBuf>,
    /// Show what would be approved, and sign nothing.
    #[arg(long, requires = "ids")]
    dry_run: bool,
}

impl Arguments {
    /// The arguments to approve one request with a key.
    pub(super) fn of(id: &RequestId, key: PathBuf) -> Self {
        Self { ids: vec![id.to_string()], key: Some(key), dry_run: false }
    }
}

#[derive(Serialize, JsonSchema)]
struct Approved {
    effect: Effect,
    approved_by: String,
    /// Requests that were denied in a review.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    denied: Vec<String>,
    #[serde(flatten)]
    each: Each<One>,
}

#[derive(Serialize, JsonSchema)]
struct One {
    request_id: String,
    effect: Effect,
    request_sha256: Digest,
    /// Digest of what `gatepost show` shows of it, which the evidence of the run has too.
    review_sha256: Digest,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<PathBuf>,
}

impl View for Approved {
    fn text(&self) -> String {
        let one = |one: &One| match one.effect {
            Effect::Created => format!("{}  approved by {}\n", one.request_id, self.approved_by),
            Effect::Noop => format!("{}  was already approved by {}\n", one.request_id, self.approved_by),
            _ => format!("{}  would be approved by {}\n", one.request_id, self.approved_by),
        };
        let denied = self.denied.iter().map(|id| format!("{id}  denied\n"));
        self.each.results.iter().map(one).chain(denied).collect()
    }
}

pub(super) fn run(open: Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    if arguments.ids.is_empty() {
        return review(open, arguments);
    }
    let ids = arguments.ids.iter().map(|id| identifier::whole(id)).collect::<Result<Vec<_>, _>>()?;
    let context = Context::new(open.site, open.config)?;
    // All errors of all requests are reported before the first signature.
    let pending = ids.iter().map(|id| Pending::read(&context, id)).collect::<Result<Vec<_>, _>>()?;
    let (site, private) = (&context.site, ScratchFolder::new("gatepost-approve-")?);
    let signatories = Signatories::read(site)?;
    let (key, approved_by) = choose_key(site, &signatories, arguments.key.as_deref(), private.path())?;
    let mut results = Vec::new();
    for one in &pending {
        counts(one, &approved_by)?;
    }
    for one in &pending {
        let (mut signature, mut effect) = (None, Effect::WouldCreate);
        if one.is_approved_by(&approved_by) {
            effect = Effect::Noop;
        } else if !arguments.dry_run {
            let (path, is_new) = sign(site, &signatories, one, (&key, &approved_by), private.path())?;
            (signature, effect) = (Some(path), if is_new { Effect::Created } else { Effect::Noop });
        }
        let (request_id, request_sha256) = (one.request_id.clone(), Digest::of(&one.bytes));
        results.push(One { request_id, effect, request_sha256, review_sha256: one.review_sha256, signature });
    }
    let effect = Effect::of_all(results.iter().map(|one| one.effect));
    Ok(Outcome::done(&Approved { effect, approved_by, denied: Vec::new(), each: Each::well(results) }))
}

/// Asks about each waiting request.
fn review(open: Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    review::expect_terminal()?;
    let context = Context::new(open.site, open.config)?;
    let (site, private) = (&context.site, ScratchFolder::new("gatepost-approve-")?);
    let signatories = Signatories::read(site)?;
    let (key, approved_by) = choose_key(site, &signatories, arguments.key.as_deref(), private.path())?;
    let mut results = Vec::new();
    let denied = review::run(&context, &approved_by, |pending| {
        counts(pending, &approved_by)?;
        let (path, is_new) = sign(site, &signatories, pending, (&key, &approved_by), private.path())?;
        results.push(One {
            request_id: pending.request_id.clone(),
            effect: if is_new { Effect::Created } else { Effect::Noop },
            request_sha256: Digest::of(&pending.bytes),
            review_sha256: pending.review_sha256,
            signature: Some(path),
        });
        Ok(())
    })?;
    let effects = results.iter().map(|one| one.effect).chain(denied.first().map(|_| Effect::Created));
    let effect = Effect::of_all(effects);
    Ok(Outcome::done(&Approved { effect, approved_by, denied, each: Each::well(results) }))
}

/// Checks that this person's approval would count for a request.
fn counts(pending: &Pending, person: &str) -> Result<(), Failure> {
    let id = &pending.request_id;
    if let Some(decision) = pending.decision {
        let message = format!("The request {id} was already {}.", decision.done());
        let hint = "TOOL-EXEC answers it with a refusal. To run it anyway, drop a new request.";
        return Err(
            Failure::new(ErrorCode::ConcurrentModification, FailureKind::Usage, message, hint).during("approve", id)
        );
    }
    let Some(reason) = pending.refused.get(person).filter(|_| !pending.is_approved_by(person)) else { return Ok(()) };
    let message = format!("An approval by {person} would not count for {id}: {}", reason.message);
    let hint = format!("`gatepost show {id}` says who may approve it; nothing was signed.");
    Err(Failure::new(ErrorCode::PolicyDenied, FailureKind::Policy, message, hint).during("approve", id))
}

/// The signing key and its owner: the given key, or the first available key that is listed.
fn choose_key(
    site: &Site,
    signatories: &Signatories,
    given: Option<&Path>,
    private: &Path,
) -> Result<(PathBuf, String), Failure> {
    let list = keys::path(site, Namespace::Approval);
    let unlisted = |message: String| {
        let hint = format!(
            "Name a listed key with --key FILE, or ask the operator to add a line to {}: your name and the content of \
             your id_….pub.",
            list.display()
        );
        Failure::new(ErrorCode::KeyNotListed, FailureKind::Auth, message, hint).during("choose_key", "")
    };
    let now = Utc::now();
    let expired = |path: &Path, why: Unproven| {
        let message = format!("The key {} does not count: {why}.", path.display());
        let hint = format!("Name another with --key, or ask the operator to list a new one in {}.", list.display());
        Failure::new(ErrorCode::KeyNotValid, FailureKind::Auth, message, hint).during("choose_key", "")
    };
    if let Some(given) = given {
        return match signatories.approver(&public_key(given)?, now) {
            Some(Ok(person)) => Ok((given.to_owned(), person.to_owned())),
            Some(Err(why)) => Err(expired(given, why)),
            None => Err(unlisted(format!("The key {} is not listed in keys/approvers.", given.display()))),
        };
    }
    let mut outdated = None;
    for (number, text) in of_agent().into_iter().enumerate() {
        let path = private.join(format!("agent-{number}.pub"));
        match signatories.approver(&text, now) {
            Some(Ok(person)) => {
                fs::write(&path, &text).on("write", &path)?;
                return Ok((path, person.to_owned()));
            }
            Some(Err(why)) => outdated = Some(expired(Path::new("of your agent"), why)),
            None => {}
        }
    }
    for public in of_home() {
        match fs::read_to_string(&public).ok().as_deref().and_then(|text| signatories.approver(text, now)) {
            Some(Ok(person)) => return Ok((public.with_extension(""), person.to_owned())),
            Some(Err(why)) => outdated = Some(expired(&public, why)),
            None => {}
        }
    }
    Err(outdated.unwrap_or_else(|| unlisted("keys/approvers lists no key of your agent or of ~/.ssh.".to_owned())))
}

/// The public half of a key, given either of its files.
fn public_key(given: &Path) -> Result<String, Failure> {
    let mut public = given.to_owned();
    if given.extension().is_none_or(|ending| ending != "pub") {
        public.as_mut_os_string().push(".pub");
    }
    fs::read_to_string(&public).map_err(|error| {
        let message = format!("The public key {} cannot be read: {error}.", public.display());
        let private = public.with_extension("");
        let hint = format!("`ssh-keygen -y -f {0} > {0}.pub` makes it from the private key.", private.display());
        Failure::new(ErrorCode::KeyNotFound, FailureKind::Auth, message, hint)
            .during("choose_key", public.display().to_string())
    })
}

/// The public keys of a running agent.
fn of_agent() -> Vec<String> {
    let listed = Command::new("ssh-add").arg("-L").stdin(Stdio::null()).stderr(Stdio::null()).output();
    let listed = listed.ok().filter(|listed| listed.status.success());
    let text = listed.map(|listed| String::from_utf8_lossy(&listed.stdout).into_owned()).unwrap_or_default();
    text.lines().map(|line| format!("{line}\n")).collect()
}

/// The public keys in the user's own folder that have their private keys beside them.
fn of_home() -> Vec<PathBuf> {
    let Some(home) = std::env::var_os("HOME") else { return Vec::new() };
    let entries = PathBuf::from(home).join(".ssh").read_dir().into_iter().flatten().filter_map(Result::ok);
    let public =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ending| ending == "pub"));
    let mut found: Vec<PathBuf> = public.filter(|path| path.with_extension("").is_file()).collect();
    found.sort();
    found
}

/// Signs one request and drops the signature into the inbox. Returns whether it was new, and its path.
fn sign(
    site: &Site,
    signatories: &Signatories,
    pending: &Pending,
    (key, person): (&Path, &str),
    private: &Path,
) -> Result<(PathBuf, bool), Failure> {
    let document = private.join(&pending.file_name);
    fs::write(&document, &pending.bytes).on("write", &document)?;
    let failed = |message: String, hint: &str| {
        Failure::new(ErrorCode::SigningFailed, FailureKind::Auth, message, hint)
            .during("sign", pending.request_id.as_str())
    };
    let namespace = Namespace::Approval.as_str();
    // It inherits the user's standard streams: it may ask for a passphrase or for a touch.
    let status = Command::new("ssh-keygen")
        .args(["-q", "-Y", "sign", "-n", namespace, "-f"])
        .args([key, &document])
        .stdout(Stdio::null())
        .status()
        .map_err(|error| failed(format!("ssh-keygen could not be started: {error}."), "Install OpenSSH's client."))?;
    if !status.success() {
        return Err(failed(format!("ssh-keygen did not sign {}.", pending.request_id), "Its own message says why."));
    }
    let made = private.join(format!("{}.sig", pending.file_name));
    let bytes = regular_file::read(&made, SIGNATURE_BYTES_MAX).on("read", &made)?;
    let check = |bytes: &[u8]| signatories.check(bytes, &pending.bytes, Utc::now());
    check(&bytes).map_err(|reason| failed(reason.message, "Sign with another key, or ask the operator."))?;
    let place = |label: &str| site.inbox().join(format!("{}.{label}.sig", pending.file_name));
    let target = place(person);
    if drop_into(site, &bytes, &target)? {
        return Ok((target, true));
    }
    // Another file may have taken the name.
    let lies_there = regular_file::read(&target, SIGNATURE_BYTES_MAX).is_ok_and(|found| check(&found).is_ok());
    if lies_there {
        return Ok((target, false));
    }
    let target = place(&format!("{person}-{:08x}", random()?));
    drop_into(site, &bytes, &target)?;
    Ok((target, true))
}

/// Renames bytes into the inbox, unless the name is taken.
fn drop_into(site: &Site, bytes: &[u8], target: &Path) -> Result<bool, Failure> {
    let publish = || {
        let inbox = Folder::of_site(site, "inbox")?;
        inbox.folder(STAGING)?.publish(bytes, Readers::Everybody, &inbox, target.file_name().unwrap_or_default())
    };
    match publish() {
        Err(fault) if fault.source.kind() == io::ErrorKind::PermissionDenied => {
            let message = format!("The signature cannot be dropped: failed to {fault}.");
            let hint = "Ask the operator for read and write access to inbox/ and inbox/.tmp/, or sign with `ssh-keygen -Y \
                        sign` and have the file dropped.";
            Err(Failure::new(ErrorCode::PermissionDenied, FailureKind::Filesystem, message, hint).during("drop", ""))
        }
        published => Ok(published?),
    }
}
