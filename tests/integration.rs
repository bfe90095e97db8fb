//! The tests of the whole package that need no further software, in one program: `cargo test --workspace` runs them.
//!
//! They pass on a Debian with Rust, a C compiler, git, Python 3 and OpenSSH. What needs more is in `equipped.rs`.

#![allow(clippy::disallowed_methods, reason = "tests arrange the world, and start what they test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod approvals;
mod approvers;
mod attestation;
mod audit;
#[path = "../gate/tests/bundle_folder.rs"]
#[allow(dead_code, reason = "shared with the gate's own tests, which use more of it")]
mod bundle_folder;
#[allow(dead_code, reason = "shared with `equipped.rs`, which uses more of it")]
mod calculator;
mod callback;
mod catalog;
mod cgroup;
mod check;
mod claw;
mod command_line;
mod declarations;
mod doctor;
mod drops;
mod era;
mod exec_log;
mod file_systems;
mod gate_memory;
mod gate_program;
mod gatepost_mcp;
mod golden;
mod guides;
mod hostile_executor;
mod hostile_user;
mod http;
mod interruption;
mod lanes;
mod levels;
mod limits;
mod listing;
mod mailbox;
mod manifests;
mod mcp;
mod metrics;
mod monty;
#[allow(dead_code, reason = "shared with `equipped.rs`, which uses more of it")]
mod office;
mod open_sessions;
mod outputs;
mod own_words;
mod pages_program;
mod pins;
mod policy;
mod process;
mod quarantine;
mod request;
mod result_document;
mod sandbox;
mod schemas;
mod scratch_folder;
mod secrets;
mod signature_attacks;
#[allow(dead_code, unused_imports, reason = "shared with `equipped.rs`, which uses more of it")]
mod site;
mod site_rules;
mod submit;
mod tidy;
mod unfinished_drops;
mod users;
mod views;
mod watchers;
