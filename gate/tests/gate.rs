//! The gate as a whole: vectors, mutations, hostile input, the private copy, the content sets, and the budget of crates.

#![allow(clippy::disallowed_methods, reason = "tests arrange the world, and start what they test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bare_document;
mod budget;
mod bundle_folder;
mod copy;
mod edit;
mod front_matter;
mod hostile;
mod mutation;
mod reasons_page;
mod sentences;
mod vectors;
mod yaml_value;
