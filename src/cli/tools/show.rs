//! `gatepost tools show`: one tool, for its requesters and approvers.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gatepost_contract::manifest::Limits;
use gatepost_documents::pins::ToolFile;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_exec::catalog::{Argument, Command};
use gatepost_exec::lane::clad::{own_destinations, secrets_of};
use gatepost_exec::pins;
use gatepost_exec::secrets::Secrets;
use gatepost_exec::toolbox::Toolbox;
use serde_json::Value;

use super::inspect::find;
use super::pin;
use crate::cli::prelude::*;

/// Columns of a terminal.
const WIDTH: usize = 80;
/// The column of the values of a tool's properties.
const VALUES_AT: usize = 12;
/// The indent of an argument.
const INDENT: usize = 2;
/// The indent of an argument's description.
const WORDS_AT: usize = 4;

#[derive(Serialize, JsonSchema)]
pub(super) struct Shown {
    name: String,
    version: String,
    description: String,
    backend: &'static str,
    risk_tier: &'static str,
    approvers: u32,
    idempotent: bool,
    timeout_seconds: u32,
    /// Limits of the manifest that are tighter than the site's.
    limits: BTreeMap<&'static str, u32>,
    /// Whether a request may ask for a network.
    may_have_network: bool,
    /// Whether it then reaches every port of the targets in its arguments.
    reaches_targets: bool,
    /// The destinations of its backend, if the request cannot choose them.
    destinations: Option<Vec<String>>,
    /// The weakest level that it may run at, if it demands more than the site.
    sandbox_minimum: Option<&'static str>,
    /// What it may read in addition to what every tool may read.
    read_only_paths: Vec<String>,
    /// The secrets that it names, and whether each is set for this user.
    secrets: BTreeMap<String, bool>,
    /// The shape of the results in a line; `mcp` has the schema.
    #[serde(skip)]
    results: String,
    manifest: PathBuf,
    manifest_sha256: Digest,
    /// Its other files, as they are now.
    programs: Vec<ToolFile>,
    /// `pinned`, `changed` or `unpinned`.
    pin: &'static str,
    /// Differences from the pin, one clause for each.
    differences: Vec<String>,
    arguments: Vec<Argument>,
    /// The commands of its session or browser.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<Command>,
    mcp: Value,
}

impl View for Shown {
    fn text(&self) -> String {
        let mut text = format!("{} {}\n{}\n", self.name, self.version, wrapped(&self.description, 0));
        for (name, value) in self.properties() {
            text += &format!("{name:<VALUES_AT$}{}", wrapped(&value, VALUES_AT).trim_start());
        }
        for command in &self.commands {
            text += &format!("\nCommand {} ({})\n", command.name, risk(command.risk_tier, command.approvers));
            text += &wrapped(&command.description, INDENT);
            text += &listed(&command.arguments);
        }
        match (self.arguments.as_slice(), self.commands.as_slice()) {
            ([], []) => text + "\nIt takes no arguments.\n",
            ([], _) => text,
            (arguments, _) => text + "\nArguments:\n" + &listed(arguments),
        }
    }
}

/// Arguments, one below the other.
fn listed(arguments: &[Argument]) -> String {
    let mut text = String::new();
    for argument in arguments {
        text += &format!("{:INDENT$}{}  {}\n", "", argument.name, argument.kind());
        for words in [argument.clauses(str::to_owned, quoted).join("; "), argument.description.clone()]
            .iter()
            .filter(|words| !words.is_empty())
        {
            text += &wrapped(words, WORDS_AT);
        }
    }
    text
}

/// `medium, 1 approval`
fn risk(tier: &str, approvers: u32) -> String {
    let approvals = if approvers == 0 { "no approval".to_owned() } else { counted(approvers, "approval") };
    format!("{tier}, {approvals}")
}

impl Shown {
    fn properties(&self) -> Vec<(&'static str, String)> {
        let mut limits = vec![format!("{} s", self.timeout_seconds)];
        limits.extend(self.limits.iter().map(|(name, limit)| format!("{name} {limit}")));
        let network = match (self.destinations.as_deref(), self.may_have_network) {
            (Some([]), _) | (None, false) => "none".to_owned(),
            (Some(own), _) => own.join(", "),
            (None, true) if self.reaches_targets => {
                "the targets in its arguments, and the destinations that a request lists and the site allows".to_owned()
            }
            (None, true) => "the destinations that a request lists and the site allows".to_owned(),
        };
        let set = |(name, is_set): (&String, &bool)| format!("{name} ({})", if *is_set { "set" } else { "not set" });
        let secrets: Vec<String> = self.secrets.iter().map(set).collect();
        let pin = std::iter::once(self.pin).chain(self.differences.iter().map(String::as_str)).collect::<Vec<_>>();
        vec![
            ("backend", self.backend.to_owned()),
            ("risk", risk(self.risk_tier, self.approvers)),
            ("idempotent", if self.idempotent { "yes" } else { "no" }.to_owned()),
            ("limits", limits.join(", ")),
            ("network", network),
            ("sandbox", self.sandbox()),
            ("secrets", if secrets.is_empty() { "none".to_owned() } else { secrets.join(", ") }),
            ("results", self.results.clone()),
            ("manifest", self.manifest.display().to_string()),
            ("sha256", self.manifest_sha256.to_string()),
            ("pin", pin.join("; ")),
        ]
    }

