//! What TOOL-EXEC writes down about a request, beside its private copy, and where it finds it again.
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
//! These files are our own and are believed; a record that cannot be read is a fault. *Security*: commands read them, too, and whoever runs
//! a command need not believe TOOL-EXEC: only bounded regular files are read.

use std::io;
use std::path::{Path, PathBuf};

use gatepost_contract::request::{ExpectedOutput, Form};
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{Completeness, Evidence};
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::Reason;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::Site;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The claim record's file name.
pub const CLAIM_FILE: &str = "claim.json";
/// The most bytes of a record: evidence, with results of at most 1 MiB and as much of both streams.
const RECORD_BYTES_MAX: u64 = 64 << 20;
/// The start record's file name.
pub const START_FILE: &str = "start.json";

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
    /// The owner of the dropped file, as the kernel says it.
    pub uid: u32,
    /// What was wrong with the folder that it came in; it is refused for that, and the folder goes to quarantine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Reason>,
}

/// `start.json`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// Whether the tool is known to have ended, so that the evidence says how, and only its result could not be sealed.
    #[serde(default)]
    pub has_ended: bool,
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
    gatepost_mailbox::durable::write_new(path, &bytes(record, path)?)
}

/// The bytes of a record of our own.
pub fn bytes<T: Serialize>(record: &T, path: &Path) -> Result<Vec<u8>, Fault> {
    let mut bytes = serde_json::to_vec_pretty(record).map_err(io::Error::from).on("write", path)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The state and claim of a request, if TOOL-EXEC ever claimed it.
pub fn locate(site: &Site, id: &RequestId) -> Result<Option<(State, Claim)>, Fault> {
    // A request moves on while it is looked for, never back: one more look at the end misses nothing.
    for state in State::ALL.into_iter().chain([State::Running, State::Done]) {
        let path = state.folder(site).join(id.as_str()).join(CLAIM_FILE);
        match read(&path) {
            Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => {}
            claim => return claim.map(|claim| Some((state, claim))),
        }
    }
    Ok(None)
}
