//! `gatepost quarantine release`

use chrono::Utc;
use gatepost_gate::mailbox::rehearse;
use gatepost_mailbox::order::{Answer, Done, Order, Release, reason_fault};
use gatepost_mailbox::quarantine::{Item, Record};

use super::show::Next;
use super::{Ids, describe_release, find_all, list};
use crate::cli::failure::{self};
use crate::cli::order;
use crate::cli::prelude::*;

const HELP: &str =
    "The codes that may be overridden: secret, executable_payload, policy_claim, instruction, exfil_link, hidden_text";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    ids: Ids,
    /// Why, in one line; recorded with your user name in the verdict and in the gate's log.
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[arg(long = "override", help = HELP, value_name = "CODE", value_delimiter = ',', value_parser = list::code)]
    codes: Vec<Code>,
    /// Judge again and show what would happen; release nothing.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Released {
    dry_run: bool,
    effect: Effect,
    #[serde(flatten)]
    each: Each<Row>,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    effect: Effect,
    #[serde(flatten)]
    answer: Answer,
    /// The next step, if it was not released.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
}

impl View for Released {
    fn text(&self) -> String {
        let mut text = String::new();
        for Row { answer, .. } in &self.each.results {
            text += &format!("{}: {}\n", answer.item, answer.message);
            if let Some(place) = &answer.place {
                text += &format!("  {}\n", place.display());
            }
            if let Some(released) = &answer.released {
                text += &format!("  {}\n", describe_release(released));
            }
        }
        text
    }
}

pub(super) fn run(site: &Site, arguments: &Arguments, bounds: &Bounds) -> Result<Outcome, Failure> {
    if let Some(fault) = reason_fault(&arguments.reason) {
        return Err(Failure::usage(format!("The reason {fault}."), "Say in one line why CORE may have it."));
    }
    if let Some(code) = arguments.codes.iter().find(|code| !code.is_overridable()) {
        let hint = "Only content reasons can be overridden: secret, executable_payload, policy_claim, instruction, exfil_link, hidden_text.";
        let message = format!("{code} cannot be overridden.");
        return Err(
            Failure::new(ErrorCode::PolicyDenied, FailureKind::Policy, message, hint).during("release", code.as_str())
        );
    }
    let mut items = Vec::new();
    for item in find_all(site, &arguments.ids.ids)? {
        let answer = release(site, &item, (arguments, bounds))?;
        let effect = match answer.outcome {
            Done::Released => Effect::Created.or_would(arguments.dry_run),
            _ => Effect::Noop,
        };
        let next = (!answer.outcome.is_good()).then(|| Next::after(&item, &answer, &arguments.reason));
        items.push(Row { effect, answer, next });
    }
    let effect = Effect::of_all(items.iter().map(|row| row.effect));
    let failure = failure(&items);
    let each = Each::of(items, |row| row.answer.outcome.is_good());
    Ok(Outcome::ended(&Released { dry_run: arguments.dry_run, effect, each }, failure))
}

fn release(site: &Site, item: &Item, (arguments, bounds): (&Arguments, &Bounds)) -> Result<Answer, Failure> {
    let Record::Verdict(verdict) = &item.record else {
        let message = "The gate never judged this item, so there is nothing to release: correct it and drop it again.";
        return Ok(Answer::new(&item.name, Done::Refused, message));
    };
    let order = Release {
        item: item.name.clone(),
        bundle_sha256: verdict.bundle_sha256,
        reason: arguments.reason.clone(),
        codes: arguments.codes.clone(),
    };
    if arguments.dry_run {
        return Ok(rehearse(site, &order, rustix::process::getuid().as_raw(), Utc::now())?);
    }
    let mut answers = order::carry_out(site, &Order::Release(order), bounds.timeout)?;
    let unknown = || Answer::new(&item.name, Done::Refused, "The gate gave no answer about this item.");
    Ok(answers.pop().unwrap_or_else(unknown))
}

/// The failure of a call that could not release an item.
fn failure(items: &[Row]) -> Option<Failure> {
    let failed: Vec<&Answer> = items.iter().map(|row| &row.answer).filter(|answer| !answer.outcome.is_good()).collect();
    let [first, ..] = failed.as_slice() else { return None };
    let hint = first.reasons.first().map_or_else(
        || format!("`gatepost quarantine show {}` says what can be done.", first.item),
        |reason| reason.hint.clone(),
    );
    let message = match failed.len() {
        1 => format!("{} was not released. {}", first.item, first.message),
        count => format!("{count} of {} items were not released.", items.len()),
    };
    let code = if failed.len() < items.len() { ErrorCode::PartialFailure } else { ErrorCode::ResultRejected };
    // Flags do not prevent a release.
    let reasons = failed.iter().flat_map(|answer| answer.reasons.iter());
    let errors: Vec<Reason> = reasons.filter(|reason| reason.severity == Severity::Reject).cloned().collect();
    let step = |next: &Next| failure::Next { advice: next.advice.clone(), command: next.command.clone() };
    let next = items.iter().filter_map(|row| row.next.as_ref()).map(step).collect();
    let failure = Failure::new(code, FailureKind::Policy, message, hint).during("release", first.item.clone());
    Some(Failure { next, errors, ..failure })
}
