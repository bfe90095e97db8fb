//! The reasons of checked files as a SARIF log, for viewers of static analysis.
//!
//! It holds only what the text view shows: places and digests, no text of the files. *Standards*: SARIF 2.1.0 (OASIS),
//! sections 3.13 to 3.29; `tests/sarif.rs` validates it against the schema.

use std::path::Path;

use gatepost_content::RuleSet;
use gatepost_documents::reason::Spot;
use serde_json::{Map, Value, json};

use super::File;
use crate::cli::prelude::*;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The log of one run.
pub(super) fn log(files: &[File], known: &RuleSet) -> Value {
    let mut rules = Rules { known, list: Vec::new(), ids: Vec::new() };
    let results: Vec<Value> = files
        .iter()
        .flat_map(|file| file.reasons.iter().map(move |reason| (file, reason)))
        .map(|(file, reason)| result(file, reason, &mut rules))
        .collect();
    let read = files.iter().filter(|file| file.error.is_none());
    let artifacts: Vec<Value> = read.map(|file| json!({ "location": { "uri": uri(&file.path) } })).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "gatepost",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "properties": { "rulesVersion": gatepost_gate::judge::RULES_VERSION },
                "rules": rules.list,
            } },
            "invocations": [{ "executionSuccessful": files.iter().all(|file| file.error.is_none()) }],
            "columnKind": "unicodeCodePoints",
            "artifacts": artifacts,
            "results": results,
        }],
    })
}

/// The rules of the results, each once.
struct Rules<'a> {
    known: &'a RuleSet,
    list: Vec<Value>,
    ids: Vec<String>,
}

impl Rules<'_> {
    fn index_of(&mut self, reason: &Reason) -> usize {
        let id = id(reason);
        self.ids.iter().position(|known| known == id).unwrap_or_else(|| {
            self.ids.push(id.to_owned());
            self.list.push(descriptor(reason, self.known));
            self.ids.len() - 1
        })
    }
}

/// A content rule is more precise than its code.
fn id(reason: &Reason) -> &str {
    reason.rule.as_deref().unwrap_or(reason.code.as_str())
}

fn descriptor(reason: &Reason, known: &RuleSet) -> Value {
    let rule = known.rules().find(|rule| reason.rule.as_deref() == Some(&*rule.id));
    let mut properties = Map::from_iter([("code".to_owned(), Value::from(reason.code.as_str()))]);
    if let Some(rule) = rule {
        properties.insert("falsepositives".to_owned(), rule.falsepositives.as_str().into());
    }
    json!({
        "id": id(reason),
        "shortDescription": { "text": rule.map_or(reason.code.rule(), |rule| rule.message.as_str()) },
        "fullDescription": { "text": reason.code.rule() },
        "help": { "text": rule.map_or(reason.hint.as_str(), |rule| rule.hint.as_str()) },
        "properties": properties,
    })
}

fn result(file: &File, reason: &Reason, rules: &mut Rules<'_>) -> Value {
    let level = match reason.severity {
        Severity::Reject => "error",
        Severity::Flag => "warning",
    };
    let mut result = json!({
        "ruleId": id(reason),
        "ruleIndex": rules.index_of(reason),
        "level": level,
        "message": { "text": format!("{} {}", reason.message, reason.hint) },
        "locations": [{ "physicalLocation": location(file, reason.file.as_deref(), reason.line, reason.column) }],
    });
    if !reason.also.is_empty() {
        let other = |(id, spot): (usize, &Spot)| {
            let place = location(file, Some(&spot.file), spot.line, spot.column);
            json!({ "id": id, "physicalLocation": place, "message": { "text": "The same text is here." } })
        };
        result["relatedLocations"] = reason.also.iter().enumerate().map(other).collect();
    }
    if let Some(digest) = reason.excerpt_sha256 {
        result["partialFingerprints"] = json!({ "ruleAndExcerpt/v1": fingerprint(reason, digest) });
    }
    if let Some(because) = &reason.lowered_because {
        result["properties"] = json!({ "loweredBecause": because });
    }
    result
}

/// The same finding in another place of another file has the same fingerprint.
fn fingerprint(reason: &Reason, excerpt: Digest) -> String {
    Digest::of(format!("{}\0{excerpt}", id(reason)).as_bytes()).to_string()
}

fn location(file: &File, inner: Option<&str>, line: Option<u32>, column: Option<u32>) -> Value {
    // A reason names its file within a bundle; for a single file it names that file.
    let path = match (inner, file.path.is_dir()) {
        (Some(inner), true) => file.path.join(inner),
        _ => file.path.clone(),
    };
    let mut location = json!({ "artifactLocation": { "uri": uri(&path) } });
    if let (Some(line), Some(column)) = (line, column) {
        location["region"] = json!({ "startLine": line, "startColumn": column });
    }
    location
}

/// A path as a URI reference (RFC 3986, section 4.1). Every reserved byte is percent-encoded, so a name cannot become
/// part of the syntax.
fn uri(path: &Path) -> String {
    let mut uri = String::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(*byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    if path.is_absolute() { format!("file://{uri}") } else { uri }
}
