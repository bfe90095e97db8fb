//! Stage 4 of a bare document: its six sections in a free layout, and what must be said in them.
//!
//! The words are the writer's but for those that begin a statement; what stands in a fence says nothing. *Standards*:
//! `ThreeGate` tool-result schema, "Required Sections", 2 and 6.

use super::Keys;
use super::stream::Parts;
use crate::structure::{self, Layout, Section, Sections, Title};
use gatepost_documents::front_matter::Document;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

const UNTRUSTED: &str = "Untrusted Output Statement";
const UNEXPECTED: &str = "Unexpected behavior";
const NETWORK: &str = "Network confirmation";

/// What may stand around the words that begin a statement.
const MARKS: [char; 6] = ['*', '_', '`', '-', '+', ' '];

/// Every fault of the structure, or the six sections.
pub(super) fn check<'a>(document: &Document<'a>, keys: &Keys, file: &str) -> Result<Sections<'a>, Vec<Reason>> {
    structure::check_with(document, file, Layout::Free, |sections| missing(sections, keys))
}

fn missing(sections: &Sections<'_>, keys: &Keys) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for title in [Title::Summary, Title::Provenance] {
        let section = sections.get(title);
        if section.lines.is_empty() {
            reasons.push(reason(section, format!("The section {} says nothing.", title.as_str())));
        }
    }
    let provenance = sections.get(Title::Provenance);
    if !provenance.lines.is_empty() && !provenance.lines.iter().any(|line| line.contains(&keys.backend)) {
        reasons.push(reason(provenance, format!("The section Provenance does not name the backend {}.", keys.backend)));
    }
    let notes = sections.get(Title::SafetyNotes);
    let prose = Parts::split(notes).prose;
    let said =
        |words: &'static str| prose.iter().filter_map(move |(line, text)| Some((*line, statement(text, words)?)));
    for words in [UNTRUSTED, UNEXPECTED, NETWORK] {
        if said(words).next().is_none() {
            let message = format!("The section Safety Notes does not state \"{words}:\" at the beginning of a line.");
            reasons.push(reason(notes, message));
        }
    }
    reasons.extend(said(NETWORK).filter_map(|(line, text)| {
        let message = contradiction(text, keys)?;
        Some(Reason { line: Some(line), ..reason(notes, message) })
    }));
    reasons
}

fn reason(section: &Section<'_>, message: String) -> Reason {
    let hint = "Write what ThreeGate's form demands of each section, outside of fences.";
    Reason::new(Code::StatementMissing, message, hint).at(section.line, 1)
}

/// What a line states, if it begins with these words and a colon and goes on behind it.
fn statement<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    let rest = line.trim_start_matches(MARKS).strip_prefix(words)?.trim_start_matches(MARKS).strip_prefix(':')?;
    Some(rest.trim_matches(MARKS)).filter(|text| !text.is_empty())
}

/// How what is confirmed of the network differs from the front matter.
fn contradiction(text: &str, keys: &Keys) -> Option<String> {
    let says_none = text.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("none"));
    match &keys.network {
        None if says_none => None,
        None => Some(format!(
            "By network_used no network was used; the confirmation does not begin with none: {}.",
            quoted(text)
        )),
        Some(reached) if says_none && !reached.is_empty() => {
            Some("The confirmation says that no network was used; network_destinations names destinations.".to_owned())
        }
        Some(reached) => {
            let absent = reached.iter().find(|destination| !text.contains(destination.as_str()))?;
            Some(format!("The confirmation does not name the destination {}.", quoted(absent)))
        }
    }
}
