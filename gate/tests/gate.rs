//! The gate as a whole: vectors, mutations, hostile input, the private copy, and the budget of crates.

mod budget;
mod bundle_folder;
mod copy;
mod edit;
mod hostile;
mod mutation;
mod reasons_page;
mod vectors;
