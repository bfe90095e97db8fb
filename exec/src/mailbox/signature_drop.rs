//! A signature dropped separately: `TR-….md.sig`, or `TR-….md.<label>.sig` if there are several.
//!
//! ```text
//! inbox/TR-….md.sig ──read, verify──▶ pending/<id>/approvals/<16 hex>.sig, then the inbox name is removed
//! ```
//!
//! It counts for a request that waits or was just claimed, and only if it is valid for that request. An invalid
//! signature goes to quarantine, and the request continues. *Security*: as in [`super::claim`]; one signature of each person is kept,
//! and further ones are removed. *Commit point*: the rename of the copy.

use std::ffi::OsStr;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use gatepost_contract::request;
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted_name;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::quarantine::{Contents, plain_name};
pub use gatepost_mailbox::signature_name::request_id;
use gatepost_mailbox::site::Site;
use gatepost_signatures::{SIGNATURE_BYTES_MAX, Signature};

use super::claim::{Identity, Unclaimable, open_folder, open_regular, take_away};
use super::exec_log::ExecLog;
use super::record::{self, Claim, State};
use super::refuse::quarantine;
use super::signatures::{self, SIGNATURES_MAX};
use crate::authorize::proofs::Signatories;

/// The outcome of a dropped signature.
#[derive(Debug)]
pub enum Received {
    /// It counts for this request, which must be decided anew if it was set aside.
    For(RequestId),
    /// It repeats an earlier one of the same person, and was removed.
    Again(RequestId),
    /// It waits: its request is missing, or is being decided.
    Waits,
    /// It is invalid; the quarantine item and the reason.
    Quarantined(PathBuf, Box<Reason>),
    /// Its owner removed it, or it is still being written.
    Gone,
}

/// Receives one. If `is_late`, it no longer waits for its request.
pub fn receive(
    (site, log): (&Site, Option<&ExecLog>),
    name: &OsStr,
    signatories: &Signatories,
    is_late: bool,
    now: DateTime<Utc>,
) -> Result<Received, Fault> {
    match take(site, name, signatories, is_late, now) {
        Ok(received) => Ok(received),
        Err(Unclaimable::Gone) => Ok(Received::Gone),
        Err(Unclaimable::Fault(fault)) => Err(fault),
        Err(Unclaimable::Refused(mut reasons) | Unclaimable::Unfinished(mut reasons)) => {
            let (path, plain) = (site.inbox().join(name), plain_name(name.as_bytes()));
            let item = quarantine((site, log), &plain, None, &reasons, now, &[Contents::Move(&path, &plain)])?;
            Ok(Received::Quarantined(item, Box::new(reasons.swap_remove(0))))
        }
    }
}

fn take(
    site: &Site,
    name: &OsStr,
    signatories: &Signatories,
    is_late: bool,
    now: DateTime<Utc>,
) -> Result<Received, Unclaimable> {
    let shown = quoted_name(name);
    let id = request_id(name).ok_or_else(|| {
        let message = format!("{shown} is not named after the request that it signs.");
        Reason::new(Code::NameInvalid, message, "Name it TR-….md.sig, after the request's file.")
    })?;
    let (folder, claim) = match record::locate(site, &id)? {
        None if is_late => {
            let message = format!("{shown} signs a request that was not dropped here.");
            let hint = "Drop the request too, before its signature or together with it.";
            return Err(Reason::new(Code::RequestUnknown, message, hint).into());
        }
        None | Some((State::Running, _)) => return Ok(Received::Waits),
        Some((State::Done, _)) => {
            let message = format!("{shown} came after the request {id} was answered.");
            let hint = "A request is answered once: drop a new one, with its signatures.";
            return Err(Reason::new(Code::ApprovalInvalid, message, hint).into());
        }
        Some((State::Claimed, claim)) => (site.claimed().join(id.as_str()), claim),
        Some((State::Pending, claim)) => (site.pending().join(id.as_str()), claim),
    };
    let inbox = site.inbox();
    let (bytes, identity) = read_signature(&open_folder(&inbox).on("open", &inbox)?, name, &inbox, &shown)?;
    let request = record::request_bytes(&folder, &claim)?;
    let kept = signatures::read(&folder)?;
    let is_new = signatories
        .adds(&kept, &bytes, (&request, &requester(&request, &claim)), now)
        .map_err(|reason| reason.in_file(plain_name(name.as_bytes())))?;
    if is_new && kept.len() >= SIGNATURES_MAX {
        let message = format!("The request {id} has {SIGNATURES_MAX} signatures already.");
        return Err(Reason::new(Code::TooManyFiles, message, "TOOL-EXEC reads no more.").into());
    }
    if is_new {
        signatures::add(&folder, &bytes)?;
    }
    take_away(site, name, &identity)?;
    durable::sync_folder(&inbox)?;
    Ok(if is_new { Received::For(id) } else { Received::Again(id) })
}

/// The requester that a request names; none if it is unreadable, which its decision reports.
fn requester(request: &[u8], claim: &Claim) -> String {
    let read = request::read(request, claim.form, claim.request_id.as_str(), DateTime::<Utc>::MAX_UTC);
    read.map(|request| request.requested_by).unwrap_or_default()
}

/// Reads one signature from a folder that others can write to.
pub(super) fn read_signature(
    folder: &OwnedFd,
    name: &OsStr,
    folder_path: &Path,
    shown: &str,
) -> Result<(Vec<u8>, Identity), Unclaimable> {
    let (file, stat) = open_regular(folder, name, folder_path, shown)?;
    let mut bytes = Vec::new();
    (&file).take(SIGNATURE_BYTES_MAX + 1).read_to_end(&mut bytes).on("read", &folder_path.join(name))?;
    Signature::parse(&bytes).map_err(|error| {
        let hint = "Sign with `gatepost approve`, or with `ssh-keygen -Y sign -n gatepost-approval`; the requester signs with `-n gatepost-request`.";
        Reason::new(Code::ApprovalInvalid, format!("{shown} cannot be used: {error}."), hint)
    })?;
    Ok((bytes, Identity::of(&stat)))
}
