//! The tests of the whole package, in one program.

#![allow(clippy::disallowed_methods, reason = "tests arrange the world, and start what they test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod agents;
mod approvals;
mod attestation;
mod audit;
mod bags;
mod bare_document;
mod browser;
#[path = "../gate/tests/bundle_folder.rs"]
#[allow(dead_code, reason = "shared with the gate's own tests, which use more of it")]
mod bundle_folder;
mod callback;
mod catalog;
mod cgroup;
mod check;
mod claw;
mod command_line;
mod confinement;
mod console;
mod crash;
mod declarations;
mod doctor;
mod drops;
mod durability;
mod era;
mod exec_log;
mod failures;
mod file_systems;
mod gate_memory;
mod gate_program;
mod golden;
mod group_commit;
mod guides;
mod hostile_executor;
mod http;
mod imports;
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
mod network;
mod open_sessions;
mod own_words;
mod packaging;
mod pins;
mod policy;
mod process;
mod quarantine;
mod reports;
mod request;
mod result_document;
mod routed;
mod sandbox;
mod schemas;
mod scratch_folder;
mod secrets;
mod sessions;
mod shortage;
mod side_effects;
mod signature_attacks;
mod site;
mod site_rules;
mod submit;
mod tidy;
mod users;
mod views;
mod watchers;
