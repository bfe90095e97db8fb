//! The lasting faults of a watcher: each is reported once while it stays the same, and kept in a file for other processes.
//!
//! ```text
//! var/exec/faults.jsonl, var/gate/faults.jsonl     {"since":"2026-02-09T16:05:01Z","item":"TR-…","message":"failed to …"}
//! ```
//!
//! The file is opened once and overwritten in place, so that a confined gate can write it. It gets no fsync, and is
//! void once its watcher has ended. If the file cannot be written, the watcher goes on: a full disk must not become
//! another fault. *Security*: a name is a stranger's; it is quoted.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use gatepost_documents::text::quoted_name;

use crate::regular_file::{self, DOCUMENT_MAX_BYTES};

/// The maximum number of recorded faults; the rest is not counted.
const WRITTEN_MAX: usize = 1_000;

/// A fault that lasts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lasting {
    /// Since when, RFC 3339, UTC.
    pub since: String,
    /// What waits for it; empty where everything does.
    pub item: String,
    /// What is wrong, in a sentence.
    pub message: String,
}

/// Those of one watcher.
#[derive(Debug)]
pub struct Faults {
    file: Option<File>,
    lasting: BTreeMap<OsString, Lasting>,
}

impl Faults {
    /// No faults yet; lasting ones are written to the file at a path, if possible.
    pub fn begin(path: &Path) -> Self {
        let flags = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
        let file = OpenOptions::new().write(true).create(true).truncate(true).custom_flags(flags).open(path).ok();
        Self { file, lasting: BTreeMap::new() }
    }

    /// Records the fault of an item; returns whether it differs from the item's last one, so that it must be reported.
    pub fn keep(&mut self, item: &OsStr, message: &str) -> bool {
        let is_new = self.lasting.get(item).is_none_or(|lasting| lasting.message != message);
        if is_new {
            let since = DateTime::<Utc>::from(SystemTime::now()).to_rfc3339_opts(SecondsFormat::Secs, true);
            let name = if item.is_empty() { String::new() } else { quoted_name(item) };
            self.lasting.insert(item.to_owned(), Lasting { since, item: name, message: message.to_owned() });
            self.write();
        }
        is_new
    }

    /// The fault of an item is over; returns the fault, if there was one.
    pub fn over(&mut self, item: &OsStr) -> Option<String> {
        let lasting = self.lasting.remove(item)?;
        self.write();
        Some(lasting.message)
    }

    /// Whether an item has a fault.
    pub fn has(&self, item: &OsStr) -> bool {
        self.lasting.contains_key(item)
    }

    /// How many items have one.
    pub fn count(&self) -> usize {
        self.lasting.len()
    }

    fn write(&mut self) {
        let mut lines = Vec::new();
        for lasting in self.lasting.values().take(WRITTEN_MAX) {
            lines.extend(serde_json::to_vec(lasting).unwrap_or_default());
            lines.push(b'\n');
        }
        let over = |file: &mut File| {
            file.rewind()?;
            file.write_all(&lines)?;
            file.set_len(lines.len() as u64)
        };
        if let Some(file) = &mut self.file {
            let _ = over(file);
        }
    }
}

/// The lasting faults according to a watcher, which should still be running; skips incomplete lines.
pub fn lasting(path: &Path) -> io::Result<Vec<Lasting>> {
    match regular_file::read(path, DOCUMENT_MAX_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        bytes => Ok(bytes?.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_reported_once_and_recorded_until_it_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("faults.jsonl");
        let mut faults = Faults::begin(&path);
        let (item, other) = (OsStr::new("TR-a\n"), OsStr::new(""));
        assert!(faults.keep(item, "failed to open it") && !faults.keep(item, "failed to open it"));
        assert!(faults.keep(other, "the disk is full") && faults.keep(item, "failed to read it"));
        let read = lasting(&path).unwrap();
        assert_eq!(
            read.iter().map(|fault| fault.message.as_str()).collect::<Vec<_>>(),
            ["the disk is full", "failed to read it"]
        );
        assert_eq!((read[0].item.as_str(), read[1].item.contains('\n')), ("", false));
        assert_eq!(faults.over(item).as_deref(), Some("failed to read it"));
        assert_eq!((lasting(&path).unwrap().len(), faults.count(), faults.over(item)), (1, 1, None));
        // The next watcher begins without.
        Faults::begin(&path);
        assert_eq!(lasting(&path).unwrap(), []);
    }

    #[test]
    fn a_fault_is_reported_even_if_nothing_can_be_written() {
        let mut faults = Faults::begin(Path::new("/nowhere/faults.jsonl"));
        assert!(faults.keep(OsStr::new("a"), "b") && !faults.keep(OsStr::new("a"), "b") && faults.has(OsStr::new("a")));
    }
}
