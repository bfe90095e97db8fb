//! `gatepost tools`: the manifests of a site.

mod call;
mod check;
mod inspect;
mod pin;
mod show;

use std::path::Path;

use gatepost_mailbox::durable;

use super::exit;
use super::outcome::{Failure, Outcome};
use super::site;
use crate::manifest;
use crate::toolbox::Toolbox;

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// List every tool.
    List,
    /// Show one tool: its arguments, secrets, limits and results.
    Show(inspect::Name),
    /// Check manifests without running anything; all of them if none is named.
    Check(inspect::Names),
    /// Pin tools: record the digests of manifest, scripts and program, from which they may not differ; all if none is named.
    Pin(pin::Arguments),
    /// Validate a call and show the command; nothing is run.
    Plan(call::Arguments),
    /// Print tools that this version runs as MCP definitions: inputSchema and outputSchema.
    Schema(inspect::Names),
    /// Run one call here and now, without the mailbox, and print its evidence.
    Run(call::Arguments),
    /// Write a commented starter manifest.
    Init(inspect::Name),
}

impl Command {
    /// The command as words.
    pub fn name(&self) -> &'static str {
        match self {
            Self::List => "tools list",
            Self::Show(_) => "tools show",
            Self::Check(_) => "tools check",
            Self::Pin(_) => "tools pin",
            Self::Plan(_) => "tools plan",
            Self::Schema(_) => "tools schema",
            Self::Run(_) => "tools run",
            Self::Init(_) => "tools init",
        }
    }
}

pub use inspect::find;

pub fn run(at: Option<&Path>, command: Command) -> Result<Outcome, Failure> {
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
        Command::Init(name) => init(&toolbox()?, &name.name),
    }
}

fn init(toolbox: &Toolbox, name: &str) -> Result<Outcome, Failure> {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-');
    if !plain {
        let message = format!("{} is not a valid tool name.", gatepost_documents::text::quoted(name));
        return Err(Failure::usage(message, "Use lower-case letters, digits, _ and -, beginning with a letter."));
    }
    let path = toolbox.folder().join(format!("{name}.clad.toml"));
    durable::write_new(&path, manifest::starter(name).as_bytes()).map_err(|fault| {
        if fault.source.kind() == std::io::ErrorKind::AlreadyExists {
            let message = format!("{} already exists.", path.display());
            return Failure::new(
                exit::CONFLICT,
                "ALREADY_EXISTS",
                "usage",
                message,
                "Choose another name, or edit the file.",
            );
        }
        fault.into()
    })?;
    Ok(Outcome::done(&inspect::Written { path, effect: "created" }))
}
