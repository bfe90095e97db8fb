//! Tests the content rules from outside: sources cut in any way, and the labelled sets.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read what they look at")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod digests;
mod own_words;
#[path = "../examples/measure/sample.rs"]
mod sample;
mod sets;
mod site;
mod sources;
