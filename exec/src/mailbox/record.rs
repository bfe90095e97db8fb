//! TOOL-EXEC's records about a request, beside its private copy.
//!
//! ```text
//! var/exec/<state>/<request id>/
//!   request.md | request.json    the bytes as claimed
//!   in/                          the input files, if it was a folder
//!   approvals/                   the signatures in the drop, or dropped for it
//!   claim.json                   {"request_id":"TR-…","request_sha256":"…","form":"md", …}
//!   pending.json                 once it waited: its demands, and the end of the wait
//!   decision.json                a person's decision while it waited
//!   start.json                   from running on: the evidence to publish if the run is lost
//!   work/                        while running: the tool's own folder
//! ```
//!
//! These files are TOOL-EXEC's own, and it trusts them; an unreadable record is a fault. The crate `mailbox` has the parts
//! that others read.

use gatepost_contract::request::ExpectedOutput;
use gatepost_documents::evidence::Evidence;
pub use gatepost_mailbox::record::{
    CLAIM_FILE, Claim, State, bytes, dropped, locate, read, request_bytes, request_file, write,
};
use serde::{Deserialize, Serialize};

/// The start record's file name.
pub const START_FILE: &str = "start.json";

/// `start.json`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each is a key of the record")]
pub struct Start {
    /// The evidence to publish if the run is lost: a refusal unchanged, or a run marked `INTERRUPTED`.
    pub evidence: Evidence,
    /// The text of the used manifest.
    pub manifest: Option<String>,
    /// The request's expected outputs.
    pub outputs_expected: Vec<ExpectedOutput>,
    /// Whether the tool may run again after an interruption.
    pub idempotent: bool,
    /// Whether the tool got secrets, which it may have printed.
    #[serde(default)]
    pub has_secrets: bool,
    /// Whether it runs on a node of the fleet.
    #[serde(default)]
    pub is_away: bool,
    /// Whether the tool is known to have ended. Then the evidence has its end, and only its result could not be sealed.
    #[serde(default)]
    pub has_ended: bool,
}
