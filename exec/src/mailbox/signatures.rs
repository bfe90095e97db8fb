//! The signatures of a request, dropped with it or separately: private copies beside the request's own.
//!
//! ```text
//! var/exec/<state>/<request id>/approvals/<16 hex>.sig      named by the digest of its bytes, so duplicates are stored once
//! ```
//!
//! TOOL-EXEC decides from the copies who signed, and whether the signatures are valid. A file that is not a signature is never copied.

use std::fs;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use chrono::{DateTime, Utc};
use gatepost_documents::evidence::{Evidence, is_signature_path, signature_path};
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::folder::Folder;
use gatepost_mailbox::regular_file;
use gatepost_signatures::SIGNATURE_BYTES_MAX;

/// The folder of the signatures, in a dropped folder and in the private copy.
pub const APPROVALS: &str = "approvals";
/// The most signatures of one request.
pub const SIGNATURES_MAX: usize = 32;

/// A signature's private copy.
#[derive(Debug, Clone)]
pub struct Received {
    /// Its path relative to the request's folder; the bundle has the same path.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// When it was received.
    pub at: DateTime<Utc>,
}

/// The signatures beside a request, the earliest first.
pub fn read(folder: &Path) -> Result<Vec<Received>, Fault> {
    read_in(&Folder::open(folder)?)
}

/// The same of an open folder. It reads at most [`SIGNATURES_MAX`].
pub fn read_in(folder: &Folder) -> Result<Vec<Received>, Fault> {
    let approvals = match folder.folder(APPROVALS) {
        Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        approvals => approvals?,
    };
    let mut found = Vec::new();
    for name in approvals.names()? {
        let path = format!("{APPROVALS}/{}", name.to_string_lossy());
        // The next attempt overwrites a file that a crash left unfinished.
        if is_signature_path(&path) && found.len() < SIGNATURES_MAX {
            let file = approvals.path().join(&name);
            let opened = approvals.open_file(&name).on("open", &file)?;
            let time = opened.metadata().on("look at", &file)?;
            let mut bytes = Vec::new();
            opened.take(SIGNATURE_BYTES_MAX + 1).read_to_end(&mut bytes).on("read", &file)?;
            let nanoseconds = u32::try_from(time.mtime_nsec()).unwrap_or_default();
            let at = DateTime::from_timestamp(time.mtime(), nanoseconds).unwrap_or_default();
            found.push(Received { path, bytes, at });
        }
    }
    found.sort_by(|a, b| (a.at, &a.path).cmp(&(b.at, &b.path)));
    Ok(found)
}

/// The signatures that a result names, for its bundle.
pub fn named_by(evidence: &Evidence, folder: &Path) -> Result<Vec<Received>, Fault> {
    let proofs = evidence.approvals.iter().filter_map(|approval| approval.proof.as_ref());
    let named: Vec<&str> = proofs.chain(&evidence.requester_proof).map(|proof| proof.signature.as_str()).collect();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    Ok(read(folder)?.into_iter().filter(|received| named.contains(&received.path.as_str())).collect())
}

/// Adds one and fsyncs it. Adding the same one again changes nothing.
pub fn add(folder: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let (path, approvals) = (folder.join(signature_path(bytes)), folder.join(APPROVALS));
    if regular_file::read(&path, SIGNATURE_BYTES_MAX).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    match fs::create_dir(&approvals) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => {
            made.on("create", &approvals)?;
            durable::sync_folder(folder)?;
        }
    }
    let staged = approvals.join(".new");
    durable::remove_tree(&staged)?;
    durable::write_new(&staged, bytes)?;
    durable::move_new(&staged, &path)
}
