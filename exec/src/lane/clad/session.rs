//! The backend `session`: an interactive program on a terminal, which gets the interactions of a request one after the other.
//!
//! The stdout is everything that the terminal showed. Each answer is a range of it, and the text of the answer becomes results. Other
//! output (a banner, the text after the last answer) is in stdout only. When all lines are sent and the session is not kept open, or an
//! interaction gets no answer, TOOL-EXEC sends no more and ends the program's input.
//!
//! *Security*: the program is hostile; see [`crate::dialogue`]. *Standards*: ToolClad, "Session Mode".

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use gatepost_contract::manifest::{self, Manifest};
use gatepost_documents::digest::Hasher;
use gatepost_documents::evidence::{self, Failure, FailureCode, Status, StopReason};
use gatepost_documents::id::RequestId;
use gatepost_mailbox::fault::{Fault, OnPath};
use serde_json::{Value, json};

use super::command::TOOLS;
use super::{Execution, Interaction, Part, continuation, results};
use crate::authorize::{Authorized, Record};
use crate::dialogue::{Dialogue, Exchange, Settings, Trouble};
use crate::environment;
use crate::lane::ending::failure;
use crate::lane::run::{self, Program};
use crate::lane::run_outcome::{Invocation, RunOutcome};
use crate::sessions::{Asked, Session};

/// The most bytes of text in the results of all interactions of a request together.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// Runs the session, or the request's part of it.
pub(super) fn run(
    execution: &Execution<'_>,
    session: &manifest::Session,
    authorized: &Authorized,
    invocation: Invocation,
) -> Result<RunOutcome, Fault> {
    let Execution { context, plan, place, scan_id, secrets } = *execution;
    if let Part::Continues { id, closes } = &plan.part {
        return continuation::run(execution, (id, *closes), authorized, invocation);
    }
    let manifest = &plan.tool.manifest;
    let mut workplace = execution.workplace()?;
    let tools = workplace.show(context.toolbox.folder(), Path::new(TOOLS));
    workplace.connect(plan.network.as_ref(), place.cancel)?;
    let is_kept_open = plan.part == Part::Opens;
    let began = ((context.clock)(), plan.limits.clone(), session.bounds.interactions_max);
    let dialogue = Dialogue::new(settings(manifest, session, is_kept_open), Vec::new());
    let talk = Session::new(plan.terms(authorized.requester()), began, place.staging.stdout(), dialogue);
    let talk = Arc::new(talk.on("make a terminal for", place.work)?);
    let guard = match is_kept_open.then(|| context.sessions.open(plan.request_id.clone(), Arc::clone(&talk))) {
        Some(Err(reason)) => return Ok(RunOutcome::not_started(invocation, &[reason])),
        guard => guard,
    };
    talk.prepare(asked(&plan.interactions, None, authorized));
    let program = Program {
        name: manifest.name(),
        argv: &session.startup.iter().map(|word| found(word, &tools)).collect::<Vec<_>>(),
        environment: &environment::for_tool(workplace.inside(), manifest.name(), scan_id, Vec::new()),
        input: None,
        console: Some(talk.console()),
        success_exit_codes: &[],
        limits: &plan.limits,
        secrets,
    };
    let outcome = run::run(context, &workplace, &program, invocation, place);
    drop(guard);
    let (asked, exchanges, trouble) = talk.finish();
    let mut outcome = outcome?;
    if outcome.ending.is_none() {
        return Ok(outcome);
    }
    let transcript = Transcript { manifest, began: talk.began, exchanges: &exchanges, asked: &asked, part_at: None };
    transcript.judge(&mut outcome, trouble);
    if outcome.results.is_ok() && !talk.was_closed() {
        let message = "The tool ended while its session was open.".to_owned();
        let hint = "See the section Stdout for its output; open another session.";
        outcome.results = Err(failure(FailureCode::ToolFailed, "interact", manifest.name(), message, hint));
    }
    transcript.record_in(&place.staging.stdout(), &mut outcome)?;
    Ok(outcome)
}

