//! The tests that need more software than a plain Debian has: strace, Node.js, nmap, Chromium and others, which `.ci/run` installs.
//!
//! ```text
//! cargo test --workspace --no-run && cargo test --workspace --test equipped
//! ```

#![allow(clippy::disallowed_methods, reason = "tests arrange the world, and start what they test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "shared with `integration.rs`, which uses more of it")]
mod calculator;
mod golden;
#[allow(dead_code, reason = "shared with `integration.rs`, which uses more of it")]
mod office;
#[allow(dead_code, unused_imports, reason = "shared with `integration.rs`, which uses more of it")]
mod site;

/// What runs, and what it can do.
mod run {
    mod browser;
    mod console;
    mod network;
    mod routed;
    mod sessions;
}

/// What the gate accepts and rejects.
mod judge {
    pub(crate) mod bare_document;
    mod confinement;
}

/// Across a gap, and into a package.
mod carry {
    pub(crate) mod bags;
    mod imports;
    pub(crate) mod packaging;
}

/// What lasts: states, users, restarts, file systems.
mod keep {
    pub(crate) mod crash;
    mod durability;
    mod group_commit;
    mod shortage;
}

/// What the command line and the pages show.
mod look {
    mod agents;
    mod failures;
    mod reports;
    mod side_effects;
}
