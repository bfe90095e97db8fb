//! `gatepost init`

use std::path::{Path, PathBuf};

use gatepost_gate::policy;
use gatepost_mailbox::site::Site;
use serde::Serialize;

use super::outcome::{Failure, Outcome, View};
use super::site_layout;
use crate::config;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The folder to make into a site, created if it is missing. Default: the current directory.
    dir: Option<PathBuf>,
    /// Do not add the sample tools.
    #[arg(long)]
    no_samples: bool,
    /// Only print a commented configuration that shows every key with its default.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "gatepost.toml")]
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

#[derive(Serialize)]
struct Made {
    directory: String,
    effect: &'static str,
    created: Vec<String>,
}

impl View for Made {
    fn text(&self) -> String {
        if self.created.is_empty() {
            return format!("{} is already a complete site; nothing was changed.\n", self.directory);
        }
        format!(
            "{} is now a gatepost site ({} entries created).\n\nNext:\n  gatepost --site {0} up      watch it\n  \
             gatepost --site {0} tools list\n  drop TR-….md files into {0}/inbox/\n",
            self.directory,
            self.created.len()
        )
    }
}

#[derive(Serialize)]
struct Template {
    config: &'static str,
}

impl View for Template {
    fn text(&self) -> String {
        self.config.to_owned()
    }
}

pub fn run(at: Option<&Path>, arguments: &Arguments) -> Result<Outcome, Failure> {
    if let Some(file) = arguments.print_config {
        return Ok(Outcome::done(&Template { config: file.template() }));
    }
    let dir = arguments.dir.as_deref().or(at).unwrap_or(Path::new("."));
    let here = std::env::current_dir()
        .map_err(|error| Failure::usage(format!("The working directory no longer exists: {error}."), ""))?;
    let site = Site::at(here.join(dir).components().collect::<PathBuf>());
    let created = site_layout::make(&site, !arguments.no_samples)?;
    let effect = if created.is_empty() { "noop" } else { "created" };
    Ok(Outcome::done(&Made { directory: site.root().display().to_string(), effect, created }))
}
