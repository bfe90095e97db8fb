//! Recovery after a crash by a state table, with the functions of the normal path.
//!
//! | found | done |
//! |---|---|
//! | `inbox/.claimed-⟨random⟩-TR-…` | put back: the claim is durable, so the next scan sees a known request and removes it again; an emptied folder is removed |
//! | `claimed/.tmp/<id>` | swept: it was never a claim |
//! | `claimed/<id>` | carried out |
//! | `pending/<id>` | waits on: for a signature, an order, or the end of its time |
//! | `running/<id>`, its result published | moved to done |
//! | `running/<id>`, and this very process knows that a fault kept its tool from being started | moved back to claimed and carried out |
//! | `running/<id>`, idempotent by its manifest | moved back to claimed and carried out again |
//! | `running/<id>` otherwise | sealed with the evidence of its start record: a refusal unchanged, a run as INTERRUPTED |
//! | `outbox/.tmp/<id>` | swept once its request is done |
//! | `quarantine/.tmp/<item>` | see [`super::exec_log::ExecLog::recover_quarantine`] |
//!
//! Recovery may itself be interrupted at any point: each state is again a row of this table.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use gatepost_documents::id::{RequestId, ResultId};
use gatepost_mailbox::durable;
use gatepost_mailbox::exchange;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::quarantine;
use gatepost_mailbox::site::{STAGING, Site};

use super::claim::{Claimed, taken_name};
use super::record::{self, CLAIM_FILE, Claim, State};

/// Removes uncommitted files, and puts back drops that were renamed but not removed. Call it once, under the lock, before
/// all other steps.
pub fn sweep(site: &Site) -> Result<(), Fault> {
    let inbox = site.inbox();
    for taken in names(&inbox)? {
        let Some(name) = taken_name(&taken) else { continue };
        let aside = inbox.join(&taken);
        if fs::remove_dir(&aside).is_ok() {
            continue;
        }
        match durable::move_new(&aside, &inbox.join(name)) {
            Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => {}
            moved => moved?,
        }
    }
    let claimed = site.claimed().join(STAGING);
    for name in names(&claimed)? {
        durable::remove_tree(&claimed.join(name))?;
    }
    let running: HashSet<String> = ids(&site.running())?.into_iter().map(|id| id.to_string()).collect();
    let outbox = site.outbox().join(STAGING);
    for name in names(&outbox)? {
        if !running.contains(&name) {
            durable::remove_tree(&outbox.join(name))?;
        }
    }
    Ok(())
}

/// The requests in a state folder, sorted.
pub fn ids(folder: &Path) -> Result<Vec<RequestId>, Fault> {
    let mut ids: Vec<_> = names(folder)?.iter().filter_map(|name| RequestId::parse(name).ok()).collect();
    ids.sort();
    Ok(ids)
}

/// Reads a claimed request back from its folder.
pub fn claimed(site: &Site, id: &RequestId) -> Result<Claimed, Fault> {
    kept(site, State::Claimed, id)
}

/// Reads a pending request back from its folder.
pub fn pending(site: &Site, id: &RequestId) -> Result<Claimed, Fault> {
    kept(site, State::Pending, id)
}

/// Reads a running request back from its folder.
pub fn running(site: &Site, id: &RequestId) -> Result<Claimed, Fault> {
    kept(site, State::Running, id)
}

/// Reads a request back from the folder of its state.
pub fn kept(site: &Site, state: State, id: &RequestId) -> Result<Claimed, Fault> {
    let folder = state.folder(site).join(id.as_str());
    let claim: Claim = record::read(&folder.join(CLAIM_FILE))?;
    let bytes = record::request_bytes(&folder, &claim)?;
    Ok(Claimed { claim, folder, bytes })
}

/// The requests with published results, in any folder. Ignores bare documents, which others
/// may have written. Reads whole folders: call it only if a run was interrupted.
pub fn published(site: &Site) -> Result<HashSet<RequestId>, Fault> {
    let judged = exchange::judged(site)?;
    let (documents, sealed): (Vec<_>, Vec<_>) = judged.iter().partition(|judged| judged.is_bare_document);
    let documents: HashSet<&str> = documents.iter().map(|judged| judged.result_id.as_str()).collect();
    let mut published: HashSet<RequestId> =
        sealed.iter().filter_map(|judged| RequestId::parse(&judged.request_id).ok()).collect();
    let request = |name: &String| Some(ResultId::parse(name).ok()?.request().clone());
    published.extend(names(&site.outbox())?.iter().filter_map(request));
    // TOOL-EXEC never publishes a bare document.
    for folder in [site.core_inbound(), site.quarantine()] {
        published.extend(names(&folder)?.iter().filter(|name| !is_one_of(name, &documents)).filter_map(request));
    }
    Ok(published)
}

/// Whether a name is one of these, or one with the suffix for a taken name.
fn is_one_of(name: &str, ids: &HashSet<&str>) -> bool {
    quarantine::meanings(name).iter().any(|name| ids.contains(name))
}

/// Treats a missing folder as empty.
fn names(folder: &Path) -> Result<Vec<String>, Fault> {
    let mut names = Vec::new();
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(names),
        entries => entries.on("list", folder)?,
    };
    for entry in entries {
        let name = entry.on("list", folder)?.file_name();
        names.extend(name.to_str().map(str::to_owned));
    }
    Ok(names)
}
