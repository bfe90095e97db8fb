//! `gatepost init`

use std::path::{Path, PathBuf};

use gatepost_contract::config;
use gatepost_gate::policy;
use gatepost_mailbox::owners::{self, OwnersError, Users};
use rustix::fs::Mode;

use super::up::check_unwatched;
use super::{site, site_layout};
use crate::cli::prelude::*;

/// `gatepost init`
pub(super) const DECLARATION: Declaration = Declaration::mutating("init", either::<Made, Template>)
    .writes(&[Write::argument("dir"), Write::SITE])
    .anywhere()
    .fails(&[ErrorCode::SiteUnsound, ErrorCode::LockHeld]);

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The folder to make into a site, created if it is missing. Default: the current directory.
    dir: Option<PathBuf>,
    /// Do not add the sample tools.
    #[arg(long)]
    no_samples: bool,
    /// Give the folders of the site to two users, so that a compromised TOOL-EXEC cannot change what the gate does.
    /// Needs root; takes users and a group of this machine, by name or number.
    #[arg(long, value_name = "exec=USER,gate=USER,group=GROUP")]
    users: Option<Users>,
    /// Show what would be made and changed, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Only print a commented configuration that shows every key with its default.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "gatepost.toml")]
    print_config: Option<ConfigFile>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ConfigFile {
    /// What TOOL-EXEC does.
    #[value(name = "gatepost.toml")]
    Site,
    /// What the gate demands.
    #[value(name = "gate.toml")]
    Gate,
}

impl ConfigFile {
    const fn template(self) -> &'static str {
        match self {
            Self::Site => config::TEMPLATE,
            Self::Gate => policy::TEMPLATE,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct Made {
    directory: String,
    effect: Effect,
    created: Vec<String>,
    /// The folders whose owner or mode was changed, one line for each.
    #[serde(skip_serializing_if = "Option::is_none")]
    given: Option<Vec<String>>,
}

impl View for Made {
    fn text(&self) -> String {
        let given = self.given.iter().flatten().fold(String::new(), |text, line| text + &format!("  {line}\n"));
        if matches!(self.effect, Effect::WouldCreate | Effect::WouldUpdate) {
            let listed = |name: &String| format!("  {name}\n");
            let created: String = self.created.iter().map(listed).collect();
            let created = if created.is_empty() { created } else { format!("These entries would be made:\n{created}") };
            let given = if given.is_empty() { given } else { format!("These folders would be changed:\n{given}") };
            return format!("{}\n{created}{given}", self.directory);
        }
        let given = if given.is_empty() { given } else { format!("\nThese folders were changed:\n{given}") };
        match (self.created.is_empty(), given.is_empty()) {
            (true, true) => {
                return format!("{} is already a complete site; nothing was changed.\n", self.directory);
            }
            (true, false) => return format!("{} is a complete site.\n{given}", self.directory),
            (false, _) => {}
        }
        format!(
            "{} is now a gatepost site ({} entries created).\n\nNext:\n  gatepost --site {0} up      watch it\n  \
             gatepost --site {0} tools list\n  drop TR-….md files into {0}/inbox/\n  \
             claude mcp add gatepost -- gatepost mcp --site {0}      for an MCP client\n",
            self.directory,
            self.created.len()
        ) + &given
    }
}

#[derive(Serialize, JsonSchema)]
struct Template {
    config: &'static str,
}

impl View for Template {
    fn text(&self) -> String {
        self.config.to_owned()
    }
}

pub(super) fn run(at: Option<&Path>, arguments: &Arguments) -> Result<Outcome, Failure> {
    if let Some(file) = arguments.print_config {
        return Ok(Outcome::done(&Template { config: file.template() }));
    }
    let dir = arguments.dir.as_deref().or(at).unwrap_or(Path::new("."));
    let here = std::env::current_dir()
        .map_err(|error| Failure::usage(format!("The working directory no longer exists: {error}."), ""))?;
    let site = Site::at(here.join(dir).components().collect::<PathBuf>());
    site::check_format(&site, ErrorCode::SiteUnsound)?;
    // The umask may permit group or world access; a site belongs to its user alone.
    rustix::process::umask(rustix::process::umask(Mode::RWXU) | Mode::WGRP | Mode::WOTH);
    let created = site_layout::make(&site, !arguments.no_samples, arguments.dry_run)?;
    let given = arguments.users.as_ref().map(|users| give(&site, users, arguments.dry_run)).transpose()?;
    let effect = match (created.is_empty(), given.as_ref().is_none_or(Vec::is_empty)) {
        (true, true) => Effect::Noop,
        (false, _) => Effect::Created,
        (true, false) => Effect::Updated,
    };
    let effect = effect.or_would(arguments.dry_run);
    Ok(Outcome::done(&Made { directory: site.root().display().to_string(), effect, created, given }))
}

/// Assigns the site to its two users.
fn give(site: &Site, users: &Users, dry_run: bool) -> Result<Vec<String>, Failure> {
    check_unwatched(site)?;
    owners::set(site, users, dry_run).map_err(|error| {
        let hint = match error {
            OwnersError::Fault(fault) => return fault.into(),
            OwnersError::SiteOfWatcher { .. } => {
                "Give the whole site to its operator first: `chown -R root` and its path."
            }
            OwnersError::FolderOfStranger { .. } => {
                "Stop the programs of that user, give the folder to root (`chown -R root`), and run this again."
            }
        };
        let message = format!("Cannot give the site to its users: {error}.");
        Failure::new(ErrorCode::SiteUnsound, FailureKind::Filesystem, message, hint)
    })
}
