//! `gatepost audit checkpoint`: prints what to keep elsewhere, so that a rewritten log is detected.

use gatepost_ledger::Checkpoint;
use gatepost_mailbox::tile_log::LogFolder;

use super::keeper::{Keeper, demand_log};
use crate::cli::prelude::*;

#[derive(Serialize, JsonSchema)]
pub(super) struct Kept {
    /// The signed note.
    checkpoint: String,
    /// How many leaves it covers.
    size: u64,
    /// The key that verifies it.
    verifier_key: String,
    #[serde(skip)]
    shows_key: bool,
}

impl View for Kept {
    fn text(&self) -> String {
        if self.shows_key { format!("{}\n", self.verifier_key) } else { self.checkpoint.clone() }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Whose log: what the gate decided, or what TOOL-EXEC did.
    #[arg(long, value_name = "LOG", default_value = "gate")]
    log: Keeper,
    /// In text output, print the key that verifies the log instead of the checkpoint.
    #[arg(long)]
    key: bool,
}

pub(super) fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    demand_log(site, arguments.log)?;
    let log = LogFolder::at(&arguments.log.log(site).folder);
    let (key, checkpoint) = (log.verifier()?, log.checkpoint()?);
    let read = Checkpoint::open(&checkpoint, &key).map_err(|error| {
        let message = format!("The checkpoint of the log cannot be used: {error}.");
        Failure::new(ErrorCode::AuditLogInvalid, FailureKind::Policy, message, "Run `gatepost audit verify`.")
            .during("verify", arguments.log.place("checkpoint"))
    })?;
    Ok(Outcome::done(&Kept { checkpoint, size: read.size, verifier_key: key.to_string(), shows_key: arguments.key }))
}
