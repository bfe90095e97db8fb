//! A person's orders to the gate: to release an item of the quarantine, to log removals from it, or to import results that another
//! site's gate accepted.
//!
//! ```text
//! var/gate/orders/<16 hex>.order     {"order": "release", "item": "TS-…", "bundle_sha256": "…", "reason": "…", "codes": ["secret"]}
//! var/gate/orders/<16 hex>.import/   the payload of a bag, beside its order: data/results/TS-…/ and data/proofs/TS-….json
//! var/gate/orders/<16 hex>.answer    [{"item": "TS-…", "outcome": "released", …}]    taken away by whoever ordered
//! ```
//!
//! Only the gate changes its own folders, and it always runs: so nobody stops it to give an order, and an orderer needs no right except
//! to write here. *Security*: everyone who may write to this folder may do all that the gate may; the orderer is the owner of the
//! order's file, as the kernel reports it. *Commit point*: the rename of a flushed file.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::durable;
use crate::fault::{Fault, OnPath};
use crate::folder::{Folder, Readers};
use crate::quarantine::{self, Removal};
use crate::regular_file::{self, DOCUMENT_MAX_BYTES};
use crate::site::Site;
use gatepost_documents::digest::Digest;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::release::Override;
use gatepost_documents::text;

/// The most characters of the reason of a release.
pub const REASON_CHARACTERS_MAX: usize = 500;

/// How long an answer is kept for its orderer.
const KEPT: Duration = Duration::from_secs(3_600);

/// The ending of the folder of an import.
const IMPORT: &str = "import";

/// The most bytes of an answer.
const ANSWER_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// An order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// Judge an item's bundle again, and accept it.
    Release(Release),
    /// Log that items are removed, before they are.
    Remove(Remove),
    /// Take results of another site, all or none.
    Import(Import),
}

/// An order to take results of another site, which lie beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Import {
    /// The name of the folder with them, without its ending.
    pub name: String,
}

impl Import {
    /// Where its files lie; none if its name is not 16 hexadecimal digits.
    pub fn folder(&self, site: &Site) -> Option<PathBuf> {
        let is_name = self.name.len() == 16 && self.name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_name.then(|| site.gate_orders().join(Self::folder_name(&self.name)))
    }

    /// The name of the folder of an import beside its order.
    pub fn folder_name(name: &str) -> String {
        format!("{name}.{IMPORT}")
    }
}

/// An order to log removals, each once however often it is ordered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remove {
    /// What will be removed, at most [`REMOVALS_MAX`].
    pub removals: Vec<Removal>,
}

/// The most removals in one order, which has to fit into a document.
pub const REMOVALS_MAX: usize = 128;

/// An order to release an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// The item's name.
    pub item: String,
    /// The bundle that was looked at before this was ordered.
    pub bundle_sha256: Digest,
    /// Why; see [`reason_fault`].
    pub reason: String,
    /// What may be overridden.
    pub codes: Vec<Code>,
}

/// The fault in the reason of a release, fitting the sentence "it {fault}".
pub fn reason_fault(reason: &str) -> Option<&'static str> {
    let is_hidden = |character: char| text::forbidden(character).is_some() || character.is_control();
    match reason.chars().count() {
        _ if reason.trim().is_empty() => Some("is empty"),
        count if count > REASON_CHARACTERS_MAX => Some("is longer than 500 characters"),
        _ if reason.chars().any(is_hidden) => Some("contains an invisible character or a line end"),
        _ => None,
    }
}

/// What became of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The item's name.
    pub item: String,
    /// What was done.
    pub outcome: Done,
    /// The same in a sentence.
    pub message: String,
    /// Where the bundle is now, if it was released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PathBuf>,
    /// With what override it was released.
    #[serde(rename = "override", default, skip_serializing_if = "Option::is_none")]
    pub released: Option<Override>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
}

/// What was done with an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Done {
    /// It was released.
    Released,
    /// It had been released before.
    WasReleased,
    /// It is logged that it is removed.
    Logged,
    /// It was taken from another site.
    Imported,
    /// It had been accepted before it was to be imported.
    WasImported,
    /// It stays as it is.
    Refused,
    /// The same, because `keys/gates` does not list the key that speaks for it.
    Untrusted,
    /// There is no such item.
    Absent,
}

impl Done {
    /// Whether it is as it was ordered now.
    pub fn is_good(self) -> bool {
        !matches!(self, Self::Refused | Self::Untrusted | Self::Absent)
    }
}

