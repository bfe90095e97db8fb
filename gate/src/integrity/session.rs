//! The interactions of a session are those that the request lists, from the first and in order; each answer is the part
//! of stdout that the evidence names.
//!
//! The transcript is rendered again, like the document. *Standards*: `schemas/evidence.schema.md`, Interactions.

use std::fmt::Write as _;

use super::{HINT, arguments};
use crate::bundle::Bundle;
use crate::consistency;
use crate::excerpt::is_replaced;
use crate::manifest::{Command, Manifest, Session};
use crate::request::{Interaction as Asked, Lane, Request};
use gatepost_documents::digest::Digest;
use gatepost_documents::escape::escape;
use gatepost_documents::evidence::{Backend, Evidence, Interaction, Policy, PolicyDecision, Status, TRANSCRIPT_FILE};
use gatepost_documents::reason::{Code, Reason};
use serde_json::Value;

/// Every difference between the session in the evidence and that of request, manifest and artifacts.
pub(super) fn faults(
    bundle: &Bundle,
    evidence: &Evidence,
    request: &Request,
    manifest: Option<&Manifest>,
) -> Vec<Reason> {
    let stated = &evidence.interactions;
    let manifest = manifest.filter(|_| !consistency::is_refusal(evidence));
    let session = manifest.filter(|manifest| !manifest.is_callback).and_then(|manifest| manifest.session.as_ref());
    let id = session.map(|_| request.session_id.as_ref().unwrap_or(&request.id));
    let asked: &[Asked] = match &request.lane {
        Some(Lane::Clad { interactions, .. }) => interactions,
        _ => &[],
    };
    let is_success = evidence.status == Status::Success;
    let is_whole = |one: &Interaction| one.status == Status::Success;
    let transcript = (!stated.is_empty()).then(|| Digest::of(transcript(evidence).as_bytes()));
    let are_asked = |session: &Session| {
        if request.opens_session {
            stated.iter().all(|stated| is_of_other(stated, request, session))
        } else {
            stated.iter().zip(asked).all(|(stated, asked)| is_asked(stated, asked, session))
        }
    };
    let count = if request.opens_session { stated.len() } else { asked.len() };
    let of_request = [
        (
            manifest.is_none_or(|manifest| are_possible(asked, count, manifest.session.as_ref())),
            "The request asks for interactions that its manifest forbids, but TOOL-EXEC did not refuse it.",
        ),
        (stated.len() <= count, "The evidence has more interactions than the request asks for."),
        (
            !is_success
                || session.is_none()
                || request.opens_session
                || (stated.len() == count && stated.iter().all(is_whole)),
            "The status is success although an interaction of the request failed or is missing.",
        ),
        (
            session.is_none_or(are_asked),
            "Neither the request nor one that continues its session may ask for an interaction in the evidence.",
        ),
    ];
    let of_evidence = [
        (evidence.parent_session_id.as_ref() == id, "The session in the evidence differs from that of the request."),
        (session.is_some() || stated.is_empty(), "The evidence has interactions but no session."),
        (
            session.is_none() || evidence.results.is_null(),
            "A session has results of its own besides those of its interactions.",
        ),
        (
            session.and_then(|session| session.startup.as_ref()).is_none_or(|startup| evidence.argv == *startup),
            "The argument vector is not the manifest's startup_command.",
        ),
        (
            evidence.backend == Backend::Fetch || are_there(bundle, stated),
            "An answer differs from the part of stdout that it names.",
        ),
        (bundle.digest_of(TRANSCRIPT_FILE) == transcript, "The transcript differs from the evidence."),
        (stated.iter().all(is_consistent), "An interaction has no time, no hash, or results without success."),
        (
            stated.iter().all(|stated| is_permitted(stated, evidence)),
            "An interaction has no scan id, or the policies did not permit it.",
        ),
    ];
    let broken = |code| move |(holds, message): (bool, &'static str)| (!holds).then_some((code, message));
    let of_request = of_request.into_iter().filter_map(broken(Code::RequestMismatch));
    let of_evidence = of_evidence.into_iter().filter_map(broken(Code::EvidenceMismatch));
    let reason = |(code, message)| Reason::new(code, message, HINT).in_file(consistency::FILE);
    of_request.chain(of_evidence).map(reason).collect()
}

/// Whether a manifest has these commands, and allows this many.
fn are_possible(asked: &[Asked], count: usize, session: Option<&Session>) -> bool {
    let Some(session) = session else { return asked.is_empty() };
    let has = |asked: &Asked| session.commands.contains_key(&asked.command);
    count as u64 <= session.interactions_max && asked.iter().all(has)
}

/// Whether each range ends within stdout, has the digest that is stated, and overlaps none before it.
fn are_there(bundle: &Bundle, stated: &[Interaction]) -> bool {
    let total = bundle.stdout.bytes_total;
    bundle.ranges.len() == stated.len()
        && stated.iter().zip(&bundle.ranges).all(|(stated, digest)| {
            let end = stated.output_offset.checked_add(stated.output_bytes);
            end.is_some_and(|end| end <= total) && stated.output_hash == format!("sha256:{digest}")
        })
}

fn is_consistent(stated: &Interaction) -> bool {
    let is_success = stated.status == Status::Success;
    consistency::time(&stated.timestamp).is_some()
        && stated.status != Status::Delegated
        && (is_success && stated.request_id.is_none()) != stated.results.is_null()
}

/// Whether it has an id, and its policies permitted it and the request; another request has its own policies.
fn is_permitted(stated: &Interaction, evidence: &Evidence) -> bool {
    // In learn mode, the denied parts alone can deny the whole.
    let is_enforced = evidence.learn.is_none();
    let is_own = |own: &Policy| {
        let is_among = |policy| own.policies.contains(policy);
        own.sha256 == stated.policy.sha256 && (!is_enforced || stated.policy.policies.iter().all(is_among))
    };
    consistency::is_scan_id(&stated.scan_id)
        && (!is_enforced || stated.policy.decision == PolicyDecision::Permitted)
        && (stated.request_id.is_some() || evidence.policy.as_ref().is_some_and(is_own))
}

fn is_asked(stated: &Interaction, asked: &Asked, session: &Session) -> bool {
    stated.request_id.is_none()
        && stated.command == asked.command
        && is_possible(stated, session)
        && session
            .commands
            .get(&stated.command)
            .is_some_and(|command| arguments::differing(&stated.arguments, &asked.args, &command.arguments).is_empty())
}

/// Whether another request may have made it. That request's own result states what it was.
fn is_of_other(stated: &Interaction, request: &Request, session: &Session) -> bool {
    let declares = |command: &Command| stated.arguments.keys().all(|name| command.arguments.contains_key(name));
    stated.request_id.as_ref().is_some_and(|id| id.as_str() != request.id)
        && session.commands.get(&stated.command).is_some_and(declares)
        && is_possible(stated, session)
}

fn is_possible(stated: &Interaction, session: &Session) -> bool {
    session.commands.get(&stated.command).is_some_and(|command| stated.input == command.line(&stated.arguments))
}

/// The expected transcript of a session.
fn transcript(evidence: &Evidence) -> String {
    let id = evidence.parent_session_id.as_deref().unwrap_or_default();
    let shown = |line: &str| escape(line, is_replaced);
    let mut text = format!("Session {} of {}\n", shown(id), shown(&evidence.tool));
    for (number, stated) in (1..).zip(&evidence.interactions) {
        let Interaction {
            request_id, scan_id, command, status, timestamp, duration_ms, input, results, policy, ..
        } = stated;
        let asked_by = request_id.as_ref().map(|id| format!(" for {id}")).unwrap_or_default();
        let (command, timestamp, input) = (shown(command), shown(timestamp), shown(input));
        let (scan_id, decision, policies) = (shown(scan_id), policy.decision, shown(&policy.policies.join(", ")));
        let _ = writeln!(text, "\n{number}. {command}{asked_by}, {timestamp}, {status} after {duration_ms} ms");
        let _ = writeln!(text, "scan {scan_id}, {decision} by {policies}\n> {input}");
        for line in
            results.get("output").or(results.get("content")).and_then(Value::as_str).into_iter().flat_map(str::lines)
        {
            let _ = writeln!(text, "| {}", shown(line));
        }
    }
    text
}
