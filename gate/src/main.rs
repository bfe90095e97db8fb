//! `gatepost-gate judge BUNDLE…`: judges bundles where they lie and prints one verdict a line, as JSON.
//!
//! Copies nothing, moves nothing and knows no site: rules that need a site's memory are not run.
//!
//! Exit status: 0 every bundle was accepted, 79 one was rejected, 2 the arguments were refused, 1 a bundle could not be
//! read. Security: the bundles are hostile; before the first is read, all is given up but to read them, as far as the machine
//! offers that. The verdict says what held.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use gatepost_documents::verdict::Decision;
use gatepost_gate::confinement::{Confinement, Demand, Held};
use gatepost_gate::facts::Facts;
use gatepost_gate::submission::Kind;
use gatepost_gate::{failure, intake, judge, limits::Limits};

const REJECTED: u8 = 79;
const USAGE: u8 = 2;
const FAULT: u8 = 1;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    match arguments.split_first() {
        Some((command, bundles)) if command == "judge" && !bundles.is_empty() => judge_all(bundles),
        _ => {
            let _ = writeln!(io::stderr(), "usage: gatepost-gate judge BUNDLE...");
            ExitCode::from(USAGE)
        }
    }
}

/// A bundle that cannot be read does not hold up the others; the worst outcome is the exit status.
fn judge_all(bundles: &[std::ffi::OsString]) -> ExitCode {
    failure::hide_words_of_panics();
    let held = match Confinement::reading(bundles).enter(Demand::BestEffort) {
        Ok(held) => held,
        Err(lack) => {
            let _ = writeln!(io::stderr(), "gatepost-gate: {lack}");
            return ExitCode::from(FAULT);
        }
    };
    let (mut rejected, mut failed) = (false, false);
    for bundle in bundles {
        match judge_one(Path::new(bundle), &held) {
            Ok(decision) => rejected |= decision == Decision::Reject,
            // The reader went away: nobody is left to tell.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::from(FAULT),
            Err(error) => {
                failed = true;
                let _ = writeln!(io::stderr(), "gatepost-gate: failed to judge {}: {error}", bundle.display());
            }
        }
    }
    match (failed, rejected) {
        (true, _) => ExitCode::from(FAULT),
        (false, true) => ExitCode::from(REJECTED),
        (false, false) => ExitCode::SUCCESS,
    }
}

fn judge_one(path: &Path, held: &Held) -> io::Result<Decision> {
    // A path such as "." has no name of its own; a symbolic link is judged as what it is.
    let path = if path.file_name().is_some() { path.to_owned() } else { path.canonicalize()? };
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let source = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let submission = intake::take_in(Kind::Bundle, source, name, None, &Limits::default())?;
    let now = std::time::SystemTime::now().into();
    let verdict = judge::judge(&submission, &Facts { confinement: Some(held.clone()), ..Facts::without_site(now) });
    writeln!(io::stdout(), "{}", serde_json::to_string(&verdict)?)?;
    Ok(verdict.verdict)
}
