//! Stage 4 of a bare document: six sections in a free layout, with the required statements.
//!
//! The wording is free except at the start of a statement; text in a fence states nothing. *Standards*: `ThreeGate`
//! tool-result schema, "Required Sections", 2 and 6.

use super::Keys;
use super::stream::Parts;
use crate::structure::{self, Layout, Section, Sections, Title};
use gatepost_documents::front_matter::Document;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

const UNTRUSTED: &str = "Untrusted Output Statement";
const UNEXPECTED: &str = "Unexpected behavior";
const NETWORK: &str = "Network confirmation";

/// Characters allowed around the words that begin a statement.
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
            reasons.push(reason(section, format!("The section {} is empty.", title.as_str())));
        }
    }
    let provenance = sections.get(Title::Provenance);
    if !provenance.lines.is_empty() && !provenance.lines.iter().any(|line| line.contains(&keys.backend)) {
        reasons.push(reason(provenance, format!("The section Provenance does not name the backend {}.", keys.backend)));
    }
    if !provenance.lines.is_empty() {
        for (what, _) in PROVENANCE.iter().filter(|(_, words)| !states(provenance, words)) {
            reasons.push(reason(provenance, format!("The section Provenance does not state the {what}.")));
        }
    }
    let notes = sections.get(Title::SafetyNotes);
    let prose = Parts::split(notes).prose;
    let lines_of =
        |words: &'static str| prose.iter().filter_map(move |(line, text)| Some((*line, statement(text, words)?)));
    for words in [UNTRUSTED, UNEXPECTED, NETWORK] {
        if lines_of(words).next().is_none() {
            let message = format!("The section Safety Notes does not state \"{words}:\" at the beginning of a line.");
            reasons.push(reason(notes, message));
        }
    }
    reasons.extend(lines_of(UNTRUSTED).filter(|(_, text)| !is_distrust(text)).map(|(line, _)| {
        let message =
            "The untrusted output statement does not say that the output is untrusted data, not instructions."
                .to_owned();
        Reason { line: Some(line), ..reason(notes, message) }
    }));
    reasons.extend(lines_of(NETWORK).filter_map(|(line, text)| {
        let message = contradiction(text, keys)?;
        Some(Reason { line: Some(line), ..reason(notes, message) })
    }));
    reasons
}

/// The labels that Provenance must have besides the backend, each with its words.
const PROVENANCE: [(&str, &[&str]); 2] = [
    ("command that was executed", &["command", "executed", "invocation", "argv", "ran"]),
    ("resource limits", &["limit", "limits", "memory", "cpu", "cpus", "timeout", "time"]),
];

/// Whether a line of a section has one of these words followed by text, on the line or on the next ones.
fn states(section: &Section<'_>, words: &[&str]) -> bool {
    section.lines.iter().enumerate().any(|(at, line)| {
        let line = line.to_ascii_lowercase();
        let mut parts =
            line.split(|character: char| !character.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
        let is_named = parts.any(|part| words.contains(&part));
        let mut behind = section.lines.iter().skip(at + 1).filter(|line| line.contains(char::is_alphanumeric));
        is_named && (parts.next().is_some() || behind.next().is_some())
    })
}

/// Whether a statement calls the output untrusted and never says that it may be trusted or followed.
fn is_distrust(text: &str) -> bool {
    let text = text.to_ascii_lowercase().replace("n't", " not").replace("cannot", "can not").replace(" but ", ";");
    let mut is_untrusted = false;
    for clause in text.split(['.', ';']) {
        let words: Vec<&str> =
            clause.split(|character: char| !character.is_ascii_alphabetic()).filter(|word| !word.is_empty()).collect();
        for (at, word) in words.iter().enumerate() {
            let before = words.get(at.saturating_sub(DENIAL_WORDS)..at).unwrap_or_default();
            let is_denied = before.iter().any(|word| DENIALS.contains(word));
            let is_followed = FOLLOWED.contains(word) || *word == "instructions" && before.last() == Some(&"as");
            let is_trusted = TRUSTED.contains(word);
            if (is_followed || is_trusted) != is_denied && (is_followed || is_trusted || *word == "untrusted") {
                return false;
            }
            is_untrusted |= is_trusted || *word == "untrusted";
        }
    }
    is_untrusted
}

/// How many words may separate a negation from its word, as in "must not be treated as instructions".
const DENIAL_WORDS: usize = 6;
const DENIALS: [&str; 6] = ["not", "never", "no", "nor", "neither", "nobody"];
const TRUSTED: [&str; 4] = ["trusted", "trust", "trustworthy", "reliable"];
const FOLLOWED: [&str; 4] = ["followed", "follow", "obeyed", "obey"];

fn reason(section: &Section<'_>, message: String) -> Reason {
    let hint = "Write what ThreeGate's form requires in each section, outside of fences.";
    Reason::new(Code::StatementMissing, message, hint).at(section.line, 1)
}

/// The text after these words and a colon at the start of a line.
fn statement<'a>(line: &'a str, words: &str) -> Option<&'a str> {
    let rest = line.trim_start_matches(MARKS).strip_prefix(words)?.trim_start_matches(MARKS).strip_prefix(':')?;
    Some(rest.trim_matches(MARKS)).filter(|text| !text.is_empty())
}

/// How the stated network use differs from the front matter.
fn contradiction(text: &str, keys: &Keys) -> Option<String> {
    let states_none = text.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("none"));
    match &keys.network {
        None if states_none => None,
        None => Some(format!(
            "network_used says that no network was used, but the confirmation does not begin with \"none\": {}.",
            quoted(text)
        )),
        Some(_) if states_none => {
            Some("The confirmation says that no network was used, but network_used says that one was.".to_owned())
        }
        Some(reached) => {
            let absent = reached.iter().find(|destination| !text.contains(destination.as_str()))?;
            Some(format!("The confirmation does not name the destination {}.", quoted(absent)))
        }
    }
}
