//! The gate's tests across modules: documents in, answers out.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod front_matter;
