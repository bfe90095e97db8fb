//! `gatepost approve` without ids: one screen and one key press for each waiting request.
//!
//! *Security*: everything shown is hostile input. Only a line typed on the terminal counts as an answer.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use gatepost_exec::context::Context;
use gatepost_exec::mailbox::decision::{self, Decision, Kind};
use gatepost_exec::mailbox::recovery;
use gatepost_mailbox::order::reason_fault;
use rustix::termios::{QueueSelector, tcflush};

use super::super::pending::Pending;
use crate::cli::prelude::*;

/// The most bytes of an answer; the rest of a longer line is discarded.
const LINE_BYTES_MAX: usize = 4096;

/// A person's answer on one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Approve,
    Deny,
    Skip,
    Quit,
}

impl Answer {
    fn read(line: &str) -> Option<Self> {
        Some(match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Self::Approve,
            "n" | "no" => Self::Deny,
            "s" | "skip" => Self::Skip,
            "q" | "quit" => Self::Quit,
            _ => return None,
        })
    }
}

/// Checks that there is a terminal for the questions.
pub(super) fn expect_terminal() -> Result<(), Failure> {
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        return Ok(());
    }
    let message = "Cannot review requests: standard input or standard error is not a terminal.";
    let hint = "Name the requests: gatepost approve ID. `gatepost list --state pending` lists those that wait.";
    Err(Failure::usage(message, hint))
}

/// Shows each request that waits for this person; `approve` signs one. Returns the ids of the denied requests.
pub(super) fn run(
    context: &Context,
    person: &str,
    mut approve: impl FnMut(&Pending) -> Result<(), Failure>,
) -> Result<Vec<String>, Failure> {
    let ids = recovery::ids(&context.site.pending())?;
    let mut denied = Vec::new();
    for (number, id) in (1..).zip(&ids) {
        // Another approver may have been faster.
        let pending = match Pending::read(context, id) {
            Ok(pending) if pending.is_approved_by(person) => continue,
            Ok(pending) => pending,
            Err(failure) => {
                say(&format!("{id}: {}\n", failure.message))?;
                continue;
            }
        };
        say(&format!("Request {number} of {}\n\n{}\n{}\n", ids.len(), pending.described(), pending.facts()))?;
        match ask(id)? {
            Answer::Approve => match unchanged(context, &pending).and_then(|()| approve(&pending)) {
                Ok(()) => say("Signed.\n\n")?,
                Err(failure) => say(&format!("Not approved: {}\n\n", failure.message))?,
            },
            Answer::Deny => {
                let Some(reason) = ask_reason()? else { break };
                match unchanged(context, &pending).and_then(|()| deny(context, id, reason)) {
                    Ok(()) => denied.push(id.to_string()),
                    Err(failure) => say(&format!("Not denied: {}\n\n", failure.message))?,
                }
            }
            Answer::Skip => say("\n")?,
            Answer::Quit => break,
        }
    }
    Ok(denied)
}

/// Checks that a request still waits, and would run as it was shown.
fn unchanged(context: &Context, shown: &Pending) -> Result<(), Failure> {
    let now = Pending::read(context, &identifier::whole(&shown.request_id)?)?;
    if now.decision.is_none() && now.review_sha256 == shown.review_sha256 {
        return Ok(());
    }
    let message = format!("The request {} changed, or somebody decided it, after it was shown.", shown.request_id);
    let hint = "Review it again.";
    Err(Failure::new(ErrorCode::ConcurrentModification, FailureKind::Usage, message, hint))
}

fn deny(context: &Context, id: &RequestId, reason: String) -> Result<(), Failure> {
    if decision::order(&context.site, id, &Decision::new(Kind::Deny, reason, id))? {
        return say("Denied.\n\n");
    }
    let message = "Somebody decided it before.";
    Err(Failure::new(ErrorCode::ConcurrentModification, FailureKind::Usage, message, "Review it again."))
}

fn ask(id: &RequestId) -> Result<Answer, Failure> {
    while let Some(line) = line(&format!("Approve {id}? [y]es, [n]o (deny), [s]kip, [q]uit: "))? {
        if let Some(answer) = Answer::read(&line) {
            return Ok(answer);
        }
    }
    Ok(Answer::Quit)
}

fn ask_reason() -> Result<Option<String>, Failure> {
    while let Some(line) = line("Reason (the requester reads it): ")? {
        let reason = line.trim();
        match reason_fault(reason) {
            None => return Ok(Some(reason.to_owned())),
            Some(fault) => say(&format!("The reason {fault}.\n"))?,
        }
    }
    Ok(None)
}

/// A line that is typed after its question is shown; none at the end of input.
fn line(prompt: &str) -> Result<Option<String>, Failure> {
    let terminal = Path::new("/dev/stdin");
    // Input typed before the question is discarded.
    tcflush(io::stdin(), QueueSelector::IFlush).map_err(io::Error::from).on("read", terminal)?;
    say(prompt)?;
    let mut line = Vec::new();
    let mut byte = [0];
    // Byte by byte: it must not read past the line.
    while rustix::io::retry_on_intr(|| rustix::io::read(io::stdin(), &mut byte))
        .map_err(io::Error::from)
        .on("read", terminal)?
        == 1
    {
        if byte == *b"\n" {
            return Ok(Some(String::from_utf8_lossy(&line).into_owned()));
        }
        if line.len() < LINE_BYTES_MAX {
            line.extend(byte);
        }
    }
    Ok(None)
}

fn say(text: &str) -> Result<(), Failure> {
    Ok(io::stderr().lock().write_all(text.as_bytes()).on("write to", Path::new("/dev/stderr"))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_word_that_means_so_approves() {
        for (line, answer) in [
            ("y\n", Some(Answer::Approve)),
            (" YES \n", Some(Answer::Approve)),
            ("n\n", Some(Answer::Deny)),
            ("s\n", Some(Answer::Skip)),
            ("q\n", Some(Answer::Quit)),
            ("\n", None),
            ("yy\n", None),
            ("approve\n", None),
        ] {
            assert_eq!(Answer::read(line), answer, "{line:?}");
        }
    }
}
