//! Reads an item of the quarantine: the refused thing, by whom, when and why, and whether it was released since.
//!
//! ```text
//! quarantine/TS-…/reasons.json            a verdict of the gate, or a refusal of TOOL-EXEC
//! quarantine/TS-…/release/override.json   the override with which a person released it, once that happened
//! quarantine/TS-…/untouched/TS-…          what was refused
//! ```
//!
//! Changes nothing. *Security*: every byte and name below an item may be a stranger's, and another user may write to the folder: no
//! link is followed, and only bounded regular files are read. No decision depends on it (the gate releases only items that its own
//! ledger lists as refused). Standards: POSIX.1-2024 open.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{RECORD, UNTOUCHED, meanings};
use crate::fault::{Fault, OnPath};
use crate::regular_file;
use crate::site::Site;
use gatepost_documents::digest::Digest;
use gatepost_documents::escape;
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_documents::reason::Reason;
use gatepost_documents::release::Override;
use gatepost_documents::verdict::Verdict;

/// A folder in an item that was released.
pub const RELEASE: &str = "release";
/// The override, in that folder.
pub const RELEASE_FILE: &str = "override.json";

/// The most bytes of a record. A hostile bundle has as many reasons as it likes.
const RECORD_MAX_BYTES: u64 = 64 * 1024 * 1024;

/// `reasons.json` of an item that TOOL-EXEC refused; the gate's own items hold a verdict instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// The item, under its plain name.
    pub item: String,
    /// SHA-256 of the request's bytes, if they were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_sha256: Option<Digest>,
    /// When, RFC 3339, UTC, whole seconds.
    pub refused_utc: String,
    /// 16 random hexadecimal digits: no two records are the same. Absent in older ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonce: Option<String>,
    /// Every reason.
    pub reasons: Vec<Reason>,
}

/// What `reasons.json` holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// The gate rejected a bundle.
    Verdict(Box<Verdict>),
    /// TOOL-EXEC refused a request, or what is none.
    Refusal(Refusal),
    /// It holds neither, or cannot be read: why.
    Unreadable(String),
}

/// An item of the quarantine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The name of its folder, escaped.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
    /// Why it is here.
    pub record: Record,
    /// The digest of its `reasons.json`, if that can be read.
    pub record_sha256: Option<Digest>,
    /// When it was refused: as the record says, else when the folder was last changed.
    pub refused: DateTime<Utc>,
    /// Who released it, when and why, once somebody did.
    pub released: Option<Override>,
}

/// Every item of a site's quarantine, the newest first.
pub fn items(site: &Site) -> Result<Vec<Item>, Fault> {
    let mut items: Vec<Item> = names(site)?.iter().map(|name| Item::read(site, name)).collect();
    items.sort_by(|a, b| (b.refused, &a.name).cmp(&(a.refused, &b.name)));
    Ok(items)
}

/// The items that `id` means: the one of that name, else those of the request or result with that id; in the order of their
/// names.
pub fn find(site: &Site, id: &str) -> Result<Vec<Item>, Fault> {
    let mut names = names(site)?;
    names.sort();
    if let Some(name) = names.iter().find(|name| escape::path(name.as_bytes()) == id) {
        return Ok(vec![Item::read(site, name)]);
    }
    Ok(about(site, &names, id))
}

/// Every item of the request or result `id`: the one of that name, and those that got something behind it because it was
/// taken.
pub fn all_about(site: &Site, id: &str) -> Result<Vec<Item>, Fault> {
    Ok(about(site, &names(site)?, id))
}

fn about(site: &Site, names: &[std::ffi::OsString], id: &str) -> Vec<Item> {
    let means = |name: &&std::ffi::OsString| name.to_str().is_some_and(|name| is_of(name, id));
    names.iter().filter(means).map(|name| Item::read(site, name)).collect()
}

/// Whether an item's name is the request or result `id`, or that name with the suffix for a collision.
fn is_of(name: &str, id: &str) -> bool {
    meanings(name).into_iter().any(|name| {
        let request = ResultId::parse(name).ok().map(|result| result.request().as_str().to_owned());
        name == id || request.as_deref() == Some(id)
    })
}

/// The names in the quarantine that are no dotfiles.
fn names(site: &Site) -> Result<Vec<std::ffi::OsString>, Fault> {
    let folder = site.quarantine();
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.on("list", &folder)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.on("list", &folder)?.file_name();
        if !name.as_bytes().starts_with(b".") {
            names.push(name);
        }
    }
    Ok(names)
}

impl Item {
    /// Reads the item of a name in the quarantine.
    pub fn read(site: &Site, name: &OsStr) -> Self {
        let path = site.quarantine().join(name);
        let (record, record_sha256) = match regular_file::read(&path.join(RECORD), RECORD_MAX_BYTES) {
            Ok(bytes) => (Record::of(&bytes), Some(Digest::of(&bytes))),
            Err(error) => (Record::Unreadable(format!("{RECORD} cannot be read: {error}")), None),
        };
        let refused = record.refused().unwrap_or_else(|| changed(&path));
        let released = regular_file::read(&path.join(RELEASE).join(RELEASE_FILE), RECORD_MAX_BYTES).ok();
        let released = released.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Self { name: escape::path(name.as_bytes()), path, record, record_sha256, refused, released }
    }

    /// Its reasons; none where the record cannot be read.
    pub fn reasons(&self) -> &[Reason] {
        match &self.record {
            Record::Verdict(verdict) => &verdict.reasons,
            Record::Refusal(refusal) => &refusal.reasons,
            Record::Unreadable(_) => &[],
        }
    }

    /// The request that it is about, if its name tells.
    pub fn request_id(&self) -> Option<String> {
        let candidates = meanings(&self.name);
        let of_result = candidates.iter().find_map(|name| Some(ResultId::parse(name).ok()?.request().to_string()));
        of_result.or_else(|| candidates.iter().find_map(|name| Some(RequestId::parse(name).ok()?.to_string())))
    }

    /// Opens a regular file below `untouched/` by its path there, through no link.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        regular_file::open_beneath(&self.path.join(UNTOUCHED), path)
    }

    /// The bytes of such a file, if it has at most so many.
    pub fn read_file(&self, path: &Path, limit_bytes: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        match self.open(path)?.take(limit_bytes.saturating_add(1)).read_to_end(&mut bytes)? as u64 {
            read if read > limit_bytes => Err(io::ErrorKind::FileTooLarge.into()),
            _ => Ok(bytes),
        }
    }

    /// The names directly below `untouched/`, sorted.
    pub fn untouched(&self) -> Vec<std::ffi::OsString> {
        let Ok(entries) = self.path.join(UNTOUCHED).read_dir() else { return Vec::new() };
        let mut names: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.file_name()).collect();
        names.sort();
        names
    }
}

impl Record {
    fn of(bytes: &[u8]) -> Self {
        let verdict = serde_json::from_slice(bytes).map(|verdict| Self::Verdict(Box::new(verdict)));
        verdict
            .or_else(|_| serde_json::from_slice(bytes).map(Self::Refusal))
            .unwrap_or_else(|error| Self::Unreadable(format!("{RECORD} is not a record: line {}", error.line())))
    }

    fn refused(&self) -> Option<DateTime<Utc>> {
        let text = match self {
            Self::Verdict(verdict) => &verdict.judged_utc,
            Self::Refusal(refusal) => &refusal.refused_utc,
            Self::Unreadable(_) => return None,
        };
        DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc())
    }
}

fn changed(path: &Path) -> DateTime<Utc> {
    path.symlink_metadata().and_then(|found| found.modified()).map(DateTime::from).unwrap_or_default()
}
