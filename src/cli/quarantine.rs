//! `gatepost quarantine`: the refused items, for the operator.
//!
//! Nothing here changes an item: the gate releases and removes items, on orders. *Security*: items are hostile. Foreign
//! text is escaped for the terminal, and omitted if it could be a secret.

mod context;
mod facts;
pub(super) mod list;
mod note;
mod purge;
mod release;
mod show;

use std::path::Path;

use crate::cli::prelude::*;
use gatepost_documents::release::Override;
use gatepost_mailbox::quarantine::{self, Item};

/// The folder that all of them list.
const QUARANTINE: &[&str] = &["quarantine"];

/// The commands of `gatepost quarantine`.
pub(super) const DECLARATIONS: [Declaration; 5] = [
    Declaration::safe("quarantine.list", data::<list::List>).lists("items", "item").needs_to_list(QUARANTINE),
    Declaration::safe("quarantine.show", data::<show::Shown>)
        .answers_each("results", "item")
        .needs_to_list(QUARANTINE)
        .fails(&[ErrorCode::ItemNotFound]),
    Declaration::mutating("quarantine.release", data::<release::Released>)
        .answers_each("results", "item")
        .needs_to_list(QUARANTINE)
        .writes(Write::OF_RELEASE)
        .starts(&[Subprocess::GATE])
        .waits(60)
        .fails(&[
            ErrorCode::ConfigInvalid,
            ErrorCode::ItemNotFound,
            ErrorCode::PolicyDenied,
            ErrorCode::ResultRejected,
            ErrorCode::WatcherEnded,
            ErrorCode::ProgramMissing,
            ErrorCode::PartialFailure,
        ]),
    Declaration::destructive("quarantine.purge", data::<purge::Purged>)
        .needs_to_list(QUARANTINE)
        .writes(Write::OF_REMOVAL)
        .starts(&[Subprocess::GATE])
        .fails(&[
            ErrorCode::ConfigInvalid,
            ErrorCode::ItemNotFound,
            ErrorCode::PolicyDenied,
            ErrorCode::PartialFailure,
            ErrorCode::WatcherEnded,
            ErrorCode::ProgramMissing,
        ]),
    Declaration::mutating("quarantine.reject-note", data::<note::Note>)
        .needs_to_list(QUARANTINE)
        .writes(&[Write::argument("to")])
        .fails(&[ErrorCode::ItemNotFound, ErrorCode::AlreadyExists]),
];

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List what was refused, the newest first.
    List(list::Arguments),
    /// Show items: the reasons, their place in the text, and what to do next.
    Show(Ids),
    /// Release results into core/inbound/, if the gate finds nothing else against them when it judges them again.
    Release(release::Arguments),
    /// Remove items past their retention ([quarantine] of gate.toml); the gate logs each removal.
    Purge(purge::Arguments),
    /// Write a note for the requester that quotes nothing of the refused bytes.
    RejectNote(note::Arguments),
}

/// Items of the quarantine.
#[derive(Debug, clap::Args)]
pub(super) struct Ids {
    /// Items by their names, or by the request (TR-…) or result (TS-…) that they are about.
    #[arg(required = true, value_name = "ITEM")]
    ids: Vec<String>,
}

pub(super) fn run(at: Option<&Path>, command: &Command, bounds: &Bounds) -> Result<Outcome, Failure> {
    let site = site::find(at)?;
    match command {
        Command::List(arguments) => list::run(&site, arguments, bounds),
        Command::Show(ids) => show::run(&site, ids),
        Command::Release(arguments) => release::run(&site, arguments, bounds),
        Command::Purge(arguments) => purge::run(&site, arguments),
        Command::RejectNote(arguments) => note::run(&site, arguments),
    }
}

pub(super) use list::{past_retention_count, reminder};

/// The single item that an id matches.
fn find(site: &Site, id: &str) -> Result<Item, Failure> {
    let mut items = quarantine::find(site, id)?;
    match (items.pop(), items.as_slice()) {
        (None, _) => {
            let message = format!("There is no item {} in quarantine.", quoted(id));
            let hint = "`gatepost quarantine list` shows every item.";
            Err(Failure::not_found(ErrorCode::ItemNotFound, FailureKind::ItemNotFound, id, message, hint))
        }
        (Some(item), []) => Ok(item),
        (Some(last), others) => {
            let names: Vec<&str> = others.iter().chain([&last]).map(|item| item.name.as_str()).collect();
            let message = format!("{} matches {} items: {}.", quoted(id), names.len(), names.join(", "));
            Err(Failure::usage(message, "Name one of them."))
        }
    }
}

/// The matching items, each once; the first id without exactly one match is the failure.
fn find_all(site: &Site, ids: &[String]) -> Result<Vec<Item>, Failure> {
    let mut items: Vec<Item> = Vec::new();
    for id in ids {
        let item = find(site, id)?;
        if !items.iter().any(|other| other.path == item.path) {
            items.push(item);
        }
    }
    Ok(items)
}

/// A release on one line.
pub(super) fn describe_release(released: &Override) -> String {
    let user = released.user.as_deref().map_or_else(String::new, |name| format!(" ({name})"));
    let codes: Vec<&str> = released.codes.iter().map(|code| code.as_str()).collect();
    let over = if codes.is_empty() { String::new() } else { format!(" over {}", codes.join(", ")) };
    format!("{} by user {}{user}{over}: {}", released.released_utc, released.uid, quoted(&released.reason))
}
