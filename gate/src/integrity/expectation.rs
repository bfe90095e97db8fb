//! Compares the files that a request expects with the existing ones: the evidence must note each difference as an anomaly.
//!
//! Security: of many differences only the first are named, so this is linear. Standards: `schemas/result.schema.md`,
//! Agreement with the request.

use std::collections::BTreeSet;

use super::HINT;
use crate::bundle::Bundle;
use crate::consistency;
use crate::request::Request;
use gatepost_documents::evidence::{Backend, Evidence, FailureCode, INPUT_SCHEMA, RESPONSE_HEAD};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

/// The maximum number of files that are named individually.
const NAMED_MAX: usize = 20;

/// The file that a lane has its tool write, if any.
const OWN: [&str; 5] = ["out/output.json", "out/output.jsonl", "out/output.xml", "out/output.csv", "out/output.txt"];

/// Every sentence that the evidence lacks. If the tool did not run, or nobody saw its end, nothing is expected.
pub(super) fn faults(bundle: &Bundle, evidence: &Evidence, request: &Request) -> Vec<Reason> {
    let unseen = [FailureCode::RequestRefused, FailureCode::SpawnFailed, FailureCode::Interrupted];
    if request.outputs.is_empty() || evidence.error.as_ref().is_some_and(|error| unseen.contains(&error.code)) {
        return Vec::new();
    }
    let noted: BTreeSet<&str> = evidence.anomalies.iter().map(String::as_str).collect();
    let sentences = differences(bundle, evidence, request).into_iter();
    let absent = sentences.filter(|sentence| !noted.contains(sentence.as_str()));
    let message = |sentence| format!("The anomalies lack: {sentence}");
    absent
        .map(|sentence| Reason::new(Code::OutputUnexpected, message(sentence), HINT).in_file(consistency::FILE))
        .collect()
}

fn differences(bundle: &Bundle, evidence: &Evidence, request: &Request) -> Vec<String> {
    let expected = &request.outputs;
    // A file that the lane itself had the tool write is expected.
    let own = evidence.output_file.strip_prefix("artifacts/");
    let own = own.filter(|path| OWN.contains(path) && evidence.backend != Backend::Era);
    // So are the files of gatepost's own workers, which speak HTTP and MCP for a tool.
    let (http, mcp) =
        (evidence.http_method.as_ref().map(|_| RESPONSE_HEAD), evidence.mcp_tool.as_ref().map(|_| INPUT_SCHEMA));
    let is_own = |path: &str| [own, http, mcp].contains(&Some(path));
    let left = || {
        bundle.files().filter_map(|(path, ..)| path.strip_prefix("artifacts/")).filter(|path| path.starts_with("out/"))
    };
    let there: BTreeSet<&str> = left().flat_map(with_folders).collect();
    let missing = expected.keys().map(String::as_str).filter(|path| !there.contains(path));
    let is_expected = |path| with_folders(path).any(|path| expected.contains_key(path));
    let surplus = left().filter(|path| !is_own(path) && !is_expected(path));
    let mut sentences =
        named(missing, |path| format!("The expected output {path} is missing."), "expected outputs are missing");
    sentences.extend(named(
        surplus,
        |path| format!("The output {path} was not expected."),
        "outputs were not expected",
    ));
    sentences
}

/// A path, and each folder on the way to it.
fn with_folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| path.split_at(end).0).chain([path])
}

fn named<'a>(paths: impl Iterator<Item = &'a str>, sentence: impl Fn(String) -> String, further: &str) -> Vec<String> {
    let mut paths = paths.map(|path| quoted(&format!("/{path}")));
    let mut sentences: Vec<String> = paths.by_ref().take(NAMED_MAX).map(sentence).collect();
    let more = paths.count();
    sentences.extend((more > 0).then(|| format!("{more} more {further}.")));
    sentences
}
