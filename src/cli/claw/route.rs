//! `gatepost route`: the tools of the site and our own commands, ranked for a prompt.
//!
//! It runs nothing and asks no model; `score.rs` defines the ranking.

use gatepost_contract::manifest::Manifest;

use super::registry;
use super::score::{Prompt, Subject};
use super::tools;
use crate::cli::prelude::*;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Each match has a score from 0 to 1: the share of the prompt's words that the name, the arguments or the\n\
    description of a tool or command has. Equal scores are in the order of names.\n\
    Example:\n  gatepost route 'count the lines of a file' --limit 3"
)]
pub(crate) struct Arguments {
    /// The task, in words.
    prompt: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Routed<'a> {
    prompt: &'a str,
    /// Show at most this many; 0 shows all.
    limit: usize,
    match_count: usize,
    matches: Vec<Match>,
    #[serde(skip)]
    more: String,
}

/// A tool or command that fits a prompt.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Match {
    /// `tool` or `command`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// From 0.01 to 1, in hundredths.
    pub score: f64,
    /// The file that it comes from.
    pub source_hint: String,
}

impl View for Routed<'_> {
    fn text(&self) -> String {
        if self.matches.is_empty() {
            return "No tool or command has a word of the prompt. `gatepost tool-pool` and `gatepost help` list them.\n"
                .to_owned();
        }
        let row = |one: &Match| {
            vec![one.kind.to_owned(), one.name.clone(), format!("{:.2}", one.score), one.source_hint.clone()]
        };
        table(&["kind", "name", "score", "source"], &self.matches.iter().map(row).collect::<Vec<_>>()) + &self.more
    }
}

pub(super) fn run(site: Option<&Site>, Arguments { prompt }: &Arguments, bounds: &Bounds) -> Result<Outcome, Failure> {
    let (matches, pagination) = bounds.window.of(matches(site, prompt)?, |found| found.name.as_str())?;
    let limit = if bounds.window.limit == usize::MAX { 0 } else { bounds.window.limit };
    let routed = Routed { prompt, limit, match_count: matches.len(), matches, more: pagination.hint() };
    Ok(Outcome::done(&routed).on_page(pagination))
}

/// Every tool and command that a word of the prompt matches, best first.
pub(super) fn matches(site: Option<&Site>, prompt: &str) -> Result<Vec<Match>, Failure> {
    let prompt = Prompt::new(prompt);
    let mut ranked = Vec::new();
    let mut add = |kind, name: &str, subject: &Subject, source_hint: String| {
        let hundredths = subject.hundredths(&prompt);
        if hundredths > 0 {
            ranked.push((
                hundredths,
                Match { kind, name: name.to_owned(), score: f64::from(hundredths) / 100.0, source_hint },
            ));
        }
    };
    for tool in site.map(tools::valid).transpose()?.unwrap_or_default() {
        let arguments =
            tool.manifest.with_commands().flat_map(Manifest::arguments).map(|argument| argument.name.as_str());
        let subject = Subject::new(tool.manifest.name(), arguments, tool.manifest.description());
        add("tool", tool.manifest.name(), &subject, tools::source(&tool.path));
    }
    for own in registry::all() {
        let subject =
            Subject::new(&own.name, own.arguments.iter().map(|argument| argument.name.as_str()), &own.responsibility);
        add("command", &own.name, &subject, own.source_hint.to_owned());
    }
    ranked.sort_by(|(left, one), (right, other)| {
        right.cmp(left).then_with(|| one.name.cmp(&other.name)).then_with(|| other.kind.cmp(one.kind))
    });
    Ok(ranked.into_iter().map(|(_, found)| found).collect())
}
