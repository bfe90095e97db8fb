//! The gate as a whole: vectors, mutations, hostile input, the private copy, the program, the content sets, and the budget of crates.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bare_document;
mod budget;
mod bundle_folder;
mod command;
mod copy;
mod edit;
mod front_matter;
mod hostile;
mod memory;
mod mutation;
mod reasons_page;
mod vectors;
mod yaml_value;
