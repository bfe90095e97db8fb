//! `gatepost audit verify`: checks the logs, and the site against them.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use gatepost_mailbox::quarantine;
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};
use gatepost_mailbox::tile_log::LogFolder;

use super::flaw::{Flaw, Kind};
use super::keeper::{Keeper, demand_log};
use super::quarantined::Refused;
use super::{items, record, steps};
use crate::cli::prelude::*;

/// The most attempts to read a record that keeps growing.
const LOOKS_MAX: u32 = 10;

/// The delay before the next attempt; a watcher between two renames gets CPU time within it.
const PAUSE: Duration = Duration::from_millis(100);

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Keep a checkpoint out of reach of everyone who can write to the site:\n  gatepost audit checkpoint -o plain > \
                  /mnt/stick/mailbox.checkpoint\n  \
    gatepost audit verify --since /mnt/stick/mailbox.checkpoint"
)]
pub(crate) struct Arguments {
    /// A checkpoint of either log, kept elsewhere: the log must still begin with the leaves that it covers. May be repeated.
    #[arg(long, value_name = "FILE")]
    since: Vec<PathBuf>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Verified {
    /// How many decisions the signed checkpoint covers; absent without a valid one.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// How many steps of TOOL-EXEC its signed checkpoint covers; absent without a log.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u64>,
    /// Whether a kept checkpoint was given.
    since: bool,
    flaws_count: usize,
    flaws: Vec<Flaw>,
}

impl View for Verified {
    fn text(&self) -> String {
        let mut text = String::new();
        for Flaw { kind, place, message, hint } in &self.flaws {
            text += &format!("{}: {place}: {message}\n  hint: {hint}\n", kind.as_str());
        }
        if self.flaws.is_empty() {
            let size = counted(self.size.unwrap_or_default(), "decision");
            text += &format!("sound  {size}, signed; every result is as it was decided\n");
            if let Some(steps) = self.steps {
                text += &format!(
                    "sound  {} of TOOL-EXEC, signed; every result is as it was sealed\n",
                    counted(steps, "step")
                );
            }
            text += if self.since {
                "The logs still begin with what the kept checkpoints cover.\n"
            } else {
                "Without a kept checkpoint (--since), nothing reveals a log that was replaced as a whole.\n"
            };
        }
        text
    }
}

pub(super) fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    demand_log(site, Keeper::Gate)?;
    arguments.since.iter().try_for_each(|path| Failure::unless_there(path))?;
    let kept = Kept::read(site, &arguments.since)?;
    let audit = settled(site, &kept)?;
    let verified = Verified {
        size: audit.decisions,
        steps: audit.steps,
        since: !arguments.since.is_empty(),
        flaws_count: audit.flaws.len(),
        flaws: audit.flaws,
    };
    let Some(first) = verified.flaws.first() else { return Ok(Outcome::done(&verified)) };
    let message = match verified.flaws.len() {
        1 => format!("{}: {}", first.place, first.message),
        count => {
            format!("{count} things are missing, altered or added; the first is {}: {}", first.place, first.message)
        }
    };
    let failure = Failure::new(ErrorCode::AuditLogInvalid, FailureKind::Policy, message, first.hint)
        .during("verify", first.place.clone());
    Ok(Outcome::failed(&verified, failure))
}

/// Checkpoints that were kept elsewhere, as notes.
#[derive(Default)]
struct Kept {
    gate: Vec<String>,
    exec: Vec<String>,
}

impl Kept {
    /// The first line of a checkpoint names its log. One of neither log is compared with the gate's, and fails.
    fn read(site: &Site, paths: &[PathBuf]) -> Result<Self, Failure> {
        let exec = LogFolder::at(&site.exec_log()).verifier().ok();
        let mut kept = Self::default();
        for path in paths {
            let bytes = regular_file::read(path, DOCUMENT_MAX_BYTES).on("read", path)?;
            let note = String::from_utf8_lossy(&bytes).into_owned();
            if is_no_note(&note) {
                let message = format!("{} is not a checkpoint.", path.display());
                let hint = "`gatepost audit checkpoint -o plain` writes one; keep it elsewhere as it is.";
                return Err(Failure::usage(message, hint));
            }
            let is_of_exec = exec.as_ref().is_some_and(|key| note.lines().next() == Some(key.name()));
            if is_of_exec { &mut kept.exec } else { &mut kept.gate }.push(note);
        }
        Ok(kept)
    }
}

/// Whether a text lacks the form of a signed note: a text that ends with a line feed, an empty line, and signatures.
fn is_no_note(text: &str) -> bool {
    !text.split_once("\n\n").is_some_and(|(_, signatures)| signatures.starts_with("\u{2014} "))
}

/// The result of one attempt.
#[derive(PartialEq, Eq)]
struct Audit {
    decisions: Option<u64>,
    steps: Option<u64>,
    flaws: Vec<Flaw>,
}

/// The flaws of a site's records and items; the work of running watchers is not a flaw.
fn settled(site: &Site, kept: &Kept) -> Result<Audit, Fault> {
    let mut audit = look(site, kept)?;
    for _ in 1..LOOKS_MAX {
        if audit.flaws.is_empty() {
            break;
        }
        thread::sleep(PAUSE);
        let again = look(site, kept)?;
        let is_settled = again == audit;
        audit = again;
        if is_settled {
            break;
        }
    }
    Ok(audit)
}

fn look(site: &Site, kept: &Kept) -> Result<Audit, Fault> {
    // Before the gate's: a judged request had ended.
    let exec = Keeper::Exec.has_left(site).then(|| record::check(site, Keeper::Exec, &kept.exec));
    let gate = record::check(site, Keeper::Gate, &kept.gate);
    let mut flaws = gate.flaws;
    let decisions = gate.checkpoint.map(|checkpoint| checkpoint.size);
    // A changed or truncated record is no evidence.
    let is_whole = decisions == Some(gate.decisions.count());
    let leaves = exec.as_ref().map_or(&[][..], |exec| &exec.set_aside);
    let is_sound = exec.as_ref().is_some_and(|exec| exec.flaws.is_empty()) && is_whole;
    // Without a record there is nothing to compare items with.
    if decisions.is_some() {
        let items = quarantine::items(site)?;
        let mut found = items::check(site, &gate.decisions, &items, Refused { leaves, is_sound })?;
        // What part of the log says that cannot be read is not known to be missing there.
        found.retain(|flaw| is_whole || flaw.kind != Kind::Added);
        flaws.extend(found);
    }
    let Some(exec) = exec else { return Ok(Audit { decisions, steps: None, flaws }) };
    if is_sound {
        // A result that the gate's log shows to be altered is not named again.
        let is_named = |flaw: &Flaw| flaws.iter().any(|named| Path::new(&named.place).starts_with(&flaw.place));
        let mut steps = steps::check(site, &exec.steps, &gate.decisions);
        steps.retain(|flaw| !is_named(flaw));
        flaws.extend(steps);
    }
    flaws.extend(exec.flaws);
    Ok(Audit { decisions, steps: exec.checkpoint.map(|checkpoint| checkpoint.size), flaws })
}

#[cfg(test)]
mod tests;
