//! Any text as front matter: what is accepted means the same to another YAML reader.

#![no_main]

#[path = "../tests/yaml_value.rs"]
mod yaml_value;

use gatepost_documents::text;
use gatepost_fuzz::bounded;
use yaml_value::{ours, theirs};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = text::check(bytes, "x.md") else { return };
    // The line end before the closing fence; and a fence within would be the closing one.
    let front_matter = &format!("{text}\n");
    if front_matter.lines().any(|line| line == "---") {
        return;
    }
    let mut read = None;
    bounded(|| read = ours(front_matter).ok());
    if let Some(value) = read {
        assert_eq!(theirs(front_matter).expect("what was accepted is YAML"), value);
    }
});
