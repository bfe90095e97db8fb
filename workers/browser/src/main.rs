//! `gatepost-worker-browser`: drives the browser of a tool through a list of actions. TOOL-EXEC starts it inside the sandbox.
//!
//! The contract with TOOL-EXEC is [`gatepost_workers::browser`]. One page is kept: windows that it opens are closed, its dialogs are
//! dismissed, its downloads are denied. The profile is in the folder for temporary files.
//! *Security*: Chromium and every page are hostile. The proxy decides what a page may reach; Chromium's own sandbox is off, because
//! it runs inside ours. *Standards*: Chrome DevTools Protocol 1.3, `--remote-debugging-pipe`.

mod action;
mod devtools;
mod launch;
mod outline;
mod page;

use std::env;
use std::io::{self, Write};
use std::process::{Child, ExitCode};
use std::thread;
use std::time::{Duration, Instant};

use gatepost_workers::browser::{Action, Assignment, Error, FAILED, NOT_READY, Report, WORKER};
use gatepost_workers::{FAULT, report_error};
use serde_json::Value;

use action::{ALL_TEXT_BYTES_MAX, Found, perform, results};
use devtools::Trouble;
use page::Page;

/// How long a browser may take to end.
const ENDING_MAX: Duration = Duration::from_secs(2);

fn main() -> ExitCode {
    let ended = serde_json::from_reader(io::stdin()).map_err(io::Error::from).and_then(|assignment| drive(&assignment));
    match ended {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            report_error(&format!("{WORKER} failed: {error}"));
            ExitCode::from(FAULT)
        }
    }
}

/// Performs the actions; returns the exit status.
fn drive(assignment: &Assignment) -> io::Result<u8> {
    let began = Instant::now();
    let profile = env::temp_dir().join("profile");
    let (child, connection) = launch::start(&assignment.program, &profile, assignment.proxy.as_deref())?;
    let mut page = match Page::attach(connection, began + Duration::from_millis(assignment.startup_ms)) {
        Ok(page) => page,
        Err(trouble) => {
            report_error(&format!("The browser {trouble}, before its first interaction."));
            return Ok(if trouble == Trouble::Timeout { NOT_READY } else { FAILED });
        }
    };
    let (mut has_succeeded, mut room) = (true, ALL_TEXT_BYTES_MAX);
    for (number, action) in (1..).zip(&assignment.actions) {
        let start = Instant::now();
        let outcome = one(&mut page, (number, action), &mut room, assignment);
        has_succeeded = outcome.is_ok();
        let (error, results) = match outcome {
            Ok(results) => (None, results),
            Err(trouble) => {
                (Some(Error { is_timeout: trouble == Trouble::Timeout, message: trouble.to_string() }), Value::Null)
            }
        };
        report(&Report {
            began_ms: milliseconds(start - began),
            took_ms: milliseconds(start.elapsed()),
            error,
            results,
        })?;
        if !has_succeeded {
            break;
        }
    }
    page.close(Instant::now() + ENDING_MAX);
    wait(child)?;
    Ok(if has_succeeded { 0 } else { FAILED })
}

fn one<W: Write>(
    page: &mut Page<W>,
    (number, action): (usize, &Action),
    room: &mut usize,
    assignment: &Assignment,
) -> Result<Value, Trouble> {
    let deadline = Instant::now() + Duration::from_millis(assignment.action_ms);
    let before = if action.only_reads() { Some(page.load(deadline)?) } else { None };
    let found = perform(page, action, deadline)?;
    let load = before.map_or_else(|| page.load(deadline), Ok)?;
    let found = Found { screenshot: found.screenshot || assignment.screenshots, ..found };
    let results = results(page, number, found, room, deadline)?;
    // Address, text and screenshot must belong to one document.
    if page.load(deadline)? == load {
        Ok(results)
    } else {
        Err(Trouble::Refused("lost the page, which went on to another while it was read".to_owned()))
    }
}

/// Waits a little for the end of the browser; the sandbox kills remaining processes.
fn wait(mut child: Child) -> io::Result<()> {
    let until = Instant::now() + ENDING_MAX;
    while child.try_wait()?.is_none() && Instant::now() < until {
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn report(report: &Report) -> io::Result<()> {
    let mut line = serde_json::to_vec(report)?;
    line.push(b'\n');
    let mut stdout = io::stdout().lock();
    stdout.write_all(&line)?;
    stdout.flush()
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