/// A word of the startup command; maps a path below `/tools` to this level's path.
fn found(word: &str, tools: &Path) -> OsString {
    match Path::new(word).strip_prefix(TOOLS) {
        Ok(below) => tools.join(below).into(),
        Err(_) => word.into(),
    }
}

/// The lines to send, each with its request.
pub(super) fn asked(
    interactions: &[Interaction],
    request_id: Option<&RequestId>,
    authorized: &Authorized,
) -> Vec<Asked> {
    let asked = |(interaction, record): (&Interaction, Record)| Asked {
        request_id: request_id.cloned(),
        record,
        command: interaction.command.clone(),
        arguments: interaction.shown(),
        line: interaction.line.clone(),
    };
    interactions.iter().zip(authorized.records()).map(asked).collect()
}

/// No interaction takes longer than a session may be idle.
fn settings(manifest: &Manifest, session: &manifest::Session, is_kept_open: bool) -> Settings {
    let seconds = |count: u32| Duration::from_secs(count.into());
    Settings {
        ready: session.ready_pattern.clone(),
        error: session.error_pattern.clone(),
        silence: Duration::from_millis(session.output_wait_ms.into()),
        startup: seconds(session.bounds.startup_timeout_seconds),
        answer: seconds(manifest.interaction_seconds().min(session.bounds.idle_timeout_seconds)),
        answer_bytes_max: session.output_bytes_max as usize,
        text_bytes_max: TEXT_BYTES_MAX,
        idle: is_kept_open.then(|| seconds(session.bounds.idle_timeout_seconds)),
    }
}

/// The exchanges of a session.
pub(super) struct Transcript<'a> {
    pub(super) manifest: &'a Manifest,
    /// When its program started.
    pub(super) began: DateTime<Utc>,
    pub(super) exchanges: &'a [Exchange],
    pub(super) asked: &'a [Asked],
    /// The offset of the kept part in the program's output, bytes; none if all of it is kept.
    pub(super) part_at: Option<u64>,
}

