//! `gatepost audit`: proves from their logs what TOOL-EXEC did and the gate decided.
//!
//! *Security*: an auditor need not trust the machine of a site: every file is hostile input, and nothing is written.
//! The owner of the key can forge a log; only a checkpoint kept elsewhere reveals that.

mod attestation;
mod checkpoint;
mod flaw;
mod items;
mod keeper;
mod proof;
mod quarantined;
mod record;
mod steps;
mod timeline;
mod verify;

use crate::cli::prelude::*;
use std::path::Path;

pub(super) use proof::prove;

/// The commands of `gatepost audit`.
pub(super) const DECLARATIONS: [Declaration; 3] = [
    Declaration::safe("audit.verify", data::<verify::Verified>).needs_to_list(&["quarantine"]).fails(&[
        ErrorCode::AuditLogInvalid,
        ErrorCode::LogNotFound,
        ErrorCode::FileNotFound,
    ]),
    Declaration::safe("audit.checkpoint", data::<checkpoint::Kept>)
        .fails(&[ErrorCode::AuditLogInvalid, ErrorCode::LogNotFound]),
    Declaration::safe("audit.timeline", data::<timeline::Timeline>).takes_ids().fails(&[ErrorCode::RequestNotFound]),
];

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Check the logs of the gate and TOOL-EXEC, and compare them with the site in both directions.
    Verify(verify::Arguments),
    /// Print the newest checkpoint of a log, to keep elsewhere.
    Checkpoint(checkpoint::Arguments),
    /// Print what both logs record about requests, in order of time.
    Timeline(timeline::Arguments),
}

pub(super) fn run(at: Option<&Path>, command: &Command) -> Result<Outcome, Failure> {
    let site = site::find(at)?;
    match command {
        Command::Verify(arguments) => verify::run(&site, arguments),
        Command::Checkpoint(arguments) => checkpoint::run(&site, arguments),
        Command::Timeline(arguments) => timeline::run(&site, arguments),
    }
}
