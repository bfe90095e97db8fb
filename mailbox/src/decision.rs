//! A person's decision on a request: to deny it while it waits, or to cancel it before its end.
//!
//! ```text
//! var/exec/orders/<request id>.json     {"decision": "deny", "reason": "…"}     written by whoever decides
//! var/exec/cancels/<request id>.json    {"decision": "cancel", "reason": "…"}   written by the user that dropped the request
//!   ──rename──▶ var/exec/{claimed,pending,running}/<request id>/decision.json   from then on it is decided
//! ```
//!
//! *Security*: everyone who may write to `orders` may decide; the owner of the file, as the kernel reports it, is the decider. Everyone may
//! write to `cancels`: TOOL-EXEC takes a file there only if its owner dropped the request, and only as a cancellation.
//! *Commit point*: the renames of flushed files.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use serde::{Deserialize, Serialize};

use crate::fault::{Fault, OnPath, is_passing};
use crate::folder::{Folder, Readers};
use crate::record;
use crate::regular_file;
use crate::site::Site;
use crate::user;

/// The decision's name in a request's folder.
pub const DECISION_FILE: &str = "decision.json";

const BYTES_MAX: u64 = 64 * 1024;

/// What is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Somebody who may decide does not want it.
    Deny,
    /// Whoever asked does not want it any more.
    Cancel,
    /// The session that the request holds open is to end.
    Close,
}

impl Kind {
    /// What was done to a request: `denied`, `cancelled` or `closed`.
    pub fn done(self) -> &'static str {
        match self {
            Self::Deny => "denied",
            Self::Cancel => "cancelled",
            Self::Close => "closed",
        }
    }
}

/// `decision.json`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// What is decided.
    pub decision: Kind,
    /// Why, in the words of the person who decided; empty if none were given.
    pub reason: String,
}

/// Orders a decision; false if one was ordered before. If this user may not write to `orders`, a cancellation goes to `cancels`.
pub fn order(site: &Site, id: &RequestId, decision: &Decision) -> Result<bool, Fault> {
    match publish(site, "var/exec/orders", id, decision) {
        Err(fault) if decision.decision == Kind::Cancel && fault.source.kind() == io::ErrorKind::PermissionDenied => {
            publish(site, "var/exec/cancels", id, decision)
        }
        published => published,
    }
}

fn publish(site: &Site, folder: &str, id: &RequestId, decision: &Decision) -> Result<bool, Fault> {
    let folder = Folder::of_site(site, folder)?;
    let name = format!("{id}.json");
    let bytes = record::bytes(decision, &folder.path().join(&name))?;
    folder.publish(&bytes, Readers::Everybody, &folder, name)
}

/// Every order that was given, with its request.
pub fn ordered(site: &Site) -> Result<Vec<(RequestId, PathBuf)>, Fault> {
    named(&site.exec_orders())
}

/// Every file that asks for a cancellation, with its request. Anybody may have written it: see [`is_cancel_by`].
pub fn cancels(site: &Site) -> Result<Vec<(RequestId, PathBuf)>, Fault> {
    match named(&site.exec_cancels()) {
        // A site of an earlier version has no such folder.
        Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        named => named,
    }
}

/// Whether a file is a cancellation that this user wrote: a regular file with one name, and the decision is to cancel.
pub fn is_cancel_by(path: &Path, uid: u32) -> bool {
    let is_own = path.symlink_metadata().is_ok_and(|found| found.is_file() && found.nlink() == 1);
    let read = regular_file::read_with_owner(path, BYTES_MAX).ok().filter(|(_, owner)| is_own && *owner == uid);
    let decision = read.and_then(|(bytes, _)| serde_json::from_slice::<Decision>(&bytes).ok());
    decision.is_some_and(|decision| decision.decision == Kind::Cancel)
}

