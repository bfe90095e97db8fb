//! A person's decision on a request: to deny it while it waits, or to cancel it before its end.
//!
//! ```text
//! var/exec/orders/<id>.json            {"decision": "deny", "reason": "…"}      written by a person who may decide
//! var/exec/cancels/<id>.<random>.json  {"decision": "cancel", "request_id": …}  written by the user that dropped the request
//!   ──copy──▶ var/exec/{claimed,pending,running}/<id>/decision.json             from then on it is decided
//! ```
//!
//! *Security*: everyone who may write to `orders` may decide; the owner of the file, as the kernel reports it, is the decider. Everyone may
//! write to `cancels`: TOOL-EXEC takes a file there only if its owner dropped the request, and only as a cancellation. It keeps a copy of
//! its own, because the owner may change the file. *Commit point*: the rename of the flushed copy.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};

use crate::durable;
use crate::fault::{Fault, OnPath, is_passing};
use crate::folder::{Folder, Readers};
use crate::order::reason_fault;
use crate::quarantine::random_name;
use crate::record;
use crate::regular_file;
use crate::site::Site;
use crate::user;

/// The decision's name in a request's folder.
pub const DECISION_FILE: &str = "decision.json";

const BYTES_MAX: u64 = 64 * 1024;

/// The most cancellations that are looked at before other work goes on, shared by the users that wrote them.
pub const CANCELS_AT_A_TIME: usize = 256;

/// After this time a file that is still being written is removed.
const UNFINISHED: Duration = Duration::from_secs(3_600);

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

/// An order, as the person who decides writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// What is decided.
    pub decision: Kind,
    /// Why, in the words of the person who decided; empty if none were given.
    pub reason: String,
    /// The request. An order in `cancels` must name it: another user can give a second name to a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
}

impl Decision {
    /// A decision about a request.
    pub fn new(decision: Kind, reason: impl Into<String>, id: &RequestId) -> Self {
        Self { decision, reason: reason.into(), request_id: Some(id.clone()) }
    }
}

/// `decision.json`: a decision that TOOL-EXEC took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Taken {
    decision: Kind,
    reason: String,
    /// The owner of the order; unknown if the order had a second name, which may be anybody's.
    uid: Option<u32>,
}

/// Orders a decision; false if one was ordered before. If this user may not write to `orders`, a cancellation of its own request
/// goes to `cancels`.
pub fn order(site: &Site, id: &RequestId, decision: &Decision) -> Result<bool, Fault> {
    match publish(site, "var/exec/orders", format!("{id}.json"), decision) {
        Err(fault)
            if decision.decision == Kind::Cancel
                && fault.source.kind() == io::ErrorKind::PermissionDenied
                && may_be_own(site, id) =>
        {
            // Nobody else can take a random name before.
            let name = random_name()?;
            publish(site, "var/exec/cancels", format!("{id}.{name}.json"), decision)
        }
        published => published,
    }
}

/// Whether this user dropped a request, as far as it can be read.
fn may_be_own(site: &Site, id: &RequestId) -> bool {
    record::locate(site, id).ok().flatten().is_none_or(|(_, claim)| claim.uid == geteuid().as_raw())
}

fn publish(site: &Site, folder: &str, name: String, decision: &Decision) -> Result<bool, Fault> {
    let folder = Folder::of_site(site, folder)?;
    let bytes = record::bytes(decision, &folder.path().join(&name))?;
    folder.publish(&bytes, Readers::Everybody, &folder, name)
}

/// Every order that was given, with its request.
pub fn ordered(site: &Site) -> Result<Vec<(RequestId, PathBuf)>, Fault> {
    named(&site.exec_orders())
}

/// The files that ask for a cancellation, with their requests: at most [`CANCELS_AT_A_TIME`] about requests in progress, then as many of
/// others; of each user as many. Anybody may have written them. Removes all else that can be removed.
pub fn cancels(site: &Site) -> Result<Vec<(RequestId, PathBuf)>, Fault> {
    let folder = site.exec_cancels();
    let entries = match folder.read_dir() {
        // A site of an earlier version has no such folder.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.on("list", &folder)?,
    };
    let in_progress = in_progress(site)?;
    let (mut live, mut others) = (ByOwner::new(), ByOwner::new());
    for entry in entries {
        let entry = entry.on("list", &folder)?;
        let path = entry.path();
        // It may be gone by now.
        let Ok(found) = path.symlink_metadata() else { continue };
        let kind = found.file_type();
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        match subject(&path).filter(|_| kind.is_file()) {
            Some(id) => {
                // Another user may have given a file a second name: it does not count against its owner.
                let owner = if found.nlink() == 1 { found.uid() } else { u32::MAX };
                let by_owner = if in_progress.contains(&id) { &mut live } else { &mut others };
                let cancels = by_owner.entry(owner).or_default();
                if cancels.len() < CANCELS_AT_A_TIME {
                    cancels.push((id, path));
                }
            }
            // A folder that has something in it stays: it is somebody else's.
            None if kind.is_dir() => _ = fs::remove_dir(&path),
            // A hidden file is still being written.
            None if is_hidden && kind.is_file() && !is_older(&found, UNFINISHED) => {}
            None => _ = fs::remove_file(&path),
        }
    }
    Ok([shared(live), shared(others)].concat())
}

