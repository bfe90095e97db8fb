//! The tests of the whole package that need no further software, in one program: `cargo test --workspace` runs them.
//!
//! They pass on a Debian with Rust, a C compiler, git, Python 3 and OpenSSH. What needs more is in `equipped.rs`.

#![allow(clippy::disallowed_methods, reason = "tests arrange the world, and start what they test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../gate/tests/bundle_folder.rs"]
#[allow(dead_code, reason = "shared with the gate's own tests, which use more of it")]
mod bundle_folder;
#[allow(dead_code, reason = "shared with `equipped.rs`, which uses more of it")]
mod calculator;
mod golden;
#[allow(dead_code, reason = "shared with `equipped.rs`, which uses more of it")]
mod office;
#[allow(dead_code, unused_imports, reason = "shared with `equipped.rs`, which uses more of it")]
mod site;

/// What may be dropped, and what becomes of it.
mod drop {
    mod drops;
    pub(crate) mod gatepost_mcp;
    mod gatepost_mcp_hostile;
    mod request;
    mod signature_attacks;
    mod submit;
    mod unfinished_drops;
}

/// Who may have what run.
mod decide {
    mod approvals;
    mod approvers;
    mod learn;
    mod levels;
    mod pins;
    mod policy;
}

/// What runs, and what it can do.
mod run {
    mod away;
    mod callback;
    mod cancel;
    mod cgroup;
    mod era;
    mod fetch;
    mod http;
    mod lanes;
    mod limits;
    mod mcp;
    mod monty;
    mod open_sessions;
    mod outputs;
    mod process;
    mod sandbox;
    mod secrets;
}

/// What the gate accepts and rejects.
mod judge {
    mod attestation;
    mod gate_memory;
    pub(crate) mod gate_program;
    mod hostile_executor;
    mod own_words;
    mod quarantine;
    mod result_document;
    mod site_rules;
}

/// What the command line and the pages show.
mod look {
    mod audit;
    mod check;
    mod claw;
    mod command_line;
    mod declarations;
    mod doctor;
    mod exec_log;
    mod interruption;
    mod listing;
    mod metrics;
    mod pages_program;
    mod scratch_folder;
    mod views;
}

/// What lasts: states, users, restarts, file systems.
mod keep {
    mod file_systems;
    mod format;
    mod hostile_user;
    mod mailbox;
    pub(crate) mod users;
    mod watchers;
}

/// Manifests, documents and the shape of the repository.
mod contract {
    mod catalog;
    mod documents;
    mod guides;
    mod manifests;
    mod schemas;
    mod tidy;
}
