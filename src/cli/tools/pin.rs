//! `gatepost tools pin`: records the reviewed state of tools, which must not change.

use std::sync::Arc;

use gatepost_documents::pins::Pins;
use gatepost_exec::pins::{self, PinFile, State};
use gatepost_exec::step_error::StepError;
use gatepost_exec::toolbox::{Tool, Toolbox};

use super::inspect::find;
use crate::cli::prelude::*;

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  gatepost tools pin --dry-run      the unpinned tools, and the changed ones\n  \
    gatepost tools pin sha256_sum     pin one tool as it is now")]
pub(crate) struct Arguments {
    /// The tools; all that pass their check if none is named.
    #[arg(value_name = "TOOL", value_parser = identifier::tool)]
    names: Vec<String>,
    /// Show what would be pinned, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Pinned {
    dry_run: bool,
    effect: Effect,
    tools: Vec<Row>,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    name: String,
    effect: Effect,
    /// Differences from the previous pin, one clause for each.
    differences: Vec<String>,
}

impl View for Pinned {
    fn text(&self) -> String {
        let mut text = String::new();
        for Row { name, effect, differences } in &self.tools {
            let word = match effect {
                Effect::Created => "was pinned",
                Effect::WouldCreate => "would be pinned",
                Effect::Updated => "changed, and was pinned again",
                Effect::WouldUpdate => "changed, and would be pinned again",
                _ => "is already pinned",
            };
            text += &format!("{name} {word}\n");
            text += &differences.iter().map(|difference| format!("  {difference}\n")).collect::<Vec<_>>().concat();
        }
        if text.is_empty() { "No tools to pin.\n".to_owned() } else { text }
    }
}

/// The pins of a site.
pub(super) fn read(site: &Site) -> Result<Arc<Pins>, Failure> {
    PinFile::of(site).read().map_err(|error| match error {
        StepError::Refused(reasons) => Failure::refused(ErrorCode::ConfigInvalid, "keys/pins.toml", reasons),
        StepError::Fault(fault) => fault.into(),
    })
}

pub(super) fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let toolbox = Toolbox::at(site);
    let tools: Vec<Arc<Tool>> = if arguments.names.is_empty() {
        toolbox.all()?.into_iter().filter_map(|(_, reading)| reading.ok()).collect()
    } else {
        arguments.names.iter().map(|name| find(&toolbox, name)).collect::<Result<_, _>>()?
    };
    let mut pins = Arc::unwrap_or_clone(read(site)?);
    let mut rows = Vec::new();
    for tool in tools {
        let files = toolbox.files(&tool.manifest)?.listed;
        let state = pins::state(&pins, &tool, &files);
        let effect = match state {
            State::Pinned => Effect::Noop,
            State::Changed(_) => Effect::Updated,
            State::Unpinned => Effect::Created,
        };
        let name = tool.manifest.name().to_owned();
        pins.tool.insert(name.clone(), pins::pin(&tool, &files));
        let effect = effect.or_would(arguments.dry_run);
        rows.push(Row { name, effect, differences: state.into_differences() });
    }
    if !arguments.dry_run && rows.iter().any(|row| row.effect != Effect::Noop) {
        PinFile::of(site).write(&pins)?;
    }
    let effect = Effect::of_all(rows.iter().map(|row| row.effect));
    Ok(Outcome::done(&Pinned { dry_run: arguments.dry_run, effect, tools: rows }))
}