    fn sandbox(&self) -> String {
        let level = match self.sandbox_minimum {
            Some(level) => format!("level {level} or stronger"),
            None => "as the site requires".to_owned(),
        };
        if self.read_only_paths.is_empty() {
            level
        } else {
            format!("{level}; may read {}", self.read_only_paths.join(", "))
        }
    }
}

/// A text in lines that fit a terminal, each indented; a longer word has its own line.
fn wrapped(text: &str, indent: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if indent + line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().fold(String::new(), |text, line| text + &format!("{:indent$}{line}\n", ""))
}

/// The shape of `results` on one line: its type and, for an object, its keys.
fn shape(schema: &Value) -> String {
    let kind = match &schema["type"] {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => "any value".to_owned(),
    };
    let Some(properties) = schema["properties"].as_object() else { return kind };
    let keys: Vec<_> = properties.keys().map(String::as_str).collect();
    format!("{kind} with {}", keys.join(", "))
}

fn own_limits(limits: Limits) -> BTreeMap<&'static str, u32> {
    let Limits { cpu_seconds, memory_mb, stdout_bytes, files } = limits;
    let named = [("cpu", cpu_seconds), ("memory_mb", memory_mb), ("stdout_bytes", stdout_bytes), ("files", files)];
    named.into_iter().filter_map(|(name, limit)| Some((name, limit?))).collect()
}

pub(super) fn show(open: &Open, name: &str) -> Result<Outcome, Failure> {
    let toolbox = Toolbox::at(&open.site);
    let tool = find(&toolbox, name)?;
    let manifest = &tool.manifest;
    let programs = toolbox.files(manifest)?.listed;
    let state = pins::state(&*pin::read(&open.site)?, &tool, &programs);
    let secrets = Secrets::of(&open.config.secrets);
    let own = own_destinations(&open.config, manifest);
    let is_set = |name: &String| Ok((name.clone(), secrets.is_set(name)?));
    Ok(Outcome::done(&Shown {
        name: manifest.name().to_owned(),
        version: manifest.version().to_owned(),
        description: manifest.description().to_owned(),
        backend: manifest.backend().as_str(),
        risk_tier: manifest.risk_tier().as_str(),
        approvers: manifest.approvers(),
        idempotent: manifest.is_idempotent(),
        timeout_seconds: manifest.timeout_seconds(),
        limits: own_limits(manifest.limits()),
        may_have_network: own.as_ref().map_or(manifest.network_mode().is_some(), |own| !own.is_empty()),
        reaches_targets: own.is_none() && manifest.targets_by_route(),
        destinations: own.map(|own| own.iter().map(ToString::to_string).collect()),
        sandbox_minimum: manifest.sandbox().minimum.map(SandboxLevel::as_str),
        read_only_paths: manifest.sandbox().read_only_paths.clone(),
        secrets: secrets_of(&open.config, manifest).iter().map(is_set).collect::<Result<_, Failure>>()?,
        results: manifest.output().map_or_else(|| "none".to_owned(), |output| shape(&output.schema)),
        manifest: tool.path.clone(),
        manifest_sha256: tool.sha256,
        programs,
        pin: state.as_str(),
        differences: state.into_differences(),
        arguments: manifest.arguments().iter().map(Argument::of).collect(),
        commands: manifest.commands().iter().map(Command::of).collect(),
        mcp: manifest.mcp_schema(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_a_terminal_and_no_word_is_broken() {
        let text = format!("{} {}", "word ".repeat(40), "x".repeat(100));
        let lines = wrapped(&text, 12);
        assert!(lines.lines().all(|line| line.chars().count() <= WIDTH || line.trim().len() == 100), "{lines}");
        assert!(lines.lines().all(|line| line.starts_with("            ")) && lines.contains(&"x".repeat(100)));
        assert_eq!(lines.split_whitespace().count(), 41);
    }
}