/// Cancellations by the users that wrote them.
type ByOwner = BTreeMap<u32, Vec<(RequestId, PathBuf)>>;

/// The requests that can be stopped.
fn in_progress(site: &Site) -> Result<HashSet<RequestId>, Fault> {
    let mut ids = HashSet::new();
    for folder in [site.claimed(), site.pending(), site.running()] {
        let entries = match folder.read_dir() {
            // It is made when it is first needed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries.on("list", &folder)?,
        };
        let names = entries.filter_map(Result::ok).filter_map(|entry| entry.file_name().into_string().ok());
        ids.extend(names.filter_map(|name| RequestId::parse(&name).ok()));
    }
    Ok(ids)
}

/// The cancellations of requests that are just claimed, by the users that dropped them; one of each.
pub fn cancels_of(site: &Site, claims: &BTreeMap<RequestId, u32>) -> Result<BTreeMap<RequestId, PathBuf>, Fault> {
    let folder = site.exec_cancels();
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        entries => entries.on("list", &folder)?,
    };
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let found = paths.filter_map(|path| {
        let (id, uid) = claims.get_key_value(&subject(&path)?)?;
        let is_own = path.symlink_metadata().is_ok_and(|found| found.uid() == *uid && found.is_file());
        is_own.then(|| (id.clone(), path))
    });
    Ok(found.collect())
}

/// The request that a file among the cancellations is about; the random part is absent in a name made by hand.
fn subject(path: &Path) -> Option<RequestId> {
    let stem = stem(path)?;
    RequestId::parse(stem.rsplit_once('.').map_or(stem, |(id, _)| id)).ok()
}

/// As many of each user, in the order of the requests.
fn shared(by_owner: ByOwner) -> Vec<(RequestId, PathBuf)> {
    let share = (CANCELS_AT_A_TIME / by_owner.len().max(1)).max(1);
    let mut cancels: Vec<_> = by_owner.into_values().flat_map(|cancels| cancels.into_iter().take(share)).collect();
    cancels.sort();
    cancels
}

fn is_older(found: &Metadata, age: Duration) -> bool {
    found.modified().is_ok_and(|time| time.elapsed().is_ok_and(|elapsed| elapsed > age))
}

fn named(folder: &Path) -> Result<Vec<(RequestId, PathBuf)>, Fault> {
    let mut orders = Vec::new();
    for entry in folder.read_dir().on("list", folder)? {
        let path = entry.on("list", folder)?.path();
        let id = stem(&path).and_then(|stem| RequestId::parse(stem).ok());
        orders.extend(id.map(|id| (id, path)));
    }
    orders.sort();
    Ok(orders)
}

fn stem(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()?.strip_suffix(".json")
}

/// Takes an order about the request in a folder: stores it there, and removes it. The first one counts. False if it does not count:
/// with a `requester`, only a cancellation of this request by this user does.
pub fn take(folder: &Path, order: &Path, id: &RequestId, requester: Option<u32>) -> Result<bool, Fault> {
    let (bytes, uid) = match read(order) {
        Err(error) if error.kind() == io::ErrorKind::NotFound || is_passing(&error) => {
            return Err(error).on("read", order);
        }
        read => read.map_or((Vec::new(), None), |(bytes, uid)| (bytes, uid)),
    };
    // An unreadable order still counts as one, and never as one in favour of a request.
    let decision: Decision = serde_json::from_slice(&bytes)
        .unwrap_or_else(|_| Decision::new(Kind::Deny, "The order could not be read.", id));
    let counts = requester.is_none_or(|requester| {
        decision.decision == Kind::Cancel && uid == Some(requester) && decision.request_id.as_ref() == Some(id)
    });
    if counts {
        let taken = Taken { decision: decision.decision, reason: decision.reason, uid };
        let staged = folder.join(format!(".{DECISION_FILE}"));
        durable::remove_tree(&staged)?;
        record::write(&taken, &staged)?;
        match durable::move_new(&staged, &folder.join(DECISION_FILE)) {
            Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => durable::remove_tree(&staged)?,
            moved => moved?,
        }
    }
    durable::remove_tree(order).map(|()| counts)
}

/// The bytes of an order, and its owner; none if it has a second name. All of one open file.
fn read(path: &Path) -> io::Result<(Vec<u8>, Option<u32>)> {
    let file = regular_file::open(path)?;
    let found = file.metadata()?;
    Ok((regular_file::within(file, BYTES_MAX)?, (found.nlink() == 1).then_some(found.uid())))
}

/// The decision on a request, taken by TOOL-EXEC or not; a deny if it cannot be read.
pub fn ordered_of(site: &Site, id: &RequestId) -> Option<Kind> {
    let decided = |state: PathBuf| state.join(id.as_str()).join(DECISION_FILE);
    let states = [site.claimed(), site.pending(), site.running()].map(decided);
    let order = site.exec_orders().join(format!("{id}.json"));
    let path = std::iter::once(order).chain(states).find(|path| path.symlink_metadata().is_ok())?;
    Some(kind(&path).unwrap_or(Kind::Deny))
}

