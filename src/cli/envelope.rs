//! An outcome as one JSON document: the members `ok data error warnings meta`, and the claw contract's view of it.
//!
//! ```text
//! {"ok":true,"data":{…},"error":null,"warnings":[],"meta":{"request_id":"inv_…","duration_ms":12,…}}
//! ```
//!
//! `ok`, exit status 0 and `error: null` are equivalent. Values that differ between calls (times, ids) are only in
//! `meta`. *Standards*: CLI Agent Spec, chapter 2, REQ-F-004, REQ-F-021 and REQ-F-052.

mod meta;
mod schema;

use serde_json::{Value, json};

use super::declaration::List;
use super::failure::ArgumentError;
use super::outcome::{Outcome, to_value};
use super::pagination::{Pagination, Window};
use super::presentation::Arguments;

pub(super) use meta::{Configuration, Invocation, invocation_id};
pub(super) use schema::schema;

/// The default delay before a retry of an identical call.
const RETRY_AFTER_MS: u64 = 1_000;
/// The minimum length of strings in characters, and of lists in elements, when a document is shortened to fit.
const SHORTEST: usize = 64;
/// The initial limit of shortening.
const LONGEST: usize = 64 * 1024;

/// The document of an outcome, within the requested size.
pub(super) fn spec(outcome: &Outcome, invocation: &Invocation<'_>, arguments: &Arguments) -> Value {
    let mut envelope = json!({
        "ok": outcome.error.is_none(),
        "data": outcome.data,
        "error": error(outcome),
        "warnings": outcome.warnings,
        "meta": invocation.meta(outcome.exit(), arguments.is_stable()),
    });
    if let Some(pagination) = &outcome.pagination {
        set_pagination(&mut envelope, pagination);
    }
    if outcome.is_cut {
        envelope["meta"]["truncated"] = true.into();
        envelope["meta"]["truncation_hint"] = "--max-output 0 shows all of it.".into();
    }
    let list = invocation.declaration.and_then(|declaration| declaration.list).filter(|list| list.is_paged);
    fit(&mut envelope, list, arguments.bytes_max());
    envelope
}

fn error(outcome: &Outcome) -> Value {
    let Some(failure) = &outcome.error else { return Value::Null };
    let mut error = to_value(failure);
    error["suggestion"] = error["hint"].clone();
    error["exit_code"] = failure.exit.into();
    error["docs"] = failure.code.docs().into();
    if failure.retryable {
        error["retry_strategy"] = to_value(&failure.code.retry_strategy());
    }
    if failure.retryable && failure.retry_after_ms.is_none() {
        error["retry_after_ms"] = RETRY_AFTER_MS.into();
    }
    if failure.exit == super::exit::USAGE {
        error["phase"] = "validation".into();
        error["fix_required"] = error["hint"].clone();
    }
    if let Some(ArgumentError { value: Some(value), pattern: Some(pattern), .. }) = failure.argument_errors.first() {
        error["input_value"] = value.as_str().into();
        error["rejected_pattern"] = pattern.as_str().into();
    }
    if failure.kind.is_not_found() {
        error["name"] = failure.target.as_str().into();
        error["found"] = false.into();
    }
    // Both lists have one name in the document; a failure has only one of them.
    if let Some(arguments) = error.as_object_mut().and_then(|error| error.shift_remove("argument_errors")) {
        error["errors"] = arguments;
    }
    error
}

fn set_pagination(envelope: &mut Value, pagination: &Pagination) {
    let meta = &mut envelope["meta"];
    meta["pagination"] = to_value(pagination);
    meta["truncated"] = pagination.has_more.into();
    if pagination.has_more {
        meta["truncation_hint"] = "--cursor with meta.cursor shows the next page, and --limit 0 all.".into();
    }
    if let Some(cursor) = &pagination.next_cursor {
        meta["cursor"] = cursor.as_str().into();
    }
}

/// Makes a document fit: fewer records of a list, then shorter strings and lists.
fn fit(envelope: &mut Value, list: Option<List>, bytes_max: usize) {
    if length(envelope) <= bytes_max {
        return;
    }
    envelope["meta"]["truncation_hint"] = "--max-output 0 shows all of it.".into();
    let warning = format!("FIELD_TRUNCATED: The document was cut because it had more than {bytes_max} bytes.");
    if let Some(warnings) = envelope["warnings"].as_array_mut() {
        warnings.push(warning.into());
    }
    let mut bytes = length(envelope);
    while let Some((list, records)) = list.and_then(|list| Some((list, envelope["data"][list.member].as_array()?))) {
        if bytes <= bytes_max || records.len() < 2 {
            break;
        }
        let total = envelope["meta"]["pagination"]["total"].as_u64().and_then(|total| usize::try_from(total).ok());
        let limit = (records.len() * bytes_max / bytes).clamp(1, records.len() - 1);
        let name = |record: &Value| record[list.name].as_str().unwrap_or_default().to_owned();
        let named: Vec<(String, Value)> = records.iter().map(|record| (name(record), record.clone())).collect();
        let window = Window { limit, after: None };
        let Ok((kept, mut pagination)) = window.of(named, |(name, _)| name) else { break };
        pagination.total = total.unwrap_or(pagination.total);
        envelope["data"][list.member] = kept.into_iter().map(|(_, record)| record).collect();
        set_pagination(envelope, &pagination);
        bytes = length(envelope);
    }
    let mut longest = LONGEST;
    while bytes > bytes_max && longest >= SHORTEST {
        shorten(&mut envelope["data"], longest);
        longest /= 2;
        bytes = length(envelope);
    }
    envelope["meta"]["truncated"] = true.into();
}

/// The length of a document as one line, in bytes.
fn length(envelope: &Value) -> usize {
    envelope.to_string().len() + 1
}

/// Cuts every string to this many characters, and every list to this many elements.
fn shorten(value: &mut Value, longest: usize) {
    match value {
        Value::String(text) => {
            if let Some((at, _)) = text.char_indices().nth(longest) {
                text.truncate(at);
                text.push('…');
            }
        }
        Value::Array(elements) => {
            elements.truncate(longest);
            for element in elements {
                shorten(element, longest);
            }
        }
        Value::Object(members) => {
            for member in members.values_mut() {
                shorten(member, longest);
            }
        }
        _ => {}
    }
}
