//! Any bytes as a bare document, or as its body: one verdict, in safe words; and one whose structure is accepted has six
//! headings and no markup that could mislead, for a CommonMark parser that the gate does not use too.
//!
//! The first byte says which: odd for a whole document, even for the body below a front matter that is in order.

#![no_main]

use gatepost_documents::digest::Digest;
use gatepost_documents::id::ResultId;
use gatepost_documents::reason::Stage;
use gatepost_documents::text;
use gatepost_documents::verdict::Verdict;
use gatepost_fuzz::{Body, bounded, titles};
use gatepost_gate::bare_document::BareDocument;
use gatepost_gate::bundle::Entry;
use gatepost_gate::facts::Facts;
use gatepost_gate::judge::judge;
use gatepost_gate::submission::Submission;

const TITLES: [&str; 6] = ["Summary", "Provenance", "Outputs", "Stdout", "Stderr", "Safety Notes"];
const NAME: &str = "TS-20260209-161030Z-TR-20260209-160501Z-lookup";
const WHOLE: &str =
    include_str!("../tests/bare_document/documents/least/TS-20260209-161030Z-TR-20260209-160501Z-lookup.md");

fn document(bytes: &[u8]) -> Option<Vec<u8>> {
    let (first, rest) = bytes.split_first()?;
    if first % 2 == 1 {
        return Some(rest.to_vec());
    }
    let end = WHOLE.find("\n---\n")? + 5;
    Some([&WHOLE.as_bytes()[..end], rest].concat())
}

fn judged(document: Vec<u8>) -> Verdict {
    let file = Entry::File { bytes: document.len() as u64, digest: Digest::of(&document) };
    let submission = Submission::BareDocument(BareDocument {
        name: NAME.to_owned(),
        id: ResultId::parse(NAME).ok(),
        file: Some(file),
        bytes: document,
        faults: Vec::new(),
    });
    let facts = Facts::without_site(std::time::SystemTime::UNIX_EPOCH.into());
    let verdicts = [(); 2].map(|()| judge(&submission, &facts));
    assert_eq!(verdicts[0], verdicts[1]);
    let [verdict, _] = verdicts;
    verdict
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some(document) = document(bytes) else { return };
    let mut verdict = None;
    bounded(|| verdict = Some(judged(document.clone())));
    let Some(verdict) = verdict else { return };
    for reason in &verdict.reasons {
        assert!(text::check(reason.message.as_bytes(), NAME).is_ok(), "{reason:?}");
    }
    if verdict.checks.stages > Stage::Structure as u8 + 1 {
        let source = String::from_utf8(document).expect("the stage before this one wants UTF-8");
        let (_, body) = source.split_once("\n---\n").expect("the stage before this one wants front matter");
        assert_eq!(titles(body, Body::Bare), TITLES);
    }
});
