//! The gate as a whole: vectors, mutations, hostile input, the private copy, and the budget of crates.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod budget;
mod bundle_folder;
mod command;
mod copy;
mod edit;
mod hostile;
mod mutation;
mod reasons_page;
mod vectors;
