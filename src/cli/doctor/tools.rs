//! Checks whether each tool of a site could run: its manifest, its program, its scripts and their interpreters, as the
//! private root shows them. Nothing is run.
//!
//! Standards: Linux `execve(2)`, interpreter scripts.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use gatepost_contract::config::{Config, Way};
use gatepost_contract::manifest::{Backend, Command, Manifest, Output, Parser, Runs};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_documents::text::quoted_name;
use gatepost_exec::lane::clad::{TOOLS, backend_fault, browser_fault, shown_faults};
use gatepost_exec::toolbox::{Reading, Toolbox};
use gatepost_sandbox::process;
use rustix::fs::{Access, access};

use super::{Finding, links};
use crate::cli::prelude::*;

/// The most bytes of an interpreter line that the kernel reads.
const LINE_BYTES_MAX: u64 = 256;

/// A fault and its remedy.
pub(crate) type Problem = (String, String);

/// Checks every manifest. `level` is the level of tools.
pub(crate) fn examine(site: &Site, toolbox: &Toolbox, config: &Config, level: SandboxLevel) -> Vec<Finding> {
    let all = match toolbox.all() {
        Ok(all) => all,
        Err(fault) => {
            let Failure { message, hint, .. } = fault.into();
            return vec![Finding::failure("tool.all", "unreadable", message, hint)];
        }
    };
    if all.is_empty() {
        return vec![Finding::ok("tool.all", "none: nothing can be requested on the lane clad")];
    }
    all.iter().map(|(path, reading)| tool(path, reading, (site, config, &all), (toolbox.folder(), level))).collect()
}

/// Another manifest with the same name makes the name ambiguous.
pub(crate) fn namesake(all: &[(PathBuf, Reading)], path: &Path, manifest: &Manifest) -> Option<Problem> {
    let is_called = |reading: &Reading| reading.as_ref().is_ok_and(|tool| tool.manifest.name() == manifest.name());
    let (other, _) = all.iter().find(|(other, reading)| other != path && is_called(reading))?;
    let message = format!("{} also has the name {}.", other.file_name()?.to_string_lossy(), manifest.name());
    Some((message, "Rename one of them: [tool] name.".to_owned()))
}

fn tool(
    path: &Path,
    reading: &Reading,
    (site, config, all): (&Site, &Config, &[(PathBuf, Reading)]),
    (folder, level): (&Path, SandboxLevel),
) -> Finding {
    let file = path.file_name().unwrap_or_default();
    match reading {
        Err(reasons) => {
            let why = reasons.first().map_or_else(String::new, ToString::to_string);
            let check = format!("tool.{}", file.to_string_lossy().trim_end_matches(".clad.toml"));
            let found = format!("{} has {}", quoted_name(file), counted(reasons.len(), "error"));
            Finding::warning(check, found, why, "Fix the manifest; `gatepost tools check` shows every error.")
        }
        Ok(tool) => {
            let manifest = &tool.manifest;
            let check = format!("tool.{}", manifest.name());
            let view = View { folder, level, shown: &manifest.sandbox().read_only_paths };
            let unusable =
                shown_faults(site, config, manifest).into_iter().chain(browser_fault(config, manifest)).next();
            let unusable = unusable.map(|reason| (reason.message, reason.hint));
            match namesake(all, path, manifest).or(unusable).map_or_else(|| view.programs(manifest, config), Err) {
                Ok(programs) => {
                    let names: Vec<String> = programs.iter().map(|program| program.display().to_string()).collect();
                    let backend = format!("the backend {}", manifest.backend().as_str());
                    let found = if names.is_empty() { backend } else { names.join(", ") };
                    match view.hidden_links(&programs) {
                        None => Finding::ok(check, found),
                        Some((why, fix)) => Finding::warning(check, found, why, fix),
                    }
                }
                Err((why, fix)) => Finding::warning(check, "cannot run", why, fix),
            }
        }
    }
}

/// The files that a tool sees.
pub(crate) struct View<'a> {
    /// The site's tools/.
    pub folder: &'a Path,
    /// The level at which it runs.
    pub level: SandboxLevel,
    /// Further paths that it sees.
    pub shown: &'a [String],
}

