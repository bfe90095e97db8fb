//! TOOL-EXEC's records about a request, and their places.
//!
//! ```text
//! var/exec/<state>/<request id>/
//!   request.md | request.json    the bytes as claimed
//!   claim.json                   {"request_id":"TR-…","request_sha256":"…","form":"md", …}
//!   pending.json                 once it waited: for what, and until when
//!   review.txt                   and what its approvers see of it
//! ```
//!
//! A record that cannot be read is a fault. *Security*: commands and pages read these files without trust in TOOL-EXEC:
//! only bounded regular files are read.

use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::Completeness;
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::Reason;
use gatepost_documents::request_form::{Form, REQUEST_BYTES_MAX};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::durable;
use crate::fault::{Fault, OnPath};
use crate::regular_file;
use crate::site::Site;

/// The claim record's file name.
pub const CLAIM_FILE: &str = "claim.json";
/// The name of the record of a waiting request.
pub const PENDING_FILE: &str = "pending.json";
/// The name of the text that approvers see of a request that waits.
pub const REVIEW_FILE: &str = "review.txt";
/// The most bytes of a record: evidence, with results of at most 1 MiB and as much of both streams.
const RECORD_BYTES_MAX: u64 = 64 << 20;

/// The states in which TOOL-EXEC keeps a request, in the order of its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Its private copy is durable.
    Claimed,
    /// It waits for an approval.
    Pending,
    /// Its tool may have started.
    Running,
    /// It was answered.
    Done,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Claimed, Self::Pending, Self::Running, Self::Done];

    /// The folder of a state.
    pub fn folder(self, site: &Site) -> PathBuf {
        match self {
            Self::Claimed => site.claimed(),
            Self::Pending => site.pending(),
            Self::Running => site.running(),
            Self::Done => site.done(),
        }
    }

    /// The text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Done => "done",
        }
    }
}

/// `claim.json`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The id in the drop's name.
    pub request_id: RequestId,
    /// Digest of the request's bytes.
    pub request_sha256: Digest,
    /// Markdown or JSON.
    pub form: Form,
    /// How sure it is that the drop was whole.
    pub completeness: Completeness,
    /// When it was claimed, RFC 3339, UTC.
    pub claimed_utc: String,
    /// The owner of the dropped file, as the kernel reports it.
    pub uid: u32,
    /// The fault of the folder that it came in; the request is refused for it, and the folder goes to quarantine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Reason>,
}

/// `pending.json`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waiting {
    /// When the wait is over and the request is refused.
    pub until: DateTime<Utc>,
    /// What is missing.
    pub missing: Vec<Reason>,
}

impl Waiting {
    /// The condition that a request waits for.
    pub fn read(site: &Site, id: &RequestId) -> Result<Self, Fault> {
        read(&site.pending().join(id.as_str()).join(PENDING_FILE))
    }
}

/// The name of the request file of a form.
pub const fn request_file(form: Form) -> &'static str {
    match form {
        Form::Markdown => "request.md",
        Form::Json => "request.json",
    }
}

/// Reads a record of our own.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Fault> {
    let bytes = regular_file::read(path, RECORD_BYTES_MAX).on("read", path)?;
    serde_json::from_slice(&bytes).map_err(io::Error::from).on("read", path)
}

/// Writes a record of our own, which is on the disk when this returns.
pub fn write<T: Serialize>(record: &T, path: &Path) -> Result<(), Fault> {
    durable::write_new(path, &bytes(record, path)?)
}

/// The bytes of a record of our own.
pub fn bytes<T: Serialize>(record: &T, path: &Path) -> Result<Vec<u8>, Fault> {
    let mut bytes = serde_json::to_vec_pretty(record).map_err(io::Error::from).on("write", path)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The state and claim of a request, if TOOL-EXEC ever claimed it.
pub fn locate(site: &Site, id: &RequestId) -> Result<Option<(State, Claim)>, Fault> {
    // A request only moves forward during the search: one more look at the end misses nothing.
    for state in State::ALL.into_iter().chain([State::Running, State::Done]) {
        let path = state.folder(site).join(id.as_str()).join(CLAIM_FILE);
        match read(&path) {
            Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => {}
            claim => return claim.map(|claim| Some((state, claim))),
        }
    }
    Ok(None)
}

/// Where a request is in the inbox.
pub fn dropped(site: &Site, id: &RequestId) -> Option<PathBuf> {
    let paths = ["", ".md", ".json"].map(|ending| site.inbox().join(format!("{id}{ending}")));
    paths.into_iter().find(|path| path.symlink_metadata().is_ok())
}

/// The bytes of the request in a state folder.
pub fn request_bytes(folder: &Path, claim: &Claim) -> Result<Vec<u8>, Fault> {
    let path = folder.join(request_file(claim.form));
    regular_file::read(&path, REQUEST_BYTES_MAX as u64).on("read", &path)
}
