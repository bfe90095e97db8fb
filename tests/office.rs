//! A site whose requests people approve: approvers and requesters with SSH keys.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::site::{Request, Site, Watcher, until};

pub(crate) const TOOL: &str = "#!/bin/sh\necho done\n";

/// A site with approvers and requesters, and the folder of everybody's keys.
pub(crate) struct Office {
    pub site: Site,
    keys: tempfile::TempDir,
}

impl Office {
    pub(crate) fn new(more: &str) -> Self {
        let config = format!("[inbox]\nsettle_ms = 0\nscan_interval_ms = 50\n{more}[gate]\nscan_interval_ms = 50\n");
        let (site, keys) = (Site::with_config(&config), tempfile::tempdir().unwrap());
        let office = Self { site, keys };
        office.site.tool("risky", "human_approval = true", TOOL);
        for name in ["alice", "bob", "human", "mallory"] {
            office.run("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-C", name, "-f", name]);
        }
        office.list("approvers", &["alice", "bob"]);
        office.list("requesters", &["human"]);
        office
    }

    pub(crate) fn list(&self, list: &str, names: &[&str]) {
        let line =
            |name: &&str| format!("{name} {}", fs::read_to_string(self.key(name).with_extension("pub")).unwrap());
        let path = self.site.path("keys").join(list);
        fs::write(&path, names.iter().map(line).collect::<String>()).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    }

    /// The folder of everybody's keys.
    pub(crate) fn keys(&self) -> &Path {
        self.keys.path()
    }

    pub(crate) fn key(&self, name: &str) -> PathBuf {
        self.keys.path().join(name)
    }

    pub(crate) fn run(&self, program: &str, arguments: &[&str]) {
        let run = Command::new(program).args(arguments).current_dir(self.keys.path()).output().unwrap();
        assert!(run.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    }

    /// Somebody's signature over these bytes, made by hand.
    pub(crate) fn signature(&self, name: &str, namespace: &str, bytes: &[u8]) -> Vec<u8> {
        fs::write(self.key("document"), bytes).unwrap();
        let _ = fs::remove_file(self.key("document.sig"));
        self.run("ssh-keygen", &["-q", "-Y", "sign", "-n", namespace, "-f", name, "document"]);
        fs::read(self.key("document.sig")).unwrap()
    }

    pub(crate) fn drop_signature(&self, file_name: &str, bytes: &[u8]) {
        let outside = self.key("outside.sig");
        fs::write(&outside, bytes).unwrap();
        fs::rename(&outside, self.site.path("inbox").join(file_name))
            .or_else(|_| fs::copy(&outside, self.site.path("inbox").join(file_name)).map(|_| ()))
            .unwrap();
    }

    /// Drops a request and waits until it is set aside.
    pub(crate) fn pending(&self, request: &Request) {
        self.site.rename_in(request);
        until("the request to wait", || self.site.names("var/exec/pending") == [request.id.clone()]);
    }

    pub(crate) fn accepted(&self, request: &Request) {
        until("the result, or another end", || {
            self.site.results(&request.id).len() == 1
                || self
                    .site
                    .names("quarantine")
                    .iter()
                    .any(|item| item.starts_with("TS-") && item.ends_with(&request.id))
        });
        self.site.result(&request.id);
    }

    pub(crate) fn quarantined(&self, name: &str) -> Vec<String> {
        until("the item in quarantine", || self.site.path("quarantine").join(name).join("reasons.json").exists());
        self.site.reasons(name)
    }

    pub(crate) fn up(&self) -> Watcher {
        self.site.watch("up")
    }

    pub(crate) fn risky(slug: &str) -> Request {
        Request::call(slug, "risky")
    }
}