impl View<'_> {
    /// Every program that the tool would execute.
    fn programs(&self, manifest: &Manifest, config: &Config) -> Result<Vec<PathBuf>, Problem> {
        if let Some(missing) = missing_path(manifest) {
            return Err(missing);
        }
        let mut programs = match (manifest.program(), manifest.backend()) {
            (Some(program), _) => vec![self.program(program)?],
            (None, Backend::Command(Command { runs: Runs::Executor(script), .. })) => self.script(script.as_str())?,
            _ => match backend_fault(manifest) {
                Some(reason) => return Err((reason.message, reason.hint)),
                None => self.server(manifest, config)?.into_iter().collect(),
            },
        };
        if let Some(Output { parser: Parser::Script(script), .. }) = manifest.output() {
            programs.extend(self.script(script.as_str())?);
        }
        Ok(programs)
    }

    /// Faults of a tool that do not depend on its arguments: in its command, its MCP server or its parser.
    pub(crate) fn faults(&self, manifest: &Manifest, config: &Config) -> Vec<Problem> {
        let command = match (manifest.program(), manifest.backend()) {
            (Some(program), _) => self.program(program).err(),
            (None, Backend::Command(Command { runs: Runs::Executor(script), .. })) => {
                self.script(script.as_str()).err()
            }
            _ => None,
        };
        let parser = match manifest.parser() {
            Parser::Script(script) => self.script(script.as_str()).err(),
            Parser::Builtin(_) => None,
        };
        let server = self.server(manifest, config).err();
        command.into_iter().chain(server).chain(parser).collect()
    }

    /// The program of the MCP server that the tool calls, if it calls one.
    fn server(&self, manifest: &Manifest, config: &Config) -> Result<Option<PathBuf>, Problem> {
        let Backend::Mcp(mcp) = manifest.backend() else { return Ok(None) };
        let server = config.mcp.servers.get(&mcp.server).filter(|_| !manifest.is_callback());
        let Some(Way::Stdio { argv, read_only_paths, .. }) = server.map(|server| &server.way) else { return Ok(None) };
        let section = format!("[mcp.servers.{}]", mcp.server);
        if let Some(path) = read_only_paths.iter().find(|path| path.try_exists().is_ok_and(|exists| !exists)) {
            let why = format!("{section} read_only_paths has {}, which does not exist.", quoted_name(path.as_os_str()));
            return Err((why, "Create it, or correct gatepost.toml.".to_owned()));
        }
        let own = read_only_paths.iter().map(|path| path.to_string_lossy().into_owned());
        let shown: Vec<String> = self.shown.iter().cloned().chain(own).collect();
        let Some(program) = argv.first() else { return Ok(None) };
        let found = View { shown: &shown, ..*self }.program(program);
        let fix =
            format!("Install {program}, list its folder in read_only_paths of {section}, or correct its command.");
        found.map(Some).map_err(|(why, _)| (format!("{section} cannot start. {why}"), fix))
    }

    /// A program by its name or absolute path.
    pub(crate) fn program(&self, name: &str) -> Result<PathBuf, Problem> {
        if let Ok(script) = Path::new(name).strip_prefix(TOOLS) {
            let programs = self.script(&script.to_string_lossy())?;
            return Ok(programs.into_iter().next().unwrap_or_default());
        }
        let found = process::find(&[name.into()]).map_err(|error| {
            (format!("gatepost {error}."), format!("Install {name} into one of these folders, or remove the manifest."))
        })?;
        if !found.is_file() || access(&found, Access::EXEC_OK).is_err() {
            let why = format!("{} is not an executable file.", quoted_name(found.as_os_str()));
            return Err((why, "Install it, or correct [tool] binary.".to_owned()));
        }
        self.visible(&found)?;
        Ok(found)
    }

    /// A script below tools/ or, with an absolute path, elsewhere, and its interpreter.
    fn script(&self, name: &str) -> Result<Vec<PathBuf>, Problem> {
        let path = self.folder.join(name);
        let name = &if path == Path::new(name) { name.to_owned() } else { format!("tools/{name}") };
        if access(&path, Access::EXEC_OK).is_err() {
            let why = format!("{name} is missing or not executable.");
            return Err((why, format!("Add it and make it executable: `chmod +x {name}`.")));
        }
        let mut line = Vec::new();
        let read = File::open(&path).and_then(|file| file.take(LINE_BYTES_MAX).read_to_end(&mut line));
        read.map_err(|error| (format!("{name} cannot be read: {error}."), "Make it readable.".to_owned()))?;
        let mut programs = vec![path];
        if let Some(interpreter) = interpreter(&line) {
            programs.push(
                self.program(&interpreter)
                    .map_err(|(why, fix)| (format!("{name} needs the interpreter {interpreter}. {why}"), fix))?,
            );
        }
        Ok(programs)
    }

    fn shows(&self, path: &Path) -> bool {
        self.level == SandboxLevel::None
            || gatepost_sandbox::shows(path)
            || path.starts_with(self.folder)
            || self.shown.iter().any(|shown| path.starts_with(shown))
    }

    /// Link targets of these programs' installations that the tool would not see.
    fn hidden_links(&self, programs: &[PathBuf]) -> Option<Problem> {
        let hidden: BTreeSet<PathBuf> =
            programs.iter().flat_map(|program| links::hidden(program, |path| self.shows(path))).collect();
        let first = hidden.first()?;
        let more = match hidden.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let why = format!("Its program links to {}{more}, which a tool does not see.", quoted_name(first.as_os_str()));
        Some((why, "If the tool needs it, list its folder in [sandbox] read_only_paths of the manifest.".to_owned()))
    }

    /// Whether the tool would see a program and its link targets.
    fn visible(&self, path: &Path) -> Result<(), Problem> {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if self.shows(path) && self.shows(&real) {
            return Ok(());
        }
        let why = format!(
            "{} leads to {}, which is not visible in a tool's private root.",
            quoted_name(path.as_os_str()),
            quoted_name(real.as_os_str())
        );
        Err((why, "Install it under /usr, or list its folder in [sandbox] read_only_paths of the manifest.".to_owned()))
    }
}

