//! The retention of refused items, and their removal: only on a person's order, and never without a record.
//!
//! ```text
//! a leaf in the gate's log, by an order               the gate knows of it before
//! quarantine/TS-… → quarantine/.removed-<8 hex>      out of sight
//! a line in var/gate/audit/removals.jsonl, fsync     from here on it is removed
//! the tree is removed
//! ```
//!
//! The next [`Removals::open`] puts back a hidden item that a power cut left, or removes it if its line was written. The gate itself
//! never removes anything from the quarantine: confined, it could not. *Security*: items are hostile trees; no link is followed, and
//! depth costs neither stack nor descriptors. Others may write to the quarantine: a name that no removal gave is left as it is, and
//! never prevents a removal.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use rustix::fs::{Access, FlockOperation, OFlags};
use serde::{Deserialize, Serialize};

use super::item::{Item, Record, items};
use super::{UNTOUCHED, commit, random};
use crate::durable;
use crate::fault::{Fault, OnPath};
use crate::regular_file;
use crate::site::Site;
use gatepost_documents::digest::Digest;
use gatepost_documents::escape;
use gatepost_documents::reason::{Code, each_once};

/// `[quarantine]`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// Days after which a refused item may be removed; 0 for never.
    pub keep_days: u32,
    /// Bytes of all refused items beyond which the oldest may be removed; 0 for no limit.
    pub bytes_max: u64,
}

/// The record of removals, in the gate's audit folder.
const REMOVALS_FILE: &str = "removals.jsonl";
/// The most bytes of that record that are read.
const REMOVALS_MAX_BYTES: u64 = 1 << 30;
/// How the name of an item begins that is being removed.
pub const ASIDE: &str = ".removed-";
/// Hexadecimal digits behind that, and before the dash and the item's name.
const ASIDE_DIGITS: usize = 8;

/// The items past their retention.
#[derive(Debug, Default)]
pub struct Surplus {
    /// The items, the oldest first, each with why.
    pub items: Vec<(Item, Because)>,
    /// Bytes of all items; counted only where they are limited.
    pub bytes: Option<u64>,
}

/// Why an item is past its retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// It is older than `keep_days`.
    KeepDays,
    /// Newer items alone fill `bytes_max`.
    BytesMax,
}

/// A line of the record of removals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removal {
    /// The item's name.
    pub item: String,
    /// The request that it was about, if its name told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The digest of the rejected bundle, or of the refused request's bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<Digest>,
    /// The digest of its `reasons.json`; absent where that was no file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_sha256: Option<Digest>,
    /// The codes of its reasons, each once, in the order in which they came.
    pub codes: Vec<Code>,
    /// Its size.
    pub bytes: u64,
    /// When it was refused, RFC 3339, UTC.
    pub refused_utc: String,
    /// When it was removed, RFC 3339, UTC.
    pub removed_utc: String,
    /// Who removed it, as the kernel says.
    pub uid: u32,
    /// Why.
    pub because: Because,
    /// Where it lay while it was removed; drawn anew for each removal.
    pub aside: String,
}

/// The items that are past their retention now. Reads nothing without a limit.
pub fn surplus(site: &Site, settings: Retention, now: DateTime<Utc>) -> Result<Surplus, Fault> {
    if settings == Retention::default() {
        return Ok(Surplus::default());
    }
    let days = TimeDelta::days(settings.keep_days.into());
    let oldest = (settings.keep_days > 0).then(|| now.checked_sub_signed(days).unwrap_or(DateTime::<Utc>::MIN_UTC));
    let (mut surplus, mut bytes) = (Vec::new(), 0_u64);
    for item in items(site)? {
        if settings.bytes_max > 0 {
            bytes = bytes.saturating_add(size(&item.path));
        }
        if oldest.is_some_and(|oldest| item.refused < oldest) {
            surplus.push((item, Because::KeepDays));
        } else if settings.bytes_max > 0 && bytes > settings.bytes_max {
            surplus.push((item, Because::BytesMax));
        }
    }
    surplus.reverse();
    Ok(Surplus { items: surplus, bytes: (settings.bytes_max > 0).then_some(bytes) })
}

/// The bytes of the regular files of an item, or of one in the making, as far as it can be read.
pub fn size(path: &Path) -> u64 {
    let (mut open, mut bytes) = (vec![path.to_owned()], 0_u64);
    while let Some(folder) = open.pop() {
        for entry in folder.read_dir().into_iter().flatten().filter_map(Result::ok) {
            let Ok(found) = entry.metadata() else { continue };
            if found.is_dir() {
                open.push(entry.path());
            } else if found.is_file() {
                bytes = bytes.saturating_add(found.size());
            }
        }
    }
    bytes
}

/// What lies out of sight and was neither put back nor removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stray {
    /// Its name in the quarantine, escaped.
    pub name: String,
    /// Why it stays; absent where no removal gives such a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// The record of removals, locked by one process at a time.
#[derive(Debug)]
pub struct Removals {
    site: Site,
    file: File,
    path: PathBuf,
    /// Whether a line could not be written or synced: until the file is opened again, the content on disk is unknown.
    is_lost: bool,
    strays: Vec<Stray>,
}

