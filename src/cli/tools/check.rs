//! `gatepost tools check`: the errors of manifests, and probable mistakes.
//!
//! Nothing is run. Programs are looked up as for a run.

use std::path::{Path, PathBuf};

use gatepost_contract::config::Config;
use gatepost_contract::manifest::Manifest;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_exec::lane::clad::{browser_fault, server_fault, shown_faults};
use gatepost_exec::toolbox::{Reading, Toolbox};

use super::inspect::{file_stem, find};
use crate::cli::counted::faulty;
use crate::cli::doctor::tools::{View as Machine, missing_path, namesake};
use crate::cli::prelude::*;
use crate::cli::style::{self, Tone};

#[derive(Serialize, JsonSchema)]
pub(super) struct Checked {
    tools: Vec<Check>,
}

#[derive(Serialize, JsonSchema)]
struct Check {
    path: PathBuf,
    ok: bool,
    /// Why it is invalid.
    errors: Vec<Reason>,
    /// Valid lines that may be mistakes.
    warnings: Vec<Reason>,
}

impl View for Checked {
    fn text(&self) -> String {
        self.tools.iter().map(Check::text).collect()
    }
}

impl Check {
    fn text(&self) -> String {
        let word = if self.ok { style::paint(Tone::Good, "ok      ") } else { style::paint(Tone::Bad, "REFUSED ") };
        let warned = match self.warnings.len() {
            0 => String::new(),
            count => format!(" ({})", counted(count, "warning")),
        };
        let findings: String = self.errors.iter().chain(&self.warnings).map(finding).collect();
        format!("{word} {}{warned}\n{findings}", self.path.display())
    }
}

/// A reason in the style of a compiler.
fn finding(reason: &Reason) -> String {
    let kind = if reason.severity == Severity::Flag { "warning" } else { "error" };
    let Reason { message, file, line, column, hint, .. } = reason;
    let place = file.iter().map(|file| match (line, column) {
        (Some(line), Some(column)) => format!("  --> {file}:{line}:{column}\n"),
        _ => format!("  --> {file}\n"),
    });
    format!("{kind}: {message}\n{}  = help: {hint}\n", place.collect::<String>())
}

/// Checks the named manifests; all if none is named.
pub(super) fn check(site: &Site, config: &Config, names: &[String]) -> Result<Outcome, Failure> {
    let toolbox = &Toolbox::at(site);
    let name_of = |path: &Path, reading: &Reading| {
        reading.as_ref().map_or_else(|_| file_stem(path), |tool| tool.manifest.name().to_owned())
    };
    let all = toolbox.all()?;
    for name in names {
        if !all.iter().any(|(path, reading)| name_of(path, reading) == *name) {
            find(toolbox, name)?;
        }
    }
    let is_chosen = |path: &Path, reading: &Reading| names.is_empty() || names.contains(&name_of(path, reading));
    let chosen = all.iter().filter(|(path, reading)| is_chosen(path, reading));
    let checked = Checked { tools: chosen.map(|(path, reading)| one((site, config), &all, path, reading)).collect() };
    let refused = checked.tools.iter().filter(|check| !check.ok).count();
    if refused == 0 {
        return Ok(Outcome::done(&checked));
    }
    let message = faulty(refused, checked.tools.len(), "manifest", "is invalid", "are invalid");
    let failure =
        Failure::new(ErrorCode::DocumentRejected, FailureKind::Parse, message, "Each error says what to do next.");
    Ok(Outcome::failed(&checked, failure))
}

fn one((site, config): (&Site, &Config), all: &[(PathBuf, Reading)], path: &Path, reading: &Reading) -> Check {
    let file = file_name(path);
    let (errors, warnings) = match reading {
        Err(errors) => (errors.to_vec(), Vec::new()),
        Ok(tool) => {
            let manifest = &tool.manifest;
            let machine = Machine {
                folder: &site.tools(),
                level: SandboxLevel::None,
                shown: &manifest.sandbox().read_only_paths,
            };
            let error = |(message, hint)| Reason::new(Code::ManifestInvalid, message, hint).in_file(&file);
            let shown = shown_faults(site, config, manifest);
            // Without access to `shown` paths, their existence means nothing.
            let missing = missing_path(manifest).filter(|_| shown.is_empty());
            let faults = machine.faults(manifest, config).into_iter().chain(missing);
            let errors = faults.chain(namesake(all, path, manifest)).map(error);
            let configured =
                server_fault(config, manifest).into_iter().chain(browser_fault(config, manifest)).chain(shown);
            (
                errors.chain(configured.map(|reason| reason.in_file(&file))).collect(),
                manifest.warnings().iter().cloned().chain(bare_secrets(manifest, &file)).collect(),
            )
        }
    };
    Check { path: path.to_owned(), ok: errors.is_empty(), errors, warnings }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn bare_secrets(manifest: &Manifest, file: &str) -> Vec<Reason> {
    let warning = |name: &str| {
        let message =
            format!("The secret {name} is in an argument, which every process that can see the tool can read.");
        let hint = format!(
            "Pass it in an environment variable if the tool can read it there: env = {{ NAME = \"{{_secret:{name}}}\" }} in [command]."
        );
        let reason = Reason::new(Code::ManifestWarning, message, hint).in_file(file);
        Reason { severity: Severity::Flag, ..reason }
    };
    manifest.secrets_in_argv().into_iter().map(warning).collect()
}
