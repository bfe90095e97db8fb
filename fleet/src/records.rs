//! The carrier's own records, below `var/exec/fleet/`; `mailbox/src/fleet.rs` has those that TOOL-EXEC reads.
//!
//! ```text
//! key  starts                 this site's private key; how often a node was started here
//! assigned/<id>.json          at home: the attempts of a request
//! orders/<id>.<n>.json        on a node: an order as it was received
//! unwanted/<result>/          on a node: a bundle whose request had its answer before
//! tmp/                        what is on the way
//! ```

use std::collections::HashSet;
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

/// `assigned/<id>.json`: each time that a request was given to a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Assigned {
    /// The number of the next attempt; the first is 1, and none is given twice.
    pub(crate) next: u32,
    /// Those that may have started, the latest last.
    pub(crate) attempts: Vec<Attempt>,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Attempt {
    pub(crate) node: String,
    pub(crate) attempt: u32,
    pub(crate) asked: Moment,
    pub(crate) order_sha256: Digest,
    /// The signed order, which is repeated if the same question comes again.
    pub(crate) order: String,
    /// Whether the node was given up.
    pub(crate) is_lost: bool,
}

impl Assigned {
    /// The attempt that is expected to bring a result.
    pub(crate) fn current(&self) -> Option<&Attempt> {
        self.attempts.last().filter(|attempt| !attempt.is_lost)
    }
}

/// Makes the folders.
#[allow(clippy::disallowed_methods, reason = "made again if they are missing; what was on the way is sent again")]
pub(crate) fn prepare(site: &Site) -> Result<(), Fault> {
    let root = site.root().join(FOLDER);
    let own = ["assigned", "orders", "unwanted", "tmp"].map(|name| root.join(name));
    for folder in own.into_iter().chain([fleet::offers(site), fleet::ended(site)]) {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).on("create", &folder)?;
    }
    durable::sync_folder(&root)
}

/// Takes the site for this process, and removes what an earlier one had on the way: two would order one request twice.
pub(crate) fn take(site: &Site) -> Result<Lock, LockError> {
    let root = site.root().join(FOLDER);
    let lock = Lock::take(&root.join("lock"), &format!("process {}, gatepost-fleet", std::process::id()))?;
    let tmp = root.join("tmp");
    for entry in tmp.read_dir().on("list", &tmp)? {
        durable::remove_tree(&entry.on("list", &tmp)?.path())?;
    }
    Ok(lock)
}

/// This site's key; made if there is none.
pub(crate) fn key(site: &Site) -> Result<SigningKey, Fault> {
    let path = site.root().join(FOLDER).join("key");
    match attestation_key::read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => attestation_key::generate(&path),
        key => key.on("read the key", &path),
    }
}

/// Counts this start of a node; it is on the disk when this returns.
pub(crate) fn count_start(site: &Site) -> Result<u64, Fault> {
    let path = site.root().join(FOLDER).join("starts");
    let count = match record::read::<u64>(&path) {
        Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => 1,
        count => count? + 1,
    };
    durable::replace(&path, &record::bytes(&count, &path)?)?;
    Ok(count)
}

/// A path for something on the way.
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

/// Writes down the attempts of a request; they are on the disk when this returns.
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

/// The requests that a node has.
pub(crate) fn given(site: &Site) -> Result<HashSet<RequestId>, Fault> {
    let mut given = HashSet::new();
    for id in all_assigned(site)? {
        if assigned(site, &id)?.current().is_some() {
            given.insert(id);
        }
    }
    Ok(given)
}

fn order_path(site: &Site, id: &RequestId, attempt: u32) -> PathBuf {
    site.root().join(FOLDER).join("orders").join(format!("{id}.{attempt}.json"))
}

/// The files of a request whose order was received, until it is dropped.
pub(crate) fn parcel(site: &Site, id: &RequestId, attempt: u32) -> PathBuf {
    site.root().join(FOLDER).join("orders").join(format!("{id}.{attempt}.parcel"))
}

/// Writes an order down as it was received; false if that one was received before.
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

/// Forgets an order whose bundle the home need not be sent again.
pub(crate) fn forget_order(site: &Site, id: &RequestId, attempt: u32) -> Result<(), Fault> {
    durable::remove_tree(&order_path(site, id, attempt))
}

/// The orders that are not done, with their bytes.
pub(crate) fn orders(site: &Site) -> Result<Vec<Vec<u8>>, Fault> {
    let folder = site.root().join(FOLDER).join("orders");
    let read = |name: &String| -> Result<Vec<u8>, Fault> {
        let path = folder.join(name);
        gatepost_mailbox::regular_file::read(&path, 4 << 20).on("read", &path)
    };
    names(&folder)?.iter().filter(|name| name.ends_with(".json")).map(read).collect()
}

/// Where a bundle is kept that the home did not want.
pub(crate) fn unwanted(site: &Site, name: &str) -> PathBuf {
    site.root().join(FOLDER).join("unwanted").join(name)
}

fn names(folder: &Path) -> Result<Vec<String>, Fault> {
    let entries = folder.read_dir().and_then(Iterator::collect::<io::Result<Vec<_>>>).on("list", folder)?;
    Ok(entries.iter().filter_map(|entry| entry.file_name().into_string().ok()).collect())
}
