//! Whatever a bundle holds, the program judges it within 64 MiB of memory of its own: heap, data, all that is private.

use std::fs::{self, File};
use std::process::{Command, Stdio};

use gatepost_documents::evidence::{Evidence, RESULTS_FILE};
use gatepost_documents::verdict::Verdict;
use serde_json::Value;

use crate::bundle_folder::{BundleFolder, codes};

/// The verdict of the program with `RLIMIT_DATA` at 64 MiB: what needs more ends without one.
fn judged_within_64_mib(folder: &BundleFolder) -> Vec<&'static str> {
    let limited = ["-c", "ulimit -d 65536 && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_gatepost-gate"), "judge"];
    let output = Command::new("sh").args(limited).arg(folder.path()).stderr(Stdio::inherit()).output().unwrap();
    let verdict: Verdict = serde_json::from_slice(&output.stdout).unwrap();
    codes(&verdict)
}

/// A bundle whose document has this body behind its front matter.
fn with_body(body: &str) -> BundleFolder {
    let folder = BundleFolder::of("success");
    let path = folder.path().join(format!("{}.md", folder.name));
    let document = fs::read_to_string(&path).unwrap();
    let (head, _) = document.split_once("\n## Summary\n").unwrap();
    fs::write(&path, [head, body].concat()).unwrap();
    folder
}

#[test]
fn a_million_headings_are_judged_within_64_mib() {
    let body = "\n## Summary\n".repeat(1_000_000);
    assert_eq!(judged_within_64_mib(&with_body(&body)), ["too_large"]);
    let most = "\n## Summary\n".repeat(80_000);
    assert_eq!(judged_within_64_mib(&with_body(&most)), ["section_missing", "section_duplicate", "heading_style"]);
}

#[test]
fn a_document_of_markup_alone_is_judged_within_64_mib() {
    for markup in ["[", "*a", "`", "<", "![a](", "\n", "#\n", "- ", "> ", "&amp;", "[a]: b\n", "1. a\n"] {
        let body = markup.repeat(1_000_000 / markup.len());
        let codes = judged_within_64_mib(&with_body(&body));
        assert!(!codes.is_empty(), "{markup:?} is accepted");
    }
}

#[test]
fn a_quote_deeper_than_anyone_reads_is_judged_at_once() {
    let body = [">".repeat(400_000), "\na".repeat(300_000)].concat();
    assert!(judged_within_64_mib(&with_body(&body)).contains(&"markup_forbidden"));
}

// What is looked through takes a window of it at a time, 256 KiB: more than this many would show nothing more.
#[test]
fn a_line_without_end_on_stdout_is_judged_within_64_mib() {
    let folder = BundleFolder::of("success");
    fs::write(folder.path().join("artifacts/stdout.txt"), "one line ".repeat(400_000)).unwrap();
    let expected = ["hash_mismatch", "sums_mismatch", "evidence_mismatch", "excerpt_mismatch"];
    assert_eq!(judged_within_64_mib(&folder), expected);
}

#[test]
fn a_hundred_thousand_artifacts_are_judged_within_64_mib() {
    let folder = BundleFolder::of("success");
    for number in 0..100_000 {
        File::create(folder.path().join(format!("artifacts/out/{number}"))).unwrap();
    }
    assert_eq!(judged_within_64_mib(&folder), ["too_many_files"]);
}

#[test]
fn the_most_results_beside_the_most_evidence_are_judged_within_64_mib() {
    let folder = BundleFolder::of("success");
    let evidence: Evidence = serde_json::from_slice(&fs::read(folder.path().join("evidence.json")).unwrap()).unwrap();
    let anomalies = vec!["seen".to_owned(); 190_000];
    let results_file = Some(RESULTS_FILE.to_owned());
    let evidence = Evidence { anomalies, results: Value::Null, results_file, ..evidence };
    let mut text = serde_json::to_vec_pretty(&evidence).unwrap();
    text.push(b'\n');
    assert!(text.len() > 2 << 20 && text.len() < 4 << 20, "{}", text.len());
    fs::write(folder.path().join("evidence.json"), text).unwrap();
    let results = serde_json::to_vec(&vec!["a row of several words, one after the other"; 180_000]).unwrap();
    assert!(results.len() > 7 << 20 && results.len() <= 8 << 20, "{}", results.len());
    fs::write(folder.path().join(RESULTS_FILE), results).unwrap();
    let codes = judged_within_64_mib(&folder);
    assert!(codes.contains(&"artifact_unlisted") && !codes.contains(&"evidence_invalid"), "{codes:?}");
}
