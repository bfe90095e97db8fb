//! Inspects manifests: list, schema.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gatepost_exec::lane::clad::backend_fault;
use gatepost_exec::pins;
use gatepost_exec::step_error::StepError;
use gatepost_exec::toolbox::{Reading, Tool, Toolbox};
use serde_json::Value;

use super::pin;
use crate::cli::prelude::*;

#[derive(Debug, clap::Args)]
pub(crate) struct Name {
    /// The tool.
    #[arg(value_name = "TOOL", value_parser = identifier::tool)]
    pub name: String,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Names {
    /// The tools; all of them if none is named.
    #[arg(value_name = "TOOL", value_parser = identifier::tool)]
    pub names: Vec<String>,
}

/// A file that was written, or would be.
#[derive(Serialize, JsonSchema)]
pub(super) struct Written {
    /// Its path.
    pub path: PathBuf,
    pub effect: Effect,
}

impl View for Written {
    fn text(&self) -> String {
        let path = self.path.display();
        match self.effect {
            Effect::WouldCreate => format!("{path} would be written.\n"),
            _ => format!("{path} was written. Edit it, then run `gatepost tools check`.\n"),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct List {
    directory: PathBuf,
    tools_count: usize,
    tools: Vec<Row>,
}

#[derive(Serialize, JsonSchema)]
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

pub(super) fn list(site: &Site) -> Result<Outcome, Failure> {
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
            description: format!(
                "invalid: {}; see `{}`",
                counted(reasons.len(), "error"),
                gatepost_exec::shell::line(["gatepost", "tools", "check", &file_stem(path)])
            ),
        },
    }
}

/// The name of a manifest's file, without its suffix.
pub(super) fn file_stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    name.trim_end_matches(".clad.toml").to_owned()
}

/// The tool of a name, or the failure if it is missing.
pub(crate) fn find(toolbox: &Toolbox, name: &str) -> Result<Arc<Tool>, Failure> {
    toolbox.find(name).map_err(|error| match error {
        StepError::Refused(reasons) => {
            let first = reasons.into_iter().next();
            let (message, hint) = first.map(|reason| (reason.message, reason.hint)).unwrap_or_default();
            Failure::not_found(ErrorCode::ToolNotFound, FailureKind::ToolNotFound, name, message, hint)
        }
        StepError::Fault(fault) => fault.into(),
    })
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Schemas {
    tools: Vec<Value>,
}

impl View for Schemas {
    fn text(&self) -> String {
        self.tools.iter().map(|tool| serde_json::to_string_pretty(tool).unwrap_or_default() + "\n").collect()
    }
}

pub(super) fn schema(toolbox: &Toolbox, names: &[String]) -> Result<Outcome, Failure> {
    let runs = |tool: &Arc<Tool>| backend_fault(&tool.manifest).is_none();
    let tools: Vec<Arc<Tool>> = if names.is_empty() {
        toolbox.all()?.into_iter().filter_map(|(_, reading)| reading.ok()).filter(runs).collect()
    } else {
        names.iter().map(|name| find_running(toolbox, name)).collect::<Result<_, _>>()?
    };
    Ok(Outcome::done(&Schemas { tools: tools.iter().map(|tool| tool.manifest.mcp_schema()).collect() }))
}

/// The tool of a name, if this version supports its backend.
fn find_running(toolbox: &Toolbox, name: &str) -> Result<Arc<Tool>, Failure> {
    let tool = find(toolbox, name)?;
    match backend_fault(&tool.manifest) {
        Some(reason) => Err(Failure::refused(ErrorCode::BackendUnavailable, name, vec![reason])),
        None => Ok(tool),
    }
}
