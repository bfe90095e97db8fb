//! Drops a request into the inbox atomically.
//!
//! ```text
//! inbox/.tmp/<random>  ──fsync, rename that never replaces──▶  inbox/TR-….md, or inbox/TR-…/ with in/
//! ```
//!
//! *Commit point*: the rename, and the fsync of the inbox after it.

use std::io::Write as _;

use gatepost_contract::request::Input;
use gatepost_documents::id::RequestId;
use gatepost_mailbox::drop_folder;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::folder::{Folder, Readers};
use gatepost_mailbox::site::{STAGING, Site};

/// The folder of the input files of a request.
const INPUTS: &str = "in";

/// Drops a request; false if the name is taken in the inbox.
pub fn request(site: &Site, id: &RequestId, document: &str, inputs: &[(Input, Vec<u8>)]) -> Result<bool, Fault> {
    let inbox = Folder::of_site(site, "inbox")?;
    let place = inbox.folder(STAGING)?;
    let file = format!("{id}.md");
    if inputs.is_empty() {
        return place.publish(document.as_bytes(), Readers::Everybody, &inbox, file);
    }
    let staged = place.stage("mcp", 0o755)?;
    write(staged.folder(), &file, document.as_bytes())?;
    let folder = staged.folder().create_folder(INPUTS.as_ref(), 0o755)?;
    for (input, bytes) in inputs {
        write(&folder, &input.name, bytes)?;
    }
    drop_folder::publish(&staged, &inbox, id.as_str())
}

fn write(folder: &Folder, name: &str, bytes: &[u8]) -> Result<(), Fault> {
    folder.create(name, 0o644)?.write_all(bytes).on("write", &folder.path().join(name))
}
