//! `gatepost demo`: real watchers, real drops, and a table of the outcomes.
//!
//! It uses the site only through its folders, like a requester, a tool or an attacker. Its files stay there.

mod approver;
mod drops;

use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, Instant};

use chrono::Utc;
use gatepost_contract::config::{ApprovalMode, Config};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_exec::layout;
use gatepost_mailbox::keys;
use gatepost_mailbox::life::{Progress, RequestState, Results};
use gatepost_mailbox::lock::Lock;
use gatepost_mailbox::log::Log;
use gatepost_sandbox::process;
use gatepost_signatures::Namespace;

use super::sibling;
use super::up;

use crate::cli::prelude::*;
use approver::Approver;
use drops::Drops;

/// Both watchers, the programs that they start, and the approver.
const STARTS: &[Subprocess] = &[Subprocess::EXEC, Subprocess::GATE, Subprocess::TOOL, Subprocess::SSH_KEYGEN];

/// `gatepost demo`
pub(super) const DECLARATION: Declaration = Declaration::mutating("demo", data::<Demo>)
    .writes(&[Write::SITE, Write::temporary("gatepost-demo-"), Write::CONTROL_GROUPS])
    .starts(STARTS)
    .fails(&[
        ErrorCode::ConfigInvalid,
        ErrorCode::DemoFailed,
        ErrorCode::WatcherEnded,
        ErrorCode::LockHeld,
        ErrorCode::ProgramMissing,
    ]);

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Show what the watchers log.
    #[arg(long)]
    verbose: bool,
}

/// One line of the table.
#[derive(Serialize, JsonSchema)]
struct Case {
    title: &'static str,
    expected: &'static str,
    found: String,
    ok: bool,
    path: PathBuf,
}

#[derive(Serialize, JsonSchema)]
struct Demo {
    effect: Effect,
    directory: PathBuf,
    cases: Vec<Case>,
}

impl View for Demo {
    fn text(&self) -> String {
        let row = |case: &Case| {
            let path = case.path.strip_prefix(&self.directory).unwrap_or(&case.path);
            let mark = if case.ok { "as expected" } else { "NOT AS EXPECTED" };
            vec![case.title.to_owned(), case.found.clone(), mark.to_owned(), path.display().to_string()]
        };
        let rows: Vec<_> = self.cases.iter().map(row).collect();
        format!(
            "{}\nAll files are in {}. Read the TS-….md of a result, and the REASONS.md of a quarantined item.\n",
            table(&["dropped", "outcome", "", "see"], &rows),
            self.directory.display()
        )
    }
}

pub(super) fn run(at: Option<&Path>, arguments: &Arguments) -> Result<Outcome, Failure> {
    let Open { site, config } = site::open(at)?;
    layout::complete(&site)?;
    let (runs_commands, is_believed) = (runs_commands(&config), config.approval.mode == ApprovalMode::Declared);
    let approver = if runs_commands && !is_believed { Approver::new(&site)? } else { None };
    let unapproved = match (runs_commands, is_believed) {
        (true, true) => "accepted: success",
        (true, false) if keys::path(&site, Namespace::Approval).exists() => "pending: ",
        _ => "accepted: REQUEST_REFUSED",
    };
    let watchers = Watchers::start(&site, !arguments.verbose)?;
    let cases = cases(&Drops::new(&site, Utc::now()), approver.as_ref(), unapproved)?;
    drop((watchers, approver));
    let unexpected = cases.iter().filter(|case| !case.ok).count();
    let demo = Demo { effect: Effect::Created, directory: site.root().to_owned(), cases };
    if unexpected == 0 {
        return Ok(Outcome::done(&demo));
    }
    let message = format!("{unexpected} of {} cases did not end as expected.", demo.cases.len());
    let hint = "Run it again with --verbose to see what the watchers log.";
    Ok(Outcome::failed(&demo, Failure::new(ErrorCode::DemoFailed, FailureKind::Runtime, message, hint)))
}

/// Statistics over the demo's CSV, as one line.
const STATISTICS: &str = "python3 -c \"import csv; print(sum(float(row['temperature'] or 0) for row in \
                          csv.DictReader(open('/in/weather.csv'))))\"";

/// Whether Python command lines run here once they count as approved.
fn runs_commands(config: &Config) -> bool {
    let sandbox = &config.sandbox;
    let is_held =
        || matches!(gatepost_sandbox::strongest(sandbox.minimum, sandbox.maximum), Ok((SandboxLevel::Full, _)));
    process::installed("python3".as_ref()).is_some() && is_held()
}

