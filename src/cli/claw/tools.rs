//! `gatepost tool-pool`, `gatepost show-tool`: the manifests of the site, for callers.
//!
//! It does not explain errors of a manifest; `gatepost tools check` does.

use std::path::Path;
use std::sync::Arc;

use gatepost_contract::manifest::{Backend, Manifest};
use gatepost_exec::lane::clad::backend_fault;
use gatepost_exec::toolbox::{Tool, Toolbox};
use serde_json::Value;

use crate::cli::prelude::*;
use crate::cli::tools::find;

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  gatepost tool-pool --simple-mode")]
pub(crate) struct PoolArguments {
    /// Leave out the tools that an MCP server provides.
    #[arg(long)]
    no_mcp: bool,
    /// List only tools that take at most one argument, need no approval, and have no sessions.
    #[arg(long)]
    simple_mode: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ShowArguments {
    /// The tool.
    #[arg(value_name = "TOOL", value_parser = identifier::tool)]
    name: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Pool {
    simple_mode: bool,
    include_mcp: bool,
    tool_count: usize,
    tools: Vec<Listed>,
    /// Invalid manifests, each by its file.
    invalid_manifests: Vec<String>,
    #[serde(skip)]
    more: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Listed {
    name: String,
    source_hint: String,
    responsibility: String,
    backend: &'static str,
    /// How many people must approve a call.
    approvers: u32,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Shown {
    name: String,
    found: bool,
    source_hint: String,
    responsibility: String,
    backend: &'static str,
    risk_tier: &'static str,
    approvers: u32,
    timeout_seconds: u32,
    idempotent: bool,
    /// Its arguments, as a JSON schema.
    input_schema: Value,
}

impl View for Pool {
    fn text(&self) -> String {
        if self.tools.is_empty() {
            return "No tool can be called. `gatepost tools list` shows every manifest.\n".to_owned();
        }
        let row = |tool: &Listed| vec![tool.name.clone(), tool.source_hint.clone(), tool.responsibility.clone()];
        table(&["tool", "manifest", "description"], &self.tools.iter().map(row).collect::<Vec<_>>()) + &self.more
    }
}

impl View for Shown {
    fn text(&self) -> String {
        let Self { name, responsibility, source_hint, .. } = self;
        format!("{name}: {responsibility}\nManifest:  {source_hint}\n`gatepost tools show {name}` shows all of it.\n")
    }
}

pub(super) fn pool(site: &Site, arguments: &PoolArguments, bounds: &Bounds) -> Result<Outcome, Failure> {
    let PoolArguments { no_mcp, simple_mode } = *arguments;
    let is_listed = |manifest: &Manifest| {
        !(no_mcp && matches!(manifest.backend(), Backend::Mcp(_)) || simple_mode && !is_simple(manifest))
    };
    let (mut tools, mut invalid_manifests) = (Vec::new(), Vec::new());
    for (path, reading) in Toolbox::at(site).all()? {
        match reading {
            Ok(tool) if is_listed(&tool.manifest) => tools.push(Listed {
                name: tool.manifest.name().to_owned(),
                source_hint: source(&path),
                responsibility: tool.manifest.description().to_owned(),
                backend: tool.manifest.backend().as_str(),
                approvers: tool.manifest.approvers(),
            }),
            Ok(_) => {}
            Err(_) => invalid_manifests.push(source(&path)),
        }
    }
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    let (tools, pagination) = bounds.window.of(tools, |tool| tool.name.as_str())?;
    let (tool_count, more) = (tools.len(), pagination.hint());
    let pool = Pool { simple_mode, include_mcp: !no_mcp, tool_count, tools, invalid_manifests, more };
    Ok(Outcome::done(&pool).on_page(pagination))
}

/// Whether a tool can be called in one step without knowing it.
fn is_simple(manifest: &Manifest) -> bool {
    manifest.arguments().len() <= 1 && manifest.approvers() == 0 && manifest.commands().is_empty()
}

pub(super) fn show(site: &Site, ShowArguments { name }: &ShowArguments) -> Result<Outcome, Failure> {
    let tool = find(&Toolbox::at(site), name)?;
    let manifest = &tool.manifest;
    let mut schema = manifest.mcp_schema();
    Ok(Outcome::done(&Shown {
        name: manifest.name().to_owned(),
        found: true,
        source_hint: source(&tool.path),
        responsibility: manifest.description().to_owned(),
        backend: manifest.backend().as_str(),
        risk_tier: manifest.risk_tier().as_str(),
        approvers: manifest.approvers(),
        timeout_seconds: manifest.timeout_seconds(),
        idempotent: manifest.is_idempotent(),
        input_schema: schema.get_mut("inputSchema").map(Value::take).unwrap_or_default(),
    }))
}

/// The valid manifests whose backend this version supports.
pub(super) fn valid(site: &Site) -> Result<Vec<Arc<Tool>>, Failure> {
    let readings = Toolbox::at(site).all()?.into_iter();
    Ok(readings
        .filter_map(|(_, reading)| reading.ok())
        .filter(|tool| backend_fault(&tool.manifest).is_none())
        .collect())
}

/// The path of a manifest's file, relative to the site.
pub(super) fn source(path: &Path) -> String {
    format!("tools/{}", path.file_name().unwrap_or_default().to_string_lossy())
}
