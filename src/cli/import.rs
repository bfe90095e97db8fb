//! `gatepost import`: takes all requests or results of a bag, or none.
//!
//! Every file is verified against the bag's manifests while it is copied (`src/bag/reading.rs`), beside its destination. Requests become
//! drops in the inbox; results are offered to this site's gate, which alone writes into `core/inbound/`.

use std::path::{Path, PathBuf};

use crate::cli::prelude::*;
use gatepost_exec::bag::reading::Bag;
use gatepost_exec::bag::{PAYLOAD, RESULTS};
use gatepost_exec::step_error::StepError;
use gatepost_mailbox::folder::Folder;
use gatepost_mailbox::quarantine::random_name;

mod requests;
mod results;

pub(super) use requests::place;

/// Requests are dropped; results are given to the gate, which the command may start.
const WRITES: &[Write] = &[
    Write::DROP,
    Write::kept_in("core/inbound/"),
    Write::kept_in("var/gate/"),
    Write::kept_in("var/exchange/judged/"),
    Write::kept_in("quarantine/"),
];

/// `gatepost import`
pub(super) const DECLARATION: Declaration =
    Declaration::mutating("import", either::<requests::Imported, results::Imported>)
        .writes(WRITES)
        .starts(&[Subprocess::GATE])
        .waits(600)
        .fails(&[
            ErrorCode::ConfigInvalid,
            ErrorCode::FileNotFound,
            ErrorCode::AlreadyExists,
            ErrorCode::GateNotTrusted,
            ErrorCode::BagInvalid,
            ErrorCode::ResultRejected,
            ErrorCode::WatcherEnded,
            ErrorCode::ProgramMissing,
            ErrorCode::LockHeld,
        ]);

#[derive(Debug, clap::Args)]
#[command(after_help = "Results are imported if keys/gates lists the key of their gate; see docs/gap.md.\n\
    Examples:\n  gatepost import /mnt/stick/requests\n  gatepost import --dry-run /mnt/stick/results")]
pub(super) struct Arguments {
    /// A bag of requests or of results, as `gatepost export` makes it.
    folder: PathBuf,
    /// Check everything, and take nothing.
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(open: &Open, arguments: &Arguments, bounds: &Bounds) -> Result<Outcome, Failure> {
    Failure::unless_there(&arguments.folder)?;
    let bag = Bag::open(&arguments.folder).map_err(|error| refused(&arguments.folder, error))?;
    let of_results = format!("{PAYLOAD}{RESULTS}/");
    if bag.payload().keys().any(|path| path.starts_with(&of_results)) {
        results::run(&open.site, &bag, arguments, bounds)
    } else {
        requests::run(&open.site, open.config.inbox.inputs_bytes_max, &bag, arguments)
    }
}

/// Creates the folder for the copy, or reuses the one of an earlier attempt. Returns the stem of its name, and the
/// folder. Another user can predict a stem derived from the bag; if that name is taken, the stem is random.
fn stage(place: &Folder, mode: u32, known: &str, name: fn(&str) -> String) -> Result<(String, Folder), Fault> {
    if let Ok(folder) = place.own_folder(name(known), mode) {
        return Ok((known.to_owned(), folder));
    }
    let stem = random_name()?;
    let folder = place.create_folder(name(&stem).as_ref(), mode)?;
    Ok((stem, folder))
}

fn refused(folder: &Path, error: StepError) -> Failure {
    match error {
        StepError::Refused(reasons) => {
            let target = folder.display().to_string();
            let failure = Failure::refused(ErrorCode::BagInvalid, &target, reasons);
            let place = failure.errors.first().and_then(|reason| reason.place(str::to_owned));
            let message = match (failure.errors.as_slice(), place) {
                ([one], Some(place)) => format!("{target}: {place}: {}", one.message),
                _ => failure.message.clone(),
            };
            Failure { message, ..failure }
        }
        StepError::Fault(fault) => fault.into(),
    }
}
