//! Looking at manifests: list, show, check, schema.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gatepost_documents::digest::Digest;
use gatepost_documents::pins::ToolFile;
use gatepost_documents::reason::Reason;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::quarantine::reasons_list;
use gatepost_mailbox::site::Site;
use serde::Serialize;
use serde_json::Value;

use super::pin;
use crate::cli::counted::{counted, faulty};
use crate::cli::exit;
use crate::cli::outcome::{Failure, Outcome, View};
use crate::cli::table::table;
use crate::manifest::Manifest;
use crate::pins;
use crate::step_error::StepError;
use crate::toolbox::{Reading, Tool, Toolbox};

#[derive(Debug, clap::Args)]
pub struct Name {
    /// The tool.
    pub name: String,
}

#[derive(Debug, clap::Args)]
pub struct Names {
    /// The tools; all of them if none is named.
    pub names: Vec<String>,
}

/// A file that was written.
#[derive(Serialize)]
pub struct Written {
    /// Where.
    pub path: PathBuf,
    /// `created`.
    pub effect: &'static str,
}

impl View for Written {
    fn text(&self) -> String {
        format!("{} was written. Edit it, then run `gatepost tools check`.\n", self.path.display())
    }
}

#[derive(Serialize)]
struct List {
    directory: PathBuf,
    tools_count: usize,
    tools: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    name: String,
    version: String,
    backend: String,
    risk_tier: String,
    approvers: u32,
    /// `pinned`, `changed` or `unpinned`; empty for a manifest that is wrong.
    pin: &'static str,
    ok: bool,
    description: String,
}

impl View for List {
    fn text(&self) -> String {
        if self.tools.is_empty() {
            return "No tools. `gatepost tools init NAME` writes a starter manifest.\n".to_owned();
        }
        let row = |row: &Row| {
            let approval = match row.approvers {
                0 => "-".to_owned(),
                1 => "needed".to_owned(),
                count => format!("{count} people"),
            };
            vec![
                row.name.clone(),
                row.version.clone(),
                row.risk_tier.clone(),
                approval,
                row.pin.to_owned(),
                row.description.clone(),
            ]
        };
        table(
            &["tool", "version", "risk", "approval", "pin", "description"],
            &self.tools.iter().map(row).collect::<Vec<_>>(),
        )
    }
}

pub fn list(site: &Site) -> Result<Outcome, Failure> {
    let (toolbox, pins) = (Toolbox::at(site), pin::read(site)?);
    let row = |(path, reading): (PathBuf, Reading)| -> Result<Row, Failure> {
        let pin = match &reading {
            Ok(tool) => pins::state(&pins, tool, &toolbox.files(&tool.manifest)?.listed).as_str(),
            Err(_) => "",
        };
        Ok(self::row(&path, reading, pin))
    };
    let tools = toolbox.all()?.into_iter().map(row).collect::<Result<Vec<Row>, Failure>>()?;
    Ok(Outcome::done(&List { directory: toolbox.folder().to_owned(), tools_count: tools.len(), tools }))
}

fn row(path: &Path, reading: Reading, pin: &'static str) -> Row {
    match reading {
        Ok(tool) => Row {
            name: tool.manifest.name().to_owned(),
            version: tool.manifest.version().to_owned(),
            backend: tool.manifest.backend().as_str().to_owned(),
            risk_tier: tool.manifest.risk_tier().as_str().to_owned(),
            approvers: tool.manifest.approvers(),
            pin,
            ok: true,
            description: tool.manifest.description().to_owned(),
        },
        Err(reasons) => Row {
            name: file_stem(path),
            version: String::new(),
            backend: String::new(),
            risk_tier: String::new(),
            approvers: 0,
            pin,
            ok: false,
            description: format!("invalid: {}; see `gatepost tools check`", counted(reasons.len(), "fault")),
        },
    }
}

fn file_stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.trim_end_matches(".clad.toml").to_owned()
}