impl Transcript<'_> {
    /// Decides whether the session failed, and why. Ignores the exit code, which for many programs reflects the last line only.
    pub(super) fn judge(&self, outcome: &mut RunOutcome, trouble: Option<Trouble>) {
        let name = self.manifest.name();
        let answered = self.exchanges.iter().filter(|exchange| exchange.answer.is_some()).count();
        let Some(ending) = &mut outcome.ending else { return };
        let place = match answered {
            0 if self.exchanges.is_empty() => "before its first interaction".to_owned(),
            _ if answered == self.asked.len() => "after its last interaction".to_owned(),
            _ => format!("at interaction {} of {}", answered + 1, self.asked.len()),
        };
        if let Some(trouble) = trouble {
            let code = match trouble {
                Trouble::NotReady | Trouble::NoAnswer => FailureCode::Timeout,
                Trouble::TooMuch => FailureCode::OutputLimit,
            };
            ending.exit_code = -1;
            ending.stop_reason =
                if code == FailureCode::Timeout { StopReason::Timeout } else { StopReason::MaxBudgetReached };
            let message = format!("The tool {trouble}, {place}.");
            outcome.anomalies.push(message.clone());
            let hint = match trouble {
                Trouble::TooMuch => "See the section Stdout for its output; ask for less at a time.",
                Trouble::NotReady | Trouble::NoAnswer => {
                    "See the section Stdout. If it ends with a prompt, such as a continuation prompt, ask for that prompt to be \
                     added to ready_pattern; else ask for less at a time, or for higher limits."
                }
            };
            outcome.results = Err(failure(code, "interact", name, message, hint));
        } else if let Err(failure) = &mut outcome.results {
            failure.message = format!("{} This was {place}.", failure.message);
        } else if answered < self.asked.len() {
            let message = match self.part_at {
                Some(_) => {
                    ending.exit_code = -1;
                    format!("The session ended, {place}.")
                }
                None => format!("The tool ended with exit code {}, {place}.", ending.exit_code),
            };
            let hint = if self.exchanges.is_empty() {
                "It received no input; see the section Stdout for its output."
            } else {
                "See the section Stdout for its output; an unanswered interaction may have had effects."
            };
            outcome.results = Err(failure(FailureCode::ToolFailed, "interact", name, message, hint));
        } else if ending.exit_code == -1 {
            outcome.anomalies.push("The tool did not exit at the end of its input, and was stopped.".to_owned());
        }
    }

    /// Records each sent interaction as evidence. Results that break their schema, or match the manifest's pattern of an error, fail
    /// it, and the session.
    pub(super) fn record_in(&self, stdout: &Path, outcome: &mut RunOutcome) -> Result<(), Fault> {
        let is_timeout = outcome.results.as_ref().is_err_and(|failure| failure.code == FailureCode::Timeout);
        let unanswered = if is_timeout { Status::Timeout } else { Status::Error };
        let mut interactions = Vec::new();
        let mut output = File::open(stdout).on("open", stdout)?;
        for ((number, exchange), asked) in (1..).zip(self.exchanges).zip(self.asked) {
            let Kept { output_hash, output_offset, output_bytes } =
                self.kept(&mut output, exchange).on("read", stdout)?;
            let results = self.results(number, exchange);
            let (status, results) = match results {
                // Its text is in the result of the request that sent it.
                Some(_) if asked.request_id.is_some() => {
                    let is_error = exchange.answer.as_ref().is_some_and(|answer| answer.is_error);
                    (if is_error { Status::Error } else { Status::Success }, Value::Null)
                }
                Some(Ok(results)) => (Status::Success, results),
                Some(Err(broken)) => {
                    if outcome.results.is_ok() {
                        outcome.results = Err(broken);
                    }
                    (Status::Error, Value::Null)
                }
                None => (unanswered, Value::Null),
            };
            if exchange.answer.as_ref().is_some_and(|answer| answer.is_cut) {
                let sentence = "hold only the beginning of its output; stdout holds all of it";
                outcome.anomalies.push(format!("The results of interaction {number} {sentence}."));
            }
            let at = self.began + TimeDelta::from_std(exchange.at).unwrap_or_default();
            interactions.push(evidence::Interaction {
                request_id: asked.request_id.clone(),
                scan_id: asked.record.scan_id.clone(),
                command: asked.command.clone(),
                arguments: asked.arguments.clone(),
                input: asked.line.clone(),
                policy: asked.record.policy.clone(),
                status,
                timestamp: at.to_rfc3339_opts(SecondsFormat::Millis, true),
                duration_ms: u64::try_from(exchange.took.as_millis()).unwrap_or(u64::MAX),
                output_offset,
                output_bytes,
                output_hash,
                results,
            });
        }
        if let Some(session) = &mut outcome.invocation.session {
            session.interactions = interactions;
        }
        Ok(())
    }

    fn kept(&self, stdout: &mut File, exchange: &Exchange) -> io::Result<Kept> {
        let begin = exchange.raw.start - self.part_at.unwrap_or(0);
        let output_offset = begin.min(stdout.metadata()?.len());
        stdout.seek(SeekFrom::Start(output_offset))?;
        let (digest, output_bytes) = Hasher::read(stdout.take(exchange.raw.end - exchange.raw.start))?;
        Ok(Kept { output_hash: format!("sha256:{digest}"), output_offset, output_bytes })
    }

    /// The results of an answered interaction. *Source* of their form: ToolClad, "Session Mode".
    fn results(&self, number: usize, exchange: &Exchange) -> Option<Result<Value, Failure>> {
        let answer = exchange.answer.as_ref()?;
        let results = json!({
            "prompt": answer.prompt,
            "output": answer.output,
            "session_state": "ready",
            "interaction_count": number,
        });
        if answer.is_error {
            let message = format!("The answer to interaction {number} of {} reports an error.", self.asked.len());
            let hint = "Its text matches error_pattern of the manifest; see the section Stdout.";
            return Some(Err(failure(FailureCode::ToolFailed, "interact", self.manifest.name(), message, hint)));
        }
        Some(results::checked(self.manifest, results))
    }
}

/// The stored part of an answer: stdout has a limit.
struct Kept {
    output_hash: String,
    output_offset: u64,
    output_bytes: u64,
}
