//! The sites that commands fail in: one that is watched, the same unwatched, and copies of that in which something is wrong.

use std::fs;
use std::path::{Path, PathBuf};

use crate::calculator::{closing, manifest, opener};
use crate::office::Office;
use crate::site::{Request, Site, Watcher, until};

/// A tool that aims at a target.
const AIM: &str = "[tool]\nname = \"aim\"\nversion = \"1\"\ndescription = \"Aims\"\nbinary = \"true\"\n[args.target]\ntype = \"scope_target\"\n\
     [command]\nexec = [\"true\", \"{target}\"]\n[output]\nformat = \"text\"\n[output.schema]\ntype = \"object\"\n";
/// A tool that needs a secret which is not there.
const LOGIN: &str = "[tool]\nname = \"login\"\nversion = \"1\"\ndescription = \"Uses a secret\"\nbinary = \"true\"\n\
     [command]\nexec = [\"true\"]\nenv = { API_KEY = \"{_secret:token}\" }\n[output]\nformat = \"text\"\n[output.schema]\ntype = \"object\"\n";
/// A tool that nobody may have run, and somebody whose approval is not wanted.
const FORBIDDEN: &str = "@id(\"nobody\")\nforbid (principal, action, resource == Gatepost::Tool::\"forbidden\");\n\
     @id(\"not-bob\")\nforbid (principal, action, resource) when { context.approvals.names.contains(\"bob\") };\n";

/// All sites, and what is in the first of them.
pub(super) struct Stage {
    pub office: Office,
    /// The same, which nobody watches.
    pub still: Site,
    /// A folder that is no site.
    pub nowhere: PathBuf,
    /// A request that was answered, one whose tool failed, one that was refused, one whose result was rejected, one that waits, and a
    /// session that has ended.
    pub good: String,
    pub bad: String,
    pub odd: String,
    pub leak: String,
    pub pending: String,
    pub session: String,
    _watcher: Watcher,
    folder: tempfile::TempDir,
}

impl Stage {
    pub(super) fn new() -> Self {
        let office = Office::new("");
        let site = &office.site;
        let leak = site.reject_a_secret();
        site.manifest("aim", AIM);
        site.manifest("login", LOGIN);
        site.manifest("sum", &manifest("sum", ""));
        site.tool("forbidden", "", "#!/bin/sh\n");
        fs::write(site.path("policies/forbidden.cedar"), FORBIDDEN).unwrap();
        office.list("approvers", &["alice", "bob"]);
        expire(&office);
        let good = Request::file("good");
        let bad = Request::file("bad").arg("status", "3");
        let odd = Request::call("odd", "no_such_tool");
        let pending = Office::risky("pending");
        for request in [&good, &bad, &odd, &pending] {
            site.copy_in(request);
        }
        site.up();
        until("the request to wait", || site.names("var/exec/pending") == [pending.id.clone()]);
        let still = site.fork();
        let watcher = site.watch("up");
        let session = opener("console");
        site.rename_in(&session);
        site.rename_in(&closing("last", &session));
        until("the end of the session", || !site.results(&session.id).is_empty());
        let folder = tempfile::tempdir().unwrap();
        let nowhere = folder.path().join("nowhere");
        fs::create_dir(&nowhere).unwrap();
        Self {
            still,
            nowhere,
            good: good.id,
            bad: bad.id,
            odd: odd.id,
            leak,
            pending: pending.id,
            session: session.id,
            _watcher: watcher,
            folder,
            office,
        }
    }

    /// The watched site.
    pub(super) fn site(&self) -> &Path {
        &self.office.site.root
    }

    /// A place of its own, outside of all sites.
    pub(super) fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A copy of the site that nobody watches, in which something is changed.
    pub(super) fn changed(&self, change: impl FnOnce(&Site)) -> Site {
        let site = self.still.fork();
        change(&site);
        site
    }

    /// What stands for each place of this run.
    pub(super) fn masks<'a>(&'a self, sites: &[&'a Site]) -> Vec<(&'a Path, &'a str)> {
        let all = sites.iter().copied().chain([&self.still, &self.office.site]);
        let others = all.map(|site| (site.root.as_path(), "<site>"));
        others.chain([(self.folder.path(), "<folder>"), (self.office.keys(), "<keys>")]).collect()
    }
}

/// Lists mallory with a key that counted until a day long past.
fn expire(office: &Office) {
    let path = office.site.path("keys/approvers");
    let key = fs::read_to_string(office.key("mallory").with_extension("pub")).unwrap();
    let list = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{list}mallory valid-before=\"20200101Z\" {key}")).unwrap();
}
