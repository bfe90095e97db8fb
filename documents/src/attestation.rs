//! The attestation of an accepted result: an in-toto statement that its gate signs, the content of `attestation.intoto.jsonl`.
//!
//! ```text
//! {"_type": "https://in-toto.io/Statement/v1",
//!  "subject": [{"name": "SHA256SUMS", "digest": {"sha256": "…"}}, …],           every file of the bundle
//!  "predicateType": "urn:gatepost:attestation:v1",
//!  "predicate": {"result_id": "TS-…", "request": {…}, "approvals": […], "tool": {…}, "confinement": {…}, "network": {…},
//!                "verdict": {…}, "log": {"origin": "gatepost/…", "index": 7}}}
//! ```
//!
//! The file is one line: a DSSE envelope with this payload. TOOL-EXEC states level, network and use of a tool; the gate
//! checked them as far as it checks evidence. Verdict and log are the gate's own. The same submission, verdict and leaf
//! give the same bytes. *Standards*: in-toto Attestation Framework 1.0 (Statement v1, file naming of bundles).

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::enforced::Enforced;
use crate::evidence::{Approval, Backend, Dropped, Network, Proof, Sandbox};
use crate::pins::ToolFile;
use crate::release::Override;

/// The file of an attestation, beside the verdict of an accepted result: JSON lines, with exactly one line.
pub const ATTESTATION_FILE: &str = "attestation.intoto.jsonl";
/// The media type of a statement.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// The type of a statement.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The type of its predicate: a name, not a working address. `docs/auditor.md` defines it.
pub const PREDICATE_TYPE: &str = "urn:gatepost:attestation:v1";

/// What a gate states of the files of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// `https://in-toto.io/Statement/v1`.
    #[serde(rename = "_type")]
    pub statement_type: String,
    /// Every file that was judged, sorted by the bytes of its path.
    pub subject: Vec<Subject>,
    /// [`PREDICATE_TYPE`].
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    /// The statement.
    pub predicate: Predicate,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Its path in the bundle.
    pub name: String,
    /// The digest of its bytes.
    pub digest: DigestSet,
}

/// A digest, in the form of in-toto.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DigestSet {
    /// SHA-256.
    pub sha256: Digest,
}

/// The gate's statement: requester, approvers, tool, confinement, acceptance. For a bare document only what it contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Predicate {
    /// The result that was accepted.
    pub result_id: String,
    /// The request.
    pub request: Request,
    /// The approvals that held, each with the fingerprint of its key.
    pub approvals: Vec<Approval>,
    /// The tool; absent for a bare document or a refused request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Tool>,
    /// What confined the tool and the gate.
    pub confinement: Confinement,
    /// The tool's use of the network; absent for a bare document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// The gate's decision.
    pub verdict: Decided,
    /// Its leaf in the log.
    pub log: LogPlace,
}

/// The request that was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Its id.
    pub request_id: String,
    /// The digest of its bytes; absent for a bare document, which has no request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_sha256: Option<Digest>,
    /// The requester, in the request's own words unless there is a proof; absent for a bare document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_by: Option<String>,
    /// The signature that proves the requester.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester_proof: Option<Proof>,
    /// Who dropped it, as TOOL-EXEC saw it; absent for a bare document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<Dropped>,
}

/// The tool that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version; empty if unknown.
    pub version: String,
    /// The lane.
    pub backend: Backend,
    /// The digest of its manifest, on the clad lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest_sha256: Option<Digest>,
    /// Its other files, on the clad lane.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ToolFile>,
    /// Whether the site's pins named exactly this manifest and these files when this was stated.
    pub pinned: bool,
}

/// What confined the tool and the gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Confinement {
    /// What confined the tool; absent if nothing ran, and for a bare document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Sandbox>,
    /// What confined the gate; absent if nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<Enforced>,
}

/// The verdict; it is ACCEPT.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Decided {
    /// The digest of `verdict.json`, which has the rest.
    pub verdict_sha256: Digest,
    /// When, RFC 3339, UTC, whole seconds.
    pub judged_utc: String,
    /// Version of the rules.
    pub rules_version: String,
    /// Version of the gate.
    pub gate_version: String,
    /// The digest of the `gate.toml` in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate_toml_sha256: Option<Digest>,
    /// The digest of the site's own content rules; absent without such rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site_rules_sha256: Option<Digest>,
    /// Who released this rejected result.
    #[serde(rename = "override", default, skip_serializing_if = "Option::is_none")]
    pub released: Option<Override>,
    /// The decision of another site's gate, for an imported result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<LogPlace>,
}

/// A leaf of the gate's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LogPlace {
    /// The log's origin, the first line of its checkpoints.
    pub origin: String,
    /// The number of the leaf, from 0.
    pub index: u64,
}
