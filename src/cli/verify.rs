//! `gatepost verify`: everything about a bundle that can be checked without the site that it came from.

use std::path::{Path, PathBuf};

use chrono::Utc;
use gatepost_gate::accepted;
use gatepost_gate::fault::OnPath;
use gatepost_gate::intake;
use gatepost_gate::judge;
use gatepost_gate::limits::Limits;
use gatepost_gate::quarantine::reasons_list;
use gatepost_gate::verdict::{Decision, Verdict};
use serde::Serialize;

use super::exit;
use super::outcome::{Failure, Outcome, View};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Result bundles: TS-… folders, as they lie in outbox/ or core/inbound/.
    #[arg(required = true)]
    bundles: Vec<PathBuf>,
}

#[derive(Serialize)]
pub struct Verified {
    verdicts: Vec<Verdict>,
}

impl View for Verified {
    fn text(&self) -> String {
        let mut text = String::new();
        for verdict in &self.verdicts {
            let word = if verdict.verdict == Decision::Accept { "sound" } else { "NOT SOUND" };
            text += &format!(
                "{word}  {}  ({} files, {} bytes)\n",
                verdict.result_id, verdict.checks.files, verdict.checks.bytes
            );
            text += &reasons_list(&verdict.reasons);
        }
        text
    }
}

pub fn run(arguments: &Arguments) -> Result<Outcome, Failure> {
    let verdicts = arguments.bundles.iter().map(|path| judge_in_place(path)).collect::<Result<Vec<_>, _>>()?;
    let reasons: Vec<_> = verdicts.iter().flat_map(|verdict| verdict.reasons.clone()).collect();
    let unsound = verdicts.iter().filter(|verdict| verdict.verdict == Decision::Reject).count();
    let verified = Verified { verdicts };
    if unsound == 0 {
        return Ok(Outcome::done(&verified));
    }
    let message = format!("{unsound} of {} bundles are not sound.", verified.verdicts.len());
    let hint = reasons.first().map_or_else(String::new, |reason| reason.hint.clone());
    Ok(Outcome::failed(&verified, Failure::new(exit::REJECTED, "RESULT_REJECTED", "policy", message, hint)))
}

/// Judges a bundle where it lies, with the gate's rules but for those that need the site's knowledge.
pub fn judge_in_place(path: &Path) -> Result<Verdict, Failure> {
    let path = path.canonicalize().on("find", path)?;
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Failure::usage(format!("{} is no bundle.", path.display()), "Name a TS-… folder."));
    };
    let mut bundle = intake::take_in(folder, name, None, &Limits::default()).on("read", &path)?;
    let faults = accepted::set_verdict_aside(&mut bundle);
    let mut verdict = judge::judge(&bundle, None, Utc::now());
    verdict.reasons.splice(0..0, faults);
    verdict.verdict = Verdict::decide(&verdict.reasons);
    Ok(verdict)
}
