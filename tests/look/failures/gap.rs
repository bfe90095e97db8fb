//! How commands fail that carry something across a gap, keep a quarantine, or prove what was decided.

use std::fs;
use std::path::{Path, PathBuf};

use gatepost_documents::digest::Digest;
use gatepost_mailbox::lock::Lock;
use gatepost_mailbox::quarantine::Removals;
use gatepost_mailbox::site::Site as Folders;

use super::provocation::Provocation;
use super::stage::Stage;
use crate::carry::bags::{files, retag};
use crate::site::{Request, Site, WITHOUT_CALL, text};

/// Sites and bags in which something is wrong with what was decided; the locks that stand in the way are held.
pub(super) struct Spoilt {
    /// The gate's checkpoint does not verify.
    forged: Site,
    /// No gate served it since there are logs.
    unlogged: Site,
    /// A request in the inbox that has no document.
    incomplete: Site,
    /// One result that was damaged and rejected, beside the one that printed a secret.
    review: Site,
    /// The same, where the older item is past its retention.
    surplus: Site,
    /// A site that was never used.
    fresh: Site,
    /// One that believes the gate, and one that does not, whose configuration the gate refuses.
    believer: Site,
    broken: Site,
    damaged: String,
    bags: PathBuf,
    _locks: Vec<Lock>,
    _removals: Removals,
}

impl Spoilt {
    pub(super) fn new(stage: &Stage) -> Self {
        let forged = stage.changed(|site| fs::write(site.path("var/gate/log/checkpoint"), "nonsense\n").unwrap());
        let unlogged = stage.changed(|site| fs::remove_dir_all(site.path("var/gate/log")).unwrap());
        let incomplete = stage.changed(|site| fs::create_dir_all(site.path("inbox").join(EMPTY).join("in")).unwrap());
        let review = stage.changed(|site| damage(site, &stage.bad));
        let is_damaged = |name: &String| name.ends_with(&stage.bad);
        let damaged = review.names("quarantine").into_iter().find(is_damaged).unwrap();
        let surplus = review.fork();
        keep_bytes(&surplus, &damaged);
        let fresh = Site::steady();
        let bags = stage.place("bags");
        fs::create_dir(&bags).unwrap();
        let results = bags.join("results");
        stage.still.gatepost(&["export", &stage.good, "--out", results.to_str().unwrap()]).succeeds();
        forge(&results, &bags.join("forged"));
        spoil(&results, &bags.join("spoilt"));
        let believer = Site::steady();
        let key = text(&stage.still.gatepost(&["audit", "checkpoint"]).succeeds()["data"]["verifier_key"]);
        fs::write(believer.path("keys/gates"), format!("{key}\n")).unwrap();
        let broken = believer.fork();
        fs::write(broken.path("gate.toml"), "nonsense = 1\n").unwrap();
        let request = Request::file("elsewhere");
        stage.still.copy_in(&request);
        let requests = bags.join("requests");
        stage.still.gatepost(&["export", "--requests", &request.id, "--out", requests.to_str().unwrap()]).succeeds();
        fs::remove_file(stage.still.path("inbox").join(request.name())).unwrap();
        fs::write(fresh.path("inbox").join(request.name()), request.arg("status", "7").markdown()).unwrap();
        let held = |path: PathBuf| {
            fs::create_dir(&path).unwrap();
            Lock::folder(&path).unwrap()
        };
        let digest = staging(&requests);
        let locks = vec![
            held(bags.join("taken.part")),
            held(believer.path("inbox/.tmp").join(format!(".import-{digest}"))),
            Lock::take(&Folders::at(review.root.clone()).gate_lock(), "process 1, gatepost gate").unwrap(),
        ];
        let removals = Removals::open(&Folders::at(believer.root.clone())).unwrap();
        Self {
            forged,
            unlogged,
            incomplete,
            review,
            surplus,
            fresh,
            believer,
            broken,
            damaged,
            bags,
            _locks: locks,
            _removals: removals,
        }
    }

