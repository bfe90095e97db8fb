//! What gatepost says in its own words never trips the rules by which it judges what others say.
//!
//! Reads the sources of what may stand in a result: every sentence in them is looked at as a result would show it.

use std::fs;
use std::path::Path;

use gatepost_content::weighing::Content;
use gatepost_content::{Place, RuleSet, Scan, Source};
use gatepost_documents::reason::Severity;

/// What says nothing in a result: the command line, the catalog, counters, the writer of requests, and what each code stands for in the
/// published table.
const NOT_IN_RESULTS: [&str; 6] = [
    "src/cli",
    "exec/src/catalog.rs",
    "exec/src/catalog",
    "exec/src/exec/metrics.rs",
    "contract/src/request/draft.rs",
    "documents/src/reason.rs",
];

/// The sentences in a source, without its tests and comments; what is filled in is a word.
fn sentences(text: &str) -> Vec<String> {
    let code: String = text
        .lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"))
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n");
    let mut sentences = Vec::new();
    let mut rest = code.chars();
    let mut literal: Option<String> = None;
    while let Some(character) = rest.next() {
        match (&mut literal, character) {
            (None, '"') => literal = Some(String::new()),
            (None, '\'') => {
                // A character, or a lifetime.
                let ahead: String = rest.clone().take(2).collect();
                let is_escaped = ahead.starts_with('\\');
                if is_escaped || ahead.ends_with('\'') {
                    rest.nth(1);
                    if is_escaped {
                        rest.find(|character| *character == '\'');
                    }
                }
            }
            (None, _) => {}
            (Some(said), '"') => {
                sentences.push(std::mem::take(said));
                literal = None;
            }
            (Some(said), '\\') => match rest.next() {
                // A line that goes on in the next one.
                Some('\n') => {
                    while rest.clone().next().is_some_and(char::is_whitespace) {
                        rest.next();
                    }
                }
                Some('n') => said.push('\n'),
                Some(other) => said.push(other),
                None => {}
            },
            (Some(said), '{') => {
                if rest.find(|character| *character == '}').is_some() {
                    said.push_str("name");
                }
            }
            (Some(said), other) => said.push(other),
        }
    }
    sentences.retain(|sentence| sentence.contains(' '));
    sentences
}

/// The rules that would refuse a result in which a text stands.
fn refusing(rules: &RuleSet, text: &str, place: Place) -> Vec<String> {
    let mut scan = Scan::new(rules);
    scan.look_at(Source::new(place, "own"), text.as_bytes());
    let reasons = gatepost_content::reasons(&scan.into_findings(), &Content::default());
    let refusing = reasons.into_iter().filter(|reason| reason.severity == Severity::Reject);
    refusing.map(|reason| reason.rule.unwrap_or_default()).collect()
}

#[test]
fn every_sentence_of_ours_passes_the_rules_on_content() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rules = RuleSet::built_in();
    let (mut looked_at, mut found) = (0, Vec::new());
    for folder in ["src", "exec/src", "documents/src", "contract/src", "sandbox/src", "signatures/src", "mailbox/src"] {
        for entry in walkdir::WalkDir::new(root.join(folder)).sort_by_file_name() {
            let path = entry.unwrap().into_path();
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            let is_elsewhere = NOT_IN_RESULTS.iter().any(|place| path.starts_with(root.join(place)));
            if !is_rust || is_elsewhere || path.file_stem().is_some_and(|stem| stem == "tests") {
                continue;
            }
            for sentence in sentences(&fs::read_to_string(&path).unwrap()) {
                looked_at += 1;
                for place in [Place::Prose, Place::Results] {
                    // A hint may say what to run: the gate lets that pass in the fixed sentences of a bundle.
                    let refusing =
                        refusing(rules, &sentence, place).into_iter().filter(|rule| rule != "instruction/run-this");
                    found.extend(refusing.map(|rule| format!("{}: {rule}: {sentence}", path.display())));
                }
            }
        }
    }
    assert!(looked_at > 1_000, "{looked_at}");
    assert!(found.is_empty(), "{found:#?}");
}
