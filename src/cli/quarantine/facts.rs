//! The summary of an item: who refused it, why, and its tool or lane.
//!
//! *Security*: tool and lane come from the refused bytes, so they are the sender's claims. They are shown only if they
//! are plain words.

use std::path::Path;

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::front_matter::{self, Kind, Value};
use gatepost_documents::release::Override;
use gatepost_documents::{json, text};
use gatepost_exec::mailbox::signature_drop;
use gatepost_mailbox::life::{codes, is_plain_word, refused_for};
use gatepost_mailbox::quarantine::{Item, Record};

use crate::cli::prelude::*;

/// The most bytes of a document that are read.
const DOCUMENT_MAX_BYTES: u64 = 1 << 20;

/// An item at a glance.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Facts {
    /// The item's name.
    pub item: String,
    /// When it was refused, RFC 3339, UTC.
    pub refused_utc: String,
    /// `rejected` by the gate, `refused` by TOOL-EXEC, `released` since, or `unreadable` if its record cannot be read.
    pub state: &'static str,
    /// `gate`, `tool_exec`, or `unknown` if its record cannot be read.
    pub refused_by: &'static str,
    /// The codes of its reasons, each once.
    pub codes: Vec<&'static str>,
    /// The request that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The tool, if it can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The lane, if it can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// Who released it, when and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub released: Option<Override>,
    /// The codes that refuse, for a person.
    #[serde(skip)]
    pub refused_for: String,
    /// When it was refused.
    #[serde(skip)]
    pub refused: DateTime<Utc>,
}

impl Facts {
    pub(super) fn read(item: &Item) -> Self {
        let codes = codes(item.reasons());
        let (state, refused_by, (tool, lane)) = match &item.record {
            Record::Verdict(_) => ("rejected", "gate", of_bundle(item)),
            Record::Refusal(_) => ("refused", "tool_exec", of_request(item)),
            Record::Unreadable(_) => ("unreadable", "unknown", (None, None)),
        };
        Self {
            item: item.name.clone(),
            refused_utc: item.refused.to_rfc3339_opts(SecondsFormat::Secs, true),
            state: if item.released.is_some() { "released" } else { state },
            refused_by,
            codes,
            refused_for: refused_for(item.reasons()),
            request_id: signed_request(item).or_else(|| item.request_id()),
            tool,
            lane,
            released: item.released.clone(),
            refused: item.refused,
        }
    }
}

/// The request that a quarantined signature names, if the item is one.
pub(super) fn signed_request(item: &Item) -> Option<String> {
    let names = item.untouched();
    let [name] = names.as_slice() else { return None };
    Some(signature_drop::request_id(name)?.to_string())
}

/// Tool and lane of a result, by its evidence; of a bare document, by its front matter.
fn of_bundle(item: &Item) -> (Option<String>, Option<String>) {
    let names = item.untouched();
    let [bundle] = names.as_slice() else { return (None, None) };
    if let Some(name) = bundle.to_str().filter(|name| name.ends_with(".md"))
        && let Ok(bytes) = item.read_file(Path::new(name), DOCUMENT_MAX_BYTES)
    {
        return of_markdown(&bytes, name);
    }
    let bytes = item.read_file(&Path::new(bundle).join("evidence.json"), DOCUMENT_MAX_BYTES).unwrap_or_default();
    of_json(&bytes)
}

/// Tool and lane of a request: a document, or a folder with a document of the same name.
fn of_request(item: &Item) -> (Option<String>, Option<String>) {
    for name in item.untouched() {
        let Some(name) = name.to_str() else { continue };
        let is_document = name.ends_with(".md") || name.ends_with(".json");
        let path = if is_document { name.to_owned() } else { format!("{name}/{name}.md") };
        let Ok(bytes) = item.read_file(Path::new(&path), DOCUMENT_MAX_BYTES) else { continue };
        return if path.ends_with(".json") { of_json(&bytes) } else { of_markdown(&bytes, &path) };
    }
    (None, None)
}

fn of_json(bytes: &[u8]) -> (Option<String>, Option<String>) {
    let document = json::read(bytes).unwrap_or_default();
    let word = |key: &str| document.get(key)?.as_str().and_then(plain);
    (word("tool"), word("backend"))
}

fn of_markdown(bytes: &[u8], file: &str) -> (Option<String>, Option<String>) {
    let source = text::check(bytes, file).unwrap_or_default();
    let Ok(document) = front_matter::read(source, file, Kind::Result) else { return (None, None) };
    let word = |key: &str| match &document.entries.iter().find(|entry| entry.key == key)?.node.value {
        Value::Scalar { text, .. } => plain(text),
        _ => None,
    };
    (word("tool"), word("backend"))
}

/// A word that is safe to show.
fn plain(word: &str) -> Option<String> {
    is_plain_word(word).then(|| word.to_owned())
}
