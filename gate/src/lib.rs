//! The gate: judges result bundles, executes nothing, believes nobody.
//!
//! ```text
//! outbox/TS-…/ ──copy──▶ judge: shape ▶ bytes ▶ front matter ▶ structure ▶ integrity ▶ authority ──▶ core/inbound/ or quarantine/
//! ```
//!
//! Absent by design: network, child processes, `unsafe`, async, C code.

#![forbid(unsafe_code)]

mod artifact_name;
pub mod bundle;
pub mod digest;
mod escape;
pub mod evidence;
pub mod excerpt;
pub mod front_matter;
pub mod id;
pub mod intake;
pub mod json;
pub mod judge;
pub mod limits;
pub mod reason;
mod shape;
mod structure;
mod sums;
pub mod text;
pub mod verdict;
