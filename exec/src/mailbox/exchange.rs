//! Makes the exchange of a site that has none yet. It informs the gate of every request that TOOL-EXEC ever claimed.
//!
//! ```text
//! write var/exchange/.claimed-<8 hex>/<id> for each, syncfs, rename it to var/exchange/claimed, fsync var/exchange
//! ```
//!
//! The folder gets its name only when it is complete: a gate that finds none waits. *Commit point*: the rename.

use std::fs::{self, File};
use std::io;

use gatepost_mailbox::durable;
use gatepost_mailbox::exchange;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::quarantine::random;
use gatepost_mailbox::site::Site;

use super::record::{self, CLAIM_FILE, Claim, State};
use super::recovery;

/// Makes the folder of claimed requests, if there is none.
pub fn complete(site: &Site) -> Result<(), Fault> {
    let folder = site.exchange_claimed();
    if folder.is_dir() {
        return Ok(());
    }
    // Both watchers may complete a new site at the same moment: each makes its own.
    let staged = folder.with_file_name(format!(".claimed-{:08x}", random()?));
    fs::create_dir_all(&staged).on("create", &staged)?;
    for state in State::ALL {
        for id in recovery::ids(&state.folder(site))? {
            let claim: Claim = record::read(&state.folder(site).join(id.as_str()).join(CLAIM_FILE))?;
            let path = staged.join(id.as_str());
            fs::write(&path, exchange::claim_line(claim.request_sha256)).on("write", &path)?;
        }
    }
    let on_disk = File::open(&staged).on("open", &staged)?;
    rustix::fs::syncfs(&on_disk).on("flush the file system of", &staged)?;
    match durable::move_new(&staged, &folder) {
        // Another process of the same site made it meanwhile.
        Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => durable::remove_tree(&staged),
        moved => moved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatepost_documents::digest::Digest;
    use gatepost_documents::evidence::Completeness;
    use gatepost_documents::id::RequestId;

    #[test]
    fn a_site_without_an_exchange_gets_one_that_names_every_claim() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        let ids = ["TR-20260209-160501Z-a", "TR-20260209-160501Z-b"].map(|id| RequestId::parse(id).unwrap());
        for (id, state) in ids.iter().zip([State::Running, State::Done]) {
            let place = state.folder(&site).join(id.as_str());
            fs::create_dir_all(&place).unwrap();
            let claim = Claim {
                uid: 0,
                request_id: id.clone(),
                request_sha256: Digest::of(id.as_str().as_bytes()),
                form: gatepost_contract::request::Form::Markdown,
                completeness: Completeness::Renamed,
                claimed_utc: "2026-02-09T16:05:02Z".to_owned(),
                faults: Vec::new(),
            };
            record::write(&claim, &place.join(CLAIM_FILE)).unwrap();
        }
        // Both watchers, and a command, may do it at the same moment.
        std::thread::scope(|scope| {
            let attempts: Vec<_> = (0..8).map(|_| scope.spawn(|| complete(&site))).collect();
            for attempt in attempts {
                attempt.join().unwrap().unwrap();
            }
        });
        for id in &ids {
            assert_eq!(exchange::claimed(&site, id).unwrap(), Some(Digest::of(id.as_str().as_bytes())));
        }
    }
}
