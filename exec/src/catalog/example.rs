//! A request for a tool or for a page as an example, and a value for each of its arguments that the manifest accepts.
//!
//! Values are tried against the argument's own type. Optional parts are left out unless they show the form. The requester replaces the
//! time and the digest in it.

use std::collections::BTreeMap;

use chrono::DateTime;
use gatepost_contract::argument_value::ArgumentValue;
use gatepost_contract::manifest::{self, Kind, Manifest};
use gatepost_contract::request::{self, Draft, Input, InteractionCall, Pages, PagesDraft};
use gatepost_documents::digest::Digest;
use gatepost_documents::id::RequestId;
use gatepost_sandbox::network::Destination;
use serde::Serialize;

use super::{Network, NetworkKind, is_interactive};
use crate::shell;

/// The content of the input file of an example.
const INPUT: &[u8] = b"one\ntwo\n";
/// 2026-02-09T16:05:01Z
const CREATED: i64 = 1_770_653_101;
/// Characters of a tool's name in the slug, which holds 64.
const SLUG_CHARACTERS_MAX: usize = 50;

const FILES: &[&str] = &["data.txt", "data.csv", "data.json", "data.log", "data.xml", "data.pdf", "data.png", "data"];
const TEXTS: &[&str] = &[
    "text",
    "a",
    "1",
    "42",
    "abc",
    "ABC",
    "Abc1",
    "abc-1",
    "abc_1",
    "1.0",
    "1.0.0",
    "v1.0.0",
    "12345678",
    "2026-02-09",
    "16:05",
    "10",
    "100",
    "1000",
    "a=1",
    "example.org",
    "a@example.org",
    "192.0.2.1",
    "/a",
    "a/b",
    "0123456789abcdef",
];

const REQUESTED_BY: &str = "your-name";
const PURPOSE: &str = "Why you ask, in one line";

/// A request for a tool or for a page.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct Example {
    /// Its document, `TR-….md`.
    pub request: String,
    /// The same with the program, where it is at hand.
    pub command: String,
    /// The files that would lie in `in/`.
    pub inputs: Vec<String>,
}

impl Example {
    /// An example for a tool; none if a required argument has no sample value.
    pub(super) fn of(manifest: &Manifest, network: &Network) -> Option<Self> {
        let mut inputs = Vec::new();
        let args = arguments(manifest, &mut inputs)?;
        let mut interactions = Vec::new();
        if is_interactive(manifest) {
            let first = manifest.commands().iter().find_map(|(command, manifest)| {
                Some(InteractionCall { command: command.clone(), args: arguments(manifest, &mut inputs)? })
            });
            interactions.push(first?);
        }
        inputs.sort();
        inputs.dedup();
        let created = DateTime::from_timestamp(CREATED, 0)?;
        let short: String = manifest.name().replace('_', "-").chars().take(SLUG_CHARACTERS_MAX).collect();
        let command = command(manifest.name(), &args, &interactions, &inputs);
        let id = RequestId::new(created, &short).ok()?;
        let draft = Draft {
            args,
            network: asked(network),
            inputs: inputs.iter().map(|name| Input { name: name.clone(), sha256: Digest::of(INPUT) }).collect(),
            interactions,
            ..Draft::call(id, created, REQUESTED_BY, PURPOSE, manifest.name())
        };
        Some(Self { request: draft.to_markdown(), command, inputs })
    }

    /// One for the first page of a destination.
    pub(super) fn of_page(destination: &Destination) -> Option<Self> {
        let host = destination.to_string();
        let url = format!("https://{}/", host.strip_suffix(":443").unwrap_or(&host));
        let created = DateTime::from_timestamp(CREATED, 0)?;
        let command = shell::line(["gatepost", "submit", "--url", &url, "--wait"]);
        let draft = PagesDraft {
            id: RequestId::new(created, "page").ok()?,
            created,
            requested_by: REQUESTED_BY.to_owned(),
            purpose: PURPOSE.to_owned(),
            pages: Pages { urls: vec![url], size_limit_kb: None },
            idempotency_key: None,
        };
        Some(Self { request: draft.to_markdown(), command, inputs: Vec::new() })
    }
}

