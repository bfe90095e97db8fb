//! `gatepost approve`: a person's signature over the exact bytes of requests that wait.
//!
//! ```text
//! pending/<id>/request.md ──ssh-keygen -Y sign──▶ inbox/TR-….md.<name>.sig
//! ```
//!
//! The signature goes the way that every other goes. OpenSSH's own program makes it, as git has it do, so that keys with a passphrase,
//! hardware keys and agents work as their owner knows them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use chrono::Utc;
use gatepost_documents::digest::Digest;
use gatepost_documents::id::RequestId;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::OnPath;
use gatepost_mailbox::keys;
use gatepost_mailbox::site::{STAGING, Site};
use gatepost_signatures::Namespace;
use serde::Serialize;

use super::exit;
use super::outcome::{Failure, Outcome, View};
use super::pending::Pending;
use super::show::parse_id;
use super::site::Open;
use super::watch::context;
use crate::authorize::proofs::Signatories;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status: 0 signed, or signed before; 5 no such request; 6 it does not wait; 8 no key of an approver, or it did not sign.\n\
    Examples:\n  gatepost approve TR-20260209-160501Z-count\n  gatepost approve --key ~/.ssh/id_ed25519 TR-20260209-160501Z-count"
)]
pub struct Arguments {
    /// The requests (TR-…); `gatepost list --state pending` shows those that wait.
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
    /// Your SSH key: the private one, or the public one of a key in your agent. Default: the first key of your agent, or else in ~/.ssh,
    /// that keys/approvers lists.
    #[arg(long, value_name = "FILE", env = "GATEPOST_KEY")]
    key: Option<PathBuf>,
    /// Show what would be approved, and sign nothing.
    #[arg(long)]
    dry_run: bool,
}

impl Arguments {
    /// To approve one request with a key.
    pub fn of(id: &RequestId, key: PathBuf) -> Self {
        Self { ids: vec![id.to_string()], key: Some(key), dry_run: false }
    }
}

#[derive(Serialize)]
struct Approved {
    effect: &'static str,
    approved_by: String,
    requests: Vec<One>,
}

#[derive(Serialize)]
struct One {
    request_id: String,
    effect: &'static str,
    request_sha256: Digest,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<PathBuf>,
}

impl View for Approved {
    fn text(&self) -> String {
        let one = |one: &One| match one.effect {
            "created" => format!("{}  approved by {}\n", one.request_id, self.approved_by),
            "noop" => format!("{}  was approved by {} before\n", one.request_id, self.approved_by),
            _ => format!("{}  would be approved by {}\n", one.request_id, self.approved_by),
        };
        self.requests.iter().map(one).collect()
    }
}

/// A folder that only its owner can look into, removed in the end.
struct Private(PathBuf);

impl Private {
    fn new() -> Result<Self, Failure> {
        let path = std::env::temp_dir().join(format!("gatepost-approve-{}", std::process::id()));
        rustix::fs::mkdir(&path, rustix::fs::Mode::RWXU).on("create", &path)?;
        Ok(Self(path))
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        // What cannot be removed holds a request and its signature, and no key.
        let _ = durable::remove_tree(&self.0);
    }
}

pub fn run(open: Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    let ids = arguments.ids.iter().map(|id| parse_id(id)).collect::<Result<Vec<RequestId>, _>>()?;
    let context = context(open)?;
    // All that can be wrong with any of them is said before one is signed.
    let pending = ids.iter().map(|id| Pending::read(&context, id)).collect::<Result<Vec<_>, _>>()?;
    let (site, private) = (&context.site, Private::new()?);
    let signatories = Signatories::read(site)?;
    let (key, approved_by) = choose_key(site, &signatories, arguments.key.as_deref(), &private.0)?;
    let mut requests = Vec::new();
    for one in &pending {
        let mut signature = None;
        if !arguments.dry_run {
            signature = Some(sign(site, &signatories, one, (&key, &approved_by), &private.0)?);
        }
        let effect = match &signature {
            None => "would_create",
            Some((_, true)) => "created",
            Some((_, false)) => "noop",
        };
        requests.push(One {
            request_id: one.request_id.clone(),
            effect,
            request_sha256: Digest::of(&one.bytes),
            signature: signature.map(|(path, _)| path),
        });
    }
    let effect = if requests.iter().any(|one| one.effect == "created") { "created" } else { requests[0].effect };
    Ok(Outcome::done(&Approved { effect, approved_by, requests }))
}

