//! Any edits of an accepted bundle: judged to the end, alike when judged again, in words that are safe to show; and a
//! bundle that is accepted is consistent for an independent look, and no longer accepted with one bit changed.
//!
//! ```text
//! base, options                                                 one byte each
//! file, position (two bytes), removed, length, inserted bytes   an edit, any number of them
//! ```

#![no_main]

#[path = "../tests/bundle_folder.rs"]
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
mod bundle_folder;

use std::cell::OnceCell;
use std::fs;

use bundle_folder::{Files, vectors};
use gatepost_documents::digest::Digest;
use gatepost_documents::reason::{Reason, Severity};
use gatepost_documents::text;
use gatepost_documents::verdict::{Decision, Verdict, reasons_markdown};
use gatepost_fuzz::bounded;

/// The evidence, the document and the list are stated anew after the edits, each digest that changed.
const RESEAL: u8 = 1;
/// The verdict is asked for twice.
const AGAIN: u8 = 2;

thread_local! {
    /// The accepted bundles, by their names.
    static BASES: OnceCell<Vec<Files>> = const { OnceCell::new() };
}

fn bases() -> Vec<Files> {
    let folders = fs::read_dir(vectors().join("base")).expect("the vectors are there");
    let mut names: Vec<_> = folders.map(|entry| entry.expect("a folder").file_name()).collect();
    names.sort();
    names.iter().map(|name| Files::of(name.to_str().expect("an ASCII name"))).collect()
}

/// One edit, and what follows it.
fn edit<'a>(files: &mut Files, input: &'a [u8]) -> Option<&'a [u8]> {
    let (&[file, high, low, removed, length], rest) = input.split_first_chunk()?;
    let (inserted, rest) = rest.split_at(rest.len().min(length.into()));
    let (path, bytes) = files.bytes.iter().nth(usize::from(file) % files.bytes.len())?;
    let start = bytes.len().min(u16::from_be_bytes([high, low]).into());
    let end = bytes.len().min(start + usize::from(removed));
    let (path, edited) = (path.clone(), [&bytes[..start], inserted, &bytes[end..]].concat());
    files.put(&path, edited);
    Some(rest)
}

/// Corrects every digest that the edits made wrong, wherever it appears complete.
fn reseal(files: &mut Files, before: &Files) {
    let document = files.document();
    let restate = |files: &mut Files, in_file: &str, of: &[&str]| {
        let mut text = String::from_utf8_lossy(&files.bytes[in_file]).into_owned();
        for path in of {
            let (stale, fresh) = (Digest::of(&before.bytes[*path]), Digest::of(&files.bytes[*path]));
            if stale != fresh {
                text = text.replace(&stale.to_string(), &fresh.to_string());
            }
        }
        if text.as_bytes() != files.bytes[in_file] && !text.contains(char::REPLACEMENT_CHARACTER) {
            files.put(in_file, text.into_bytes());
        }
    };
    let stated: Vec<_> = before.bytes.keys().map(String::as_str).collect();
    let others: Vec<_> = stated.into_iter().filter(|path| *path != "evidence.json" && *path != document).collect();
    restate(files, "evidence.json", &others);
    restate(files, &document, &others);
    restate(files, &document, &["evidence.json"]);
    files.seal();
}

/// What holds for every accepted bundle, found out without the gate's code but for the digests.
fn assert_consistent(files: &Files) {
    let file = |path: &str| std::str::from_utf8(&files.bytes[path]).expect("an accepted text is UTF-8");
    let line =
        |(path, bytes): (&String, &Vec<u8>)| (path != "SHA256SUMS").then(|| format!("{}  {path}\n", Digest::of(bytes)));
    let sums: String = files.bytes.iter().filter_map(line).collect();
    assert_eq!(file("SHA256SUMS"), sums);
    let evidence: serde_json::Value = serde_json::from_str(file("evidence.json")).expect("accepted evidence is JSON");
    let request = files.bytes.iter().find(|(path, _)| path.starts_with("request.")).expect("a request");
    assert_eq!(evidence["request_sha256"], Digest::of(request.1).to_string());
    let document = file(&files.document()).to_owned();
    assert!(document.contains(&format!("\nresult_id: \"{}\"\n", files.name())));
    let (_, notes) = document.rsplit_once("\n## Safety Notes\n").expect("the last section");
    for statement in ["\nUntrusted Output Statement: ", "\nUnexpected behavior: ", "\nNetwork confirmation: "] {
        assert_eq!(notes.matches(statement).count(), 1, "{statement}");
    }
}

fn is_accepted(verdict: &Verdict) -> bool {
    verdict.verdict == Decision::Accept
}

fn check(mut files: Files, base: &Files, options: u8, mut input: &[u8]) {
    while let Some(rest) = edit(&mut files, input) {
        input = rest;
    }
    if options & RESEAL != 0 {
        reseal(&mut files, base);
    }
    let verdict = files.judge();
    assert!(options & AGAIN == 0 || files.judge() == verdict);
    let page = reasons_markdown(&verdict);
    assert!(page.split('\n').all(|line| text::check(line.as_bytes(), "").is_ok()), "{page}");
    let rejects = |reason: &Reason| reason.severity == Severity::Reject;
    assert_eq!(is_accepted(&verdict), !verdict.reasons.iter().any(rejects));
    if is_accepted(&verdict) {
        assert_consistent(&files);
        // What is left of the input, less than an edit, says which bit.
        let place = input.iter().fold(usize::from(options), |place, byte| place << 8 | usize::from(*byte));
        let (path, bytes) = files.bytes.iter().nth(place % files.bytes.len()).expect("one of them");
        let (path, mut bytes) = (path.clone(), bytes.clone());
        let at = (place / files.bytes.len()) % bytes.len().max(1);
        if let Some(byte) = bytes.get_mut(at) {
            *byte ^= 1 << (place >> 3 & 7);
            files.put(&path, bytes);
            assert!(!is_accepted(&files.judge()), "{path}: byte {at} changed");
        }
    }
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Some((&[base, options], edits)) = input.split_first_chunk() else { return };
    BASES.with(|bases_| {
        let bases = bases_.get_or_init(bases);
        let base = &bases[usize::from(base) % bases.len()];
        bounded(|| check(base.clone(), base, options, edits));
    });
});
