//! Any bytes as a text that is looked through: in what pieces they arrive changes nothing of what is found, and what is said
//! of it is safe to show.
//!
//! ```text
//! place, piece     one byte each: where the text stands, and how many bytes of it arrive at a time
//! text             the rest
//! ```

#![no_main]

use std::sync::Once;

use gatepost_content::weighing::Content;
use gatepost_content::{Findings, Place, Scan, Source, reasons};
use gatepost_documents::text;
use gatepost_fuzz::bounded;

const PLACES: [Place; 4] = [Place::Prose, Place::Rendered, Place::Results, Place::Artifact];

fn found<'a>(place: Place, pieces: impl IntoIterator<Item = &'a [u8]>) -> Findings {
    let mut scan = Scan::default();
    let mut source = Source::new(place, "x");
    pieces.into_iter().for_each(|piece| source.feed(piece, &mut scan));
    source.finish(&mut scan);
    scan.into_findings()
}

fn check(place: u8, piece: u8, text: &[u8]) {
    let place = PLACES[usize::from(place) % PLACES.len()];
    let whole = found(place, [text]);
    let pieces = found(place, text.chunks(usize::from(piece) + 1));
    assert_eq!(whole.list(), pieces.list());
    assert_eq!(whole.total(), pieces.total());
    for reason in reasons(&whole, &Content::default()) {
        assert!(text::check(reason.message.as_bytes(), "").is_ok() && !reason.message.contains('\n'), "{reason:?}");
    }
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    /// The rules are compiled with the first text.
    static RULES: Once = Once::new();
    RULES.call_once(|| drop(found(Place::Prose, [b"x".as_slice()])));
    if let Some((&[place, piece], text)) = input.split_first_chunk() {
        bounded(|| check(place, piece, text));
    }
});
