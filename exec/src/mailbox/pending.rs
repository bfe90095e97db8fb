//! Requests that wait for people: moved aside durably, and moved back when something may have changed.
//!
//! ```text
//! claimed/<id> ──write pending.json, rename──▶ pending/<id> ──a signature, an order, or the end of the wait: rename──▶ claimed/<id>
//! ```
//!
//! Back in `claimed/`, the same functions decide the request anew. *Commit point*: the renames.

use chrono::{DateTime, SecondsFormat};
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::each_once;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::Fault;
pub use gatepost_mailbox::record::Waiting;
use gatepost_mailbox::record::{PENDING_FILE, REVIEW_FILE};
use gatepost_mailbox::site::Site;

use super::claim::Claimed;
use super::decision;
use super::exec_log::Step;
use super::record;

/// The logged step at the begin of a wait.
pub fn step(waiting: &Waiting) -> Step {
    let until = waiting.until.to_rfc3339_opts(SecondsFormat::Secs, true);
    Step::Pending { until, missing: each_once(waiting.missing.iter().map(|reason| reason.code)) }
}

/// Moves a claimed request aside, with the text that its approvers see.
pub fn set_aside(site: &Site, claimed: &Claimed, (waiting, review): (&Waiting, &str)) -> Result<(), Fault> {
    let record_path = claimed.folder.join(PENDING_FILE);
    durable::remove_tree(&record_path)?;
    record::write(waiting, &record_path)?;
    durable::replace(&claimed.folder.join(REVIEW_FILE), review.as_bytes())?;
    durable::sync_folder(&claimed.folder)?;
    durable::move_new(&claimed.folder, &site.pending().join(claimed.claim.request_id.as_str()))
}

/// Moves a request back, to be decided anew.
pub fn take_back(site: &Site, id: &RequestId) -> Result<(), Fault> {
    durable::move_new(&site.pending().join(id.as_str()), &site.claimed().join(id.as_str()))
}

/// The demands of a request that an earlier process set aside; none once a person decided.
pub fn resume(site: &Site, id: &RequestId) -> Result<Waiting, Fault> {
    let waiting = Waiting::read(site, id)?;
    let is_decided = decision::is_taken(&site.pending().join(id.as_str()));
    Ok(if is_decided { Waiting { until: DateTime::UNIX_EPOCH, ..waiting } } else { waiting })
}
