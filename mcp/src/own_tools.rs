//! The server's own tools for models, which seldom read resources and know no tasks.
//!
//! `gatepost_result` is answered by the code that waits; the others are here.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gatepost_documents::id::RequestId;
use gatepost_documents::text::quoted;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::life::RequestState;
use serde_json::{Map, Value, json};

use crate::answer::{self, STDOUT};
use crate::artifact::{self, PART_BYTES, PART_BYTES_MAX, Unread};
use crate::cancel::{self, Cancelled};
use crate::context::Context;
use crate::principal::Principal;
use crate::task;

/// Waits for the result of a request.
pub const RESULT: &str = "gatepost_result";
const LIST: &str = "gatepost_list";
const CANCEL: &str = "gatepost_cancel";
const READ: &str = "gatepost_read";

/// Requests on one page of the list.
const PAGE_REQUESTS: u64 = 20;
const PAGE_REQUESTS_MAX: u64 = 100;

/// Whether a tool is the server's own.
pub fn is_own(name: &str) -> bool {
    [RESULT, LIST, CANCEL, READ].contains(&name)
}

/// The tools as `tools/list` shows them.
pub fn shown() -> [Value; 4] {
    let id = json!({"type": "string", "description": "TR-…, from the call"});
    let states: Vec<&str> = RequestState::ALL.iter().map(|state| state.as_str()).collect();
    let tool = |name: &str, description: &str, properties: Value, required: &[&str], is_read_only: bool| {
        json!({
            "name": name,
            "description": description,
            "inputSchema": {
                "type": "object", "properties": properties, "required": required, "additionalProperties": false,
            },
            "annotations": {
                "readOnlyHint": is_read_only, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
            },
        })
    };
    let wait = json!({"type": "integer", "minimum": 0, "maximum": 45, "description": "how long to wait; default 45"});
    [
        tool(
            RESULT,
            "Get the result of an earlier call that was not answered at once; waits for it.",
            json!({"request_id": id, "wait_seconds": wait}),
            &["request_id"],
            true,
        ),
        tool(
            LIST,
            "List your own requests and their states, the newest first.",
            json!({
                "state": {"type": "string", "enum": states},
                "limit": {"type": "integer", "minimum": 1, "maximum": PAGE_REQUESTS_MAX},
                "cursor": {"type": "string", "description": "next_cursor of the page before"},
            }),
            &[],
            true,
        ),
        tool(
            CANCEL,
            "Cancel a request of yours. If its tool runs, it is stopped.",
            json!({"request_id": id, "reason": {"type": "string", "description": "why, in a sentence"}}),
            &["request_id"],
            false,
        ),
        tool(
            READ,
            "Read a part of a file of an accepted result of yours.",
            json!({
                "request_id": id,
                "path": {"type": "string", "description": format!("as the result names it; default {STDOUT}")},
                "offset": {"type": "integer", "minimum": 0},
                "length": {"type": "integer", "minimum": 1, "maximum": PART_BYTES_MAX},
            }),
            &["request_id"],
            true,
        ),
    ]
}

/// Runs one of them, except [`RESULT`].
pub fn call(
    context: &Context,
    principal: &Principal,
    name: &str,
    arguments: &Map<String, Value>,
) -> Result<Value, Fault> {
    if let Some(refused) = unknown_argument(name, arguments) {
        return Ok(refused);
    }
    match name {
        LIST => list(context, principal, arguments),
        CANCEL => with_id(arguments, |id| cancel(context, principal, id, arguments)),
        _ => with_id(arguments, |id| read(context, principal, id, arguments)),
    }
}

/// The result for a call with an argument that the tool's schema does not have.
fn unknown_argument(name: &str, arguments: &Map<String, Value>) -> Option<Value> {
    let tool = shown().into_iter().find(|tool| tool["name"] == name)?;
    let known = tool["inputSchema"]["properties"].as_object()?;
    let unknown = arguments.keys().find(|argument| !known.contains_key(*argument))?;
    let names: Vec<&str> = known.keys().map(String::as_str).collect();
    let message = format!("The tool {name} has no argument {}.", quoted(unknown));
    Some(answer::failed("SCHEMA_VIOLATION", &message, &format!("Its arguments are: {}.", names.join(", "))))
}

/// The request that a call names, or the result that refuses the call.
pub fn request_id(arguments: &Map<String, Value>) -> Result<RequestId, Value> {
    let text = arguments.get("request_id").and_then(Value::as_str).unwrap_or_default();
    RequestId::parse(text).map_err(|error| {
        let message = format!("The request_id {} {error}.", quoted(text));
        answer::failed("SCHEMA_VIOLATION", &message, "gatepost_list shows your requests.")
    })
}

/// The error for a request that the principal did not make, or that does not exist.
pub fn unknown(id: &RequestId) -> Value {
    answer::failed("REQUEST_NOT_FOUND", &format!("You have no request {id}."), "gatepost_list shows your requests.")
}

fn with_id(
    arguments: &Map<String, Value>,
    carry_out: impl FnOnce(&RequestId) -> Result<Value, Fault>,
) -> Result<Value, Fault> {
    match request_id(arguments) {
        Ok(id) => carry_out(&id),
        Err(refused) => Ok(refused),
    }
}

