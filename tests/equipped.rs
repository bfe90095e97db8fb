//! The tests that need more software than a plain Debian has: strace, Node.js, nmap, Chromium and others, which `.ci/run` installs.
//!
//! ```text
//! cargo test --workspace --no-run && cargo test --workspace --test equipped
//! ```

#![allow(clippy::disallowed_methods, reason = "tests arrange the world, and start what they test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod agents;
mod bags;
mod bare_document;
mod browser;
#[allow(dead_code, reason = "shared with `integration.rs`, which uses more of it")]
mod calculator;
mod confinement;
mod console;
mod crash;
mod durability;
mod failures;
mod golden;
mod group_commit;
mod imports;
mod network;
#[allow(dead_code, reason = "shared with `integration.rs`, which uses more of it")]
mod office;
mod packaging;
mod reports;
mod routed;
mod sessions;
mod shortage;
mod side_effects;
#[allow(dead_code, unused_imports, reason = "shared with `integration.rs`, which uses more of it")]
mod site;