/// The key to sign with and whose it is: the one that was given, or the first of those at hand that is listed.
fn choose_key(
    site: &Site,
    signatories: &Signatories,
    given: Option<&Path>,
    private: &Path,
) -> Result<(PathBuf, String), Failure> {
    let list = keys::path(site, Namespace::Approval);
    let unlisted = |message: String| {
        let hint =
            format!("Ask the operator to add a line to {}: your name, and what your id_….pub holds.", list.display());
        Failure::new(exit::CREDENTIALS, "KEY_NOT_LISTED", "auth", message, hint).during("choose_key", "")
    };
    if let Some(given) = given {
        let public = if given.extension().is_some_and(|ending| ending == "pub") {
            given.to_owned()
        } else {
            let mut name = given.as_os_str().to_owned();
            name.push(".pub");
            PathBuf::from(name)
        };
        let text = fs::read_to_string(&public).on("read the public key", &public)?;
        let person = signatories.approver(&text);
        let person =
            person.ok_or_else(|| unlisted(format!("The key {} is not one of an approver.", given.display())))?;
        return Ok((given.to_owned(), person.to_owned()));
    }
    for (number, text) in of_agent().into_iter().enumerate() {
        if let Some(person) = signatories.approver(&text) {
            let path = private.join(format!("agent-{number}.pub"));
            fs::write(&path, &text).on("write", &path)?;
            return Ok((path, person.to_owned()));
        }
    }
    for public in of_home() {
        let person = fs::read_to_string(&public).ok().and_then(|text| signatories.approver(&text).map(str::to_owned));
        if let Some(person) = person {
            return Ok((public.with_extension(""), person));
        }
    }
    Err(unlisted(
        "None of your keys, in your agent or in ~/.ssh, is one of an approver; --key names another.".to_owned(),
    ))
}

/// The public keys of a running agent.
fn of_agent() -> Vec<String> {
    let listed = Command::new("ssh-add").arg("-L").stdin(Stdio::null()).stderr(Stdio::null()).output();
    let listed = listed.ok().filter(|listed| listed.status.success());
    let text = listed.map(|listed| String::from_utf8_lossy(&listed.stdout).into_owned()).unwrap_or_default();
    text.lines().map(|line| format!("{line}\n")).collect()
}

/// The public keys in the user's own folder whose private ones lie beside them.
fn of_home() -> Vec<PathBuf> {
    let Some(home) = std::env::var_os("HOME") else { return Vec::new() };
    let entries = PathBuf::from(home).join(".ssh").read_dir().into_iter().flatten().filter_map(Result::ok);
    let public =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ending| ending == "pub"));
    let mut found: Vec<PathBuf> = public.filter(|path| path.with_extension("").is_file()).collect();
    found.sort();
    found
}

/// Signs one request and drops the signature into the inbox; whether that was new, and where it lies.
fn sign(
    site: &Site,
    signatories: &Signatories,
    pending: &Pending,
    (key, person): (&Path, &str),
    private: &Path,
) -> Result<(PathBuf, bool), Failure> {
    let document = private.join(&pending.file_name);
    fs::write(&document, &pending.bytes).on("write", &document)?;
    let failed = |message: String| {
        let hint = "Is the key's passphrase right, and is ssh-keygen of OpenSSH installed?";
        Failure::new(exit::CREDENTIALS, "SIGNING_FAILED", "auth", message, hint)
            .during("sign", pending.request_id.as_str())
    };
    let namespace = Namespace::Approval.as_str();
    // Its standard streams are the user's: it may ask for a passphrase, or for a touch.
    let status = Command::new("ssh-keygen")
        .args(["-q", "-Y", "sign", "-n", namespace, "-f"])
        .args([key, &document])
        .stdout(Stdio::null())
        .status()
        .map_err(|error| failed(format!("ssh-keygen could not be started: {error}.")))?;
    if !status.success() {
        return Err(failed(format!("ssh-keygen did not sign {}.", pending.request_id)));
    }
    let made = private.join(format!("{}.sig", pending.file_name));
    let bytes = fs::read(&made).on("read", &made)?;
    signatories.check(&bytes, &pending.bytes, Utc::now()).map_err(|reason| failed(reason.message))?;
    let name = format!("{}.{person}.sig", pending.file_name);
    let (staged, target) = (site.inbox().join(STAGING).join(&name), site.inbox().join(&name));
    durable::remove_tree(&staged)?;
    durable::write_new(&staged, &bytes)?;
    match durable::move_new(&staged, &target) {
        Err(fault) if fault.source.kind() == std::io::ErrorKind::AlreadyExists => {
            durable::remove_tree(&staged)?;
            Ok((target, false))
        }
        moved => Ok(moved.map(|()| (target, true))?),
    }
}
