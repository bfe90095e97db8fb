//! `gatepost batch`: several invocations, one per line; each answer is a document on one line.
//!
//! ```text
//! {"argv": ["list", "--limit", "5"]}
//! {"argv": ["show", "TR-20260209-160501Z-stats"]}
//! ```
//!
//! The claw contract, with one document per invocation, has no batches. Each invocation is its own process, because a
//! command may confine itself or end by a signal. *Standards*: CLI Agent Spec, REQ-O-050.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::iter;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::{Value, json};

use super::command_tree;
use super::declarations;
use super::presentation::OUTPUT_VARIABLE;
use super::stdin;
use super::words::Words;
use crate::cli::prelude::*;
use gatepost_mailbox::site::SITE_VARIABLE;

/// `gatepost batch`
pub(super) const DECLARATION: Declaration = Declaration::mutating("batch", data::<Ended>)
    .starts(&[Subprocess::INVOCATION])
    .anywhere()
    .takes_stdin()
    .fails(&[ErrorCode::InvalidJson, ErrorCode::PartialFailure, ErrorCode::StreamingNotSupported]);

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Each line of standard input is an invocation: {\"argv\": [\"list\", \"--limit\", \"5\"]}. Each is answered \
                  with a line: its document, with _line, the number of the line. The last line is the outcome of the batch.\n\
    Examples:\n  gatepost batch < calls.jsonl\n  gatepost batch --ignore-errors --dry-run < calls.jsonl"
)]
pub(super) struct Arguments {
    /// Continue after a failure.
    #[arg(long)]
    ignore_errors: bool,
    /// Pass --dry-run to each.
    #[arg(long)]
    dry_run: bool,
}

/// One line of standard input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    argv: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Ended {
    summary: Summary,
    /// How many lines were skipped after a failure.
    skipped: usize,
}

impl View for Ended {
    fn text(&self) -> String {
        let Summary { succeeded, failed, .. } = self.summary;
        format!("{succeeded} succeeded, {failed} failed, {} left out\n", self.skipped)
    }
}

pub(super) fn run(at: Option<&Path>, arguments: &Arguments) -> Result<Outcome, Failure> {
    let bytes = stdin::read("The batch", "Pipe invocations in, one a line: {\"argv\": [\"list\"]}")?;
    let calls = calls(&bytes, arguments.dry_run)?;
    let mut ended = Vec::new();
    for (number, argv) in &calls {
        let (document, succeeded) = carry_out(at, argv)?;
        ended.push(succeeded);
        let is_read = print(*number, document)?;
        if !is_read || !(succeeded || arguments.ignore_errors) {
            break;
        }
    }
    let skipped = calls.len() - ended.len();
    let ended = Ended { summary: Summary::of(ended), skipped };
    if ended.summary.failed == 0 {
        return Ok(Outcome::done(&ended));
    }
    let Summary { total, failed, .. } = ended.summary;
    let message = format!("{failed} of the {total} invocations that ran failed.");
    let hint = "Each line's document says why; --ignore-errors continues after a failure.";
    Ok(Outcome::failed(&ended, Failure::new(ErrorCode::PartialFailure, FailureKind::Usage, message, hint)))
}

/// The invocations, with their line numbers. One invalid line prevents all of them.
fn calls(bytes: &[u8], is_dry_run: bool) -> Result<Vec<(usize, Vec<String>)>, Failure> {
    let root = super::root();
    let mut calls = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let wrong = |message: String, hint: &str| {
            let failure = Failure::usage(message, hint).during("parse_batch", format!("line {number}"));
            Failure { code: ErrorCode::InvalidJson, kind: FailureKind::Parse, ..failure }
        };
        let Line { mut argv } = serde_json::from_slice(line).map_err(|_| {
            let hint = "Write an object with argv, a list of words: {\"argv\": [\"list\", \"--limit\", \"5\"]}.";
            wrong(format!("Line {number} is not an invocation."), hint)
        })?;
        if argv.iter().any(|word| word.contains('\0')) {
            let hint = "Remove the NUL: no program takes such an argument.";
            return Err(wrong(format!("Line {number} has a NUL character in a word."), hint));
        }
        let words = iter::once("gatepost").chain(argv.iter().map(String::as_str)).map(OsString::from);
        let path = Words::of(&root, &words.collect::<Vec<OsString>>()).path;
        let declaration = declarations::find(&path);
        let goes_on = path == "list" && argv.iter().any(|word| word == "--follow");
        if goes_on || declaration.is_some_and(|declaration| declaration.watches || declaration.path == DECLARATION.path)
        {
            let hint = "Start watchers directly, and put the lines of another batch into this one.";
            return Err(wrong(format!("Line {number} calls `{path}`, which a batch cannot run."), hint));
        }
        let end_of_flags = argv.iter().position(|word| word == "--").unwrap_or(argv.len());
        let flags = &argv[..end_of_flags];
        if is_dry_run && command_tree::find(&root, &path).is_some_and(command_tree::has_dry_run) {
            if !flags.iter().any(|word| word == "--dry-run") {
                argv.insert(end_of_flags, "--dry-run".to_owned());
            }
        } else if is_dry_run && declaration.is_some_and(|declaration| declaration.danger != Danger::Safe) {
            let message = format!("Line {number} calls `{path}`, which has no dry run.");
            return Err(wrong(message, "Remove the line, or leave out --dry-run."));
        }
        calls.push((number, argv));
    }
    Ok(calls)
}

/// The document of an invocation, and whether it succeeded.
fn carry_out(at: Option<&Path>, argv: &[String]) -> Result<(Value, bool), Failure> {
    let program = std::env::current_exe().on("find", Path::new("/proc/self/exe"))?;
    let mut command = Command::new(&program);
    // Flags in the line override these variables.
    command.args(argv).env(OUTPUT_VARIABLE, "json");
    if let Some(site) = at {
        command.env(SITE_VARIABLE, site);
    }
    let ended = command.stdin(Stdio::null()).stderr(Stdio::null()).output().on("start", &program)?;
    let document = serde_json::from_slice(&ended.stdout);
    // Output of another standard, such as SARIF, or without JSON, is embedded as text.
    let document = match document {
        Ok(document @ Value::Object(_)) => document,
        _ => json!({"ok": ended.status.success(), "text": String::from_utf8_lossy(&ended.stdout)}),
    };
    Ok((document, ended.status.success()))
}

/// Prints a document. Returns whether the reader still reads.
fn print(number: usize, mut document: Value) -> Result<bool, Failure> {
    document["_line"] = number.into();
    let mut stdout = io::stdout();
    let printed = writeln!(stdout, "{document}").and_then(|()| stdout.flush());
    match printed {
        // The reader has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        printed => Ok(printed.map(|()| true).on("write", Path::new("/dev/stdout"))?),
    }
}
