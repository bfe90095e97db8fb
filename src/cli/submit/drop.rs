//! Puts a request into the inbox, in one step; and finds the one that was put there before.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use gatepost_documents::digest::Digest;
use gatepost_documents::id::RequestId;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::Site;

use super::ready::{ReadyRequest, staging};
use crate::cli::exit;
use crate::cli::failure::Failure;
use crate::mailbox::{INPUTS, record};
use crate::request::{Form, Input, REQUEST_BYTES_MAX};

/// A request of the same id that is there already.
pub(super) struct Known {
    /// Where it is.
    pub(super) path: PathBuf,
    /// The digest of its bytes; none where they cannot be read.
    pub(super) sha256: Option<Digest>,
}

/// The request of an id, in the inbox or wherever TOOL-EXEC has it.
pub(super) fn known(site: &Site, id: &RequestId) -> Result<Option<Known>, Fault> {
    // A request moves on while it is looked for, never back.
    for form in [Form::Markdown, Form::Json] {
        let name = format!("{id}.{}", form.extension());
        let alone = site.inbox().join(&name);
        let folder = site.inbox().join(id.as_str());
        for (document, path) in [(alone.clone(), alone), (folder.join(&name), folder)] {
            match regular_file::read(&document, REQUEST_BYTES_MAX as u64) {
                Ok(bytes) => return Ok(Some(Known { path, sha256: Some(Digest::of(&bytes)) })),
                Err(error) if is_absent(&error) => {}
                Err(_) => return Ok(Some(Known { path, sha256: None })),
            }
        }
    }
    let found = record::locate(site, id)?;
    Ok(found
        .map(|(state, claim)| Known { path: state.folder(site).join(id.as_str()), sha256: Some(claim.request_sha256) }))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The refusal of an id that other bytes have.
pub(super) fn taken(id: &RequestId) -> Failure {
    let message = format!("The id {id} was used before by a request with different bytes.");
    let failure = Failure::new(exit::CONFLICT, "ALREADY_EXISTS", "usage", message, "Give the request its own id.");
    failure.during("submit", id.as_str())
}

/// Where the request will lie in the inbox.
pub(super) fn location(site: &Site, ready: &ReadyRequest, inputs: &[(Input, PathBuf)]) -> PathBuf {
    let is_folder = ready.folder.is_some() || !inputs.is_empty();
    let name = if is_folder { ready.id.to_string() } else { format!("{}.{}", ready.id, ready.form.extension()) };
    site.inbox().join(name)
}

/// Writes everything in the inbox's staging place, and renames it in: whoever watches sees all of it or nothing. False if something of
/// that name was there.
pub(super) fn drop_into(
    site: &Site,
    ready: &ReadyRequest,
    inputs: &[(Input, PathBuf)],
    path: &Path,
) -> Result<bool, Failure> {
    let document = format!("{}.{}", ready.id, ready.form.extension());
    let staging = match &ready.folder {
        Some(folder) => folder.path().to_owned(),
        None => staging(site, ready.id.as_str()),
    };
    if ready.folder.is_none() {
        durable::remove_tree(&staging)?;
    }
    if ready.folder.is_none() && inputs.is_empty() {
        durable::write_new(&staging, &ready.bytes)?;
    } else {
        let folder = staging.join(INPUTS);
        if ready.folder.is_none() {
            fs::create_dir_all(&folder).on("create", &folder)?;
        }
        durable::write_new(&staging.join(document), &ready.bytes)?;
        for (input, source) in inputs {
            let mut from = File::open(source).on("open", source)?;
            let target = folder.join(&input.name);
            io::copy(&mut from, &mut durable::create_new(&target)?).on("copy to", &target)?;
        }
        leave_to_group(&staging)?;
        durable::sync_tree(&staging)?;
    }
    match durable::move_new(&staging, path) {
        Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => {
            durable::remove_tree(&staging)?;
            Ok(false)
        }
        moved => Ok(moved.map(|()| true)?),
    }
}

/// Where the inbox hands its group down, whoever claims a folder is of that group, and has to be able to remove it.
fn leave_to_group(staging: &Path) -> Result<(), Failure> {
    const SETGID: u32 = 0o2000;
    if staging.metadata().on("look at", staging)?.mode() & SETGID == 0 {
        return Ok(());
    }
    let within = fs::read_dir(staging).on("list", staging)?.filter_map(Result::ok).map(|entry| entry.path());
    for folder in within.filter(|path| path.is_dir()).chain([staging.to_owned()]) {
        fs::set_permissions(&folder, Permissions::from_mode(0o2775)).on("set the mode of", &folder)?;
    }
    Ok(())
}
