//! `gatepost audit`: what the gate decided, proved by its log.
//!
//! *Security*: an auditor need not trust the machine that a site comes from: every file is read as a stranger's, and nothing is
//! written. Whoever has the key can make another log; only a checkpoint that was kept elsewhere shows that.

mod attestation;
mod checkpoint;
mod flaw;
mod items;
mod proof;
mod record;
mod verify;

use std::path::Path;

use super::outcome::{Failure, Outcome};
use super::site;

pub use proof::prove;

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Check the gate's log, what it covers against what lies in the site, and the reverse.
    Verify(verify::Arguments),
    /// Print the newest checkpoint of the gate's log, to be kept elsewhere.
    Checkpoint,
}

impl Command {
    /// The command as words.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Verify(_) => "audit verify",
            Self::Checkpoint => "audit checkpoint",
        }
    }
}

pub fn run(at: Option<&Path>, command: &Command) -> Result<Outcome, Failure> {
    let site = site::find(at)?;
    match command {
        Command::Verify(arguments) => verify::run(&site, arguments),
        Command::Checkpoint => checkpoint::run(&site),
    }
}
