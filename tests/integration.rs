//! The tests of the whole package, in one program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod process;
mod request;
mod sandbox;
