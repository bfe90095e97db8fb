//! One run with one fault, and what must hold after it.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::deadline;
use crate::oracle::{Oracle, Trouble};

pub(crate) const WATCHERS: [&str; 2] = ["exec", "gate"];
/// Tools at the level `none`, which leave lines in the log, and at the level `full`.
pub(crate) const LEVELS: [bool; 2] = [false, true];

/// No run of a watcher may take longer, whatever it meets.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Trials on one site before the next is made.
const TRIALS_A_SITE: usize = 40;

/// What fails.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fault {
    pub watcher: &'static str,
    pub walled: bool,
    pub calls: &'static str,
    pub error: &'static str,
    pub nth: u64,
    /// Whether every later call fails too, until the watcher ends.
    pub lasts: bool,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub tried: usize,
    /// Trials in which a call failed at all.
    pub hit: usize,
    pub complaints: Vec<(Fault, String)>,
}

/// A pair of sites on which faults are tried one after another.
pub(crate) struct Bench {
    folder: TempDir,
    oracles: [Option<Oracle>; 2],
    sites: usize,
}

impl Bench {
    pub(crate) fn new() -> Self {
        // Programs run in the folder that tests write to anyway, on the disk that everything else is on.
        Self { folder: tempfile::tempdir().unwrap(), oracles: [None, None], sites: 0 }
    }

    /// Tries one fault after another until the time is up.
    pub(crate) fn try_all(mut self, faults: &[Fault], until: Option<Instant>) -> Findings {
        let mut findings = Findings::default();
        for fault in faults {
            if until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
            findings.tried += 1;
            let (was_hit, complaints) = self.try_one(fault);
            findings.hit += usize::from(was_hit);
            if !complaints.is_empty() {
                findings.complaints.push((fault.clone(), complaints.join("\n    ")));
                self.oracles = [None, None];
            }
            let is_last = until.is_some_and(|until| Instant::now() >= until) || findings.tried == faults.len();
            if is_last || findings.tried.is_multiple_of(TRIALS_A_SITE) {
                let wrong = self.oracles.iter().flatten().flat_map(Oracle::verify).collect::<Vec<_>>();
                findings.complaints.extend(wrong.into_iter().map(|wrong| (fault.clone(), wrong)));
                self.oracles = [None, None];
            }
        }
        findings
    }

    /// Whether the fault was met, and what was wrong after it.
    fn try_one(&mut self, fault: &Fault) -> (bool, Vec<String>) {
        let (trace, said) = (self.folder.path().join("trace"), self.folder.path().join("said"));
        let oracle = self.oracle(fault.walled);
        oracle.drop_each();
        let mut complaints = Vec::new();
        let mut go = |before: &[&str], watcher: &str, must_succeed: bool| {
            let mut command = oracle.site.command(before, &[watcher, "--once"]);
            let status = deadline::run(&mut command, &said, TIMEOUT);
            let is_well = status.is_some_and(|status| status.success() || !must_succeed);
            if !is_well {
                let said = fs::read_to_string(&said).unwrap_or_default();
                complaints.push(format!("{watcher} --once after {before:?} ended with {status:?}: {said}"));
            }
        };
        if fault.watcher == "gate" {
            go(&[], "exec", true);
        }
        let Fault { calls, error, nth, lasts, .. } = fault;
        let when = if *lasts { format!("{nth}+") } else { nth.to_string() };
        let (filter, inject) = (format!("trace={calls}"), format!("inject={calls}:error={error}:when={when}"));
        let log = trace.to_str().unwrap();
        go(&["strace", "-f", "-b", "execve", "-qq", "-o", log, "-e", &filter, "-e", &inject], fault.watcher, false);
        go(&[], "exec", true);
        go(&[], "gate", true);
        let was_hit = fs::read_to_string(&trace).unwrap_or_default().contains("INJECTED");
        complaints.extend(oracle.complaints(Trouble::Faults));
        (was_hit, complaints)
    }

    fn oracle(&mut self, walled: bool) -> &mut Oracle {
        self.sites += 1;
        let (folder, number): (PathBuf, usize) = (self.folder.path().to_owned(), self.sites);
        self.oracles[usize::from(walled)].get_or_insert_with(|| {
            let (root, log) = (folder.join(format!("site-{number}")), folder.join(format!("log-{number}")));
            Oracle::new(root, log, walled)
        })
    }
}
