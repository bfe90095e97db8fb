//! How commands fail that are about tools, files, watchers and the machine.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use rustix::process::Signal;

use super::gap::WITHOUT_LANDLOCK;
use super::provocation::{Provocation, Stdout, View, status};
use super::stage::Stage;
use crate::site::{Request, Site, names, until};

/// A tool with an engine that this version lacks.
const BROWSER: &str = "[tool]\nname = \"page\"\nversion = \"1\"\ndescription = \"Opens a page\"\nmode = \"browser\"\n\
     [browser]\nengine = \"playwright\"\nconnect = \"launch\"\n[browser.scope]\nallowed_domains = [\"example.com\"]\n\
     [browser.commands.navigate]\n[browser.commands.navigate.args.url]\ntype = \"url\"\nrequired = true\n";
/// Users of a site that need not be there.
const USERS: &str = "--users exec=61001,gate=61002,group=61001 --dry-run";

/// Sites in which something is wrong with tools, policies or folders, and an address that is taken.
pub(super) struct Spoilt {
    /// A manifest is wrong, and one names an engine that is not there.
    tools: Site,
    /// A policy is wrong, so that TOOL-EXEC ends at once.
    policies: Site,
    /// The same.
    closed: Site,
    /// A tool of the demonstration is gone.
    incomplete: Site,
    /// Tools run in them for long.
    busy: Site,
    hurried: Site,
    /// A gate runs in it whose folder is taken away.
    replaced: Site,
    taken: TcpListener,
    folder: PathBuf,
}

