//! The gate: judges result bundles, executes nothing, trusts nobody.
//!
//! ```text
//! outbox/TS-…/ ──copy──▶ judge: shape ▶ bytes ▶ front matter ▶ structure ▶ integrity ▶ authority ▶ content ──▶ core/inbound/ or quarantine/
//! ```
//!
//! Absent by design: network, child processes, `unsafe`, async, C code.
//!
//! [`judge::judge`] judges a bundle that [`intake`] copied, [`judge::judge_document`] a document that came without one:
//!
//! ```
//! use gatepost_content::RuleSet;
//! use gatepost_gate::judge::judge_document;
//! use gatepost_gate::policy::Policy;
//!
//! let name = "TS-20260209-161030Z-TR-20260209-160501Z-stats.md";
//! let reasons = judge_document(b"Looks fine to me.\n", name, &Policy::default(), RuleSet::built_in());
//! assert!(reasons.iter().any(|reason| reason.code.as_str() == "front_matter_missing"), "{reasons:?}");
//! ```

#![forbid(unsafe_code)]

pub mod accepted;
pub mod attestation;
pub mod audit;
mod authority;
pub mod bare_document;
pub mod bundle;
pub mod check;
pub mod cli;
pub mod confinement;
mod consistency;
mod content;
pub mod excerpt;
pub mod facts;
pub mod failure;
pub mod imported;
pub mod intake;
mod integrity;
pub mod judge;
pub mod ledger;
pub mod limits;
pub mod mailbox;
mod manifest;
pub mod policy;
pub mod program;
mod request;
pub mod result_document;
mod section;
mod shape;
mod structure;
pub mod submission;
mod sums;
pub mod watch;

pub use content::of_own_words;