impl Removals {
    /// Opens the record, waits for its lock, and finishes the work that a power cut left.
    pub fn open(site: &Site) -> Result<Self, Fault> {
        let path = site.gate_audit().join(REMOVALS_FILE);
        let flags = OFlags::NOFOLLOW.bits().cast_signed();
        let file = OpenOptions::new().read(true).append(true).create(true).custom_flags(flags).open(&path);
        let file = file.on("open", &path)?;
        durable::sync_folder(&site.gate_audit())?;
        rustix::fs::flock(&file, FlockOperation::LockExclusive).on("lock", &path)?;
        let mut removals = Self { site: site.clone(), file, path, is_lost: false, strays: Vec::new() };
        removals.recover()?;
        Ok(removals)
    }

    /// The hidden items that the opening found and left there, in the order of the names.
    pub fn strays(&self) -> &[Stray] {
        &self.strays
    }

    fn recover(&mut self) -> Result<(), Fault> {
        let mut bytes = Vec::new();
        (&self.file).take(REMOVALS_MAX_BYTES).read_to_end(&mut bytes).on("read", &self.path)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        if whole < bytes.len() {
            self.file.set_len(whole as u64).on("cut the torn last line of", &self.path)?;
            self.file.sync_all().on("flush", &self.path)?;
        }
        let removed: Vec<Removal> = lines(&bytes);
        let folder = self.site.quarantine();
        let mut names = Vec::new();
        for entry in folder.read_dir().on("list", &folder)? {
            let name = entry.on("list", &folder)?.file_name();
            if name.as_bytes().starts_with(ASIDE.as_bytes()) {
                names.push(name);
            }
        }
        names.sort();
        for name in names {
            let stray = |fault| Stray { name: escape::path(name.as_bytes()), fault };
            let Some((aside, item)) = name.to_str().and_then(|aside| Some((aside, item_of(aside)?))) else {
                self.strays.push(stray(None));
                continue;
            };
            let place = folder.join(aside);
            let done = if removed.iter().any(|removal| removal.aside == aside) {
                durable::remove_tree(&place)
            } else {
                commit(&self.site, &place, item).map(drop)
            };
            self.strays.extend(done.err().map(|fault| stray(Some(fault.to_string()))));
        }
        Ok(())
    }

    /// The record of an item's removal for the user `uid`, if it can be removed.
    pub fn plan(item: &Item, because: Because, uid: u32, now: DateTime<Utc>) -> Result<Removal, Fault> {
        // An item that could be hidden but not removed stays: its folders may belong to another user.
        for folder in [item.path.clone(), item.path.join(UNTOUCHED)] {
            if folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
                rustix::fs::access(&folder, Access::WRITE_OK | Access::EXEC_OK).on("remove", &folder)?;
            }
        }
        let name = item.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let aside = format!("{ASIDE}{:08x}-{name}", random()?);
        let timestamp = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::Secs, true);
        let codes = each_once(item.reasons().iter().map(|reason| reason.code));
        Ok(Removal {
            item: item.name.clone(),
            request_id: item.request_id(),
            sha256: match &item.record {
                Record::Verdict(verdict) => Some(verdict.bundle_sha256),
                Record::Refusal(refusal) => refusal.request_sha256,
                Record::Unreadable(_) => None,
            },
            record_sha256: item.record_sha256,
            codes,
            bytes: size(&item.path),
            refused_utc: timestamp(item.refused),
            removed_utc: timestamp(now),
            uid,
            because,
            aside,
        })
    }

    /// Removes an item as it was planned, once the gate has logged that.
    pub fn remove(&mut self, item: &Item, removal: &Removal) -> Result<(), Fault> {
        if self.is_lost {
            return Err(io::Error::other("an earlier line could not be written; run the command again"))
                .on("write", &self.path);
        }
        let place = self.site.quarantine().join(&removal.aside);
        durable::move_new(&item.path, &place)?;
        let mut line = serde_json::to_vec(removal).map_err(io::Error::from).on("write", &self.path)?;
        line.push(b'\n');
        let length = self.file.metadata().on("look at", &self.path)?.len();
        if let Err(error) = self.file.write_all(&line).and_then(|()| self.file.sync_data()) {
            self.is_lost = true;
            let _ = self.file.set_len(length);
            return Err(error).on("write", &self.path);
        }
        durable::remove_tree(&place)
    }
}

/// The item that a removal put out of sight under this name; none if no removal gives such a name.
fn item_of(aside: &str) -> Option<&str> {
    let (digits, item) = aside.strip_prefix(ASIDE)?.split_once('-')?;
    let is_drawn = digits.len() == ASIDE_DIGITS && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    // No item is a dotfile.
    (is_drawn && !item.is_empty() && !item.starts_with('.')).then_some(item)
}

/// The removals so far, read without a lock.
pub fn removals(site: &Site) -> Result<Vec<Removal>, Fault> {
    let path = site.gate_audit().join(REMOVALS_FILE);
    match regular_file::read(&path, REMOVALS_MAX_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        bytes => Ok(lines(&bytes.on("read", &path)?)),
    }
}

