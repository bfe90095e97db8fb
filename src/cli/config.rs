//! `gatepost config`: the effective values of a site's two configuration files with their sources, or all of their errors.
//!
//! Possible secrets are hidden: literal words in `env` and `headers` of an MCP server, which should be references.

use std::fs;
use std::io;
use std::path::PathBuf;

use crate::cli::prelude::*;
use gatepost_contract::config::{Config, Reading};
use gatepost_gate::policy::Policy;
use gatepost_mailbox::site::{CONFIG_FILE, GATE_CONFIG_FILE};
use serde::de::DeserializeOwned;
use toml::{Table, Value};

/// `gatepost config`
pub(super) const DECLARATION: Declaration =
    Declaration::safe("config", data::<Effective>).fails(&[ErrorCode::ConfigInvalid]);

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  gatepost config              every key, its value and its source\n  \
    gatepost config --changed    only the keys that the files set\n  gatepost init --print-config=gate.toml")]
pub(super) struct Arguments {
    /// Show only the keys that the files set.
    #[arg(long)]
    changed: bool,
}

#[derive(Serialize, JsonSchema)]
struct Effective {
    directory: String,
    files: Vec<ConfigFile>,
}

#[derive(Serialize, JsonSchema)]
struct ConfigFile {
    path: PathBuf,
    /// A missing file leaves every key at its default.
    exists: bool,
    values: Vec<Setting>,
}

#[derive(Serialize, JsonSchema)]
struct Setting {
    key: String,
    value: serde_json::Value,
    /// `default` or `file`.
    source: &'static str,
}

impl View for Effective {
    fn text(&self) -> String {
        let file = |file: &ConfigFile| {
            let missing = if file.exists { "" } else { " (missing: every key has its default)" };
            let row =
                |setting: &Setting| vec![setting.key.clone(), setting.value.to_string(), setting.source.to_owned()];
            let rows: Vec<Vec<String>> = file.values.iter().map(row).collect();
            let rows = if rows.is_empty() { String::new() } else { table(&["key", "value", "source"], &rows) };
            format!("{}{missing}\n{rows}", file.path.display())
        };
        self.files.iter().map(file).collect::<Vec<_>>().join("\n")
    }
}

/// Checks that `gate.toml` is valid, or reports all errors; the gate itself reports only the first.
pub(super) fn check_policy(site: &Site) -> Result<(), Failure> {
    let mut faults = Vec::new();
    file::<Policy>(site.gate_config_file(), GATE_CONFIG_FILE, &mut faults)?;
    if faults.is_empty() {
        return Ok(());
    }
    Err(Failure::refused(ErrorCode::ConfigInvalid, GATE_CONFIG_FILE, faults))
}

pub(super) fn run(site: &Site, arguments: &Arguments) -> Result<Outcome, Failure> {
    let mut faults = Vec::new();
    let files = [
        file::<Config>(site.config_file(), CONFIG_FILE, &mut faults)?,
        file::<Policy>(site.gate_config_file(), GATE_CONFIG_FILE, &mut faults)?,
    ];
    let mut files = Vec::from(files);
    if arguments.changed {
        for file in &mut files {
            file.values.retain(|setting| setting.source == "file");
        }
    }
    let directory = site.root().display().to_string();
    let effective = Effective { directory, files };
    if faults.is_empty() {
        return Ok(Outcome::done(&effective));
    }
    // A single error keeps its place.
    let file = faults.first().and_then(|one| one.file.clone()).filter(|_| faults.len() == 1);
    let target = file.as_deref().unwrap_or("The configuration");
    Err(Failure::refused(ErrorCode::ConfigInvalid, target, faults))
}

/// A configuration whose errors can all be reported.
trait Readable: DeserializeOwned + Serialize + JsonSchema + Default {
    /// The value, or all errors of the text.
    fn read(text: &str, file: &str) -> Result<Self, Vec<Reason>>;
}

impl Readable for Config {
    fn read(text: &str, file: &str) -> Result<Self, Vec<Reason>> {
        Self::parse(text, file)
    }
}

impl Readable for Policy {
    fn read(text: &str, file: &str) -> Result<Self, Vec<Reason>> {
        const HINT: &str =
            "Run `gatepost init --print-config=gate.toml` to see every key with its meaning and default.";
        let first = match Self::parse(text) {
            Ok(policy) => return Ok(policy),
            Err(first) => first,
        };
        // The gate reports only the first error; its reader decides whether the file is valid.
        let faults = Reading::<Self>::of(text, file, HINT).faults;
        Err(if faults.is_empty() { vec![first] } else { faults })
    }
}

fn file<T: Readable>(path: PathBuf, name: &str, faults: &mut Vec<Reason>) -> Result<ConfigFile, Failure> {
    let text = match fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => {
            let message = format!("{name} cannot be read: {error}.");
            let reason = Reason::new(Code::ValueInvalid, message, "Make it a readable UTF-8 file.");
            return Err(Failure::refused(ErrorCode::ConfigInvalid, name, vec![reason]));
        }
    };
    let (exists, text) = (text.is_some(), text.unwrap_or_default());
    let value = T::read(&text, name).unwrap_or_else(|found| {
        faults.extend(found);
        T::default()
    });
    let (all, own) = (Table::try_from(&value).unwrap_or_default(), text.parse::<Table>().unwrap_or_default());
    let mut values = Vec::new();
    for (section, value) in &all {
        settings(section, value, own.get(section), &mut values);
    }
    Ok(ConfigFile { path, exists, values })
}

/// The settings of a table, one per line; a table without settings of its own is one line.
fn settings(key: &str, value: &Value, own: Option<&Value>, settings_found: &mut Vec<Setting>) {
    match value {
        Value::Table(table) if !table.is_empty() => {
            for (name, value) in table {
                settings(&format!("{key}.{name}"), value, own.and_then(|own| own.get(name)), settings_found);
            }
        }
        value => {
            let source = if own.is_some() { "file" } else { "default" };
            let value = if is_hidden(key, value) {
                "(not shown)".into()
            } else {
                serde_json::to_value(value).unwrap_or_default()
            };
            settings_found.push(Setting { key: key.to_owned(), value, source });
        }
    }
}

/// Whether a value could be a secret: a word for a server that is not a reference.
fn is_hidden(key: &str, value: &Value) -> bool {
    let is_of_server = key.starts_with("mcp.servers.") && (key.contains(".env.") || key.contains(".headers."));
    is_of_server && !value.as_str().is_some_and(|text| text.contains("{_secret:"))
}
