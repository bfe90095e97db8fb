//! A request that is ready to drop, from a file, a folder, standard input or an argument.
//!
//! *Security*: the input may be hostile; it is bounded, and parsed by TOOL-EXEC's own reader.

use std::path::Path;

use chrono::Utc;
use gatepost_contract::request::{self, Form, REQUEST_BYTES_MAX, Request};
use gatepost_documents::text::quoted_name;
use gatepost_exec::context::Context;
use gatepost_exec::step_error::StepError;
use gatepost_mailbox::regular_file;
use serde::de::IgnoredAny;

use super::drop;
use crate::cli::prelude::*;
use crate::cli::request_folder::RequestFolder;
use crate::cli::stdin::{self, STDIN};

/// A request that is ready to be dropped.
pub(super) struct ReadyRequest {
    pub(super) id: RequestId,
    pub(super) form: Form,
    pub(super) bytes: Vec<u8>,
    pub(super) request: Request,
    /// The copy of its folder, if it was one.
    pub(super) folder: Option<RequestFolder>,
}

/// From `TR-….md`, `TR-….json` or `TR-…/`; with `-`, from standard input.
pub(super) fn from_path(context: &Context, path: &Path, is_dry_run: bool) -> Result<ReadyRequest, Failure> {
    if path.as_os_str() == STDIN {
        return from_stdin(context);
    }
    if path.is_dir() {
        return from_folder(context, path, is_dry_run);
    }
    let form = request_form(path)?;
    let bytes = read_file(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let request = read(context, &bytes, form, &stem, &name)?;
    Ok(ReadyRequest { id: request.id.clone(), form, bytes, request, folder: None })
}

/// From a file of any name, or standard input for `-`: the request contains its own id.
pub(super) fn from_document(context: &Context, path: &Path) -> Result<ReadyRequest, Failure> {
    if path.as_os_str() == STDIN {
        return from_stdin(context);
    }
    named_by_itself(context, read_file(path)?, &quoted_name(path.as_os_str()))
}

/// From JSON in an argument.
pub(super) fn from_payload(context: &Context, payload: &str) -> Result<ReadyRequest, Failure> {
    check_json(payload.as_bytes(), "The argument of --raw-payload", "--raw-payload")?;
    named_by_itself(context, payload.as_bytes().to_vec(), "The payload")
}

/// Refuses text that is not JSON; the reader of requests judges other bytes.
fn check_json(bytes: &[u8], shown: &str, target: &str) -> Result<(), Failure> {
    let Some(error) = str::from_utf8(bytes).ok().and_then(|text| serde_json::from_str::<IgnoredAny>(text).err()) else {
        return Ok(());
    };
    let (line, column) = (error.line(), error.column());
    let message = format!("{shown} is not JSON: error at line {line}, column {column}.");
    let hint = "Write the JSON form of a version 2 request: {\"request_type\": \"tool_request\", …}.";
    let failure = Failure::new(ErrorCode::InvalidJson, FailureKind::Parse, message, hint);
    Err(failure.during("parse_arguments", target))
}

fn from_stdin(context: &Context) -> Result<ReadyRequest, Failure> {
    let hint = "Pipe it in, `gatepost submit - < TR-….md`, or name its file with --input-file.";
    named_by_itself(context, stdin::read("The request", hint)?, "The request")
}

fn from_folder(context: &Context, path: &Path, is_dry_run: bool) -> Result<ReadyRequest, Failure> {
    let inbox = &context.config.inbox;
    let copied = if is_dry_run {
        RequestFolder::look_at(path, inbox)
    } else {
        RequestFolder::copy(path, inbox, &drop::staging(&context.site)?)
    };
    let folder = copied.map_err(|error| match error {
        StepError::Refused(reasons) => Failure::refused(ErrorCode::SchemaViolation, "The folder", reasons),
        StepError::Fault(fault) => fault.into(),
    })?;
    let (id, form, bytes) = (folder.id.clone(), folder.form, folder.bytes.clone());
    let request = read(context, &bytes, form, id.as_str(), &format!("{id}.{}", form.extension()))?;
    Ok(ReadyRequest { id, form, bytes, request, folder: Some(folder) })
}

/// At most one byte more than a request may have.
fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    Failure::unless_there(path)?;
    Ok(regular_file::beginning(path, REQUEST_BYTES_MAX as u64 + 1).on("read", path)?)
}

/// Reads a document whose file name is not its id; `shown` is its name in messages.
fn named_by_itself(context: &Context, bytes: Vec<u8>, shown: &str) -> Result<ReadyRequest, Failure> {
    let is_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let form = if is_json { Form::Json } else { Form::Markdown };
    if is_json {
        check_json(&bytes, shown, "")?;
    }
    let Some(stem) = own_id(&bytes, form) else {
        let hint = "Write, for example, `request_id: \"TR-20260209-160501Z-count\"`.";
        let reason = Reason::new(Code::KeyMissing, "The key request_id is missing; a request needs it.", hint);
        return Err(Failure::refused(ErrorCode::SchemaViolation, shown, vec![reason]));
    };
    let request = read(context, &bytes, form, &stem, shown)?;
    Ok(ReadyRequest { id: request.id.clone(), form, bytes, request, folder: None })
}

/// The id that a document claims.
fn own_id(bytes: &[u8], form: Form) -> Option<String> {
    const KEY: &str = "request_id";
    match form {
        Form::Json => {
            let value: serde_json::Value = serde_json::from_slice(bytes).ok()?;
            value.get(KEY)?.as_str().map(str::to_owned)
        }
        Form::Markdown => {
            let text = String::from_utf8_lossy(bytes);
            let mut front = text.lines().skip(1).take_while(|line| *line != "---");
            let value = front.find_map(|line| line.strip_prefix(KEY)?.trim_start().strip_prefix(':'))?;
            Some(value.trim().trim_matches(['"', '\'']).to_owned())
        }
    }
}

/// The form of a request, from its file name.
pub(crate) fn request_form(file: &Path) -> Result<Form, Failure> {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("md") => Ok(Form::Markdown),
        Some("json") => Ok(Form::Json),
        _ => {
            let name = quoted_name(file.file_name().unwrap_or_default());
            let message = format!("{name} ends in neither .md nor .json.");
            Err(Failure::usage(message, "Name a TR-….md, a TR-….json or a folder TR-…/."))
        }
    }
}

/// Reads a request whose file is named after `stem`; `shown` is its name in messages.
pub(super) fn read(context: &Context, bytes: &[u8], form: Form, stem: &str, shown: &str) -> Result<Request, Failure> {
    request::read(bytes, form, stem, Utc::now() + context.config.inbox.clock_skew())
        .map_err(|reasons| Failure::refused(ErrorCode::SchemaViolation, shown, reasons))
}
