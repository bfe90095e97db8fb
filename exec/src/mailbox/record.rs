//! TOOL-EXEC's records about a request, beside its private copy.
//!
//! ```text
//! var/exec/<state>/<request id>/
//!   request.md | request.json    the bytes as claimed
//!   in/                          the input files, if it came as a folder
//!   approvals/                   the signatures that came with it, or for it
//!   claim.json                   {"request_id":"TR-…","request_sha256":"…","form":"md", …}
//!   pending.json                 once it waited: for what, and until when
//!   decision.json                what a person decided of it while it waited
//!   start.json                   from running on: what to publish if nothing more is heard of it
//!   work/                        while running: the tool's own folder
//! ```
//!
//! These files are TOOL-EXEC's own, and it believes them; a record that it cannot read is a fault. The crate `mailbox` has the parts
//! that others read.

use gatepost_contract::request::ExpectedOutput;
use gatepost_documents::evidence::Evidence;
pub use gatepost_mailbox::record::{CLAIM_FILE, Claim, State, bytes, locate, read, request_bytes, request_file, write};
use serde::{Deserialize, Serialize};

/// The start record's file name.
pub const START_FILE: &str = "start.json";

/// `start.json`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "each is a key of the record")]
pub struct Start {
    /// What to publish if nothing more is heard of it: a refusal as it is, or a run marked `INTERRUPTED`.
    pub evidence: Evidence,
    /// The manifest's text as used.
    pub manifest: Option<String>,
    /// What the request expects to find in out/.
    pub outputs_expected: Vec<ExpectedOutput>,
    /// Whether the tool may be run again after an interruption.
    pub idempotent: bool,
    /// Whether the tool was given secrets, which it may have printed.
    #[serde(default)]
    pub has_secrets: bool,
    /// Whether it is run on a node of the fleet, and not here.
    #[serde(default)]
    pub is_away: bool,
    /// Whether the tool is known to have ended, so that the evidence says how, and only its result could not be sealed.
    #[serde(default)]
    pub has_ended: bool,
}
