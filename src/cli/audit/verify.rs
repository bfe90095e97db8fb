//! `gatepost audit verify`: the gate's log, and the site against it.

use std::path::PathBuf;

use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};
use gatepost_mailbox::site::Site;
use serde::Serialize;

use super::flaw::Flaw;
use super::items;
use super::record::{self, Record};
use crate::cli::counted::counted;
use crate::cli::exit;
use crate::cli::outcome::{Failure, Outcome, View};

/// How often a record that grows meanwhile is looked at.
const LOOKS_MAX: u32 = 10;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Keep a checkpoint where nobody who can write to the site can reach it:\n  gatepost audit checkpoint > /mnt/stick/mailbox.checkpoint\n  \
    gatepost audit verify --since /mnt/stick/mailbox.checkpoint\n\nExit status: 0 all is as it was decided, 5 no log, 80 the record or an item is missing, altered or added."
)]
pub struct Arguments {
    /// A checkpoint that was kept elsewhere: the log must still begin with what it covers.
    #[arg(long, value_name = "FILE")]
    since: Option<PathBuf>,
}

#[derive(Serialize)]
struct Verified {
    /// How many decisions the signed checkpoint covers; absent where none holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// Whether a kept checkpoint was given.
    since: bool,
    flaws_count: usize,
    flaws: Vec<Flaw>,
}

impl View for Verified {
    fn text(&self) -> String {
        let mut text = String::new();
        for Flaw { kind, place, message, hint } in &self.flaws {
            text += &format!("{}: {place}: {message}\n  What to do: {hint}\n", kind.as_str());
        }
        if self.flaws.is_empty() {
            let size = counted(self.size.unwrap_or_default(), "decision");
            text += &format!("sound  {size}, signed; every result is as it was decided\n");
            text += if self.since {
                "The log still begins with what the kept checkpoint covers.\n"
            } else {
                "Without a kept checkpoint (--since) nothing shows whether the whole log was made anew.\n"
            };
        }
        text
    }
}

pub fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    record::demand_log(site)?;
    let kept = arguments.since.as_ref().map(|path| {
        let bytes = regular_file::read(path, DOCUMENT_MAX_BYTES).on("read", path)?;
        Ok::<_, Fault>(String::from_utf8_lossy(&bytes).into_owned())
    });
    let kept = kept.transpose()?;
    let record = settled(site, kept.as_deref())?;
    let verified = Verified {
        size: record.checkpoint.map(|checkpoint| checkpoint.size),
        since: kept.is_some(),
        flaws_count: record.flaws.len(),
        flaws: record.flaws,
    };
    let Some(first) = verified.flaws.first() else { return Ok(Outcome::done(&verified)) };
    let message = match verified.flaws.len() {
        1 => format!("{}: {}", first.place, first.message),
        count => {
            format!("{count} things are missing, altered or added; the first is {}: {}", first.place, first.message)
        }
    };
    let failure = Failure::new(exit::AUDIT, "AUDIT_LOG_INVALID", "policy", message, first.hint);
    Ok(Outcome::failed(&verified, failure))
}

/// What is wrong with a site's record and its items; a gate that decides meanwhile is no flaw.
fn settled(site: &Site, kept: Option<&str>) -> Result<Record, Fault> {
    let mut record = look(site, kept)?;
    for _ in 1..LOOKS_MAX {
        if record.flaws.is_empty() {
            break;
        }
        let again = look(site, kept)?;
        let is_settled = (&again.checkpoint, &again.flaws) == (&record.checkpoint, &record.flaws);
        record = again;
        if is_settled {
            break;
        }
    }
    Ok(record)
}

fn look(site: &Site, kept: Option<&str>) -> Result<Record, Fault> {
    let mut record = record::check(site, kept);
    // Without a record there is nothing to hold items against.
    if record.checkpoint.is_some() {
        record.flaws.extend(items::check(site, &record.decisions)?);
    }
    Ok(record)
}

#[cfg(test)]
mod tests;
