//! The documents that people read: their sizes, their links, and phrases that readers had to read twice.

use std::fs;
use std::path::{Path, PathBuf};

/// The most bytes of a document. Tables of options make some longer than a page that is read from its beginning.
const BYTES_MAX: [(&str, usize); 10] = [
    ("README.md", 4_600),
    ("ARCHITECTURE.md", 15_000),
    ("AGENTS.md", 2_500),
    ("CHANGELOG.md", 5_500),
    ("docs/operator.md", 15_000),
    ("docs/tool-author.md", 16_000),
    ("schemas/evidence.schema.md", 14_500),
    ("schemas/manifest.schema.md", 19_000),
    ("schemas/request.schema.md", 13_000),
    ("schemas/result.schema.md", 21_500),
];
/// The most bytes of any other.
const OTHER_BYTES_MAX: usize = 12_000;
/// The most words of all documents together.
const WORDS_MAX: usize = 48_000;
/// The most columns of a line that can be wrapped.
const COLUMNS_MAX: usize = 100;

/// What our documents do not say, in lower case. Each has a plain word: a rule *applies*, a file *is in* a folder, a claim *is
/// unverified*.
const PHRASES: [&str; 22] = [
    "whoever",
    "whatever",
    "so, too",
    "of which",
    "is told",
    "are told",
    "was told",
    "comes to an end",
    "come to an end",
    "come about",
    "comes about",
    "is short of",
    "stands for",
    "stands in",
    "stand in",
    "stands at",
    "lies in",
    "lies at",
    "lie in",
    "is nobody's",
    "proves nothing",
    "held against",
];

/// The path of every document in the repository, and its text.
pub(crate) fn documents() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let in_folder = |folder: &str| root.join(folder).read_dir().unwrap().map(|entry| entry.unwrap().path());
    let is_document = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md");
    let mut documents: Vec<_> = ["", "docs", "schemas"]
        .into_iter()
        .flat_map(in_folder)
        .filter(is_document)
        .map(|path| (path.strip_prefix(root).unwrap().display().to_string(), fs::read_to_string(&path).unwrap()))
        .collect();
    documents.sort();
    assert!(documents.len() > 30, "{}", documents.len());
    documents
}

/// The lines that are neither in a fence nor in a table, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_fenced = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        !is_fenced && !is_fence && !line.starts_with('|')
    })
}

#[test]
fn documents_stay_within_their_sizes() {
    let mut words = 0;
    for (path, text) in documents() {
        let max = BYTES_MAX.iter().find(|(name, _)| *name == path).map_or(OTHER_BYTES_MAX, |(_, max)| *max);
        assert!(text.len() <= max, "{path} has {} bytes, at most {max} are agreed.", text.len());
        words += text.split_whitespace().count();
    }
    assert!(words <= WORDS_MAX, "{words} words");
}

#[test]
fn no_document_has_a_phrase_that_is_read_twice() {
    for (path, text) in documents() {
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.to_lowercase();
            let found = PHRASES.iter().find(|phrase| line.contains(*phrase));
            assert_eq!(found, None, "{path}:{number}: {line}");
        }
    }
}

/// The targets of the links of a document that lead into the repository.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let prose = prose(text).map(|(_, line)| line);
    let targets = prose.flat_map(|line| line.split("](").skip(1)).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.starts_with('#'))
}

#[test]
fn every_link_leads_to_something_in_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for (path, text) in documents() {
        let folder = root.join(&path).parent().unwrap().to_owned();
        for link in links(&text) {
            let (file, _anchor) = link.split_once('#').unwrap_or((link, ""));
            assert!(folder.join(file).exists(), "{path}: {link}");
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}

#[test]
fn prose_is_wrapped() {
    for (path, text) in documents() {
        let can_be_wrapped = |line: &str| line.contains(' ') && !line.contains("](") && !line.starts_with('`');
        for (number, line) in prose(&text).filter(|(_, line)| can_be_wrapped(line)) {
            assert!(line.chars().count() <= COLUMNS_MAX, "{path}:{number} is too long: {line}");
        }
    }
}
