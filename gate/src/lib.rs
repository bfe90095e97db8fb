//! The gate: judges result bundles, executes nothing, believes nobody.
//!
//! ```text
//! outbox/TS-…/ ──copy──▶ judge: shape ▶ bytes ▶ front matter ▶ structure ▶ integrity ▶ authority ──▶ core/inbound/ or quarantine/
//! ```
//!
//! Absent by design: network, child processes, `unsafe`, async, C code.

#![forbid(unsafe_code)]

pub mod digest;
pub mod durable;
pub mod evidence;
pub mod fault;
pub mod front_matter;
pub mod id;
pub mod ledger;
pub mod lock;
pub mod quarantine;
pub mod reason;
pub mod site;
pub mod text;
pub mod verdict;
