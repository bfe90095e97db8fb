//! The gate: judges result bundles, executes nothing, believes nobody.
//!
//! ```text
//! outbox/TS-…/ ──copy──▶ judge: shape ▶ bytes ▶ front matter ▶ structure ▶ integrity ▶ authority ▶ content ──▶ core/inbound/ or quarantine/
//! ```
//!
//! Absent by design: network, child processes, `unsafe`, async, C code.

#![forbid(unsafe_code)]

pub mod accepted;
mod artifact_name;
mod authority;
pub mod bundle;
pub mod confinement;
mod consistency;
pub mod content;
mod destination;
pub mod digest;
pub mod durable;
mod escape;
pub mod evidence;
pub mod excerpt;
pub mod failure;
pub mod fault;
pub mod foreign;
pub mod front_matter;
pub mod id;
pub mod intake;
mod integrity;
pub mod json;
pub mod judge;
pub mod knowledge;
pub mod ledger;
pub mod limits;
pub mod lock;
pub mod mailbox;
mod manifest;
pub mod order;
pub mod policy;
pub mod quarantine;
pub mod reason;
pub mod regular_file;
pub mod release;
mod request;
pub mod result_document;
pub mod sandbox_level;
mod section;
mod shape;
pub mod site;
mod structure;
mod sums;
pub mod text;
pub mod verdict;
