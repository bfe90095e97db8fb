//! `gatepost deny` ends a waiting request; `gatepost cancel` also stops one that runs.

use gatepost_exec::mailbox::decision::{self, Decision, Kind};
use gatepost_mailbox::life::Results;
use gatepost_mailbox::order::reason_fault;

use super::pending::{expect, expect_unanswered};
use crate::cli::prelude::*;

/// `gatepost deny` and `gatepost cancel`.
pub(super) const DECLARATIONS: [Declaration; 2] = [
    Declaration::mutating("deny", data::<Decided>)
        .answers_each("results", "request_id")
        .writes(&[Write::ORDER])
        .takes_ids()
        .fails(DECIDING),
    Declaration::mutating("cancel", data::<Decided>)
        .answers_each("results", "request_id")
        .writes(&[Write::ORDER, Write::CANCEL])
        .takes_ids()
        .fails(DECIDING),
];

/// The failures of a decision.
const DECIDING: &[ErrorCode] = &[ErrorCode::RequestNotFound, ErrorCode::ConcurrentModification];

#[derive(Debug, clap::Args)]
pub(super) struct DenyArguments {
    #[command(flatten)]
    requests: identifier::Requests,
    /// Why, in a sentence; the requester reads it.
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Check everything, and decide nothing.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct CancelArguments {
    #[command(flatten)]
    requests: identifier::Requests,
    /// Why, in a sentence.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Check everything, and decide nothing.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
struct Decided {
    decision: Kind,
    effect: Effect,
    #[serde(flatten)]
    each: Each<One>,
}

#[derive(Serialize, JsonSchema)]
struct One {
    request_id: String,
    effect: Effect,
    /// The earlier decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Kind>,
}

impl View for Decided {
    fn text(&self) -> String {
        let what = self.decision.done();
        let next = match self.decision {
            Kind::Cancel => "TOOL-EXEC stops it and answers",
            Kind::Deny | Kind::Close => "TOOL-EXEC answers it with a refusal",
        };
        let one = |one: &One| match (one.before, one.effect) {
            (Some(before), _) => format!("{}  was already {}\n", one.request_id, before.done()),
            (None, Effect::Created) => format!("{}  {what}; {next}\n", one.request_id),
            (None, _) => format!("{}  would be {what}\n", one.request_id),
        };
        self.each.results.iter().map(one).collect()
    }
}

pub(super) fn deny(
    site: &Site,
    DenyArguments { requests, reason, dry_run }: &DenyArguments,
) -> Result<Outcome, Failure> {
    decide(site, requests, (Kind::Deny, Some(reason)), *dry_run)
}

pub(super) fn cancel(
    site: &Site,
    CancelArguments { requests, reason, dry_run }: &CancelArguments,
) -> Result<Outcome, Failure> {
    decide(site, requests, (Kind::Cancel, reason.as_deref()), *dry_run)
}

fn decide(
    site: &Site,
    requests: &identifier::Requests,
    (kind, reason): (Kind, Option<&str>),
    dry_run: bool,
) -> Result<Outcome, Failure> {
    if let Some(message) = reason.and_then(|reason| fault_of(reason, kind)) {
        return Err(Failure::usage(message, "Say in a sentence why."));
    }
    let ids = requests.read()?;
    for id in &ids {
        if answered_so(site, id).is_none() {
            match kind {
                Kind::Cancel => expect_unanswered(site, id)?,
                Kind::Deny | Kind::Close => expect(site, id)?,
            }
        }
    }
    let mut results = Vec::new();
    for id in &ids {
        let mut before = decision::ordered_of(site, id).or_else(|| answered_so(site, id));
        let mut effect = Effect::Noop;
        if before.is_none() {
            effect = Effect::Created.or_would(dry_run);
            if !dry_run && !decision::order(site, id, &Decision::new(kind, reason.unwrap_or_default(), id))? {
                (before, effect) = (decision::ordered_of(site, id), Effect::Noop);
            }
        }
        results.push(One { request_id: id.to_string(), effect, before });
    }
    let effect = Effect::of_all(results.iter().map(|one| one.effect));
    Ok(Outcome::done(&Decided { decision: kind, effect, each: Each::well(results) }))
}

/// Why a reason cannot be used. It becomes part of the result, which the gate judges.
fn fault_of(reason: &str, kind: Kind) -> Option<String> {
    if let Some(fault) = reason_fault(reason) {
        return Some(format!("The reason cannot be used: it {fault}."));
    }
    let message = format!("Somebody {} the request: {}.", kind.done(), quoted(reason));
    let found = gatepost_gate::of_own_words(&message).into_iter().next()?;
    Some(format!("The gate would reject a result with this reason: {}", found.message))
}

/// The decision that already answered the request, if it was one of these; repeating it changes nothing.
fn answered_so(site: &Site, id: &RequestId) -> Option<Kind> {
    let progress = Results::of(site, id).ok()?.progress(site, id).ok()??;
    let error = progress.evidence?.error?;
    let is_denied = error.reasons.iter().any(|reason| reason.code == Code::RequestDenied);
    is_denied.then_some(Kind::Deny).or_else(|| error.is_cancellation().then_some(Kind::Cancel))
}
