//! `gatepost audit timeline`: the events of requests from both logs, in order.

use std::collections::HashMap;
use std::io;

use chrono::{DateTime, Utc};
use gatepost_documents::escape;
use gatepost_documents::verdict::Decision;
use gatepost_exec::mailbox::exec_log::{Leaf as ExecLeaf, Logged, Step};
use gatepost_gate::ledger::{Entry, Leaf};
use gatepost_mailbox::quarantine::Removal;
use gatepost_mailbox::tile_log::LogFolder;
use gatepost_mailbox::user;

use super::keeper::Keeper;
use crate::cli::prelude::*;
use crate::cli::show::unknown;
use crate::cli::table;

#[derive(Debug, clap::Args)]
#[command(after_help = "Reads the logs without verifying them; `gatepost audit verify` does that.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    requests: identifier::Requests,
}

/// An event: one leaf of one log.
#[derive(Debug, Serialize, JsonSchema)]
struct Event {
    request_id: RequestId,
    /// When, RFC 3339, UTC.
    utc: String,
    /// `exec` or `gate`.
    log: &'static str,
    /// The number of the leaf.
    index: u64,
    /// The event, in a word.
    event: &'static str,
    /// Details.
    detail: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Timeline {
    events_count: usize,
    events: Vec<Event>,
}

impl View for Timeline {
    fn text(&self) -> String {
        let rows = self.events.iter().map(|event| {
            let Event { utc, log, index, event, detail, .. } = event;
            let cells = [utc, &format!("{log} {index}"), *event, detail];
            // TOOL-EXEC, which is untrusted, wrote some of it.
            cells.map(|cell| escape::escape(cell, |character| !matches!(character, ' '..='~'))).to_vec()
        });
        table::table(&["time", "log", "event", "detail"], &rows.collect::<Vec<_>>())
    }
}

pub(super) fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let ids = arguments.requests.read()?;
    let mut events = Vec::new();
    let about = |id: &str| ids.iter().find(|requested| requested.as_str() == id).cloned();
    if Keeper::Exec.log(site).is_begun() {
        each_leaf(site, Keeper::Exec, |index, leaf| {
            if let ExecLeaf::Step(logged) = ExecLeaf::read(leaf)? {
                events.extend(about(logged.request_id.as_str()).map(|_| of_step(index, logged)));
            }
            Ok(())
        })?;
    }
    if Keeper::Gate.log(site).is_begun() {
        each_leaf(site, Keeper::Gate, |index, leaf| {
            match serde_json::from_slice(leaf)? {
                Leaf::Verdict(entry) => events.extend(about(&entry.request_id).map(|id| of_entry(id, index, &entry))),
                Leaf::Removal(removal) => {
                    let id = removal.request_id.as_deref().and_then(about);
                    events.extend(id.map(|id| of_removal(id, index, &removal)));
                }
            }
            Ok(())
        })?;
    }
    if let Some(id) = ids.iter().find(|id| !events.iter().any(|event| event.request_id == **id)) {
        return Err(unknown(site, id));
    }
    let order: HashMap<_, _> = ids.iter().zip(0..).collect();
    // Verdicts have a resolution of one second. Within it TOOL-EXEC comes first, and each log keeps its order.
    events.sort_by_key(|event| (order.get(&event.request_id).copied(), seconds(&event.utc)));
    Ok(Outcome::done(&Timeline { events_count: events.len(), events }))
}

fn each_leaf(
    site: &Site,
    keeper: Keeper,
    mut each: impl FnMut(u64, &[u8]) -> Result<(), serde_json::Error>,
) -> Result<(), Fault> {
    let (folder, mut index) = (keeper.log(site).folder, 0);
    LogFolder::at(&folder).leaves(|leaf| {
        each(index, leaf).map_err(io::Error::from).on("read a leaf of", &folder)?;
        index += 1;
        Ok(())
    })
}

fn seconds(utc: &str) -> Option<i64> {
    DateTime::parse_from_rfc3339(utc).ok().map(|time| time.with_timezone(&Utc).timestamp())
}

fn of_step(index: u64, Logged { request_id, utc, step }: Logged) -> Event {
    let (event, detail) = match step {
        Step::Claimed { request_sha256, uid } => {
            ("claimed", format!("dropped by {}, SHA-256 {request_sha256}", person(uid)))
        }
        Step::Pending { until, missing } => ("pending", format!("{}, until {until}", listed(&missing))),
        Step::Started { tool } => ("started", tool),
        Step::Interrupted => ("interrupted", "found running after a stop; the tool was not run again".to_owned()),
        Step::Ended { result_id, outcome, codes, .. } if codes.is_empty() => {
            ("ended", format!("{outcome}, {result_id}"))
        }
        Step::Ended { result_id, outcome, codes, .. } => {
            ("ended", format!("{outcome} ({}), {result_id}", listed(&codes)))
        }
    };
    Event { request_id, utc, log: "exec", index, event, detail }
}

fn of_entry(request_id: RequestId, index: u64, entry: &Entry) -> Event {
    let (event, detail) = match (entry.verdict, &entry.released) {
        (Decision::Accept, Some(word)) => {
            let who = word.user.clone().unwrap_or_else(|| format!("user {}", word.uid));
            ("released", format!("by {who} although {}, {}", listed(&word.codes), entry.result_id))
        }
        (Decision::Accept, None) => ("accepted", entry.result_id.clone()),
        (Decision::Reject, _) => ("rejected", format!("{}, {}", listed(&entry.codes), entry.result_id)),
    };
    Event { request_id, utc: entry.judged_utc.clone(), log: "gate", index, event, detail }
}

fn of_removal(request_id: RequestId, index: u64, removal: &Removal) -> Event {
    let (who, item) = (person(removal.uid), escape::path(removal.item.as_bytes()));
    let detail = format!("quarantine/{item}, by {who}");
    Event { request_id, utc: removal.removed_utc.clone(), log: "gate", index, event: "removed", detail }
}

fn person(uid: u32) -> String {
    user::name(uid).map_or_else(|| format!("user {uid}"), |name| format!("{name} (user {uid})"))
}

fn listed(codes: &[Code]) -> String {
    codes.iter().map(Code::to_string).collect::<Vec<_>>().join(", ")
}