fn named(folder: &Path) -> Result<Vec<(RequestId, PathBuf)>, Fault> {
    let mut orders = Vec::new();
    for entry in folder.read_dir().on("list", folder)? {
        let path = entry.on("list", folder)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let id = name.strip_suffix(".json").and_then(|stem| RequestId::parse(stem).ok());
        orders.extend(id.map(|id| (id, path.clone())));
    }
    orders.sort();
    Ok(orders)
}

/// The decision on a request, taken by TOOL-EXEC or not; a deny if it cannot be read.
pub fn ordered_of(site: &Site, id: &RequestId) -> Option<Kind> {
    let file = format!("{id}.json");
    let decided = |state: PathBuf| state.join(id.as_str()).join(DECISION_FILE);
    let orders = [site.exec_orders().join(&file), site.exec_cancels().join(&file)];
    let states = [site.claimed(), site.pending(), site.running()].map(decided);
    let path = orders.into_iter().chain(states).find(|path| path.symlink_metadata().is_ok())?;
    Some(kind(&path).unwrap_or(Kind::Deny))
}

/// What an order decides; none if it cannot be read.
pub fn kind(path: &Path) -> Option<Kind> {
    let bytes = regular_file::read(path, BYTES_MAX).ok()?;
    serde_json::from_slice(&bytes).ok().map(|decision: Decision| decision.decision)
}

/// Whether the request in a folder was decided.
pub fn is_taken(folder: &Path) -> bool {
    folder.join(DECISION_FILE).is_file()
}

/// The refusal that a decision about the request in a folder is, if one was taken.
pub fn refusal(folder: &Path) -> Result<Option<Reason>, Fault> {
    let path = folder.join(DECISION_FILE);
    let found = match path.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found.on("look at", &path)?,
    };
    let bytes = match regular_file::read(&path, BYTES_MAX) {
        Err(error) if is_passing(&error) => return Err(error).on("read", &path),
        read => read.unwrap_or_default(),
    };
    // An unreadable file still counts as a decision, and never as one in favour of a request.
    let decision: Decision = serde_json::from_slice(&bytes)
        .unwrap_or_else(|_| Decision { decision: Kind::Deny, reason: "The order could not be read.".to_owned() });
    let who = match found.uid() {
        // A second name of a file may be anybody's.
        _ if found.is_file() && found.nlink() != 1 => "Somebody".to_owned(),
        uid => user::name(uid).map_or_else(|| format!("User {uid}"), |name| format!("{name} (user {uid})")),
    };
    let (code, hint) = match decision.decision {
        Kind::Deny => (Code::RequestDenied, "Ask them what to change, and drop a new request."),
        Kind::Cancel | Kind::Close => (Code::RequestCancelled, "Drop a new request if it is still wanted."),
    };
    let done = decision.decision.done();
    let why = if decision.reason.is_empty() { String::new() } else { format!(": {}", quoted(&decision.reason)) };
    Ok(Some(Reason::new(code, format!("{who} {done} the request{why}."), hint)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_a_cancellation_of_the_users_own_counts_as_one() {
        let at = tempfile::tempdir().unwrap();
        let (file, uid) = (at.path().join("TR-20260101-000000Z-a.json"), rustix::process::geteuid().as_raw());
        fs::write(&file, r#"{"decision": "cancel", "reason": ""}"#).unwrap();
        assert!(is_cancel_by(&file, uid));
        assert!(!is_cancel_by(&file, uid + 1), "another user's");
        fs::hard_link(&file, at.path().join("second")).unwrap();
        assert!(!is_cancel_by(&file, uid), "a file with a second name may be anybody's");
        fs::remove_file(at.path().join("second")).unwrap();
        std::os::unix::fs::symlink(&file, at.path().join("link")).unwrap();
        assert!(!is_cancel_by(&at.path().join("link"), uid));
        for other in [r#"{"decision": "deny", "reason": ""}"#, r#"{"decision": "close", "reason": ""}"#, "", "{}"] {
            fs::write(&file, other).unwrap();
            assert!(!is_cancel_by(&file, uid), "{other}");
        }
    }
}
