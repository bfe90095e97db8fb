//! `gatepost approve` without ids: each request that waits, one screen each, and a key for each.
//!
//! *Security*: strangers named all that is shown. Nothing counts as an answer but a line that a person types on the terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::Path;

use gatepost_exec::context::Context;
use gatepost_exec::mailbox::decision::{self, Decision, Kind};
use gatepost_exec::mailbox::recovery;
use gatepost_mailbox::order::reason_fault;

use super::super::pending::Pending;
use crate::cli::prelude::*;

/// What a person says about one request.
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

/// That there is somebody to ask.
pub(super) fn expect_terminal() -> Result<(), Failure> {
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        return Ok(());
    }
    let message = "Cannot review requests: standard input or standard error is no terminal.";
    let hint = "Name the requests: gatepost approve ID. `gatepost list --state pending` lists those that wait.";
    Err(Failure::usage(message, hint))
}

/// Shows each request that waits for a person; `approve` signs one. Returns the ids of those that were denied.
pub(super) fn run(
    context: &Context,
    mut approve: impl FnMut(&Pending) -> Result<(), Failure>,
) -> Result<Vec<String>, Failure> {
    let ids = recovery::ids(&context.site.pending())?;
    let mut denied = Vec::new();
    for (number, id) in (1..).zip(&ids) {
        // Another approver may have been faster.
        let pending = match Pending::read(context, id) {
            Ok(pending) => pending,
            Err(failure) => {
                say(&format!("{id}: {}\n", failure.message))?;
                continue;
            }
        };
        say(&format!("Request {number} of {}\n\n{}\n", ids.len(), pending.text()))?;
        match ask()? {
            Answer::Approve => match approve(&pending) {
                Ok(()) => say("Approved.\n\n")?,
                Err(failure) => say(&format!("Not approved: {}\n\n", failure.message))?,
            },
            Answer::Deny => {
                let Some(reason) = ask_reason()? else { break };
                let decision = Decision { decision: Kind::Deny, reason };
                let is_first = decision::order(&context.site, id, &decision)?;
                say(if is_first { "Denied.\n\n" } else { "Somebody decided it before.\n\n" })?;
                denied.extend(is_first.then(|| id.to_string()));
            }
            Answer::Skip => say("\n")?,
            Answer::Quit => break,
        }
    }
    Ok(denied)
}

fn ask() -> Result<Answer, Failure> {
    loop {
        match line("Approve? [y]es, [n]o (deny), [s]kip, [q]uit: ")? {
            None => return Ok(Answer::Quit),
            Some(line) => {
                if let Some(answer) = Answer::read(&line) {
                    return Ok(answer);
                }
            }
        }
    }
}

fn ask_reason() -> Result<Option<String>, Failure> {
    while let Some(line) = line("Why, in a sentence that the requester reads: ")? {
        let reason = line.trim();
        match reason_fault(reason) {
            None => return Ok(Some(reason.to_owned())),
            Some(fault) => say(&format!("The reason {fault}.\n"))?,
        }
    }
    Ok(None)
}

/// A line that is typed; none at the end of input.
fn line(prompt: &str) -> Result<Option<String>, Failure> {
    say(prompt)?;
    let mut line = String::new();
    let count = io::stdin().lock().read_line(&mut line).on("read", Path::new("/dev/stdin"))?;
    Ok((count > 0).then_some(line))
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