fn cases(drops: &Drops<'_>, approver: Option<&Approver>, unapproved: &'static str) -> Result<Vec<Case>, Failure> {
    let counted = drops.line_count("demo-count")?;
    let copied = drops.csv_stats_copied("demo-copied")?;
    let failing = drops.call("demo-failing", "fail_with", &[("status", "3")])?;
    let slow = drops.call("demo-slow", "sleep_for", &[("duration", "30s")])?;
    let hostile = drops.call("demo-hostile", "hostile_output", &[])?;
    let wrong = drops.call("demo-wrong", "fail_with", &[("status", "many"), ("force", "yes")])?;
    let escape = drops.call("demo-escape", "line_count", &[("file", "../../../etc/passwd")])?;
    let link = drops.symlink("demo-link")?;
    let chained = drops.command("demo-chained", "echo safe && rm -rf /", "alice")?;
    let command = drops.command("demo-command", STATISTICS, "mallory")?;

    let answered = |id: &RequestId, title, expected| {
        let progress = until(|| Ok(progress(drops.site, id)?.filter(Progress::is_final)))?;
        Ok::<_, Failure>(case(title, expected, progress))
    };
    let mut cases = vec![
        answered(&counted, "line count, with its input file, renamed in", "accepted: success")?,
        answered(&copied, "statistics over a CSV, copied in by hand", "accepted: success")?,
        answered(&failing, "a tool that fails", "accepted: TOOL_FAILED")?,
        answered(&hostile, "a tool whose output attacks its reader", "rejected")?,
        answered(&wrong, "two wrong arguments", "accepted: REQUEST_REFUSED")?,
        answered(&escape, "a path that leaves the inputs", "accepted: REQUEST_REFUSED")?,
        answered(&chained, "a command line that chains another", "accepted: REQUEST_REFUSED")?,
        answered(&link, "a symbolic link to /etc/passwd", "quarantined: symlink")?,
        answered(&slow, "a tool that takes too long", "accepted: TIMEOUT")?,
    ];
    cases.push(if let Some(approver) = approver {
        let is_pending =
            || Ok(progress(drops.site, &command)?.filter(|progress| progress.state == RequestState::Pending));
        until(is_pending)?;
        approver.approve(drops.site, &command)?;
        answered(&command, "a command line that waited until it was approved", "accepted: success")?
    } else {
        let is_settled = |progress: &Progress| progress.is_final() || progress.state == RequestState::Pending;
        let progress = until(|| Ok(progress(drops.site, &command)?.filter(is_settled)))?;
        case("a command line that only says it was approved", unapproved, progress)
    });
    cases.push(resubmitted(drops, &counted)?);
    cases.push(reused_id(drops, &counted)?);
    cases.push(tampered(drops, &counted)?);
    Ok(cases)
}

fn case(title: &'static str, expected: &'static str, progress: Option<Progress>) -> Case {
    let found = progress
        .as_ref()
        .map_or("nothing within 60 s".to_owned(), |progress| format!("{}: {}", progress.state, progress.outcome()));
    Case {
        title,
        expected,
        // Any of the content rules may match first.
        ok: found == expected || found.strip_prefix(expected).is_some_and(|rest| rest.starts_with(": ")),
        found,
        path: progress.map(|progress| progress.path).unwrap_or_default(),
    }
}

/// The same request again: it does not run twice.
fn resubmitted(drops: &Drops<'_>, id: &RequestId) -> Result<Case, Failure> {
    let dropped = drops.line_count(id.as_str())?;
    until(|| Ok((!drops.is_in_inbox(&dropped)).then_some(())))?;
    let results = drops.results(id)?;
    let found = format!("known: {} result", results.len());
    let path = results.into_iter().next().unwrap_or_default();
    let expected = "known: 1 result";
    Ok(Case { title: "the first request once more", expected, ok: found == expected, found, path })
}

/// The same id with other bytes: quarantined, and nothing runs.
fn reused_id(drops: &Drops<'_>, id: &RequestId) -> Result<Case, Failure> {
    drops.reuse(id)?;
    let item = drops.site.quarantine().join(id.as_str());
    let found = until(|| Ok(Drops::first_code(&item)))?.unwrap_or_default();
    let (title, expected) = ("another request under the first one's id", "quarantined: request_id_reused");
    let found = format!("quarantined: {found}");
    Ok(Case { title, expected, ok: found == expected, found, path: item })
}

/// An accepted bundle, returned to the outbox with one byte changed.
fn tampered(drops: &Drops<'_>, id: &RequestId) -> Result<Case, Failure> {
    let name = drops.tamper(id)?;
    let item = drops.site.quarantine().join(name);
    let found = until(|| Ok(Drops::first_code(&item)))?.unwrap_or_default();
    let (title, expected) = ("its result again, one byte changed", "rejected: sums_mismatch");
    let found = format!("rejected: {found}");
    Ok(Case { title, expected, ok: found == expected, found, path: item })
}

fn progress(site: &Site, id: &RequestId) -> Result<Option<Progress>, Failure> {
    Ok(Results::of(site, id)?.progress(site, id)?)
}

/// Polls until there is a value, for at most a minute.
fn until<T>(mut look: impl FnMut() -> Result<Option<T>, Failure>) -> Result<Option<T>, Failure> {
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        let seen = look()?;
        if seen.is_some() || Instant::now() > deadline {
            return Ok(seen);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The two watchers, stopped on drop.
struct Watchers([Child; 2]);

impl Watchers {
    fn start(site: &Site, quiet: bool) -> Result<Self, Failure> {
        up::check_unwatched(site)?;
        sibling::watchers()?;
        let log = if quiet { Log::SILENT } else { Log::for_stderr() };
        let mut watchers =
            Self([up::start(site, "exec", false, log, false)?, up::start(site, "gate", false, log, false)?]);
        until(|| {
            if watchers.0.iter_mut().any(|child| matches!(child.try_wait(), Ok(Some(_)))) {
                let hint = "Run `gatepost exec` and `gatepost gate` alone to see why.";
                return Err(Failure::new(
                    ErrorCode::WatcherEnded,
                    FailureKind::Runtime,
                    "A watcher ended at once.",
                    hint,
                ));
            }
            let both = [site.exec_lock(), site.gate_lock()].iter().all(|lock| Lock::holder(lock).is_some());
            Ok(both.then_some(()))
        })?;
        Ok(watchers)
    }
}

impl Drop for Watchers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            up::terminate(child.id());
            // A watcher that does not end would outlive the demo, so it waits.
            let _ = child.wait();
        }
    }
}
