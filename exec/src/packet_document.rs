//! Writes the document of a research packet, as `schemas/research_packet.schema.md` fixes it to the byte.
//!
//! A pure function of the evidence and the artifacts' facts, like [`crate::result_document`], whose phrases it uses. *Security*: titles,
//! URLs and texts are hostile: they are in code spans and in a fence, and in the front matter as escaped ASCII.

use std::fmt::Write as _;

use chrono::SecondsFormat;
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{Backend, Evidence, Status};
use gatepost_documents::id::ResultKind;
use gatepost_documents::sources::{Peer, RESPONSES_FILE, Source, Sources};

use crate::bundle::STDOUT;
use crate::result_document::phrase::{counted, link, list, seconds, span};
use crate::result_document::{Parts, quoted, safety_notes};

/// The kind of the result: a packet if a request for pages succeeded.
pub fn kind(evidence: &Evidence) -> ResultKind {
    let is_packet = evidence.backend == Backend::Fetch && evidence.status == Status::Success;
    if is_packet { ResultKind::Packet } else { ResultKind::Result }
}

/// The document's text.
pub fn render(parts: &Parts<'_>) -> String {
    // The lane accepts no other results as a success.
    let sources = serde_json::from_value(parts.evidence.results.clone());
    let Sources { sources } = sources.unwrap_or(Sources { sources: Vec::new() });
    let mut text = front_matter(parts, &sources);
    for (title, body) in [
        ("Executive Summary", summary(parts.evidence, &sources)),
        ("Source Metadata", metadata(&sources)),
        ("Extracted Content", parts.stdout.section.clone()),
        ("Claims and Evidence", "None made.\n".to_owned()),
        ("Safety Notes", safety_notes(parts.evidence)),
        ("Citations", citations(&sources)),
    ] {
        let _ = write!(text, "\n## {title}\n\n{body}");
    }
    text
}

/// The retrieved sources, with their numbers.
fn retrieved(sources: &[Source]) -> impl Iterator<Item = (usize, &Source)> {
    (1..).zip(sources).filter(|(_, source)| source.is_retrieved())
}

/// When a source was retrieved.
fn utc(source: &Source) -> &str {
    source.hops.last().map_or("", |hop| hop.utc.as_str())
}

fn front_matter(parts: &Parts<'_>, sources: &[Source]) -> String {
    let evidence = parts.evidence;
    let digest = |path: &str| {
        let found = parts.artifacts.iter().find(|artifact| artifact.path == path);
        found.map(|artifact| artifact.sha256.to_string()).unwrap_or_default()
    };
    let first = retrieved(sources).next().map(|(_, source)| source);
    let destinations: Vec<String> = evidence.network.destinations.iter().map(|text| quoted(text)).collect();
    let mut text = String::from("---\npacket_type: research_packet\nschema_version: 1\n");
    let mut line = |key: &str, value: &str| {
        let _ = writeln!(text, "{key}: {value}");
    };
    let in_quotes = |digest: Digest| format!("\"{digest}\"");
    line("packet_id", &quoted(parts.result_id.as_str()));
    line("created_utc", &quoted(&parts.result_id.created().to_rfc3339_opts(SecondsFormat::Secs, true)));
    line("source_kind", "\"url\"");
    line("source_ref", &quoted(first.map_or("", |source| &source.url)));
    line("title", &escaped(first.map_or("", |source| &source.title)));
    line("authors", "[]");
    line("published_date", "\"\"");
    line("retrieved_utc", &quoted(first.map_or("", utc)));
    line("license", "\"unknown\"");
    let (body, responses) = (digest(STDOUT), digest(RESPONSES_FILE));
    let _ = writeln!(text, "content_hashes:\n  body_sha256: \"{body}\"\n  sources_sha256: \"{responses}\"");
    let mut line = |key: &str, value: &str| {
        let _ = writeln!(text, "{key}: {value}");
    };
    line("request_id", &quoted(evidence.request_id.as_str()));
    line("request_sha256", &in_quotes(evidence.request_sha256));
    line("evidence_sha256", &in_quotes(parts.evidence_sha256));
    line("requested_by", &quoted(&evidence.requested_by));
    line("executor", "\"fetch\"");
    line("sandbox", &quoted(evidence.sandbox.level.as_str()));
    line("network_destinations", &format!("[{}]", destinations.join(", ")));
    text.push_str("---\n");
    text
}

