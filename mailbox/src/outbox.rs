//! What was judged and is still in the outbox, because the gate may set it aside there and not remove it.
//!
//! Its owner removes it. *Security*: whoever may write to the outbox may call anything so, and loses it by that.

use std::os::unix::ffi::OsStrExt as _;

use crate::durable;
use crate::site::Site;

/// What the name of such an original begins with.
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