impl Answer {
    /// An answer without a verdict.
    pub fn new(item: &str, outcome: Done, message: impl Into<String>) -> Self {
        let (place, released, reasons) = (None, None, Vec::new());
        Self { item: item.to_owned(), outcome, message: message.into(), place, released, reasons }
    }
}

/// A placed order: the stem of its name, and the folder of it and of its answer.
#[derive(Debug)]
pub struct Ticket {
    folder: Folder,
    stem: OsString,
}

/// Gives an order; it is on the disk when this returns.
pub fn give(site: &Site, order: &Order) -> Result<Ticket, Fault> {
    let folder = folder(site)?;
    let stem = OsString::from(quarantine::random_name()?);
    let ticket = Ticket { folder, stem };
    let name = ticket.name("order");
    let bytes = serde_json::to_vec(order).map_err(io::Error::from).on("write", &ticket.folder.path().join(&name))?;
    // The gate may run as another user than the orderer.
    ticket.folder.publish(&bytes, Readers::Everybody, &ticket.folder, &name)?;
    Ok(ticket)
}

/// The folder of orders and answers.
pub fn folder(site: &Site) -> Result<Folder, Fault> {
    Folder::of_site(site, "var/gate/orders")
}

impl Ticket {
    fn name(&self, ending: &str) -> OsString {
        let mut name = self.stem.clone();
        name.push(".");
        name.push(ending);
        name
    }

    /// The gate's answer, once there is one; takes the answer away.
    pub fn answer(&self) -> Result<Option<Vec<Answer>>, Fault> {
        let name = self.name("answer");
        let path = self.folder.path().join(&name);
        let bytes = match self.folder.read(&name, ANSWER_MAX_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes.on("read", &path)?,
        };
        let answers = serde_json::from_slice(&bytes).map_err(io::Error::from).on("read", &path)?;
        self.folder.remove(&name)?;
        Ok(Some(answers))
    }

    /// Withdraws the order if the gate has not begun with it; returns an answer given meanwhile.
    pub fn withdraw(&self) -> Result<Option<Vec<Answer>>, Fault> {
        self.folder.remove(self.name("order"))?;
        self.answer()
    }
}

/// An order as the gate finds it.
#[derive(Debug)]
pub struct Given {
    ticket: Ticket,
    /// What is ordered; none when it cannot be read as an order.
    pub order: Option<Order>,
    /// Who ordered it.
    pub uid: u32,
}

/// Every order that waits, in the order of their names.
pub fn waiting(site: &Site) -> Result<Vec<Result<Given, Fault>>, Fault> {
    let folder = site.gate_orders();
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.on("list", &folder)?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.on("list", &folder)?.path();
        let is_order = path.extension().is_some_and(|ending| ending == "order");
        if is_order && !path.file_name().unwrap_or_default().as_bytes().starts_with(b".") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths.iter().map(|path| read(path)).collect())
}

/// Whether any order waits.
pub fn is_waiting(site: &Site) -> Result<bool, Fault> {
    waiting(site).map(|orders| !orders.is_empty())
}

fn read(path: &Path) -> Result<Given, Fault> {
    let (bytes, uid) = regular_file::read_with_owner(path, DOCUMENT_MAX_BYTES).on("read", path)?;
    let order = serde_json::from_slice(&bytes).ok();
    let folder = Folder::open(path.parent().unwrap_or(path))?;
    Ok(Given { ticket: Ticket { folder, stem: path.file_stem().unwrap_or_default().to_owned() }, order, uid })
}

impl Given {
    /// Answers it: from here on it was carried out.
    pub fn answer(&self, answers: &[Answer]) -> Result<(), Fault> {
        let Ticket { folder, .. } = &self.ticket;
        let name = self.ticket.name("answer");
        let bytes = serde_json::to_vec(answers).map_err(io::Error::from).on("write", &folder.path().join(&name))?;
        // One that is there already is an earlier answer to it, before a crash.
        folder.publish(&bytes, Readers::Umask, folder, &name)?;
        folder.remove(self.ticket.name("order"))
    }
}

/// Removes answers older than an hour, and unfinished orders; the files of an import only while no order waits.
pub fn sweep(site: &Site) {
    let Ok(entries) = site.gate_orders().read_dir() else { return };
    let is_waiting = is_waiting(site).unwrap_or(true);
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default();
        let ends = |with: &str| path.extension().is_some_and(|ending| ending == with);
        let is_over = ends("answer") || ends(IMPORT) && !is_waiting || name.as_bytes().starts_with(b".");
        let changed = path.symlink_metadata().and_then(|found| found.modified());
        if is_over && changed.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > KEPT)) {
            let _ = durable::remove_tree(&path);
        }
    }
}