#[derive(Serialize)]
struct Shown {
    name: String,
    version: String,
    description: String,
    backend: &'static str,
    risk_tier: &'static str,
    approvers: u32,
    idempotent: bool,
    timeout_seconds: u32,
    /// Whether a request may ask for a network.
    may_have_network: bool,
    /// The weakest level that it may run at, if it demands more than the site.
    sandbox_minimum: Option<&'static str>,
    /// What it may read beyond what every tool may.
    read_only_paths: Vec<String>,
    /// The shape of the results in a line; `mcp` has the schema.
    #[serde(skip)]
    results: String,
    manifest: PathBuf,
    manifest_sha256: Digest,
    /// Its other files, as they are now.
    programs: Vec<ToolFile>,
    /// `pinned`, `changed` or `unpinned`.
    pin: &'static str,
    /// What differs from the pin, a clause each.
    differences: Vec<String>,
    arguments: Vec<Argument>,
    mcp: Value,
}

#[derive(Serialize)]
struct Argument {
    name: String,
    r#type: String,
    required: bool,
    description: String,
}

impl View for Shown {
    fn text(&self) -> String {
        let yes = |yes: bool| if yes { "yes" } else { "no" };
        let mut text = format!(
            "{} {}: {}\n\nbackend     {}\nrisk        {} (approvals needed: {})\nidempotent  {}\ntimeout     {} s\nnetwork     {}\nsandbox     {}\nresults     {}\nmanifest    {}\nsha256      {}\npin         {}\n",
            self.name,
            self.version,
            self.description,
            self.backend,
            self.risk_tier,
            self.approvers,
            yes(self.idempotent),
            self.timeout_seconds,
            if self.may_have_network { "the destinations that a request lists and the site allows" } else { "none" },
            self.sandbox(),
            self.results,
            self.manifest.display(),
            self.manifest_sha256,
            std::iter::once(self.pin).chain(self.differences.iter().map(String::as_str)).collect::<Vec<_>>().join("; ")
        );
        if !self.arguments.is_empty() {
            let row = |argument: &Argument| {
                vec![
                    argument.name.clone(),
                    argument.r#type.clone(),
                    yes(argument.required).to_owned(),
                    argument.description.clone(),
                ]
            };
            let rows: Vec<_> = self.arguments.iter().map(row).collect();
            text += &format!("\n{}", table(&["argument", "type", "required", "description"], &rows));
        }
        text
    }
}