/// What an order or a stored decision decides; none if it cannot be read.
pub fn kind(path: &Path) -> Option<Kind> {
    #[derive(Deserialize)]
    struct Decided {
        decision: Kind,
    }
    let bytes = regular_file::read(path, BYTES_MAX).ok()?;
    serde_json::from_slice(&bytes).ok().map(|Decided { decision }| decision)
}

/// Whether the request in a folder was decided.
pub fn is_taken(folder: &Path) -> bool {
    folder.join(DECISION_FILE).is_file()
}

/// The refusal that a decision about the request in a folder is, if one was taken.
pub fn refusal(folder: &Path) -> Result<Option<Reason>, Fault> {
    let path = folder.join(DECISION_FILE);
    let taken: Taken = match record::read(&path) {
        Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => return Ok(None),
        taken => taken?,
    };
    let named = |uid| user::name(uid).map_or_else(|| format!("User {uid}"), |name| format!("{name} (user {uid})"));
    let who = taken.uid.map_or_else(|| "Somebody".to_owned(), named);
    let (code, hint) = match taken.decision {
        Kind::Deny => (Code::RequestDenied, "Ask them what to change, and drop a new request."),
        Kind::Cancel | Kind::Close => (Code::RequestCancelled, "Drop a new request if it is still wanted."),
    };
    let done = taken.decision.done();
    let why = match reason_fault(&taken.reason) {
        _ if taken.reason.is_empty() => String::new(),
        Some(fault) => format!("; the reason is left out, because it {fault}"),
        None => format!(": {}", quoted(&taken.reason)),
    };
    Ok(Some(Reason::new(code, format!("{who} {done} the request{why}."), hint)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_requester_only_a_cancellation_of_its_own_request_counts() {
        let at = tempfile::tempdir().unwrap();
        let [id, other] = ["a", "b"].map(|end| RequestId::parse(&format!("TR-20260101-000000Z-{end}")).unwrap());
        let uid = geteuid().as_raw();
        let order = at.path().join(format!("{id}.0123.json"));
        let take = |text: &str, requester: u32| {
            let folder = at.path().join("request");
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir(&folder).unwrap();
            fs::write(&order, text).unwrap();
            let counts = take(&folder, &order, &id, Some(requester)).unwrap();
            assert_eq!((is_taken(&folder), order.exists()), (counts, false), "{text}");
            counts
        };
        let text = |decision| serde_json::to_string(&Decision::new(decision, "", &id)).unwrap();
        assert!(take(&text(Kind::Cancel), uid));
        assert!(!take(&text(Kind::Cancel), uid + 1), "another user's");
        let foreign = serde_json::to_string(&Decision::new(Kind::Cancel, "", &other)).unwrap();
        for text in [text(Kind::Deny), text(Kind::Close), foreign, String::new(), "{}".to_owned()] {
            assert!(!take(&text, uid), "{text}");
        }
        // A file with a second name may be anybody's.
        fs::write(&order, text(Kind::Cancel)).unwrap();
        fs::hard_link(&order, at.path().join("second")).unwrap();
        assert!(!super::take(&at.path().join("request"), &order, &id, Some(uid)).unwrap());
    }

    #[test]
    fn a_user_with_very_many_cancellations_holds_up_nobody_elses() {
        let of = |user: u32, count: usize| {
            let one = |number| {
                let id = RequestId::parse(&format!("TR-20260101-000000Z-{user}-{number}")).unwrap();
                (id, PathBuf::from(user.to_string()))
            };
            (user, (0..count).map(one).collect::<Vec<_>>())
        };
        let taken = shared(BTreeMap::from([of(1, CANCELS_AT_A_TIME), of(2, 3), of(3, CANCELS_AT_A_TIME)]));
        let count = |user: &str| taken.iter().filter(|(_, path)| path.as_path() == Path::new(user)).count();
        assert_eq!((count("1"), count("2"), count("3")), (85, 3, 85));
    }

    #[test]
    fn what_is_no_cancellation_does_not_stay_among_them() {
        let at = tempfile::tempdir().unwrap();
        let site = Site::at(at.path());
        let folder = site.exec_cancels();
        fs::create_dir_all(folder.join("TR-20260101-000000Z-folder.json")).unwrap();
        fs::create_dir_all(folder.join("full.json/x")).unwrap();
        std::os::unix::fs::symlink("/", folder.join("TR-20260101-000000Z-link.json")).unwrap();
        for name in ["TR-20260101-000000Z-a.json", "TR-20260101-000000Z-a.b.0f.json", "other", ".being-written"] {
            fs::write(folder.join(name), "").unwrap();
        }
        let found = cancels(&site).unwrap();
        let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["TR-20260101-000000Z-a", "TR-20260101-000000Z-a.b"]);
        let mut left: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(
            left,
            [".being-written", "TR-20260101-000000Z-a.b.0f.json", "TR-20260101-000000Z-a.json", "full.json"]
        );
    }
}
