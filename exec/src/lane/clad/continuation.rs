//! A request that continues an open session: it sends its lines there, and the answer is its own result.
//!
//! Its stdout is the part of the terminal that answers it. Usage, files in `/out` and destinations belong to the result of the session,
//! which ends with the session. The coordinator stops the whole session to cancel such a request, because a sent line cannot be taken
//! back. *Standards*: ToolClad, "Session Mode".

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::time::Instant;

use gatepost_contract::request;
use gatepost_documents::evidence::{Network, NetworkUse, StopReason, Usage};
use gatepost_documents::id::RequestId;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use serde_json::Value;

use super::Execution;
use super::session::{self, Transcript};
use crate::authorize::Authorized;
use crate::dialogue::Exchange;
use crate::lane::ending::cancelled;
use crate::lane::run_outcome::{Ending, Invocation, RunOutcome};
use crate::sessions::{self, Session};

/// The note on the network in the result of a part of a session.
const NETWORK: &str = "The session has a network; its own result lists the destinations that it reached.";

/// Sends the lines to the session `id`, and closes it if requested.
pub(super) fn run(
    execution: &Execution<'_>,
    (id, closes): (&RequestId, bool),
    authorized: &Authorized,
    invocation: Invocation,
) -> Result<RunOutcome, Fault> {
    let Execution { context, plan, place, .. } = *execution;
    if place.cancel.is_fired() {
        let failure = cancelled(&invocation.tool, &invocation.limits);
        return Ok(RunOutcome::new(invocation, None, Err(failure)));
    }
    let found = context.sessions.find(id, &plan.terms(authorized.requester()));
    let found =
        found.and_then(|session| session.listen().map(|all| (session, all)).ok_or_else(|| sessions::unknown(id)));
    let (session, mut all) = match found {
        Ok(found) => found,
        Err(reason) => return Ok(RunOutcome::not_started(invocation, &[reason])),
    };
    let had_started = place.started.replace(true);
    let began = Instant::now();
    let (exchanges, trouble) = match session.ask(session::asked(&plan.interactions, Some(&plan.request_id), authorized))
    {
        Ok(answers) => answers,
        Err(reason) => {
            place.started.set(had_started);
            return Ok(RunOutcome::not_started(invocation, &[reason]));
        }
    };
    if closes {
        session.close();
    }
    let (stdout, stderr) = (place.staging.stdout(), place.staging.stderr());
    durable::create_new(&stderr)?;
    let mut own = durable::create_new(&stdout)?;
    let (offset, stdout_bytes) = copy(&mut all, &exchanges, &mut own).on("write", &stdout)?;
    let usage = Usage { stdout_bytes, ..Usage::default() };
    let mut ending = ending(execution, &session, began, usage);
    let mut results = Ok(Value::Null);
    if place.cancel.is_fired() {
        results = Err(cancelled(&invocation.tool, &ending.limits));
        (ending.exit_code, ending.stop_reason) = (-1, StopReason::Cancelled);
    }
    let mut outcome = RunOutcome::new(invocation, Some(ending), results);
    if plan.asked_network != request::Network::None {
        outcome.anomalies.push(NETWORK.to_owned());
    }
    let transcript = Transcript {
        manifest: &plan.tool.manifest,
        began: session.began,
        exchanges: &exchanges,
        asked: &session::asked(&plan.interactions, None, authorized),
        part_at: Some(offset),
    };
    transcript.judge(&mut outcome, trouble);
    transcript.record_in(&stdout, &mut outcome)?;
    Ok(outcome)
}

/// Copies the answers of these exchanges; returns their offset in the whole output, and their length.
fn copy(all: &mut File, exchanges: &[Exchange], own: &mut File) -> io::Result<(u64, u64)> {
    let (Some(first), Some(last)) = (exchanges.first(), exchanges.last()) else { return Ok((0, 0)) };
    all.seek(SeekFrom::Start(first.raw.start))?;
    let bytes = io::copy(&mut all.take(last.raw.end - first.raw.start), own)?;
    Ok((first.raw.start, bytes))
}

/// The end of a part of a session; confinement and limits are the session's.
fn ending(execution: &Execution<'_>, session: &Session, began: Instant, usage: Usage) -> Ending {
    let used = match execution.plan.asked_network {
        request::Network::None => NetworkUse::None,
        request::Network::Allowlist(_) => NetworkUse::Allowlist,
    };
    Ending {
        exit_code: 0,
        stop_reason: StopReason::Completed,
        duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        usage,
        limits: session.limits.clone(),
        sandbox: execution.context.enforced.clone(),
        network: Network { used, destinations: Vec::new(), refused: Vec::new(), refused_unnamed: 0 },
    }
}
