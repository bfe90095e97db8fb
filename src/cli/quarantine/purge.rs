//! `gatepost quarantine purge`: the only command that deletes refused items, and only after their retention.

use std::fmt::Write as _;
use std::time::Duration;

use chrono::Utc;
use gatepost_gate::policy::Policy;
use gatepost_mailbox::order::{Done, Order, REMOVALS_MAX, Remove};
use gatepost_mailbox::quarantine::Retention;
use gatepost_mailbox::quarantine::{Because, Item, Removal, Removals, Stray, surplus};
use gatepost_mailbox::site::GATE_CONFIG_FILE;

use super::find_all;
use crate::cli::access;
use crate::cli::counted::faulty;
use crate::cli::order;
use crate::cli::prelude::*;

/// The timeout for the gate to log the removals.
const GATE_TIMEOUT: Duration = Duration::from_mins(1);

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Only these items; if none is named, all that are past their retention.
    #[arg(value_name = "ITEM")]
    ids: Vec<String>,
    /// Show what would be removed, and remove nothing.
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    /// Remove the items; without this, the command only shows what it would remove.
    #[arg(long, visible_alias = "confirm-destructive")]
    yes: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Purged {
    /// Whether nothing was to be removed.
    dry_run: bool,
    effect: Effect,
    retention: Retention,
    items_count: usize,
    items: Vec<Row>,
    /// Entries that look like interrupted removals; the command leaves them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    strays: Vec<Stray>,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    item: String,
    effect: Effect,
    /// Why it is past its retention; absent if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<Because>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

impl Row {
    fn new(item: &Item, because: Because, effect: Effect, fault: Option<String>) -> Self {
        Self { item: item.name.clone(), effect, because: Some(because), fault }
    }
}

impl View for Purged {
    fn text(&self) -> String {
        let mut text = String::new();
        if self.items.is_empty() {
            text += "No item is due for removal.\n";
        }
        for row in &self.items {
            let word = match (row.effect, row.because, &row.fault) {
                (_, _, Some(fault)) => format!("kept: failed to {fault}"),
                (Effect::Deleted, ..) => "removed".to_owned(),
                (_, Some(Because::KeepDays), _) => "would be removed: past keep_days".to_owned(),
                (_, Some(Because::BytesMax), _) => "would be removed: beyond bytes_max".to_owned(),
                (_, None, _) => "kept: not past its retention".to_owned(),
            };
            let _ = writeln!(text, "{}: {word}", row.item);
        }
        for stray in &self.strays {
            let word = match &stray.fault {
                None => "left as it is: no removal makes such a name; check it by hand".to_owned(),
                Some(fault) => format!("left from an earlier removal: failed to {fault}"),
            };
            let _ = writeln!(text, "{}: {word}", stray.name);
        }
        text
    }
}

/// The `[quarantine]` settings of `gate.toml`.
pub(super) fn retention(site: &Site) -> Result<Retention, Failure> {
    let policy = Policy::read(site)
        .map_err(|reason| Failure::refused(ErrorCode::ConfigInvalid, GATE_CONFIG_FILE, vec![reason]))?;
    Ok(policy.quarantine)
}

pub(super) fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let retention = retention(site)?;
    let wanted: Vec<Item> = find_all(site, &arguments.ids)?;
    let past = surplus(site, retention, Utc::now())?.items;
    let is_wanted = |item: &Item| wanted.is_empty() || wanted.iter().any(|wanted| wanted.path == item.path);
    let mut items = Vec::new();
    let mut removals = if arguments.yes { Some(Removals::open(site)?) } else { None };
    let chosen: Vec<_> = past.iter().filter(|(item, _)| is_wanted(item)).collect();
    for some in chosen.chunks(REMOVALS_MAX) {
        match &mut removals {
            None => {
                items.extend(some.iter().map(|(item, because)| Row::new(item, *because, Effect::WouldDelete, None)));
            }
            Some(removals) => items.extend(remove(site, removals, some)?),
        }
    }
    let kept = wanted.iter().filter(|item| !past.iter().any(|(past, _)| past.path == item.path));
    items.extend(kept.map(|item| Row { item: item.name.clone(), effect: Effect::Noop, because: None, fault: None }));
    let strays = removals.map_or_else(Vec::new, |removals| removals.strays().to_vec());
    let effect = Effect::of_all(items.iter().map(|row| row.effect));
    let purged = Purged { dry_run: !arguments.yes, effect, retention, items_count: items.len(), items, strays };
    let is_unconfirmed = !arguments.dry_run && !arguments.yes && !purged.items.is_empty();
    let refusal = || is_unconfirmed.then(|| unconfirmed(&purged.items));
    let mut outcome = Outcome::ended(&purged, failure(&purged.items).or_else(refusal));
    outcome.is_preview = purged.dry_run;
    Ok(outcome)
}

/// Makes the gate log the removal of these items, and removes them.
fn remove(site: &Site, removals: &mut Removals, items: &[&(Item, Because)]) -> Result<Vec<Row>, Failure> {
    let uid = rustix::process::getuid().as_raw();
    let plan = |item, because| Removals::plan(item, because, uid, Utc::now()).map_err(|fault| fault.to_string());
    let plans: Vec<_> = items.iter().map(|(item, because)| plan(item, *because)).collect();
    let planned: Vec<Removal> = plans.iter().filter_map(|plan| plan.as_ref().ok().cloned()).collect();
    let order = Order::Remove(Remove { removals: planned });
    let mut answers = order::carry_out(site, &order, Some(GATE_TIMEOUT))?.into_iter();
    let rows = items.iter().zip(plans).map(|((item, because), plan)| {
        let removed = plan.and_then(|removal| match answers.next() {
            Some(answer) if answer.outcome == Done::Logged => {
                removals.remove(item, &removal).map_err(|fault| fault.to_string())
            }
            Some(answer) => Err(format!("log the removal: {}", answer.message)),
            None => Err("log the removal: the gate gave no answer about this item".to_owned()),
        });
        let effect = if removed.is_ok() { Effect::Deleted } else { Effect::Noop };
        Row::new(item, *because, effect, removed.err())
    });
    Ok(rows.collect())
}

/// The removal was not confirmed.
fn unconfirmed(items: &[Row]) -> Failure {
    let message = format!("Nothing was removed. {} would be removed permanently.", counted(items.len(), "item"));
    Failure::usage(message, "Add --yes to remove, or --dry-run to look only.")
}

fn failure(items: &[Row]) -> Option<Failure> {
    let stays = |row: &&Row| row.fault.is_some() || row.because.is_none();
    let count = items.iter().filter(stays).count();
    let first = items.iter().find(stays)?;
    let is_partial = count < items.len();
    let what = faulty(count, items.len(), "item", "was kept", "were kept");
    let (code, kind, message, hint) = match &first.fault {
        None => (
            ErrorCode::PolicyDenied,
            FailureKind::Policy,
            format!("{what} {} is not past its retention.", first.item),
            "[quarantine] keep_days and bytes_max of gate.toml say how long items are kept.",
        ),
        Some(fault) => (
            ErrorCode::IoError,
            FailureKind::Filesystem,
            format!("{what} gatepost failed to {fault}."),
            access::DESCRIBED,
        ),
    };
    let code = if is_partial { ErrorCode::PartialFailure } else { code };
    Some(Failure::new(code, kind, message, hint).during("purge", first.item.clone()))
}
