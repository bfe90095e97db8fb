//! Imports requests of a bag into the inbox.
//!
//! ```text
//! copy → inbox/.tmp/.import-<16 hex>/, 0700, locked, every file     what an earlier attempt copied is not copied again
//!     by its digest; another name where somebody else took this one
//! fsync every file and folder
//! rename each request → inbox/TR-…/, fsync both folders             commit point of each: it is a drop like any other
//! remove inbox/.tmp/.import-<16 hex>
//! ```
//!
//! If killed between two steps, a repeated import does the rest: a request that exists with the same bytes is skipped.
//! *Security*: TOOL-EXEC judges the requests, like any drop.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use gatepost_contract::request::REQUEST_BYTES_MAX;
use gatepost_exec::bag::reading::Bag;
use gatepost_exec::bag::{PAYLOAD, REASONS_MAX, REQUESTS};
use gatepost_exec::mailbox::{INPUTS, record, signatures::APPROVALS};
use gatepost_exec::step_error::StepError;
use gatepost_mailbox::drop_folder;
use gatepost_mailbox::folder::Folder;
use gatepost_mailbox::lock::Lock;
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::STAGING;

use super::{Arguments, refused, stage};
use crate::cli::bar;
use crate::cli::prelude::*;

#[derive(Serialize, JsonSchema)]
pub(super) struct Imported {
    dry_run: bool,
    effect: Effect,
    requests: Vec<One>,
}

#[derive(Serialize, JsonSchema)]
struct One {
    request_id: String,
    effect: Effect,
    request_sha256: Digest,
}

impl Imported {
    fn of(dry_run: bool, requests: Vec<One>) -> Self {
        Self { dry_run, effect: Effect::of_all(requests.iter().map(|one| one.effect)), requests }
    }
}

impl View for Imported {
    fn text(&self) -> String {
        let one = |one: &One| match one.effect {
            Effect::Noop => format!("{}  is here already\n", one.request_id),
            Effect::Created => format!("{}  is in the inbox\n", one.request_id),
            _ => format!("{}  would be put into the inbox\n", one.request_id),
        };
        self.requests.iter().map(one).collect()
    }
}

pub(super) fn run(site: &Site, inputs_bytes_max: u64, bag: &Bag, arguments: &Arguments) -> Result<Outcome, Failure> {
    let refused = |error| refused(&arguments.folder, error);
    let requests = requests(bag, inputs_bytes_max).map_err(|reasons| refused(reasons.into()))?;
    let mut taken = Vec::new();
    for (id, digest) in &requests {
        let effect = match known(site, id)? {
            Some(known) if known == *digest => Effect::Noop,
            Some(_) => return Err(reused(id)),
            None => Effect::Created.or_would(arguments.dry_run),
        };
        taken.push(One { request_id: id.to_string(), effect, request_sha256: *digest });
    }
    if arguments.dry_run {
        bag.take(None).map_err(refused)?;
        return Ok(Outcome::done(&Imported::of(true, taken)));
    }
    let inbox = Folder::of_site(site, "inbox")?;
    let place = inbox.folder(STAGING)?;
    let digest = bag.digest().to_string();
    let (stem, staging) = stage(&place, 0o700, &digest[..16], folder_name)?;
    let name = folder_name(&stem);
    let _lock = Lock::folder_in(&place, name.as_ref(), &staging)?;
    let copied = bag.take(Some(&staging));
    if matches!(copied, Err(StepError::Refused(_))) {
        place.remove(&name)?;
    }
    copied.map_err(refused)?;
    let requests = staging.folder(Path::new(PAYLOAD).join(REQUESTS))?;
    for name in requests.names()? {
        drop_folder::leave_to_group(&requests.folder(&name)?)?;
    }
    staging.sync_tree()?;
    for one in bar::over("Importing", &mut taken) {
        if one.effect != Effect::Created {
            continue;
        }
        match requests.move_new(&one.request_id, &inbox, &one.request_id) {
            // Another process dropped it meanwhile.
            Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => {
                let id = RequestId::parse(&one.request_id).map_err(|_| Failure::from(fault))?;
                if known(site, &id)? != Some(one.request_sha256) {
                    return Err(reused(&id));
                }
                one.effect = Effect::Noop;
            }
            moved => moved?,
        }
    }
    place.remove(&name)?;
    Ok(Outcome::done(&Imported::of(false, taken)))
}