    pub(super) fn sites(&self) -> [&Site; 8] {
        let Self { forged, unlogged, incomplete, review, surplus, fresh, believer, broken, .. } = self;
        [forged, unlogged, incomplete, review, surplus, fresh, believer, broken]
    }

    pub(super) fn provocations(&self, stage: &Stage) -> Vec<Provocation> {
        let mut all = self.proved(stage);
        all.extend(self.carried(stage));
        all.extend(self.kept(stage));
        all
    }

    fn proved(&self, stage: &Stage) -> Vec<Provocation> {
        let result = |site: &Site| site.result(&stage.good).0.display().to_string();
        let damaged = self.review.path("quarantine").join(&self.damaged).join("untouched").join(&self.damaged);
        vec![
            Provocation::new("LOG_NOT_FOUND", &self.unlogged.root, "audit checkpoint"),
            Provocation::new("LOG_NOT_FOUND", &self.unlogged.root, "audit verify"),
            Provocation::new("AUDIT_LOG_INVALID", &self.forged.root, "audit checkpoint"),
            Provocation::new("AUDIT_LOG_INVALID", &self.forged.root, "audit verify"),
            Provocation::new("FILE_NOT_FOUND", stage.site(), "audit verify --since /nowhere"),
            Provocation::new("AUDIT_LOG_INVALID", &self.forged.root, &format!("verify {}", result(&self.forged))),
            Provocation::new("FILE_NOT_FOUND", stage.site(), "verify /nowhere"),
            Provocation::new("RESULT_REJECTED", stage.site(), &format!("verify {}", damaged.display())),
        ]
    }

    fn carried(&self, stage: &Stage) -> Vec<Provocation> {
        let Stage { good, .. } = stage;
        let bag = |name: &str| self.bags.join(name).display().to_string();
        let export = |code, site: &Path, words: &str| Provocation::new(code, site, &format!("export {words}"));
        let import =
            |code, site: &Site, name: &str| Provocation::new(code, &site.root, &format!("import {}", bag(name)));
        vec![
            export("ALREADY_EXISTS", stage.site(), &format!("{good} --out {}", bag("results"))),
            export("REQUEST_NOT_FOUND", stage.site(), &format!("--requests {EMPTY} --out {}", bag("new"))),
            export("RESULT_NOT_FOUND", stage.site(), &format!("{EMPTY} --out {}", bag("new"))),
            export("EXPORT_REFUSED", &self.incomplete.root, &format!("--requests {EMPTY} --out {}", bag("empty"))),
            export("AUDIT_LOG_INVALID", &self.forged.root, &format!("{good} --out {}", bag("unproved"))),
            export("LOCK_HELD", stage.site(), &format!("{good} --out {}", bag("taken"))),
            import("FILE_NOT_FOUND", &self.fresh, "nothing"),
            import("ALREADY_EXISTS", &self.fresh, "requests"),
            import("GATE_NOT_TRUSTED", &self.fresh, "results"),
            import("BAG_INVALID", &self.fresh, "spoilt"),
            import("RESULT_REJECTED", &self.believer, "forged"),
            import("LOCK_HELD", &self.believer, "requests"),
            import("WATCHER_ENDED", &self.broken, "results"),
        ]
    }

