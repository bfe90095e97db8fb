//! `gatepost quarantine reject-note`: a note on a refusal that is safe for the requester.
//!
//! *Security*: the note crosses the gap that the refused item must not cross. It holds ids, codes, and this program's
//! own rules and hints. It omits messages, file names, places and excerpts, because those quote the refused bytes.

use std::path::PathBuf;

use gatepost_documents::reason::Stage;
use gatepost_documents::release::rejecting;
use gatepost_mailbox::durable;
use gatepost_mailbox::quarantine::{Item, Record, meanings};
use gatepost_mailbox::regular_file;

use super::find_all;
use crate::cli::prelude::*;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    ids: super::Ids,
    /// Write the note to this file, which must not exist; without it, it is printed.
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Show what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Note {
    effect: Effect,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathBuf>,
    items: Vec<String>,
    note: String,
}

impl View for Note {
    fn text(&self) -> String {
        match (&self.path, self.effect) {
            (Some(path), Effect::Created) => format!("{} was written.\n", path.display()),
            _ => self.note.clone(),
        }
    }
}

pub(super) fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let items = find_all(site, &arguments.ids.ids)?;
    let note = items.iter().map(text).collect::<Vec<_>>().join("\n");
    let mut effect = if arguments.to.is_some() { Effect::Created.or_would(arguments.dry_run) } else { Effect::Noop };
    if let Some(path) = arguments.to.as_ref().filter(|_| !arguments.dry_run) {
        match durable::write_new(path, note.as_bytes()) {
            Err(fault) if fault.source.kind() == std::io::ErrorKind::AlreadyExists => {
                // A repeated call writes the same note.
                if regular_file::read(path, note.len() as u64).is_ok_and(|bytes| bytes == note.as_bytes()) {
                    effect = Effect::Noop;
                } else {
                    let failure = Failure::already_exists("write", path, "Choose another name.");
                    let message = format!("{} already exists with different content.", path.display());
                    return Err(Failure { message, ..failure });
                }
            }
            written => written?,
        }
    }
    let items = items.iter().map(|item| item.name.clone()).collect();
    Ok(Outcome::done(&Note { effect, path: arguments.to.clone(), items, note }))
}

/// The note on one item.
fn text(item: &Item) -> String {
    let (what, by) = match item.record {
        Record::Refusal(_) if is_signature(item) => ("a signature for your request", "TOOL-EXEC"),
        Record::Verdict(_) => ("the result of your request", "The gate"),
        Record::Refusal(_) => ("your request", "TOOL-EXEC"),
        Record::Unreadable(_) => ("your request or its result", "This site"),
    };
    // The requester chose the request's id, but its alphabet is harmless.
    let request = item.request_id().and_then(|id| RequestId::parse(&id).ok());
    let title = request.map_or_else(|| "an item without a readable request id".to_owned(), |id| id.to_string());
    let mut note = format!(
        "# Refused: {title}\n\n{by} refused {what} at {}. The refused bytes stay in quarantine and are not part of this \
         note.\n\n## Reasons\n\n",
        item.refused.format("%Y-%m-%dT%H:%M:%SZ")
    );
    let codes = rejecting(item.reasons());
    for code in &codes {
        note += &format!("- `{code}`: {}\n", code.rule());
    }
    if codes.is_empty() {
        note += "- None that can be disclosed; ask the operator.\n";
    }
    note += "\n## Next\n\n";
    note += next(item, &codes);
    note
}

/// Whether the item is a separately dropped signature; its request is answered without it.
fn is_signature(item: &Item) -> bool {
    meanings(&item.name).iter().any(|name| name.ends_with(".sig"))
}

fn next(item: &Item, codes: &[Code]) -> &'static str {
    if item.released.is_some() {
        return "A person released the result since: it is accepted, in spite of these reasons.\n";
    }
    match item.record {
        Record::Refusal(_) if is_signature(item) => {
            return "The request itself has its own answer. A signature counts only while its request waits for one.\n";
        }
        Record::Refusal(_) => return "Nothing was run. Correct the request and drop it again under a new id.\n",
        Record::Unreadable(_) => return "Ask the operator what happened to it.\n",
        Record::Verdict(_) => {}
    }
    if codes.iter().all(|code| code.is_overridable()) && !codes.is_empty() {
        return "The output of the tool contains something that is withheld from you. Request less of it or another form of it \
                under a new id, or ask the operator to review it.\n";
    }
    if codes.iter().any(|code| code.stage() == Stage::Authority) {
        return "The result does not meet what this site requires. Ask the operator; a new request may be answered.\n";
    }
    "The result is damaged or contradicts itself. Ask the operator; run it again under a new id.\n"
}
