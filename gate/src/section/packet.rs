//! Renders every line of a research packet's document from evidence and artifacts.
//!
//! *Standards*: `schemas/research_packet.schema.md`.

use super::phrase::{counted, link, list, or_none, seconds, span};
use super::safety_notes;
use crate::shape::Whole;
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::Evidence;
use gatepost_documents::sources::{RESPONSES_FILE, Source};

/// The title of the section that shows the text.
pub(crate) const CONTENT: &str = "## Extracted Content";

/// The required lines of the document.
pub(crate) fn expected(whole: Whole<'_>, evidence: &Evidence, sources: &[Source]) -> Vec<String> {
    let mut lines = front_matter(whole, evidence, sources);
    let sections = [
        ("## Executive Summary", summary(evidence, sources)),
        ("## Source Metadata", metadata(sources)),
        (CONTENT, whole.bundle.stdout.section("stdout.txt")),
        ("## Claims and Evidence", vec!["None made.".to_owned()]),
        ("## Safety Notes", safety_notes(evidence)),
        ("## Citations", citations(sources)),
    ];
    for (title, section) in sections {
        lines.extend([String::new(), title.to_owned(), String::new()]);
        lines.extend(section);
    }
    // The document ends with a newline.
    lines.push(String::new());
    lines
}

/// The time of a source's last answer.
fn retrieved_at(source: &Source) -> String {
    source.hops.last().map(|hop| hop.utc.clone()).unwrap_or_default()
}

fn front_matter(whole: Whole<'_>, evidence: &Evidence, sources: &[Source]) -> Vec<String> {
    let id = whole.id;
    let file = |path: &str| whole.bundle.digest_of(path).map(|digest| digest.to_string()).unwrap_or_default();
    let first = sources.iter().find(|source| source.is_retrieved());
    let title = first.map(|source| source.title.as_str()).unwrap_or_default();
    let url = first.map(|source| source.url.as_str()).unwrap_or_default();
    let reached: Vec<String> = evidence.network.destinations.iter().map(|text| format!("\"{text}\"")).collect();
    let requester = evidence.requested_by.replace('\\', "\\\\").replace('"', "\\\"");
    let source_ref = url.replace('\\', "\\\\").replace('"', "\\\"");
    vec![
        "---".to_owned(),
        "packet_type: research_packet".to_owned(),
        "schema_version: 1".to_owned(),
        format!("packet_id: \"{id}\""),
        format!("created_utc: \"{}\"", id.created().format("%Y-%m-%dT%H:%M:%SZ")),
        "source_kind: \"url\"".to_owned(),
        format!("source_ref: \"{source_ref}\""),
        format!("title: \"{}\"", in_ascii(title)),
        "authors: []".to_owned(),
        "published_date: \"\"".to_owned(),
        format!("retrieved_utc: \"{}\"", first.map(retrieved_at).unwrap_or_default()),
        "license: \"unknown\"".to_owned(),
        "content_hashes:".to_owned(),
        format!("  body_sha256: \"{}\"", file("artifacts/stdout.txt")),
        format!("  sources_sha256: \"{}\"", file(&format!("artifacts/{RESPONSES_FILE}"))),
        format!("request_id: \"{}\"", id.request()),
        format!("request_sha256: \"{}\"", file(whole.request_path)),
        format!("evidence_sha256: \"{}\"", file(crate::consistency::FILE)),
        format!("requested_by: \"{requester}\""),
        "executor: \"fetch\"".to_owned(),
        format!("sandbox: \"{}\"", evidence.sandbox.level),
        format!("network_destinations: [{}]", reached.join(", ")),
        "---".to_owned(),
    ]
}

/// The inside of a double-quoted scalar of YAML in which everything but printable ASCII is an escape.
fn in_ascii(text: &str) -> String {
    let escape = |character: char| match character {
        '"' | '\\' => format!("\\{character}"),
        ' '..='~' => character.to_string(),
        '\u{10000}'.. => format!("\\U{:08x}", u32::from(character)),
        _ => format!("\\u{:04x}", u32::from(character)),
    };
    text.chars().map(escape).collect()
}

fn summary(evidence: &Evidence, sources: &[Source]) -> Vec<String> {
    let approvers: Vec<String> = evidence.approvals.iter().map(|approval| approval.approved_by.clone()).collect();
    let approved = if approvers.is_empty() { String::new() } else { format!(", approved by {},", list(&approvers)) };
    let by = span(&evidence.requested_by);
    let asked = counted(sources.len() as u64, "page");
    let got = sources.iter().filter(|source| source.is_retrieved()).count();
    let after = seconds(evidence.duration_ms);
    vec![
        format!("Request `{}` by {by}{approved} asked for {asked}. Retrieved: {got}, in {after}.", evidence.request_id),
        String::new(),
        format!("Purpose, in the requester's words: {}.", span(&evidence.purpose)),
        String::new(),
        "No model read or summarised the pages.".to_owned(),
    ]
}

fn metadata(sources: &[Source]) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, source) in (1..).zip(sources) {
        lines.push(format!("- Source {number}: {}, `{}`", span(&source.url), source.outcome.as_str()));
        for (number, hop) in (1..).zip(&source.hops) {
            let status = if hop.status == 0 {
                source.outcome.without_status().to_owned()
            } else {
                format!("status {}", hop.status)
            };
            let tls = hop.tls.as_ref().map_or_else(String::new, |peer| {
                format!(", {}, certificate SHA-256 `{}`", peer.version, peer.certificate_sha256)
            });
            lines.push(format!("  Hop {number}: {status} at `{}` from {}{tls}", hop.utc, span(&hop.url)));
        }
        if source.is_retrieved() {
            lines.extend(page(source));
        } else {
            lines.push(format!("  Reason: {}", span(&source.detail)));
        }
    }
    let responses = link(RESPONSES_FILE, &format!("artifacts/{RESPONSES_FILE}"));
    lines.extend([String::new(), format!("All responses as they came, for auditors: {responses}.")]);
    lines
}

fn page(source: &Source) -> [String; 4] {
    let stated = |digest: Option<Digest>| digest.map(|digest| format!("`{digest}`")).unwrap_or_default();
    let (body, text) = (counted(source.body_bytes, "byte"), counted(source.text_bytes, "byte"));
    let (media_type, charset) = (span(&source.media_type), span(&source.charset));
    let (offset, place) = (source.text_offset, link("stdout.txt", "artifacts/stdout.txt"));
    let left_out = source.left_out.counts().into_iter().filter(|(count, _)| *count != 0);
    let left_out: Vec<String> = left_out.map(|(count, noun)| counted(count, noun)).collect();
    let left_out = if left_out.is_empty() { "nothing".to_owned() } else { left_out.join(", ") };
    [
        format!("  Title: {}", or_none(&source.title)),
        format!("  Body: {body}, {media_type} in {charset}, SHA-256 {}", stated(source.body_sha256)),
        format!("  Text: {text} from byte {offset} of {place}, SHA-256 {}", stated(source.text_sha256)),
        format!("  Left out: {left_out}"),
    ]
}

fn citations(sources: &[Source]) -> Vec<String> {
    let numbered = (1..).zip(sources).filter(|(_, source)| source.is_retrieved());
    let citation = |(number, source): (u64, &Source)| {
        let url = source.hops.last().map(|hop| hop.url.as_str()).unwrap_or_default();
        format!("- Source {number}: {}, retrieved at `{}`", span(url), retrieved_at(source))
    };
    numbered.map(citation).collect()
}
