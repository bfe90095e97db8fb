//! The rules on content from outside: sources however they are cut, and the labelled sets.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read what they look at")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod digests;
mod own_words;
#[path = "../examples/measure/sample.rs"]
mod sample;
mod sets;
mod site;
mod sources;