fn arguments(manifest: &Manifest, inputs: &mut Vec<String>) -> Option<BTreeMap<String, ArgumentValue>> {
    let mut args = BTreeMap::new();
    for argument in manifest.arguments().iter().filter(|argument| argument.required) {
        let value = value(argument)?;
        if matches!(argument.kind.kind(), Kind::Path | Kind::CredentialFile) {
            inputs.push(value.to_string());
        }
        args.insert(argument.name.clone(), value);
    }
    Some(args)
}

/// The network of an example.
fn asked(network: &Network) -> request::Network {
    match network.kind {
        NetworkKind::Own => {
            request::Network::to(network.destinations.iter().filter_map(|to| Destination::parse(to)).collect())
        }
        NetworkKind::Targets => request::Network::Allowlist(Vec::new()),
        NetworkKind::None | NetworkKind::Listed => request::Network::None,
    }
}

fn command(
    tool: &str,
    args: &BTreeMap<String, ArgumentValue>,
    interactions: &[InteractionCall],
    inputs: &[String],
) -> String {
    let mut words = ["gatepost", "submit", "--tool", tool].map(str::to_owned).to_vec();
    for (name, value) in args {
        words.extend(["--arg".to_owned(), format!("{name}={value}")]);
    }
    for InteractionCall { command, args } in interactions {
        let args: serde_json::Map<_, _> = args.iter().map(|(name, value)| (name.clone(), value.to_json())).collect();
        let json = serde_json::json!({ "command": command, "args": args });
        words.extend(["--interaction".to_owned(), json.to_string()]);
    }
    for input in inputs {
        words.extend(["--input".to_owned(), input.clone()]);
    }
    words.push("--wait".to_owned());
    shell::line(words.iter().map(String::as_str))
}

/// A value that an argument accepts; none if it accepts no sample value.
pub(super) fn value(argument: &manifest::Argument) -> Option<ArgumentValue> {
    let kind = &argument.kind;
    let default = argument.default.clone().filter(|_| !argument.sensitive);
    let of_kind = candidates(kind).into_iter();
    let accepted = |value: &ArgumentValue| kind.accept(value).is_ok() && !value.to_string().starts_with('-');
    default.into_iter().chain(of_kind).find(accepted)
}

fn candidates(kind: &manifest::ArgumentType) -> Vec<ArgumentValue> {
    let texts = |texts: &[&str]| texts.iter().map(|text| ArgumentValue::Text((*text).to_owned())).collect::<Vec<_>>();
    let (min, max, _) = kind.bounds();
    let bounds = [min, max].into_iter().flatten();
    match kind.kind() {
        Kind::Integer => [1, 0]
            .into_iter()
            .chain(bounds.filter_map(|bound| bound.parse().ok()))
            .map(ArgumentValue::Integer)
            .collect(),
        Kind::Number => {
            let bounds = bounds.filter_map(|bound| bound.parse().ok());
            [1.0, 0.5, 0.0].into_iter().chain(bounds).map(ArgumentValue::Float).collect()
        }
        Kind::Port => vec![ArgumentValue::Integer(443)],
        Kind::Boolean => vec![ArgumentValue::Boolean(true)],
        Kind::Enum => kind.allowed().iter().cloned().map(ArgumentValue::Text).collect(),
        Kind::Path | Kind::CredentialFile => texts(FILES),
        Kind::ScopeTarget => texts(&["192.0.2.1", "example.org", "192.0.2.0/24"]),
        Kind::Url => texts(&[
            "https://example.org/",
            "http://example.org/",
            "ssh://example.org/",
            "ftp://example.org/",
            "wss://example.org/",
        ]),
        Kind::IpAddress => texts(&["192.0.2.1", "2001:db8::1"]),
        Kind::Cidr => texts(&["192.0.2.0/24", "2001:db8::/32"]),
        Kind::Duration => texts(&["1s"]),
        Kind::MsfOptions => texts(&["RHOSTS 192.0.2.1"]),
        Kind::String | Kind::RegexMatch | Kind::LiteralText => texts(TEXTS),
    }
}
