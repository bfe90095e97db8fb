//! The files of a tool beside its manifest: its program or executor, its parser, the custom types.
//!
//! Hashes the files that would be executed: the program found by its name, and the targets of links. A file that is missing or
//! unreadable is left out; the tool then fails to start, and its pin does not match.

use std::path::Path;

use gatepost_contract::manifest::{Backend, Command, Manifest, Parser, Runs, ScriptPath};
use gatepost_documents::pins::{Role, ToolFile};
use gatepost_mailbox::fault::{Fault, OnPath, is_passing};
use gatepost_sandbox::process;

use super::types_files;
use crate::file_version::{Digests, FileVersion};

/// The files of a tool at one time. Equal only if no file was touched since: a file that was changed and changed back differs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files {
    /// With their digests, in the order of their roles.
    pub listed: Vec<ToolFile>,
    file_versions: Vec<FileVersion>,
}

/// The files of a tool.
pub(super) fn files(digests: &Digests, folder: &Path, manifest: &Manifest) -> Result<Files, Fault> {
    let of_site = |script: &ScriptPath| {
        let shown = if script.is_outside() { script.as_str().to_owned() } else { format!("tools/{}", script.as_str()) };
        (shown, folder.join(script.as_str()))
    };
    let mut paths = Vec::new();
    let program = manifest.program().and_then(|program| process::find(&[program.into()]).ok());
    paths.extend(program.map(|path| (Role::Binary, (path.display().to_string(), path))));
    if let Backend::Command(Command { runs: Runs::Executor(script), .. }) = manifest.backend() {
        paths.push((Role::Executor, of_site(script)));
    }
    if let Parser::Script(script) = manifest.parser() {
        paths.push((Role::Parser, of_site(script)));
    }
    paths.extend(types_files(folder).map(|(path, shown)| (Role::Types, (shown.to_owned(), path))));
    let mut files = Files::default();
    for (role, (shown, path)) in paths {
        match digests.of(&path) {
            Ok((sha256, file_version)) => {
                files.listed.push(ToolFile { role, path: shown, sha256 });
                files.file_versions.push(file_version);
            }
            Err(error) if is_passing(&error) => return Err(error).on("read", &path),
            Err(_) => {}
        }
    }
    Ok(files)
}
