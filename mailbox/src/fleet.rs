//! What TOOL-EXEC and the fleet's carrier leave for each other: requests whose tools run on other machines.
//!
//! ```text
//! var/exec/fleet/
//!   tools.json             TOOL-EXEC of a node: the tools that it can run, with the digests of their manifests
//!   offers/<id>.json       TOOL-EXEC: this running request is to be run elsewhere          goes once it is answered
//!   nodes.json             the carrier: the nodes that it heard of, for metrics and people
//!   assigned/<id>.json     the carrier: which node runs it, and which attempt that is
//!   ended/<id>/            the carrier: end.json, and what the node sent: evidence.json, SHA256SUMS, artifacts/
//!   orders/<id>.<n>.json   on a node: the order as it was received, before its request is dropped there
//! ```
//!
//! Each file has one writer. Both processes run as TOOL-EXEC's user, and nobody else writes there. In `ended/<id>/` everything but
//! `end.json` comes from a node and is read as hostile.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;

use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::Node;
use gatepost_documents::id::RequestId;
use gatepost_documents::request_form::Form;
use serde::{Deserialize, Serialize};

use crate::fault::{Fault, OnPath as _};
use crate::site::Site;

/// The folder of the fleet's records, below the root of a site. Only a site with a fleet has it.
pub const FOLDER: &str = "var/exec/fleet";

/// `tools.json`: the tools that a node can run, with the digests of their manifests.
pub type Tools = BTreeMap<String, Digest>;

/// `nodes.json`: the nodes that have sent messages since the carrier of the home started, by name.
pub type Nodes = BTreeMap<String, NodeReport>;

/// The home's knowledge of a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NodeReport {
    /// When it last sent a message, seconds since 1970.
    pub seen: u64,
    /// The requests that are assigned to it.
    pub requests: usize,
}

/// The record of an end, in `ended/<id>/`.
pub const END_FILE: &str = "end.json";

/// `offers/<id>.json`: a request that may be run on a node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// The request.
    pub request_id: RequestId,
    /// Digest of its bytes.
    pub request_sha256: Digest,
    /// Markdown or JSON.
    pub form: Form,
    /// The tool.
    pub tool: String,
    /// Digest of its manifest, which a node has to have, too.
    pub manifest_sha256: Digest,
    /// Whether it may be run again where a node was lost.
    pub idempotent: bool,
}

/// `ended/<id>/end.json`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Where it ran; absent if it was cancelled before a node had it. The node has no digest of sums if it was lost. In both cases
    /// the folder contains only this record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<Node>,
}

/// Makes the folders that both sides use.
#[allow(clippy::disallowed_methods, reason = "made again if they are missing")]
pub fn prepare(site: &Site) -> Result<(), Fault> {
    for folder in [offers(site), ended(site)] {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).on("create", &folder)?;
    }
    Ok(())
}

/// The list of the nodes that the carrier of the home knows.
pub fn nodes(site: &Site) -> PathBuf {
    site.root().join(FOLDER).join("nodes.json")
}

/// The list of the tools that a node can run.
pub fn tools(site: &Site) -> PathBuf {
    site.root().join(FOLDER).join("tools.json")
}

/// The folder of offers.
pub fn offers(site: &Site) -> PathBuf {
    site.root().join(FOLDER).join("offers")
}

/// The offer of a request.
pub fn offer(site: &Site, id: &RequestId) -> PathBuf {
    offers(site).join(format!("{id}.json"))
}

/// The request of an offer with this file name.
pub fn offer_id(name: &OsStr) -> Option<RequestId> {
    RequestId::parse(name.to_str()?.strip_suffix(".json")?).ok()
}

/// The requests that TOOL-EXEC offers, sorted.
pub fn offered(site: &Site) -> Result<Vec<RequestId>, Fault> {
    let folder = offers(site);
    let entries = folder.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>).on("list", &folder)?;
    let mut ids: Vec<RequestId> = entries.iter().filter_map(|entry| offer_id(&entry.file_name())).collect();
    ids.sort();
    Ok(ids)
}

/// The folder of ends.
pub fn ended(site: &Site) -> PathBuf {
    site.root().join(FOLDER).join("ended")
}

/// The end of a request.
pub fn end(site: &Site, id: &RequestId) -> PathBuf {
    ended(site).join(id.as_str())
}
