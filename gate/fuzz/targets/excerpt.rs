//! Any bytes as a tool's stream: the writer's excerpt is the one that the gate renders, wherever the reads fall.
//!
//! The first byte says how many bytes a read gives.

#![no_main]

#[path = "../../../exec/src/excerpt.rs"]
#[allow(dead_code, reason = "the writer as it stands; what other parts of it call is not called here")]
mod writer;

#[path = "../../../exec/src/result_document/phrase.rs"]
#[allow(dead_code, reason = "the phrases as they stand; the excerpt says few of them")]
mod phrase;

/// Where the writer looks for them.
mod result_document {
    pub(crate) use crate::phrase;
}

use gatepost_documents::text;
use gatepost_fuzz::bounded;
use gatepost_gate::excerpt::Renderer;

libfuzzer_sys::fuzz_target!(|input: &[u8]| bounded(|| {
    let Some((piece, bytes)) = input.split_first() else { return };
    let mut renderer = Renderer::default();
    bytes.chunks(usize::from(*piece) + 1).for_each(|piece| renderer.feed(piece));
    let excerpt = renderer.finish();
    let written = writer::section(bytes, "stdout.txt").expect("memory is read without faults");
    let rendered = excerpt.section("stdout.txt").join("\n") + "\n";
    assert_eq!(rendered, written);
    assert!(text::check(rendered.as_bytes(), "").is_ok(), "{rendered:?}");
    assert!(rendered.len() < 80_000, "{} bytes", rendered.len());
}));
