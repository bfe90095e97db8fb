//! Any text as the body of a result: one whose structure is accepted has six headings and no markup that could mislead,
//! for a CommonMark parser that the gate does not use too.

#![no_main]

#[path = "../tests/bundle_folder.rs"]
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
mod bundle_folder;

use std::cell::RefCell;

use bundle_folder::Files;
use gatepost_documents::reason::Stage;
use gatepost_documents::verdict::Verdict;
use gatepost_fuzz::{Body, bounded, titles};

const TITLES: [&str; 6] = ["Summary", "Provenance", "Outputs", "Stdout", "Stderr", "Safety Notes"];

thread_local! {
    /// An accepted bundle, and its document as far as the end of the front matter.
    static BASE: RefCell<(Files, Vec<u8>)> = RefCell::new(base());
}

fn base() -> (Files, Vec<u8>) {
    let files = Files::of("success");
    let document = &files.bytes[&files.document()];
    let end = document.windows(5).position(|window| window == b"\n---\n").expect("the front matter has an end") + 5;
    let head = document[..end].to_vec();
    (files, head)
}

fn judge(body: &[u8]) -> Verdict {
    BASE.with_borrow_mut(|(files, head)| {
        files.put(&files.document(), [head.as_slice(), body].concat());
        files.judge()
    })
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut verdict = None;
    bounded(|| verdict = Some(judge(bytes)));
    if verdict.is_some_and(|verdict| verdict.checks.stages > Stage::Structure as u8 + 1) {
        let body = std::str::from_utf8(bytes).expect("the stage before this one wants UTF-8");
        assert_eq!(titles(body, Body::Sealed), TITLES);
    }
});
