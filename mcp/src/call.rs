//! A call of a tool: checked, noted, and dropped as a request; a repeated call gets the earlier request.
//!
//! ```text
//! arguments ──check──▶ document ──note, durable──▶ var/mcp/<principal>/ ──drop, durable──▶ inbox/TR-<time>-<tool>-<128 random bits>
//! ```
//!
//! A call repeats an earlier one of its principal if both have the same idempotency key or the same tool use id. Without either, it repeats
//! an identical call within [`TWIN_WINDOW`]. A repeated call never runs twice, even if client or server stopped in between. *Security*: a
//! call is the client's claim; TOOL-EXEC's own reader parses the document before the drop.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_contract::request::{self, Form};
use gatepost_documents::digest::Digest;
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use gatepost_mailbox::exchange;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use serde_json::{Map, Value};

use crate::answer;
use crate::context::Context;
use crate::drop;
use crate::note::{Begun, Key, Note, Notes};
use crate::principal::Principal;
use crate::task;
use crate::wanted::Wanted;

/// An identical call without a key within this time is a retry of a client that lost the answer.
pub const TWIN_WINDOW: Duration = Duration::from_secs(10);

/// After its note, a missing request may still be dropped for this long by the call that noted it.
pub const DROP_TIME: TimeDelta = TimeDelta::seconds(60);

/// The slug of an id holds 64 characters; 33 are a hyphen and the random part.
const NAME_CHARACTERS_MAX: usize = 31;

/// A call of a client.
#[derive(Debug, Clone)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// The client's id of this tool use, if any.
    pub tool_use_id: Option<String>,
}

/// The outcome of a call.
#[derive(Debug)]
pub enum Started {
    /// The request of the call.
    Request(RequestId),
    /// It was refused, with this result.
    Refused(Value),
}

/// Turns a call into a request.
pub fn start(context: &Context, principal: &Principal, call: &Call) -> Result<Started, Fault> {
    let catalog = context.catalog.read(&context.site)?;
    let wanted = match Wanted::read(&catalog, principal, call) {
        Ok(wanted) => wanted,
        Err(reasons) => return Ok(Started::Refused(answer::refused(&reasons))),
    };
    let now = (context.clock)();
    let (id, note) = match written(context, principal, &wanted, now)? {
        Ok(written) => written,
        Err(reasons) => return Ok(Started::Refused(answer::refused(&reasons))),
    };
    let key = key(call, &wanted, note.call_sha256);
    let notes = context.notes(&principal.name)?;
    let most = usize::try_from(context.limits.pending_max).unwrap_or(usize::MAX);
    let mut begun = notes.begin(&id, &note, &key, most)?;
    if begun == Begun::Full {
        sweep(context, &notes)?;
        begun = notes.begin(&id, &note, &key, most)?;
    }
    match begun {
        Begun::New => {
            drop::request(&context.site, &id, &note.document, wanted.inputs())?;
            Ok(Started::Request(id))
        }
        Begun::Twin(first) => again(context, &notes, &first, &key, &wanted),
        Begun::Other(first) => {
            let message = format!("The key of this call was used before, by {} for another call.", first.request_id);
            let hint = "Give this call a key of its own, or repeat the first call exactly.";
            Ok(Started::Refused(answer::failed("ALREADY_EXISTS", &message, hint)))
        }
        Begun::Full => {
            let message = format!("{most} of your requests are not answered yet, which is the most allowed.");
            let hint = "Wait for them (gatepost_list shows them), or cancel some with gatepost_cancel.";
            Ok(Started::Refused(answer::failed("TOO_MANY_PENDING", &message, hint)))
        }
    }
}

/// A repeated call: the server may have stopped before it dropped the first request.
fn again(context: &Context, notes: &Notes, first: &Note, key: &Key, wanted: &Wanted<'_>) -> Result<Started, Fault> {
    notes.complete(first, key)?;
    let Ok(id) = RequestId::parse(&first.request_id) else {
        let source = std::io::Error::other("the note holds no request id");
        return Err(source).on("read the note of", &context.site.mcp_calls());
    };
    // The same bytes under the same id are answered once, even if dropped several times.
    if is_undropped(context, &id)? {
        drop::request(&context.site, &id, &first.document, wanted.inputs())?;
    }
    Ok(Started::Request(id))
}

/// Whether a request is in no folder and was never claimed.
pub fn is_undropped(context: &Context, id: &RequestId) -> Result<bool, Fault> {
    Ok(context.progress(id, None)?.is_none() && exchange::claimed(&context.site, id)?.is_none())
}

/// Closes the notes that were answered meanwhile, or never dropped.
fn sweep(context: &Context, notes: &Notes) -> Result<(), Fault> {
    for id in notes.open_ids()? {
        let is_over = match context.progress(&id, None)? {
            Some(progress) => progress.is_final(),
            None => notes.find(&id)?.is_none_or(|note| task::is_given_up(&note, (context.clock)())),
        };
        if is_over {
            notes.close(&id)?;
        }
    }
    Ok(())
}

/// Writes the document of a call and its note, or returns the faults.
fn written(
    context: &Context,
    principal: &Principal,
    wanted: &Wanted<'_>,
    now: DateTime<Utc>,
) -> Result<Result<(RequestId, Note), Vec<Reason>>, Fault> {
    let short: String = wanted.name().replace('_', "-").chars().take(NAME_CHARACTERS_MAX).collect();
    let id = match RequestId::new(now, &format!("{short}-{:032x}", random(context)?)) {
        Ok(id) => id,
        Err(error) => {
            let message = format!("The tool {} cannot be part of a request id: it {error}.", quoted(wanted.name()));
            let hint = "Ask the operator to rename it.";
            return Ok(Err(vec![Reason::new(Code::NameInvalid, message, hint)]));
        }
    };
    let document = wanted.document(&id, principal.name.as_str(), now);
    // Both use the same clock, and the time of an id is cut to the second.
    if let Err(reasons) = request::read(document.as_bytes(), Form::Markdown, id.as_str(), now + TimeDelta::seconds(1)) {
        return Ok(Err(reasons));
    }
    let note = Note {
        request_id: id.to_string(),
        tool: wanted.name().to_owned(),
        call_sha256: wanted.digest(),
        created_utc: Note::time(now),
        document,
        has_inputs: !wanted.inputs().is_empty(),
    };
    Ok(Ok((id, note)))
}

/// The key that finds a repeated call. The folder of notes belongs to the principal, so the key omits its name.
fn key(call: &Call, wanted: &Wanted<'_>, call_sha256: Digest) -> Key {
    let (kind, text, window) = match (wanted.idempotency_key(), &call.tool_use_id) {
        (Some(key), _) => ("key", key.clone(), None),
        (None, Some(id)) => ("use", id.clone(), None),
        (None, None) => ("call", call_sha256.to_string(), Some(TWIN_WINDOW)),
    };
    Key { digest: Digest::of(format!("{kind}\0{text}").as_bytes()), window }
}

/// 128 random bits make the id of another's request unguessable.
fn random(context: &Context) -> Result<u128, Fault> {
    let mut bytes = [0; 16];
    let mut filled = 0;
    while filled < bytes.len() {
        let flags = rustix::rand::GetRandomFlags::empty();
        filled +=
            rustix::rand::getrandom(&mut bytes[filled..], flags).on("draw a request id for", context.site.root())?;
    }
    Ok(u128::from_ne_bytes(bytes))
}
