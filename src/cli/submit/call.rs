//! Writes the request for a tool call or for pages, from flags.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_contract::argument_value::ArgumentValue;
use gatepost_contract::request::{
    DeclaredApproval, Draft, Form, Input, InteractionCall, Network, Pages, PagesDraft, Priority,
};
use gatepost_exec::context::Context;
use gatepost_exec::lane::clad::own_destinations;
use gatepost_mailbox::user;
use gatepost_sandbox::network::Destination;

use super::idempotency;
use super::ready::{ReadyRequest, read};
use super::{Arguments, CallArguments};
use crate::cli::prelude::*;

/// The slug holds 64 characters, including the request's mark.
const NAME_CHARACTERS_MAX: usize = 45;

/// Writes the request of a call with these arguments, `NAME=VALUE` each, and inputs.
pub(super) fn write(
    context: &Context,
    arguments: &Arguments,
    args: &[String],
    inputs: &[Input],
) -> Result<ReadyRequest, Failure> {
    let tool = arguments.tool.as_deref().unwrap_or_default();
    let call = &arguments.call;
    let now = Utc::now();
    let (requested_by, id) = name(call, tool, now)?;
    let draft = Draft {
        created: now,
        declared_approval: call.approved_by.clone().map(|by| DeclaredApproval { by, utc: now }),
        purpose: purpose(call),
        tool: tool.to_owned(),
        args: parse_args(args)?,
        inputs: inputs.to_vec(),
        network: network(context, tool, &call.destinations),
        expires: call.expires_in.map(|seconds| now + TimeDelta::seconds(seconds.into())),
        priority: match call.priority.as_deref() {
            Some("low") => Priority::Low,
            Some("high") => Priority::High,
            _ => Priority::Normal,
        },
        idempotency_key: call.idempotency_key.clone(),
        interactions: interactions(&call.interactions)?,
        session_id: call.session.clone(),
        keep_open: call.keep_open.then_some(true).or(call.close.then_some(false)),
        requested_by,
        id,
    };
    written(context, draft.id.clone(), draft.to_markdown())
}

/// Writes the request for the pages of the arguments.
pub(super) fn write_pages(context: &Context, arguments: &Arguments) -> Result<ReadyRequest, Failure> {
    let (call, created) = (&arguments.call, Utc::now());
    let (requested_by, id) = name(call, "fetch", created)?;
    let draft = PagesDraft {
        created,
        purpose: purpose(call),
        pages: Pages { urls: arguments.urls.clone(), size_limit_kb: None },
        idempotency_key: call.idempotency_key.clone(),
        requested_by,
        id,
    };
    written(context, draft.id.clone(), draft.to_markdown())
}

fn written(context: &Context, id: RequestId, document: String) -> Result<ReadyRequest, Failure> {
    let bytes = document.into_bytes();
    let request = read(context, &bytes, Form::Markdown, id.as_str(), "The request")?;
    Ok(ReadyRequest { id, form: Form::Markdown, bytes, request, folder: None })
}

/// The requester, and the id of the request.
fn name(call: &CallArguments, what: &str, now: DateTime<Utc>) -> Result<(String, RequestId), Failure> {
    let requested_by = call.requested_by.clone().unwrap_or_else(own_name);
    let id = id(what, &mark(&requested_by, call.idempotency_key.as_deref()), now)?;
    Ok((requested_by, id))
}

fn purpose(call: &CallArguments) -> String {
    call.purpose.clone().unwrap_or_else(|| "Submitted with gatepost submit".to_owned())
}

/// The name of the user who runs this.
fn own_name() -> String {
    user::name(rustix::process::getuid().as_raw()).unwrap_or_else(|| "human".to_owned())
}

fn mark(requested_by: &str, key: Option<&str>) -> String {
    if let Some(key) = key {
        return idempotency::mark(requested_by, key);
    }
    let mut random = [0; 4];
    let _ = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty());
    format!("{:08x}", u32::from_ne_bytes(random))
}

fn id(tool: &str, mark: &str, now: DateTime<Utc>) -> Result<RequestId, Failure> {
    let short: String = tool.replace('_', "-").chars().take(NAME_CHARACTERS_MAX).collect();
    RequestId::new(now, &format!("{short}-{mark}")).map_err(|error| {
        let message = format!("{} cannot be part of a request id: it {error}.", quoted(tool));
        Failure::usage(message, "`gatepost tools list` shows every tool.")
    })
}

/// A `name=value` pair as an argument.
pub(crate) fn pair(text: &str) -> Result<String, Failure> {
    parse_pair(text).map(|_| text.to_owned())
}

/// A `name=value` pair.
pub(super) fn parse_pair(pair: &str) -> Result<(&str, &str), Failure> {
    let wrong = || Failure::usage(format!("{} is not NAME=VALUE.", quoted(pair)), "Write --arg name=value.");
    pair.split_once('=').ok_or_else(wrong)
}

/// A destination, with its port.
pub(crate) fn parse_destination(text: &str) -> Result<Destination, Failure> {
    Destination::parse(text).ok_or_else(|| {
        let message = format!("{} is not HOST:PORT.", quoted(text));
        Failure::usage(message, "Write --network api.example.org:443, with IPv6 addresses in brackets.")
    })
}

/// `name=value` pairs as strings; the manifest's types define their meaning.
pub(crate) fn parse_args(pairs: &[String]) -> Result<BTreeMap<String, ArgumentValue>, Failure> {
    let mut args = BTreeMap::new();
    for pair in pairs {
        let (name, value) = parse_pair(pair)?;
        if args.insert(name.to_owned(), ArgumentValue::Text(value.to_owned())).is_some() {
            return Err(Failure::usage(format!("The argument {} is given twice.", quoted(name)), "Give it once."));
        }
    }
    Ok(args)
}

fn interactions(texts: &[String]) -> Result<Vec<InteractionCall>, Failure> {
    let parse = |text: &String| {
        InteractionCall::from_json(text).ok_or_else(|| {
            let message = format!("{} is not an interaction.", quoted(text));
            Failure::usage(message, "Write --interaction '{\"command\": \"NAME\", \"args\": {}}'.")
        })
    };
    texts.iter().map(parse).collect()
}

/// The network for these destinations. If none are given, it covers the tool's own destinations, or the targets of its
/// arguments.
pub(crate) fn network(context: &Context, tool: &str, destinations: &[Destination]) -> Network {
    if destinations.is_empty() {
        // The check of the request reports an unknown tool.
        let Ok(tool) = context.toolbox.find(tool) else { return Network::None };
        return match own_destinations(&context.config, &tool.manifest) {
            Some(own) => Network::to(own),
            None if tool.manifest.targets_by_route() => Network::Allowlist(Vec::new()),
            None => Network::None,
        };
    }
    Network::to(destinations.to_vec())
}