impl Spoilt {
    pub(super) fn new(stage: &Stage) -> Self {
        let tools = stage.changed(|site| {
            site.manifest("wrong", "nonsense = 1\n");
            site.manifest("page", BROWSER);
        });
        let policies = stage.changed(|site| fs::write(site.path("policies/wrong.cedar"), "nonsense\n").unwrap());
        let incomplete = Site::new();
        fs::remove_file(incomplete.path("tools/fail_with.clad.toml")).unwrap();
        let folder = stage.place("machine");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("good.txt"), "good\n").unwrap();
        fs::write(folder.join("wrong.clad.toml"), "nonsense = 1\n").unwrap();
        Self {
            closed: policies.fork(),
            tools,
            policies,
            incomplete,
            busy: stage.changed(|_| {}),
            hurried: stage.changed(|_| {}),
            replaced: stage.changed(|_| {}),
            taken: TcpListener::bind("127.0.0.1:0").unwrap(),
            folder,
        }
    }

    pub(super) fn sites(&self) -> [&Site; 7] {
        [&self.tools, &self.policies, &self.closed, &self.incomplete, &self.busy, &self.hurried, &self.replaced]
    }

    pub(super) fn provocations(&self, stage: &Stage) -> Vec<Provocation> {
        let mut all = self.of_tools(stage);
        all.extend(self.of_files(stage));
        all.extend(self.of_watchers(stage));
        all
    }

    fn of_tools(&self, stage: &Stage) -> Vec<Provocation> {
        let office = |code, words: &str| Provocation::new(code, stage.site(), &format!("tools {words}"));
        let tools = |code, words: &str| Provocation::new(code, &self.tools.root, &format!("tools {words}"));
        let mut all = vec![
            tools("DOCUMENT_REJECTED", "check"),
            tools("BACKEND_UNAVAILABLE", "schema page"),
            office("ALREADY_EXISTS", "init fail_with"),
            office("TOOL_FAILED", "run fail_with --arg status=3"),
            office("ALREADY_EXISTS", &format!("run fail_with --arg status=0 --out {}", self.folder.display())),
            office("SANDBOX_UNAVAILABLE", "run fail_with --arg status=0").under(&WITHOUT_LANDLOCK),
        ];
        for command in ["show", "check", "pin", "schema", "plan", "run"] {
            all.push(office("TOOL_NOT_FOUND", &format!("{command} fail_wth")));
        }
        for command in ["plan", "run"] {
            all.push(office("SCHEMA_VIOLATION", &format!("{command} fail_with --arg status=many")));
            all.push(office("OUT_OF_SCOPE", &format!("{command} aim --arg target=192.0.2.1")));
            all.push(office("POLICY_DENIED", &format!("{command} forbidden")));
            all.push(office("FILE_NOT_FOUND", &format!("{command} line_count --arg file=none --input /nowhere/none")));
        }
        all
    }

    fn of_files(&self, stage: &Stage) -> Vec<Provocation> {
        let office = |code, words: &str| Provocation::new(code, stage.site(), words);
        let file = |name: &str| self.folder.join(name).display().to_string();
        vec![
            office("FILE_NOT_FOUND", "check /nowhere"),
            office("DOCUMENT_REJECTED", &format!("check {}", file("wrong.clad.toml"))),
            office("PARTIAL_FAILURE", &format!("check {} {}", file("good.txt"), file("wrong.clad.toml"))),
            office("ALREADY_EXISTS", &format!("man --out {}", self.folder.display())),
            office("ALREADY_EXISTS", &format!("report --json {}", file("good.txt"))),
            office("ALREADY_EXISTS", &format!("policy learn --out {}", file("good.txt"))),
        ]
    }

    fn of_watchers(&self, stage: &Stage) -> Vec<Provocation> {
        let office = |code, words: &str| Provocation::new(code, stage.site(), words);
        let address = self.taken.local_addr().unwrap();
        let broken = |code, words: &str| Provocation::new(code, &self.policies.root, words);
        let mut all = vec![
            office("SANDBOX_UNAVAILABLE", "doctor").under(&WITHOUT_LANDLOCK),
            broken("SITE_UNSOUND", "doctor"),
            office("LOCK_HELD", "demo"),
            broken("WATCHER_ENDED", "demo"),
            Provocation::new("DEMO_FAILED", &self.incomplete.root, "demo"),
            Provocation::new("WATCHER_ENDED", &self.closed.root, "up --once --quiet"),
            Provocation::new("IO_ERROR", stage.site(), "demo --validate-only").writing(Stdout::Full),
            Provocation::new("CONFINEMENT_UNAVAILABLE", &stage.still.root, "gate --once").under(&WITHOUT_LANDLOCK),
            office("LOCK_HELD", &format!("init {} {USERS}", stage.site().display())),
            office("SITE_UNSOUND", &format!("init {}", owned(&stage.place("owned")))),
        ];
        for watcher in ["up", "exec", "gate"] {
            all.push(office("LOCK_HELD", &format!("{watcher} --once")));
        }
        let listen = format!("serve --listen {address}");
        all.push(office("ADDRESS_UNAVAILABLE", &listen).only_in(View::Spec));
        for (site, watcher) in [(&self.busy, "exec"), (&self.hurried, "up")] {
            let words = format!("{watcher} --once --quiet");
            let inbox = site.path("inbox");
            let running = site.path("var/exec/running");
            let ask = move || drop(Request::call("busy", "sleep_for").arg("duration", "1800ms").write(&inbox));
            let is_run = move |_| until("the tool", || !names(&running).is_empty());
            all.push(
                Provocation::new("CANCELLED", &site.root, &words)
                    .after(ask)
                    .while_others(is_run)
                    .stopped_by(Signal::TERM),
            );
        }
        let outbox = self.replaced.path("outbox");
        let replace = move |gate| {
            const FILTERED: &str = "2";
            until("the gate to confine itself", || status(gate, "Seccomp:").as_deref() == Some(FILTERED));
            fs::rename(&outbox, outbox.with_extension("old")).unwrap();
            fs::create_dir_all(outbox.join(".tmp")).unwrap();
        };
        all.push(
            Provocation::new("FOLDER_REPLACED", &self.replaced.root, "gate --quiet")
                .while_others(replace)
                .only_in(View::Spec),
        );
        all
    }
}

/// A folder that belongs to a user, and the users of a site to whom that one belongs.
fn owned(place: &Path) -> String {
    fs::create_dir(place).unwrap();
    let own = rustix::process::geteuid().as_raw();
    let user = if own == 0 { 61001 } else { own };
    std::os::unix::fs::chown(place, Some(user), None).unwrap();
    format!("{} --users exec={user},gate=61002,group=61001 --dry-run", place.display())
}
