//! `--idempotency-key`: a repeated call with the same key gets the answer of the first request.
//!
//! A mark in the request's id identifies the key: a digest of key and requester. The search reads names, and the one
//! document with the mark. *Weakness*: if the inbox cannot be listed, a request waiting there is not found; two
//! concurrent submissions do not see each other.

use gatepost_contract::request::{self, Form, REQUEST_BYTES_MAX, Request};
use gatepost_exec::mailbox::record::{self, State};

use super::drop::{Known, known};
use crate::cli::prelude::*;

/// Characters of a digest: 64 bits.
const MARK_CHARACTERS: usize = 16;

/// The mark of a key, at the end of the request's slug.
pub(super) fn mark(requested_by: &str, key: &str) -> String {
    let digest = Digest::of(format!("{requested_by}\0{key}").as_bytes());
    digest.to_string().chars().take(MARK_CHARACTERS).collect()
}

/// The first request with the key, if any; it has to be the same request.
pub(super) fn first(site: &Site, request: &Request, key: &str) -> Result<Option<(RequestId, Known)>, Failure> {
    let ending = format!("-{}", mark(&request.requested_by, key));
    let folders = State::ALL.map(|state| state.folder(site)).into_iter().chain([site.inbox()]);
    // An unreadable folder counts as empty.
    let names = folders.filter_map(|folder| folder.read_dir().ok()).flatten().filter_map(Result::ok);
    let stem = |name: String| {
        let stem = name.strip_suffix(".md").or(name.strip_suffix(".json")).unwrap_or(&name);
        stem.ends_with(&ending).then(|| RequestId::parse(stem).ok()).flatten()
    };
    let mut ids: Vec<RequestId> = names.filter_map(|entry| stem(entry.file_name().into_string().ok()?)).collect();
    ids.sort();
    for id in ids {
        let Some(found) = known(site, &id)? else { continue };
        return match document(&id, &found) {
            Some(first) if first.is_equivalent(request) => Ok(Some((id, found))),
            _ => Err(taken(&id)),
        };
    }
    Ok(None)
}

fn document(id: &RequestId, found: &Known) -> Option<Request> {
    let names = [Form::Markdown, Form::Json].map(|form| (form, format!("{id}.{}", form.extension())));
    let claimed = [Form::Markdown, Form::Json].map(|form| (form, record::request_file(form).to_owned()));
    let within = names.into_iter().chain(claimed).map(|(form, name)| (form, found.path.join(name)));
    let form = if found.path.extension().is_some_and(|ending| ending == "json") { Form::Json } else { Form::Markdown };
    let (form, bytes) = within.chain([(form, found.path.clone())]).find_map(|(form, path)| {
        Some((form, gatepost_mailbox::regular_file::read(&path, REQUEST_BYTES_MAX as u64).ok()?))
    })?;
    request::read(&bytes, form, id.as_str(), chrono::DateTime::<chrono::Utc>::MAX_UTC).ok()
}

fn taken(id: &RequestId) -> Failure {
    let message = format!("{id} has used this idempotency key and asks for something else.");
    let hint = "Use another key for this request, or repeat the first one unchanged.";
    let failure = Failure::new(ErrorCode::AlreadyExists, FailureKind::Usage, message, hint);
    failure.during("submit", id.as_str())
}
