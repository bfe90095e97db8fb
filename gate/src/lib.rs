//! The gate: judges result bundles, executes nothing, believes nobody.
//!
//! ```text
//! outbox/TS-…/ ──copy──▶ judge: shape ▶ bytes ▶ front matter ▶ structure ▶ integrity ▶ authority ──▶ core/inbound/ or quarantine/
//! ```
//!
//! Absent by design: network, child processes, `unsafe`, async, C code.

#![forbid(unsafe_code)]

mod artifact_name;
mod authority;
pub mod bundle;
mod consistency;
pub mod digest;
mod escape;
pub mod evidence;
pub mod excerpt;
pub mod front_matter;
pub mod id;
pub mod intake;
mod integrity;
pub mod json;
pub mod judge;
pub mod limits;
mod manifest;
pub mod reason;
mod request;
pub mod result_document;
mod section;
mod shape;
mod structure;
mod sums;
pub mod text;
pub mod verdict;