    fn kept(&self, stage: &Stage) -> Vec<Provocation> {
        let (leak, damaged) = (&stage.leak, &self.damaged);
        let quarantine = |code, site: &Path, words: &str| Provocation::new(code, site, &format!("quarantine {words}"));
        let because = "--reason 'It is a sample'";
        let there = stage.place("note.md");
        fs::write(&there, "Something else.\n").unwrap();
        let office = stage.site();
        let mut all = vec![
            quarantine("ALREADY_EXISTS", office, &format!("reject-note {leak} --to {}", there.display())),
            quarantine("POLICY_DENIED", office, &format!("release {leak} {because} --override sums_mismatch")),
            quarantine("RESULT_REJECTED", office, &format!("release {leak} {because}")),
            quarantine(
                "PARTIAL_FAILURE",
                &self.surplus.root,
                &format!("release {leak} {damaged} {because} --override secret --dry-run"),
            ),
            quarantine("TIMEOUT", &self.review.root, &format!("release {leak} {because} --timeout 20ms")),
            quarantine("WATCHER_ENDED", &self.surplus.root, &format!("release {leak} {because}"))
                .under(&WITHOUT_LANDLOCK),
            quarantine("POLICY_DENIED", office, &format!("purge {leak} --yes")),
            quarantine("PARTIAL_FAILURE", &self.surplus.root, &format!("purge {leak} {damaged} --dry-run")),
            quarantine("TIMEOUT", &self.believer.root, "purge --yes --timeout 20ms"),
            quarantine("WATCHER_ENDED", &self.surplus.root, "purge --yes").under(&WITHOUT_LANDLOCK),
        ];
        for command in ["show", "reject-note", "purge --dry-run"] {
            all.push(quarantine("ITEM_NOT_FOUND", office, &format!("{command} nothing")));
        }
        all.push(quarantine("ITEM_NOT_FOUND", office, &format!("release nothing {because}")));
        all
    }
}

/// What holds no document.
const EMPTY: &str = "TR-20260209-160501Z-empty";
/// A kernel that cannot hold the gate: it ends at once.
pub(super) const WITHOUT_LANDLOCK: [&str; 4] = ["python3", "-c", WITHOUT_CALL, "444"];

/// Puts a result into the outbox again with a byte more, and has the gate reject it.
fn damage(site: &Site, id: &str) {
    let bundle = site.result(id).0;
    let target = site.path("outbox").join(bundle.file_name().unwrap());
    let copied = std::process::Command::new("cp").arg("-a").args([&bundle, &target]).status().unwrap();
    assert!(copied.success());
    let path = target.join("evidence.json");
    fs::write(&path, fs::read_to_string(&path).unwrap() + "\n").unwrap();
    fs::remove_file(target.join("verdict.json")).unwrap();
    site.gatepost(&["gate", "--once"]).succeeds();
}

/// Has the quarantine hold no more than one item, so that the older is past its retention.
fn keep_bytes(site: &Site, newest: &str) {
    let files = walkdir::WalkDir::new(site.path("quarantine").join(newest)).into_iter().map(Result::unwrap);
    let bytes: u64 = files.filter(|file| file.file_type().is_file()).map(|file| file.metadata().unwrap().len()).sum();
    let demands = fs::read_to_string(site.path("gate.toml")).unwrap();
    let kept = demands.replace("bytes_max = 0", &format!("bytes_max = {}", bytes + 64));
    assert_ne!(kept, demands);
    fs::write(site.path("gate.toml"), kept).unwrap();
}

fn copied(bag: &Path, copy: &Path) {
    assert!(std::process::Command::new("cp").arg("-a").args([bag, copy]).status().unwrap().success());
}

/// A bag whose manifests fit, and whose result was changed.
fn forge(bag: &Path, copy: &Path) {
    copied(bag, copy);
    let result = fs::read_dir(copy.join("data/results")).unwrap().next().unwrap().unwrap().path();
    let evidence = result.join("evidence.json");
    fs::write(&evidence, fs::read_to_string(&evidence).unwrap() + "\n").unwrap();
    let line = |(path, bytes): (String, Vec<u8>)| format!("{}  data/{path}\n", Digest::of(&bytes));
    let lines: String = files(&copy.join("data")).into_iter().map(line).collect();
    fs::write(copy.join("manifest-sha256.txt"), lines).unwrap();
    fs::remove_file(copy.join("VERIFY.md")).unwrap();
    retag(copy);
}

/// A bag that is not what its manifest says.
fn spoil(bag: &Path, copy: &Path) {
    copied(bag, copy);
    fs::write(copy.join("bagit.txt"), "nonsense\n").unwrap();
}

/// What the place is named after in which a bag is laid out.
fn staging(bag: &Path) -> String {
    let bytes = fs::read(bag.join("manifest-sha256.txt")).unwrap();
    Digest::of(&bytes).to_string()[..16].to_owned()
}
