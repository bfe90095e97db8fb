//! The section Outputs: two lines for every artifact, then the parsed results.

use std::borrow::Cow;

use serde_json::Value;

use super::phrase::{counted, link, span};
use crate::bundle::{Bundle, Entry};
use crate::consistency;
use crate::excerpt::is_replaced;
use crate::request::Request;
use crate::structure::Section;
use gatepost_documents::escape::escape;
use gatepost_documents::evidence::{Evidence, RESULTS_FILE};

/// The maximum size of parsed results in the document itself, bytes.
const RESULTS_SHOWN_BYTES_MAX: usize = 16 * 1024;

/// The results of a result: its own, or those of its own interactions.
pub(crate) fn results(evidence: &Evidence) -> Cow<'_, Value> {
    let mut own = evidence.own_interactions().peekable();
    if own.peek().is_none() {
        return Cow::Borrowed(&evidence.results);
    }
    Cow::Owned(own.map(|interaction| interaction.results.clone()).collect())
}

/// The required lines of the section. A description is optional, but must be the request's.
pub(crate) fn expected(bundle: &Bundle, request: &Request, results: &Value, found: &Section<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let artifacts = bundle.entries.iter().filter_map(|(path, entry)| match entry {
        Entry::File { bytes, digest } => Some((path.strip_prefix("artifacts/")?, bytes, digest)),
        Entry::Folder | Entry::Unread => None,
    });
    for (path, bytes, digest) in artifacts {
        let file = link(&format!("/{path}"), &format!("artifacts/{path}"));
        lines.push(format!("- {file}  sha256: `{digest}`  ({})", counted(*bytes, "byte")));
        let none = format!("  Description: {}", own_description(path));
        let declared = request.description(path).map(|text| format!("  Description: {}", span(text)));
        let omitted = found.lines.get(lines.len()).is_some_and(|line| *line == none);
        lines.push(declared.filter(|_| !omitted).unwrap_or(none));
    }
    lines.push(String::new());
    match bundle.entries.get(RESULTS_FILE) {
        Some(Entry::File { bytes, .. }) => {
            let (file, bytes) = (link("/results.json", RESULTS_FILE), counted(*bytes, "byte"));
            lines.push(format!("Parsed results: in {file} ({bytes} as compact JSON)."));
        }
        _ => lines.extend(parsed_results(results)),
    }
    lines
}

/// The descriptions of the files that the tool did not write.
fn own_description(path: &str) -> &'static str {
    match path {
        "results.json" => "the parsed results",
        "stderr.txt" => "what the tool printed on stderr",
        "stdout.txt" => "what the tool printed on stdout",
        "transcript.txt" => "the inputs and answers of the session",
        _ => "none given",
    }
}

fn parsed_results(results: &Value) -> Vec<String> {
    if results.is_null() {
        return vec!["Parsed results: none.".to_owned()];
    }
    // A value parsed from JSON can always be written as JSON.
    let bytes = serde_json::to_string(results).unwrap_or_default().len();
    let Some(shown) = shown(results, bytes) else {
        let file = link(consistency::FILE, consistency::FILE);
        return vec![format!("Parsed results: in {file} ({bytes} bytes as compact JSON).")];
    };
    let mut lines = vec!["Parsed results:".to_owned(), String::new(), "```json".to_owned()];
    lines.extend(shown.split('\n').map(str::to_owned));
    lines.push("```".to_owned());
    lines
}

/// The indented form, if the document shows it; it is never shorter than the compact one, so most are not even printed.
fn shown(results: &Value, compact_bytes: usize) -> Option<String> {
    let pretty = (compact_bytes <= RESULTS_SHOWN_BYTES_MAX).then(|| serde_json::to_string_pretty(results).ok())??;
    // The line ends of the indented form stay; those inside a text are already escaped.
    let shown = escape(&pretty, |character| character != '\n' && is_replaced(character));
    (shown.len() <= RESULTS_SHOWN_BYTES_MAX).then_some(shown)
}
