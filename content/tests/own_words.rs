//! TOOL-EXEC's own text in a document never rejects it: every string in its source that is a sentence is scanned as the
//! result's own words. Its hints name commands to run; the gate knows them.

use std::fs;
use std::path::{Path, PathBuf};

use gatepost_content::weighing::Content;
use gatepost_content::{Finding, Place, Scan, Source};
use gatepost_documents::digest::Digest;
use gatepost_documents::reason::{Code, Severity};

/// Fewer words are no sentence.
const WORDS_MIN: usize = 3;

#[test]
fn the_sentences_of_result_documents_neither_order_nor_claim_anything() {
    let mut files = Vec::new();
    for folder in ["exec/src", "contract/src", "sandbox/src"] {
        list(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder), &mut files);
    }
    let mut sentences = 0;
    for file in files {
        let source = fs::read_to_string(&file).unwrap();
        let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for sentence in strings(source).iter().filter(|text| is_sentence(text)) {
            sentences += 1;
            let mut scan = Scan::default();
            scan.look_at(Source::new(Place::Prose, "document"), sentence.as_bytes());
            let findings = scan.into_findings();
            let spoken = |code| matches!(code, Code::Instruction | Code::PolicyClaim);
            let found = findings.list().iter().filter(|finding| {
                spoken(finding.rule.class) && refuses(finding) && finding.severity == Severity::Reject
            });
            let found: Vec<_> = found.map(|finding| &finding.rule.id).collect();
            assert!(found.is_empty(), "{}: {sentence}: {found:?}", file.display());
        }
    }
    assert!(sentences > 500, "{sentences}");
}

/// Random parts of a result yield no finding either: one in a thousand would be one result in a thousand.
#[test]
fn fingerprints_and_names_of_signatures_are_no_finding() {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let line = |number: u32| {
        let sha256 = Digest::of(&number.to_be_bytes()).to_string();
        // Each character of a digest stands for one of sixteen digits: two make one of all.
        let value = |pair: &[u8]| pair.iter().fold(0, |value, byte| value * 16 + (*byte as char).to_digit(16).unwrap());
        let more = Digest::of(sha256.as_bytes()).to_string();
        let pairs = [sha256.as_bytes(), more.as_bytes()].concat();
        let digits = pairs.chunks(2).take(43).map(|pair| DIGITS[value(pair) as usize % 64] as char);
        let fingerprint: String = digits.collect();
        format!(
            "- Approval: by the signature `\"approvals/{}.sig\"` of the key `\"SHA256:{fingerprint}\"`\n",
            &more[..16]
        )
    };
    let text: String = (0..20_000).map(line).collect();
    let mut scan = Scan::default();
    scan.look_at(Source::new(Place::Prose, "document"), text.as_bytes());
    let findings = scan.into_findings();
    let found: Vec<_> =
        findings.list().iter().filter(|finding| refuses(finding)).map(|finding| &finding.rule.id).collect();
    assert!(found.is_empty(), "{found:?}");
}

fn refuses(finding: &Finding) -> bool {
    Content::default().severity(finding).severity == Severity::Reject
}

/// Some words, and no document as a whole: the front matter of a result is verified by its form.
fn is_sentence(text: &str) -> bool {
    text.split(' ').count() >= WORDS_MIN && !text.starts_with("---\n")
}

/// The Rust files in a folder, except its command line, whose text appears in no document, and its tests.
fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if ["cli", "doctor", "tests"].contains(&&*name) {
            continue;
        }
        if path.is_dir() {
            list(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// The strings of a source in double quotes, with their escapes undone as far as words need it.
fn strings(source: &str) -> Vec<String> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code = code.collect::<Vec<_>>().join("\n").replace("'\"'", "' '").replace("'\\\"'", "' '");
    let (mut strings, mut inside) = (Vec::new(), None);
    let mut characters = code.chars().peekable();
    while let Some(character) = characters.next() {
        match (&mut inside, character) {
            (None, '"') => inside = Some(String::new()),
            (None, _) => {}
            (Some(_), '"') => strings.extend(inside.take()),
            (Some(text), '\\') => match characters.next() {
                Some('n') => text.push('\n'),
                Some('\n') => while characters.next_if(|next| next.is_whitespace()).is_some() {},
                Some(other) => text.push(other),
                None => {}
            },
            (Some(text), _) => text.push(character),
        }
    }
    strings
}
