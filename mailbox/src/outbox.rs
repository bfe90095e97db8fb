//! The outbox's other entries: bare documents, and judged bundles that the gate may rename but not remove.
//!
//! The owner of the outbox removes them. *Security*: everyone who may write to the outbox may give an entry such a name, and so lose
//! it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::durable;
use crate::site::Site;

/// The prefix of the name of such an original.
pub const JUDGED_PREFIX: &str = ".judged-";

/// Removes the originals that were judged, as far as that is permitted.
pub fn sweep_judged(site: &Site) {
    let Ok(entries) = site.outbox().read_dir() else { return };
    for entry in entries.filter_map(Result::ok) {
        if entry.file_name().as_bytes().starts_with(JUDGED_PREFIX.as_bytes()) {
            let _ = durable::remove_tree(&entry.path());
        }
    }
}

/// Whether a name in a folder is a regular file `TS-….md`. A link does not count.
pub fn is_bare_document(folder: &Path, name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    let is_called_so = bytes.starts_with(b"TS-") && bytes.ends_with(b".md");
    is_called_so && folder.join(name).symlink_metadata().is_ok_and(|found| found.is_file())
}
