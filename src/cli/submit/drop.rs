//! Drops a request into the inbox in one step; finds an earlier one.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use gatepost_contract::request::{Form, Input, REQUEST_BYTES_MAX};
use gatepost_exec::mailbox::{INPUTS, record};
use gatepost_mailbox::drop_folder;
use gatepost_mailbox::folder::{Folder, Readers};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::STAGING;

use super::ready::ReadyRequest;
use crate::cli::prelude::*;
use crate::cli::request_folder::RequestFolder;

/// An existing request with the same id.
pub(super) struct Known {
    /// Its path.
    pub(super) path: PathBuf,
    /// The digest of its bytes; none if they cannot be read.
    pub(super) sha256: Option<Digest>,
}

/// The request with an id, in the inbox or in TOOL-EXEC's folders.
pub(super) fn known(site: &Site, id: &RequestId) -> Result<Option<Known>, Fault> {
    // A request moves forward during the search, never back.
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

/// The failure for an id that other bytes already have.
pub(super) fn taken(id: &RequestId) -> Failure {
    let message = format!("Another request, with different bytes, has used the id {id}.");
    let failure = Failure::new(ErrorCode::AlreadyExists, FailureKind::Usage, message, "Give the request its own id.");
    failure.during("submit", id.as_str())
}

/// The final path of the request in the inbox.
pub(super) fn location(site: &Site, ready: &ReadyRequest, inputs: &[(Input, PathBuf)]) -> PathBuf {
    let is_folder = ready.folder.is_some() || !inputs.is_empty();
    let name = if is_folder { ready.id.to_string() } else { format!("{}.{}", ready.id, ready.form.extension()) };
    site.inbox().join(name)
}

/// The staging folder of the inbox.
pub(super) fn staging(site: &Site) -> Result<Folder, Fault> {
    Folder::of_site(site, "inbox")?.folder(STAGING)
}

/// Writes everything into the staging folder and renames it in: a watcher sees all of it or nothing. False if the name
/// was taken.
pub(super) fn drop_into(
    site: &Site,
    ready: &ReadyRequest,
    inputs: &[(Input, PathBuf)],
    path: &Path,
) -> Result<bool, Failure> {
    let (inbox, name) = (Folder::of_site(site, "inbox")?, path.file_name().unwrap_or_default());
    let place = inbox.folder(STAGING)?;
    if ready.folder.is_none() && inputs.is_empty() {
        return Ok(place.publish(&ready.bytes, Readers::Umask, &inbox, name)?);
    }
    let new = match &ready.folder {
        Some(_) => None,
        None => Some(place.stage("submit", 0o755)?),
    };
    let staged = ready.folder.as_ref().map(RequestFolder::staging).or(new.as_ref()).expect("one of the two is there");
    fill(staged.folder(), ready, inputs)?;
    Ok(drop_folder::publish(staged, &inbox, name)?)
}

/// Writes the document and its attached files.
fn fill(staging: &Folder, ready: &ReadyRequest, inputs: &[(Input, PathBuf)]) -> Result<(), Fault> {
    let document = format!("{}.{}", ready.id, ready.form.extension());
    let path = staging.path().join(&document);
    staging.create(&document, 0o644)?.write_all(&ready.bytes).on("write", &path)?;
    if inputs.is_empty() {
        return Ok(());
    }
    let folder = staging.create_folder(INPUTS.as_ref(), 0o755)?;
    for (input, source) in inputs {
        let mut from = File::open(source).on("open", source)?;
        let target = folder.path().join(&input.name);
        io::copy(&mut from, &mut folder.create(&input.name, 0o644)?).on("copy to", &target)?;
    }
    Ok(())
}