/// A missing path that the tool should see: the private root cannot be built.
pub(crate) fn missing_path(manifest: &Manifest) -> Option<Problem> {
    let paths = manifest.sandbox().read_only_paths.iter().map(Path::new);
    let missing = paths.into_iter().find(|path| path.try_exists().is_ok_and(|exists| !exists))?;
    let why = format!("[sandbox] read_only_paths has {}, which does not exist.", quoted_name(missing.as_os_str()));
    Some((why, "Create it, or correct the manifest.".to_owned()))
}

/// The program of an interpreter line; none for other files. `env` only searches for the program.
fn interpreter(start: &[u8]) -> Option<String> {
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_whitespace();
    let program = words.next()?;
    let searched = words.find(|word| !word.starts_with('-')).filter(|_| program.ends_with("/env"));
    Some(searched.unwrap_or(program).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatepost_contract::manifest::CustomTypes;

    #[test]
    fn an_interpreter_line_names_its_program_also_through_env() {
        for (line, expected) in [
            ("#!/bin/sh -e\necho", Some("/bin/sh")),
            ("#! /usr/bin/env python3\n", Some("python3")),
            ("#!/usr/bin/env -S node --no-warnings\n", Some("node")),
            ("\x7fELF", None),
            ("echo", None),
            ("#!", None),
        ] {
            assert_eq!(interpreter(line.as_bytes()).as_deref(), expected, "{line:?}");
        }
    }

    #[test]
    fn an_mcp_server_that_cannot_start_is_told() {
        let text = "[tool]\nname='t'\nversion='1'\ndescription='d'\n[mcp]\nserver='s'\ntool='x'\n\
                    [output]\nformat='json'\nparser='builtin:json'\n[output.schema]\ntype='object'";
        let manifest = Manifest::parse(text, "t", &CustomTypes::default()).unwrap();
        let view = View { folder: Path::new("/"), level: SandboxLevel::Full, shown: &[] };
        for (server, why) in [
            ("command = 'no_such_program'", "[mcp.servers.s] cannot start. "),
            (
                "command = 'sh'\nread_only_paths = ['/no/such/path']",
                "read_only_paths has \"/no/such/path\", which does not exist.",
            ),
            ("command = 'sh'\nread_only_paths = ['/usr']", ""),
            ("url = 'https://a.org'", ""),
        ] {
            let config = Config::parse(&format!("[mcp.servers.s]\n{server}"), "gatepost.toml").unwrap();
            let found = view.faults(&manifest, &config).pop().unwrap_or_default().0;
            assert!(found.contains(why) && found.is_empty() == why.is_empty(), "{server}: {found}");
            assert_eq!(view.programs(&manifest, &config).is_ok(), why.is_empty(), "{server}");
        }
    }

    #[test]
    fn a_program_that_the_private_root_hides_is_told_and_only_there() {
        let folder = tempfile::tempdir().unwrap();
        let program = std::env::current_exe().unwrap();
        let path = program.to_str().unwrap();
        let shown = vec![program.parent().unwrap().to_str().unwrap().to_owned()];
        let view = |level, shown| View { folder: folder.path(), level, shown };
        assert!(view(SandboxLevel::Full, &[]).program(path).unwrap_err().0.contains("not visible"));
        assert!(view(SandboxLevel::Full, &shown).program(path).is_ok());
        assert!(view(SandboxLevel::None, &[]).program(path).is_ok());
        assert!(view(SandboxLevel::Full, &[]).program("sh").is_ok());
        assert!(view(SandboxLevel::Full, &[]).program("no_such_program").is_err());
    }
}
