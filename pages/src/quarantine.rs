//! The items in quarantine, if the user of the process may list them.

use std::io::ErrorKind;

use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::quarantine::{self, Item};
use gatepost_mailbox::site::Site;

/// The quarantined items, newest first; none if the user may not list them.
pub(crate) fn items(site: &Site) -> Result<Option<Vec<Item>>, Fault> {
    match quarantine::items(site) {
        Err(fault) if fault.source.kind() == ErrorKind::PermissionDenied => Ok(None),
        items => items.map(Some),
    }
}