/// A double-quoted scalar of YAML in printable ASCII.
fn escaped(text: &str) -> String {
    let mut escaped = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => escaped.extend(['\\', character]),
            ' '..='~' => escaped.push(character),
            _ if u32::from(character) <= 0xffff => {
                let _ = write!(escaped, "\\u{:04x}", u32::from(character));
            }
            _ => {
                let _ = write!(escaped, "\\U{:08x}", u32::from(character));
            }
        }
    }
    escaped + "\""
}

fn summary(evidence: &Evidence, sources: &[Source]) -> String {
    let mut text = format!("Request `{}` by {}", evidence.request_id, span(&evidence.requested_by));
    if !evidence.approvals.is_empty() {
        let _ =
            write!(text, ", approved by {},", list(evidence.approvals.iter().map(|approval| &approval.approved_by)));
    }
    let (asked, got) = (counted(sources.len() as u64, "page"), retrieved(sources).count());
    let _ = writeln!(text, " asked for {asked}. Retrieved: {got}, in {}.\n", seconds(evidence.duration_ms));
    let _ = writeln!(text, "Purpose, in the requester's words: {}.\n", span(&evidence.purpose));
    text.push_str("No model read or summarised the pages.\n");
    text
}

fn metadata(sources: &[Source]) -> String {
    let mut text = String::new();
    for (number, source) in (1..).zip(sources) {
        let _ = writeln!(text, "- Source {number}: {}, `{}`", span(&source.url), source.outcome.as_str());
        for (number, hop) in (1..).zip(&source.hops) {
            let status = match hop.status {
                0 => source.outcome.without_status().to_owned(),
                status => format!("status {status}"),
            };
            let _ = write!(text, "  Hop {number}: {status} at `{}` from {}", hop.utc, span(&hop.url));
            if let Some(Peer { version, certificate_sha256 }) = &hop.tls {
                let _ = write!(text, ", {version}, certificate SHA-256 `{certificate_sha256}`");
            }
            text.push('\n');
        }
        if source.is_retrieved() {
            text.push_str(&page(source));
        } else {
            let _ = writeln!(text, "  Reason: {}", span(&source.detail));
        }
    }
    let _ = writeln!(
        text,
        "\nAll responses as they came, for auditors: {}.",
        link(RESPONSES_FILE, &artifact(RESPONSES_FILE))
    );
    text
}

fn page(source: &Source) -> String {
    let none = || "none".to_owned();
    let digest = |digest: Option<Digest>| digest.map_or_else(none, |digest| format!("`{digest}`"));
    let title = if source.title.is_empty() { none() } else { span(&source.title) };
    let left_out: Vec<String> = source
        .left_out
        .counts()
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| counted(count, noun))
        .collect();
    let left_out = if left_out.is_empty() { "nothing".to_owned() } else { left_out.join(", ") };
    format!(
        "  Title: {title}\n  Body: {}, {} in {}, SHA-256 {}\n  Text: {} from byte {} of {}, SHA-256 {}\n  Left out: {left_out}\n",
        counted(source.body_bytes, "byte"),
        span(&source.media_type),
        span(&source.charset),
        digest(source.body_sha256),
        counted(source.text_bytes, "byte"),
        source.text_offset,
        link(STDOUT, &artifact(STDOUT)),
        digest(source.text_sha256),
    )
}

fn artifact(path: &str) -> String {
    format!("artifacts/{path}")
}

fn citations(sources: &[Source]) -> String {
    let mut text = String::new();
    for (number, source) in retrieved(sources) {
        let url = source.hops.last().map_or("", |hop| hop.url.as_str());
        let _ = writeln!(text, "- Source {number}: {}, retrieved at `{}`", span(url), utc(source));
    }
    text
}
