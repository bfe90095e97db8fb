//! Any bytes as a result document, up to its front matter: read, or refused with reasons; and what was read is written
//! again as the lines that it was read from.

#![no_main]

use gatepost_documents::front_matter::{self, Kind};
use gatepost_documents::reason::Reason;
use gatepost_documents::text;
use gatepost_fuzz::bounded;
use gatepost_gate::result_document::ResultDocument;

const FILE: &str = "TS-x.md";

fn check(bytes: &[u8]) -> Result<(), Vec<Reason>> {
    let source = text::check(bytes, FILE)?;
    assert!(source.as_bytes() == bytes && text::fault(source).is_none());
    let document = front_matter::read(source, FILE, Kind::Result)?;
    let read = ResultDocument::read(&document, source, FILE)?;
    let written = read.to_string();
    assert!(source.starts_with(&written));
    let again = front_matter::read(&written, FILE, Kind::Result)?;
    assert_eq!(ResultDocument::read(&again, &written, FILE).as_ref(), Ok(&read));
    Ok(())
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bounded(|| {
    let Err(reasons) = check(bytes) else { return };
    assert!(!reasons.is_empty(), "refused for no reason");
    for reason in reasons {
        assert!(text::check(reason.message.as_bytes(), FILE).is_ok(), "{reason:?}");
    }
}));