fn list(context: &Context, principal: &Principal, arguments: &Map<String, Value>) -> Result<Value, Fault> {
    let number = |name: &str| arguments.get(name).and_then(Value::as_u64);
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    let most = number("limit").unwrap_or(PAGE_REQUESTS).clamp(1, PAGE_REQUESTS_MAX);
    let after = text("cursor").and_then(|cursor| RequestId::parse(cursor).ok());
    let notes = context.notes(&principal.name)?;
    let ids = notes.ids()?;
    let mut left = ids.iter().filter(|id| after.as_ref().is_none_or(|after| *id < after)).peekable();
    let (mut requests, mut last) = (Vec::new(), None);
    while requests.len() < usize::try_from(most).unwrap_or(usize::MAX)
        && let Some(id) = left.next()
    {
        last = Some(id);
        let Some(note) = notes.find(id)? else { continue };
        let Some(task) = task::of(context, principal, id, None)? else { continue };
        let state = task.progress.as_ref().map_or("unknown", |progress| progress.state.as_str());
        if text("state").is_none_or(|wanted| wanted == state) {
            requests.push(json!({
                "request_id": id.as_str(), "tool": note.tool, "state": state, "message": task.message,
                "created_utc": note.created_utc,
            }));
        }
    }
    let next = left.peek().and(last).map(RequestId::as_str);
    let line = |request: &Value| {
        let member = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
        format!("{}  {}  {}  {}\n", member("request_id"), member("tool"), member("state"), member("message"))
    };
    let mut shown: String = requests.iter().map(line).collect();
    if shown.is_empty() {
        shown.push_str("No matching requests.\n");
    }
    if let Some(next) = next {
        shown += &format!("More: call again with cursor {next}\n");
    }
    Ok(json!({
        "content": [{"type": "text", "text": shown}],
        "structuredContent": {"requests": requests, "next_cursor": next},
        "isError": false,
    }))
}

fn cancel(
    context: &Context,
    principal: &Principal,
    id: &RequestId,
    arguments: &Map<String, Value>,
) -> Result<Value, Fault> {
    let reason = arguments.get("reason").and_then(Value::as_str).unwrap_or_default();
    let text = match cancel::order(context, principal, id, reason)? {
        None => return Ok(unknown(id)),
        Some(Cancelled::Ordered) => {
            format!("The cancellation of {id} is ordered. gatepost_result says what became of it.")
        }
        Some(Cancelled::Over(task)) => format!("{id} was answered before: {}", task.message),
        Some(Cancelled::TooLate) => {
            let message = format!("The tool of {id} has ended; the gate judges its result.");
            return Ok(answer::failed("ALREADY_ENDED", &message, "Get the result with gatepost_result."));
        }
        Some(Cancelled::Reason(fault)) => {
            let message = format!("The reason cannot be used: it {fault}.");
            return Ok(answer::failed("SCHEMA_VIOLATION", &message, "Say in a sentence why."));
        }
    };
    Ok(json!({"content": [{"type": "text", "text": text}], "isError": false}))
}

fn read(
    context: &Context,
    principal: &Principal,
    id: &RequestId,
    arguments: &Map<String, Value>,
) -> Result<Value, Fault> {
    let number = |name: &str| arguments.get(name).and_then(Value::as_u64);
    let path = arguments.get("path").and_then(Value::as_str).unwrap_or(STDOUT);
    let length = number("length").unwrap_or(PART_BYTES).clamp(1, PART_BYTES_MAX);
    let range = (number("offset").unwrap_or(0), length);
    let part = match artifact::read(context, principal, id, Path::new(path), range) {
        Ok(part) => part,
        Err(Unread::Fault(fault)) => return Err(fault),
        Err(Unread::NotFound(why)) => {
            return Ok(answer::failed("ARTIFACT_NOT_FOUND", &why, "Name a file as the result names it."));
        }
    };
    let (encoding, text, bytes) = match part.text() {
        Some(text) => ("utf-8", answer::plain(text), text.len()),
        None => ("base64", STANDARD.encode(&part.bytes), part.bytes.len()),
    };
    let end = part.offset + bytes as u64;
    let rest = if end < part.size_bytes { format!("; the rest begins at offset {end}") } else { String::new() };
    let head = format!("bytes {} to {end} of {} as {encoding}{rest}:", part.offset, part.size_bytes);
    Ok(json!({
        "content": [{"type": "text", "text": head}, {"type": "text", "text": text}],
        "structuredContent": {
            "request_id": id.as_str(), "path": path, "offset": part.offset, "end": end, "size_bytes": part.size_bytes,
            "encoding": encoding,
        },
        "isError": false,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_with_a_separator_is_no_id() {
        for text in ["../x", "TR-20260101-000000Z-a/../b", "TR-20260101-000000Z-", "", "TR-20260101-000000Z-a\n"] {
            let arguments = json!({"request_id": text});
            assert_eq!(request_id(arguments.as_object().unwrap()).unwrap_err()["isError"], true, "{text:?}");
        }
    }
}
