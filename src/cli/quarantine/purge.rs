//! `gatepost quarantine purge`: the only thing that deletes what was refused, and only what is past its retention.

use std::fmt::Write as _;
use std::time::Duration;

use chrono::Utc;
use gatepost_gate::policy::Policy;
use gatepost_mailbox::order::{Done, Order, REMOVALS_MAX, Remove};
use gatepost_mailbox::quarantine::Retention;
use gatepost_mailbox::quarantine::{Because, Item, Removal, Removals, Stray, surplus};
use gatepost_mailbox::site::{GATE_CONFIG_FILE, Site};
use schemars::JsonSchema;
use serde::Serialize;

use super::find_all;
use crate::cli::exit;
use crate::cli::failure::Failure;
use crate::cli::order;
use crate::cli::outcome::{Outcome, View};

/// How long the gate may take to log what is removed.
const GATE_TIMEOUT: Duration = Duration::from_mins(1);

#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["dry_run", "yes"])))]
pub struct Arguments {
    /// Only these items; if none is named, all that are past their retention.
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Show what would be removed, and remove nothing.
    #[arg(long)]
    dry_run: bool,
    /// Remove it.
    #[arg(long, visible_alias = "confirm-destructive")]
    yes: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct Purged {
    dry_run: bool,
    retention: Retention,
    items_count: usize,
    items: Vec<Row>,
    /// What lies in the quarantine as if a removal had put it out of sight, and is left as it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    strays: Vec<Stray>,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    item: String,
    effect: &'static str,
    /// Why it is past its retention; absent where it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<Because>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

impl Row {
    fn new(item: &Item, because: Because, effect: &'static str, fault: Option<String>) -> Self {
        Self { item: item.name.clone(), effect, because: Some(because), fault }
    }
}

impl View for Purged {
    fn text(&self) -> String {
        let mut text = String::new();
        if self.items.is_empty() {
            text += "Nothing is past its retention.\n";
        }
        for row in &self.items {
            let word = match (row.effect, row.because, &row.fault) {
                (_, _, Some(fault)) => format!("kept: failed to {fault}"),
                ("deleted", ..) => "removed".to_owned(),
                (_, Some(Because::KeepDays), _) => "past keep_days".to_owned(),
                (_, Some(Because::BytesMax), _) => "beyond bytes_max".to_owned(),
                (_, None, _) => "kept: not past its retention".to_owned(),
            };
            let _ = writeln!(text, "{}: {word}", row.item);
        }
        for stray in &self.strays {
            let word = match &stray.fault {
                None => "left as it is: no removal gives such a name; check it by hand".to_owned(),
                Some(fault) => format!("left from an earlier removal: failed to {fault}"),
            };
            let _ = writeln!(text, "{}: {word}", stray.name);
        }
        text
    }
}

/// What `gate.toml` says about the quarantine.
pub fn retention(site: &Site) -> Result<Retention, Failure> {
    let policy = Policy::read(site)
        .map_err(|reason| Failure::refused(exit::PRECONDITION, "CONFIG_INVALID", GATE_CONFIG_FILE, vec![reason]))?;
    Ok(policy.quarantine)
}

pub fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let retention = retention(site)?;
    let wanted: Vec<Item> = find_all(site, &arguments.ids)?;
    let past = surplus(site, retention, Utc::now())?.items;
    let is_wanted = |item: &Item| wanted.is_empty() || wanted.iter().any(|wanted| wanted.path == item.path);
    let mut items = Vec::new();
    let mut removals = if arguments.yes { Some(Removals::open(site)?) } else { None };
    let chosen: Vec<_> = past.iter().filter(|(item, _)| is_wanted(item)).collect();
    for some in chosen.chunks(REMOVALS_MAX) {
        match &mut removals {
            None => items.extend(some.iter().map(|(item, because)| Row::new(item, *because, "would_delete", None))),
            Some(removals) => items.extend(remove(site, removals, some)?),
        }
    }
    let kept = wanted.iter().filter(|item| !past.iter().any(|(past, _)| past.path == item.path));
    items.extend(kept.map(|item| Row { item: item.name.clone(), effect: "noop", because: None, fault: None }));
    let strays = removals.map_or_else(Vec::new, |removals| removals.strays().to_vec());
    let purged = Purged { dry_run: arguments.dry_run, retention, items_count: items.len(), items, strays };
    Ok(match failure(&purged.items) {
        None => Outcome::done(&purged),
        Some(failure) => Outcome::failed(&purged, failure),
    })
}

/// Has the gate log that these items are removed, and removes them.
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
        let effect = if removed.is_ok() { "deleted" } else { "noop" };
        Row::new(item, *because, effect, removed.err())
    });
    Ok(rows.collect())
}

fn failure(items: &[Row]) -> Option<Failure> {
    let stays = |row: &&Row| row.fault.is_some() || row.because.is_none();
    let count = items.iter().filter(stays).count();
    let first = items.iter().find(stays)?;
    let exit = |alone| if count < items.len() { exit::PARTIAL } else { alone };
    let Some(fault) = &first.fault else {
        let message = format!("{count} items were kept: {} is not past its retention.", first.item);
        let hint = "[quarantine] keep_days and bytes_max of gate.toml say how long items are kept.";
        return Some(Failure::new(exit(exit::DENIED), "POLICY_DENIED", "policy", message, hint));
    };
    let message = format!("{count} items were kept: failed to {fault}.");
    let hint = "Run it as the user who owns the item, or as root.";
    Some(Failure::new(exit(exit::GENERAL), "IO_ERROR", "filesystem", message, hint))
}
