//! `gatepost show-command`, `gatepost command-graph`: the callable commands and tools of this program and the site.
//!
//! | member | content |
//! |---|---|
//! | `builtins` | the commands of this program |
//! | `plugin_like` | the tools of the site: the operator's own programs, each behind a manifest |
//! | `skill_like` | the commands of a session or browser, each as `TOOL COMMAND`: abilities within a tool |

use gatepost_contract::nearest::nearest;

use super::registry::{self, Own, OwnArgument};
use super::tools;
use crate::cli::prelude::*;

#[derive(Debug, clap::Args)]
pub(crate) struct ShowArguments {
    /// The command: its words, with spaces or dots between them.
    #[arg(value_name = "COMMAND")]
    name: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Shown {
    found: bool,
    #[serde(flatten)]
    own: Own,
    arguments: Vec<OwnArgument>,
}

impl View for Shown {
    fn text(&self) -> String {
        let Own { name, responsibility, source_hint, .. } = &self.own;
        format!("{name}: {responsibility}\nSource:  {source_hint}\n`gatepost help {name}` shows all of it.\n")
    }
}

pub(super) fn show(ShowArguments { name }: &ShowArguments) -> Result<Outcome, Failure> {
    let own = registry::find(name).ok_or_else(|| unknown(name))?;
    Ok(Outcome::done(&Shown { found: true, arguments: own.arguments.clone(), own }))
}

/// The failure for unknown command words.
pub(crate) fn unknown(name: &str) -> Failure {
    let all = registry::all();
    let near = nearest(name, all.iter().map(|own| own.name.as_str()));
    let hint = Failure::did_you_mean(near, "`gatepost command-graph` lists every command.");
    let message = format!("gatepost has no command {}.", quoted(name));
    Failure::not_found(ErrorCode::CommandNotFound, FailureKind::CommandNotFound, name, message, hint)
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Graph {
    builtins_count: usize,
    plugin_like_count: usize,
    skill_like_count: usize,
    total_count: usize,
    builtins: Vec<Own>,
    plugin_like: Vec<Named>,
    skill_like: Vec<Named>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Named {
    name: String,
    source_hint: String,
    responsibility: String,
}

impl View for Graph {
    fn text(&self) -> String {
        let mut text = "Commands:\n".to_owned();
        text.extend(self.builtins.iter().map(|own| format!("  {:<24}{}\n", own.name, own.responsibility)));
        for (title, named) in [("Tools", &self.plugin_like), ("Commands of sessions and browsers", &self.skill_like)] {
            if !named.is_empty() {
                text += &format!("{title}:\n");
                text.extend(named.iter().map(|one| format!("  {:<24}{}\n", one.name, one.responsibility)));
            }
        }
        text
    }
}

pub(super) fn list(site: Option<&Site>) -> Result<Outcome, Failure> {
    let builtins = registry::all();
    let (mut plugin_like, mut skill_like) = (Vec::new(), Vec::new());
    for tool in site.map(tools::valid).transpose()?.unwrap_or_default() {
        let (manifest, source_hint) = (&tool.manifest, tools::source(&tool.path));
        skill_like.extend(manifest.commands().iter().map(|(name, command)| Named {
            name: format!("{} {name}", manifest.name()),
            source_hint: source_hint.clone(),
            responsibility: command.description().to_owned(),
        }));
        let (name, responsibility) = (manifest.name().to_owned(), manifest.description().to_owned());
        plugin_like.push(Named { name, source_hint, responsibility });
    }
    let counts = [builtins.len(), plugin_like.len(), skill_like.len()];
    let [builtins_count, plugin_like_count, skill_like_count] = counts;
    let total_count = counts.iter().sum();
    Ok(Outcome::done(&Graph {
        builtins_count,
        plugin_like_count,
        skill_like_count,
        total_count,
        builtins,
        plugin_like,
        skill_like,
    }))
}