/// The name of the folder for the copy.
fn folder_name(stem: &str) -> String {
    format!(".import-{stem}")
}

/// The requests of a bag, each with the digest of its document.
fn requests(bag: &Bag, inputs_bytes_max: u64) -> Result<BTreeMap<RequestId, Digest>, Vec<Reason>> {
    let (mut found, mut bytes, mut reasons) = (BTreeMap::new(), BTreeMap::<RequestId, u64>::new(), Vec::new());
    for (path, digest) in bag.payload() {
        match place(path) {
            Ok((id, is_document)) => {
                *bytes.entry(id.clone()).or_default() += bag.size(path);
                if is_document && found.insert(id, *digest).is_some() {
                    reasons.push(
                        Reason::new(Code::NotARequest, "The bag has the request in two forms.", "Keep one of them.")
                            .in_file(path),
                    );
                }
            }
            Err(reason) => reasons.push(reason.in_file(path)),
        }
    }
    for (id, bytes) in bytes {
        let place = format!("{PAYLOAD}{REQUESTS}/{id}");
        if !found.contains_key(&id) {
            let message = format!("The folder contains neither {id}.md nor {id}.json.");
            reasons
                .push(Reason::new(Code::NotARequest, message, "Have the bag exported again.").in_file(place.as_str()));
        }
        if bytes > inputs_bytes_max.saturating_add(REQUEST_BYTES_MAX as u64) {
            let message = format!("It has {bytes} bytes, more than this site takes in a drop.");
            let hint = "Send less, or ask the operator to raise [inbox] inputs_bytes_max.";
            reasons.push(Reason::new(Code::TooLarge, message, hint).in_file(place));
        }
    }
    if found.is_empty() && reasons.is_empty() {
        reasons.push(Reason::new(
            Code::NotARequest,
            "The bag holds no request.",
            "Export some with `gatepost export --requests`.",
        ));
    }
    reasons.truncate(REASONS_MAX);
    if reasons.is_empty() { Ok(found) } else { Err(reasons) }
}

/// The request of a payload file, and whether the file is its document.
pub(crate) fn place(path: &str) -> Result<(RequestId, bool), Reason> {
    let parts: Vec<&str> = path.strip_prefix(PAYLOAD).unwrap_or(path).split('/').collect();
    let unknown = |message: &str| {
        Reason::new(
            Code::FileUnlisted,
            message,
            "A bag of requests holds data/requests/TR-…/ with TR-….md, in/ and approvals/.",
        )
    };
    let (id, rest) = match parts[..] {
        [REQUESTS, id, ref rest @ ..] if !rest.is_empty() => (id, rest),
        _ => return Err(unknown("No request has such a file.")),
    };
    let id = RequestId::parse(id)
        .map_err(|error| unknown(&format!("Its folder is not named after a request: the name {error}.")))?;
    match rest {
        [name] if name.strip_suffix(".md").or(name.strip_suffix(".json")) == Some(id.as_str()) => Ok((id, true)),
        [INPUTS, _] => Ok((id, false)),
        [APPROVALS, name] if name.ends_with(".sig") => Ok((id, false)),
        _ => Err(unknown("No request has such a file.")),
    }
}

/// The digest of the request that has this id here.
pub(super) fn known(site: &Site, id: &RequestId) -> Result<Option<Digest>, Fault> {
    if let Some((_, claim)) = record::locate(site, id)? {
        return Ok(Some(claim.request_sha256));
    }
    for name in [format!("{id}/{id}.md"), format!("{id}/{id}.json"), format!("{id}.md"), format!("{id}.json")] {
        let path = site.inbox().join(name);
        match regular_file::read(&path, REQUEST_BYTES_MAX as u64) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            bytes => return Ok(Some(Digest::of(&bytes.on("read", &path)?))),
        }
    }
    Ok(None)
}

pub(super) fn reused(id: &RequestId) -> Failure {
    let message = format!("This site has a request {id} with different bytes.");
    let hint = "Give the request its own id, and export it again.";
    Failure::new(ErrorCode::AlreadyExists, FailureKind::Usage, message, hint).during("import", id.as_str())
}
