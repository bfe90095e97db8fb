//! The carrier's own records, below `var/exec/fleet/`; `mailbox/src/fleet.rs` has the records that TOOL-EXEC reads.
//!
//! ```text
//! key  starts                 this site's private key; how often a node was started here
//! assigned/<id>.json          at home: the attempts of a request
//! orders/<id>.<n>.json        on a node: an order as it was received
//! unwanted/<result>/          on a node: a bundle whose request had its answer before
//! tmp/                        what is on the way
//! ```

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use gatepost_documents::digest::Digest;
use gatepost_documents::id::RequestId;
use gatepost_mailbox::attestation_key;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::fleet::{self, FOLDER};
use gatepost_mailbox::lock::{Lock, LockError};
use gatepost_mailbox::record;
use gatepost_mailbox::site::Site;
use gatepost_signatures::SigningKey;
use serde::{Deserialize, Serialize};

use crate::message::Moment;

/// `assigned/<id>.json`: each assignment of a request to a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Assigned {
    /// The number of the next attempt; the first is 1, and none is reused.
    pub(crate) next: u32,
    /// The attempts that may have started, the latest last.
    pub(crate) attempts: Vec<Attempt>,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Attempt {
    pub(crate) node: String,
    /// The fingerprint of the node's key: another machine may get its name.
    pub(crate) key: String,
    pub(crate) attempt: u32,
    pub(crate) asked: Moment,
    pub(crate) order_sha256: Digest,
    /// The signed order, which is sent again if the same question arrives again.
    pub(crate) order: String,
    /// Whether the node was given up as lost.
    pub(crate) is_lost: bool,
}

impl Assigned {
    /// The attempt that is expected to bring a result.
    pub(crate) fn current(&self) -> Option<&Attempt> {
        self.attempts.last().filter(|attempt| !attempt.is_lost)
    }
}

/// Creates the folders.
#[allow(clippy::disallowed_methods, reason = "missing folders are created again; transfers are repeated")]
pub(crate) fn prepare(site: &Site) -> Result<(), Fault> {
    let root = site.root().join(FOLDER);
    for folder in ["assigned", "orders", "unwanted", "tmp"].map(|name| root.join(name)) {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).on("create", &folder)?;
    }
    fleet::prepare(site)?;
    durable::sync_folder(&root)
}

/// Locks the site for this process and removes an earlier one's temporary files. Two processes would order one request twice.
pub(crate) fn take(site: &Site) -> Result<Lock, LockError> {
    let root = site.root().join(FOLDER);
    let lock = Lock::take(&root.join("lock"), &format!("process {}, gatepost-fleet", std::process::id()))?;
    let tmp = root.join("tmp");
    for entry in tmp.read_dir().on("list", &tmp)? {
        durable::remove_tree(&entry.on("list", &tmp)?.path())?;
    }
    Ok(lock)
}

/// This site's key; created if missing.
pub(crate) fn key(site: &Site) -> Result<SigningKey, Fault> {
    let path = site.root().join(FOLDER).join("key");
    match attestation_key::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => attestation_key::generate(&path),
        key => key.on("read the key", &path),
    }
}

/// Counts this start of a node; durable when this returns.
pub(crate) fn count_start(site: &Site) -> Result<u64, Fault> {
    let path = site.root().join(FOLDER).join("starts");
    let count = match record::read::<u64>(&path) {
        Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => 1,
        count => count? + 1,
    };
    durable::replace(&path, &record::bytes(&count, &path)?)?;
    Ok(count)
}

/// A path for a temporary file.
pub(crate) fn tmp(site: &Site, name: &str) -> PathBuf {
    site.root().join(FOLDER).join("tmp").join(name)
}

fn assigned_path(site: &Site, id: &RequestId) -> PathBuf {
    site.root().join(FOLDER).join("assigned").join(format!("{id}.json"))
}

/// The attempts of a request.
pub(crate) fn assigned(site: &Site, id: &RequestId) -> Result<Assigned, Fault> {
    match record::read(&assigned_path(site, id)) {
        Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => Ok(Assigned { next: 1, attempts: Vec::new() }),
        assigned => assigned,
    }
}

/// Writes the attempts of a request; durable when this returns.
pub(crate) fn write_assigned(site: &Site, id: &RequestId, assigned: &Assigned) -> Result<(), Fault> {
    let path = assigned_path(site, id);
    durable::replace(&path, &record::bytes(assigned, &path)?)
}

/// Forgets the attempts of a request that was answered.
pub(crate) fn forget_assigned(site: &Site, id: &RequestId) -> Result<(), Fault> {
    durable::remove_tree(&assigned_path(site, id))
}

/// The requests with attempts.
pub(crate) fn all_assigned(site: &Site) -> Result<Vec<RequestId>, Fault> {
    let folder = site.root().join(FOLDER).join("assigned");
    Ok(names(&folder)?.iter().filter_map(|name| RequestId::parse(name.strip_suffix(".json")?).ok()).collect())
}

/// The requests that nodes hold, each with the name and the key of its node.
pub(crate) fn given(site: &Site) -> Result<HashMap<RequestId, (String, String)>, Fault> {
    let mut given = HashMap::new();
    for id in all_assigned(site)? {
        if let Some(attempt) = assigned(site, &id)?.current() {
            given.insert(id, (attempt.node.clone(), attempt.key.clone()));
        }
    }
    Ok(given)
}

fn order_path(site: &Site, id: &RequestId, attempt: u32) -> PathBuf {
    site.root().join(FOLDER).join("orders").join(format!("{id}.{attempt}.json"))
}

/// The files of a request whose order was received, kept until the request is dropped.
pub(crate) fn parcel(site: &Site, id: &RequestId, attempt: u32) -> PathBuf {
    site.root().join(FOLDER).join("orders").join(format!("{id}.{attempt}.parcel"))
}

/// Writes an order as it was received; false if it was received before.
pub(crate) fn write_order(site: &Site, id: &RequestId, attempt: u32, order: &[u8]) -> Result<bool, Fault> {
    let path = order_path(site, id, attempt);
    let staged = tmp(site, &format!("{id}.{attempt}.order"));
    durable::remove_tree(&staged)?;
    durable::write_new(&staged, order)?;
    match durable::move_new(&staged, &path) {
        Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        moved => moved.map(|()| true),
    }
}

/// Deletes an order whose bundle the home no longer needs.
pub(crate) fn forget_order(site: &Site, id: &RequestId, attempt: u32) -> Result<(), Fault> {
    durable::remove_tree(&order_path(site, id, attempt))
}

/// The open orders, with their bytes.
pub(crate) fn orders(site: &Site) -> Result<Vec<Vec<u8>>, Fault> {
    let folder = site.root().join(FOLDER).join("orders");
    let read = |name: &String| -> Result<Vec<u8>, Fault> {
        let path = folder.join(name);
        gatepost_mailbox::regular_file::read(&path, 4 << 20).on("read", &path)
    };
    names(&folder)?.iter().filter(|name| name.ends_with(".json")).map(read).collect()
}

/// Where a refused bundle is kept.
pub(crate) fn unwanted(site: &Site, name: &str) -> PathBuf {
    site.root().join(FOLDER).join("unwanted").join(name)
}

fn names(folder: &Path) -> Result<Vec<String>, Fault> {
    let entries = folder.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>).on("list", folder)?;
    Ok(entries.iter().filter_map(|entry| entry.file_name().into_string().ok()).collect())
}
