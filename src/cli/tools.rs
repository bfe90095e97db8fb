//! `gatepost tools`: the manifests of a site.

mod call;
mod check;
mod inspect;
mod pin;
mod show;

use std::path::Path;

use gatepost_contract::manifest;
use gatepost_exec::toolbox::Toolbox;

use super::new_file::{self, Existing};
use crate::cli::prelude::*;

/// A local call leaves nothing.
const RUNNING: &[Write] = &[Write::temporary("gatepost-"), Write::CONTROL_GROUPS, Write::PRIVATE_ROOT];

/// The failures of a call before it runs.
const PLANNING: &[ErrorCode] = &[
    ErrorCode::ConfigInvalid,
    ErrorCode::SchemaViolation,
    ErrorCode::ToolNotFound,
    ErrorCode::OutOfScope,
    ErrorCode::PolicyDenied,
    ErrorCode::FileNotFound,
];

/// The commands of `gatepost tools`.
pub(super) const DECLARATIONS: [Declaration; 8] = [
    Declaration::safe("tools.list", data::<inspect::List>).lists("tools", "name").fails(&[ErrorCode::ConfigInvalid]),
    Declaration::safe("tools.show", data::<show::Shown>)
        .about("name")
        .fails(&[ErrorCode::ConfigInvalid, ErrorCode::ToolNotFound]),
    Declaration::safe("tools.check", data::<check::Checked>).fails(&[
        ErrorCode::ConfigInvalid,
        ErrorCode::ToolNotFound,
        ErrorCode::DocumentRejected,
    ]),
    Declaration::mutating("tools.pin", data::<pin::Pinned>)
        .writes(&[Write::kept_in("keys/pins.toml")])
        .fails(&[ErrorCode::ConfigInvalid, ErrorCode::ToolNotFound]),
    Declaration::safe("tools.plan", data::<call::Planned>)
        .writes(&[Write::temporary("gatepost-")])
        .fails_like(PLANNING),
    Declaration::safe("tools.schema", data::<inspect::Schemas>)
        .fails(&[ErrorCode::ToolNotFound, ErrorCode::BackendUnavailable]),
    Declaration::mutating("tools.run", either::<call::Answer, call::Planned>)
        .writes(RUNNING)
        .starts(&[Subprocess::TOOL, Subprocess::NETWORK])
        .fails_like(PLANNING)
        .fails(&[ErrorCode::SandboxUnavailable, ErrorCode::ToolFailed, ErrorCode::AlreadyExists]),
    Declaration::mutating("tools.init", data::<inspect::Written>)
        .writes(&[Write::new_in("tools/")])
        .fails(&[ErrorCode::AlreadyExists]),
];

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// List every tool.
    List,
    /// Show one tool: its arguments, secrets, limits and results.
    Show(inspect::Name),
    /// Check manifests without running anything; all of them if none is named.
    Check(inspect::Names),
    /// Pin tools: record the digests of manifest, scripts and program, which must stay the same from then on; all if none is named.
    Pin(pin::Arguments),
    /// Validate a call and show the command; nothing is run.
    Plan(call::Arguments),
    /// Print tools that this version runs as MCP definitions: inputSchema and outputSchema.
    Schema(inspect::Names),
    /// Run one call here and now, without the mailbox, and print its evidence.
    Run(call::RunArguments),
    /// Write a commented starter manifest.
    Init(NewTool),
}

#[derive(Debug, clap::Args)]
pub(super) struct NewTool {
    /// The new tool: lower-case letters, digits, _ and -, beginning with a letter.
    name: String,
    /// Show what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,
}

/// The form of a new tool's name as a regular expression.
pub(super) const NEW_TOOL: &str = "^[a-z][a-z0-9_-]{0,63}$";

pub(super) use inspect::find;

pub(super) fn run(at: Option<&Path>, command: Command) -> Result<Outcome, Failure> {
    let toolbox = || site::find(at).map(|site| Toolbox::at(&site));
    match command {
        Command::List => inspect::list(&site::find(at)?),
        Command::Show(name) => show::show(&site::open(at)?, &name.name),
        Command::Pin(arguments) => pin::run(&site::find(at)?, &arguments),
        Command::Check(names) => {
            let open = site::open(at)?;
            check::check(&open.site, &open.config, &names.names)
        }
        Command::Schema(names) => inspect::schema(&toolbox()?, &names.names),
        Command::Plan(arguments) => call::plan(site::open(at)?, &arguments),
        Command::Run(arguments) => call::run(site::open(at)?, &arguments),
        Command::Init(arguments) => init(&toolbox()?, &arguments),
    }
}

/// Whether a new tool may have that name.
pub(super) fn is_new_tool(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-')
}

fn init(toolbox: &Toolbox, NewTool { name, dry_run }: &NewTool) -> Result<Outcome, Failure> {
    if !is_new_tool(name) {
        let message = format!("{} is not a valid tool name.", gatepost_documents::text::quoted(name));
        return Err(Failure::usage(message, "Use lower-case letters, digits, _ and -, beginning with a letter."));
    }
    let path = toolbox.folder().join(format!("{name}.clad.toml"));
    let hint = "Choose another name, or edit the file.";
    new_file::write(&path, manifest::starter(name).as_bytes(), Existing::Keep, *dry_run, hint)?;
    Ok(Outcome::done(&inspect::Written { path, effect: Effect::Created.or_would(*dry_run) }))
}