impl Shown {
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

/// The shape of `results` in one line: its type and, of an object, its keys.
fn shape(schema: &Value) -> String {
    let kind = schema["type"].as_str().unwrap_or("any value");
    let Some(properties) = schema["properties"].as_object() else { return kind.to_owned() };
    let keys: Vec<_> = properties.keys().map(String::as_str).collect();
    format!("{kind} with {}", keys.join(", "))
}

pub fn show(site: &Site, name: &str) -> Result<Outcome, Failure> {
    let toolbox = Toolbox::at(site);
    let tool = find(&toolbox, name)?;
    let manifest = &tool.manifest;
    let programs = toolbox.files(manifest)?.listed;
    let state = pins::state(&*pin::read(site)?, &tool, &programs);
    let argument = |argument: &crate::manifest::Argument| Argument {
        name: argument.name.clone(),
        r#type: argument.kind.kind().as_str().to_owned(),
        required: argument.required,
        description: argument.description.clone(),
    };
    Ok(Outcome::done(&Shown {
        name: manifest.name().to_owned(),
        version: manifest.version().to_owned(),
        description: manifest.description().to_owned(),
        backend: manifest.backend().as_str(),
        risk_tier: manifest.risk_tier().as_str(),
        approvers: manifest.approvers(),
        idempotent: manifest.is_idempotent(),
        timeout_seconds: manifest.timeout_seconds(),
        may_have_network: manifest.sandbox().network,
        sandbox_minimum: manifest.sandbox().minimum.map(SandboxLevel::as_str),
        read_only_paths: manifest.sandbox().read_only_paths.clone(),
        results: manifest.output().map_or_else(|| "none".to_owned(), |output| shape(&output.schema)),
        manifest: tool.path.clone(),
        manifest_sha256: tool.sha256,
        programs,
        pin: state.as_str(),
        differences: state.into_differences(),
        arguments: manifest.arguments().iter().map(argument).collect(),
        mcp: manifest.mcp_schema(),
    }))
}

/// The tool of a name, or why there is none.
pub fn find(toolbox: &Toolbox, name: &str) -> Result<Arc<Tool>, Failure> {
    toolbox.find(name).map_err(|error| match error {
        StepError::Refused(reasons) => {
            let first = reasons.into_iter().next();
            let (message, hint) = first.map(|reason| (reason.message, reason.hint)).unwrap_or_default();
            Failure::not_found("TOOL_NOT_FOUND", "tool_not_found", message, hint).during("find", name)
        }
        StepError::Fault(fault) => fault.into(),
    })
}

#[derive(Serialize)]
struct Checked {
    tools: Vec<Check>,
}

#[derive(Serialize)]
struct Check {
    path: PathBuf,
    ok: bool,
    reasons: Vec<Reason>,
    /// What may be meant, and should be thought over.
    warnings: Vec<String>,
}

impl View for Checked {
    fn text(&self) -> String {
        let line = |check: &Check| {
            let word = if check.ok { "ok      " } else { "REFUSED " };
            let warnings =
                check.warnings.iter().fold(String::new(), |text, warning| text + &format!("- warning: {warning}\n"));
            format!("{word} {}\n{}{warnings}", check.path.display(), reasons_list(&check.reasons))
        };
        self.tools.iter().map(line).collect()
    }
}

pub fn check(toolbox: &Toolbox, names: &[String]) -> Result<Outcome, Failure> {
    let is_called = |path: &Path, reading: &Reading, name: &str| {
        reading.as_ref().map_or_else(|_| file_stem(path), |tool| tool.manifest.name().to_owned()) == name
    };
    let all = toolbox.all()?;
    for name in names {
        if !all.iter().any(|(path, reading)| is_called(path, reading, name)) {
            find(toolbox, name)?;
        }
    }
    let chosen = all
        .into_iter()
        .filter(|(path, reading)| names.is_empty() || names.iter().any(|name| is_called(path, reading, name)));
    let check = |(path, reading): (PathBuf, Reading)| {
        let warnings = reading.as_ref().map(|tool| warnings(&tool.manifest)).unwrap_or_default();
        let reasons = reading.err().map(|reasons| reasons.to_vec()).unwrap_or_default();
        Check { path, ok: reasons.is_empty(), reasons, warnings }
    };
    let checked = Checked { tools: chosen.map(check).collect() };
    let refused = checked.tools.iter().filter(|check| !check.ok).count();
    if refused == 0 {
        return Ok(Outcome::done(&checked));
    }
    let message =
        faulty(refused, checked.tools.len(), "manifest", "does not pass its check", "do not pass their check");
    let failure =
        Failure::new(exit::REJECTED, "DOCUMENT_REJECTED", "parse", message, "Each reason says what to do next.");
    Ok(Outcome::failed(&checked, failure))
}

fn warnings(manifest: &Manifest) -> Vec<String> {
    let warning = |name: &str| {
        format!(
            "The secret {name} stands in an argument, which every process that can see the tool can read. Pass it in a \
             variable if the tool can take it there: env = {{ NAME = \"{{_secret:{name}}}\" }} in [command]."
        )
    };
    manifest.secrets_in_argv().into_iter().map(warning).collect()
}

#[derive(Serialize)]
struct Schemas {
    tools: Vec<Value>,
}

impl View for Schemas {
    fn text(&self) -> String {
        self.tools.iter().map(|tool| serde_json::to_string_pretty(tool).unwrap_or_default() + "\n").collect()
    }
}

pub fn schema(toolbox: &Toolbox, names: &[String]) -> Result<Outcome, Failure> {
    let tools: Vec<Arc<Tool>> = if names.is_empty() {
        toolbox.all()?.into_iter().filter_map(|(_, reading)| reading.ok()).collect()
    } else {
        names.iter().map(|name| find(toolbox, name)).collect::<Result<_, _>>()?
    };
    Ok(Outcome::done(&Schemas { tools: tools.iter().map(|tool| tool.manifest.mcp_schema()).collect() }))
}