fn lines(bytes: &[u8]) -> Vec<Removal> {
    bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::quarantine::{Contents, put};
    use crate::site::STAGING;

    /// A site with items that were refused on these days of January.
    fn site(days: &[u32]) -> (tempfile::TempDir, Site) {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        fs::create_dir_all(site.quarantine().join(STAGING)).unwrap();
        fs::create_dir_all(site.gate_audit()).unwrap();
        for day in days {
            let record = format!(r#"{{"item":"x","refused_utc":"2026-01-{day:02}T00:00:00Z","reasons":[]}}"#);
            let bytes = Contents::Bytes(&[0; 1_000], "x");
            put(&site, &format!("day-{day:02}"), (record.as_bytes(), ""), &[bytes], |_| Ok(())).unwrap();
        }
        (folder, site)
    }

    fn past(site: &Site, keep_days: u32, bytes_max: u64) -> Vec<String> {
        let now = "2026-01-31T00:00:00Z".parse().unwrap();
        let surplus = surplus(site, Retention { keep_days, bytes_max }, now).unwrap();
        surplus.items.into_iter().map(|(item, _)| item.name).collect()
    }

    #[test]
    fn what_is_too_old_or_does_not_fit_is_past_its_time_the_oldest_first() {
        let (_folder, site) = site(&[1, 10, 20, 30]);
        assert_eq!(past(&site, 0, 0), [""; 0]);
        assert_eq!(past(&site, 21, 0), ["day-01"]);
        assert_eq!(past(&site, 20, 0), ["day-01", "day-10"]);
        assert_eq!(past(&site, 0, 3_000), ["day-01", "day-10"]);
        assert_eq!(past(&site, 400, 1_000_000), [""; 0]);
        assert_eq!(past(&site, u32::MAX, 1).len(), 4);
    }

    #[test]
    fn a_removal_is_on_record_and_one_that_was_cut_short_is_finished_or_taken_back() {
        let (_folder, site) = site(&[1, 2, 3]);
        let now = DateTime::<Utc>::default();
        let all = items(&site).unwrap();
        let removal = Removals::plan(&all[0], Because::KeepDays, 7, now).unwrap();
        Removals::open(&site).unwrap().remove(&all[0], &removal).unwrap();
        assert_eq!((removal.item.as_str(), removal.uid), ("day-03", 7));
        assert_eq!(removals(&site).unwrap(), std::slice::from_ref(&removal));
        assert!(!all[0].path.exists());
        // Cut before its line was written, and after.
        let folder = site.quarantine();
        fs::rename(&all[1].path, folder.join(".removed-00000000-day-02")).unwrap();
        fs::rename(&all[2].path, folder.join(&removal.aside)).unwrap();
        fs::write(
            site.gate_audit().join(REMOVALS_FILE),
            format!("{}\n{{\"it", serde_json::to_string(&removal).unwrap()),
        )
        .unwrap();
        drop(Removals::open(&site).unwrap());
        let left: Vec<_> = items(&site).unwrap().into_iter().map(|item| item.name).collect();
        assert_eq!(left, ["day-02"]);
        assert_eq!(folder.read_dir().unwrap().count(), 2);
        assert_eq!(removals(&site).unwrap(), [removal]);
    }

    #[test]
    fn a_name_that_no_removal_gives_stops_no_removal_and_is_left() {
        let (_folder, site) = site(&[1, 2]);
        let (folder, now) = (site.quarantine(), DateTime::<Utc>::default());
        let foreign = [
            ".removed-",
            ".removed-0000000-day-09",
            ".removed-00000000",
            ".removed-00000000-",
            ".removed-00000000-.",
            ".removed-00000000-..",
            ".removed-00000000-.tmp",
            ".removed-0000000A-day-09",
            ".removed-x-day-09",
            ".removed-\u{1b}-day-09",
        ];
        for name in foreign {
            fs::create_dir(folder.join(name)).unwrap();
        }
        // A name of ours; the item's own place was taken meanwhile.
        fs::create_dir(folder.join(".removed-00000000-day-01")).unwrap();
        let mut removals = Removals::open(&site).unwrap();
        let mut expected: Vec<_> = foreign.iter().map(|name| name.replace('\u{1b}', "\\x1b")).collect();
        expected.sort();
        let mut found: Vec<_> = removals.strays().iter().map(|stray| stray.name.clone()).collect();
        found.sort();
        assert_eq!(found, expected);
        assert!(removals.strays().iter().all(|stray| stray.fault.is_none()), "{:?}", removals.strays());
        let item = items(&site).unwrap().into_iter().find(|item| item.name == "day-02").unwrap();
        removals.remove(&item, &Removals::plan(&item, Because::KeepDays, 7, now).unwrap()).unwrap();
        let mut left: Vec<_> = items(&site).unwrap().into_iter().map(|item| item.name).collect();
        left.sort();
        assert_eq!(left, ["day-01", "day-01.2"]);
    }
}
