//! The paths of the machine that a tool may see: never a place of the sandbox's own, and never one with secrets, keys or the requests
//! of others.

use std::fs;
use std::path::{Path, PathBuf};

use gatepost_contract::config::Config;
use gatepost_contract::manifest::{Backend, Manifest};
use gatepost_contract::sandbox_root::keeps;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use gatepost_mailbox::site::Site;

use crate::secrets::Secrets;

/// Why paths of a manifest and its MCP server cannot be shown, a reason each.
pub fn shown_faults(site: &Site, config: &Config, manifest: &Manifest) -> Vec<Reason> {
    let own = manifest.sandbox().read_only_paths.iter().map(Path::new);
    let own = own.map(|path| (path, "[sandbox] read_only_paths".to_owned(), Code::ManifestInvalid));
    let server = match manifest.backend() {
        Backend::Mcp(mcp) => config.mcp.servers.get_key_value(&mcp.server),
        _ => None,
    };
    let servers = server.into_iter().flat_map(|(name, server)| {
        let place = format!("[mcp.servers.{name}] read_only_paths of gatepost.toml");
        server.read_only_paths().iter().map(move |path| (path.as_path(), place.clone(), Code::BackendUnavailable))
    });
    let private = Private::of(site, config);
    let faults = own.chain(servers).filter_map(|(path, place, code)| {
        let (clause, hint) = private.fault(path)?;
        let message = format!("{place} contains {}, {clause}.", quoted(&path.to_string_lossy()));
        Some(Reason::new(code, message, hint))
    });
    faults.chain(private.exposed()).collect()
}

/// The folders that no tool may see, as canonical paths.
#[derive(Clone)]
struct Private {
    secrets: Vec<PathBuf>,
    site: PathBuf,
    tools: PathBuf,
}

impl Private {
    fn of(site: &Site, config: &Config) -> Self {
        let secrets = Secrets::of(&config.secrets);
        Self { secrets: secrets.folders().map(real).collect(), site: real(site.root()), tools: real(&site.tools()) }
    }

    /// Why no tool may run: every tool would see the site's secrets.
    fn exposed(&self) -> Option<Reason> {
        let is_shown = |folder: &&PathBuf| folder.starts_with(&self.tools) || gatepost_sandbox::shows(folder);
        let folder = self.secrets.iter().find(is_shown)?;
        let folder = quoted(&folder.to_string_lossy());
        let message = format!("[secrets] folder of gatepost.toml is {folder}, which every tool can see.");
        let hint = "Ask the operator to move the secrets to a folder outside of tools/ and of the system folders, such as /etc/gatepost/secrets.";
        Some(Reason::new(Code::SecretUnusable, message, hint))
    }

    /// Why a path cannot be shown, as a clause, and what to do.
    fn fault(&self, path: &Path) -> Option<(&'static str, &'static str)> {
        if keeps(path) {
            return Some(("which the sandbox reserves", "Remove it, or name a folder below it."));
        }
        let path = real(path);
        if self.secrets.iter().any(|secrets| overlap(secrets, &path)) {
            return Some((
                "where secrets are stored",
                "Name a folder that holds what the tool reads, and nothing else.",
            ));
        }
        let is_private = overlap(&self.site, &path) && !path.starts_with(&self.tools);
        is_private.then_some((
            "where the site's requests, results and keys are stored",
            "Name a folder that holds what the tool reads, and nothing else; a request passes files as its inputs.",
        ))
    }
}

/// Whether one of two paths contains the other.
fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}

/// The canonical path; unchanged if it does not exist.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_lies_around_secrets_or_the_site_is_not_shown_under_any_name() {
        // Not below /tmp, which the sandbox reserves.
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let path = |name: &str| folder.path().canonicalize().unwrap().join(name);
        for name in ["secrets/deep", "site/tools/data", "site/keys", "data"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        symlink(path("site/keys"), path("link")).unwrap();
        let private = Private { secrets: vec![path("secrets")], site: path("site"), tools: path("site/tools") };
        assert!(private.exposed().is_none());
        for exposed in [path("site/tools/secrets"), "/usr/share/secrets".into()] {
            let private = Private { secrets: vec![exposed], ..Private::clone(&private) };
            assert!(private.exposed().unwrap().message.ends_with("which every tool can see."));
        }
        let clause = |path: &Path| private.fault(path).map_or("", |(clause, _)| clause);
        assert_eq!(clause(&path("data")), "");
        assert_eq!(clause(&path("site/tools/data")), "");
        for name in ["", "secrets", "secrets/deep"] {
            assert_eq!(clause(&path(name)), "where secrets are stored", "{name}");
        }
        for name in ["site", "site/keys", "link", "data/../site/keys"] {
            assert_eq!(clause(&path(name)), "where the site's requests, results and keys are stored", "{name}");
        }
        for name in ["/", "/tmp/x", "/proc/1"] {
            assert_eq!(clause(Path::new(name)), "which the sandbox reserves", "{name}");
        }
    }
}
